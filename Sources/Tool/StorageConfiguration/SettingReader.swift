// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Configuration
internal import StorageAuth

/// A reader of settings that throws an error for a value that cannot be used, instead of ignoring it.
@available(macOS 15, *)
struct SettingReader: Sendable {
  private let reader: ConfigReader

  init(_ reader: ConfigReader) { self.reader = reader }

  func integer(_ key: String, in range: ClosedRange<Int>) async throws(ConfigurationError) -> Int? {
    guard let value = try await fetch(key, "an integer", { try await reader.fetchInt(forKey: $0) }) else { return nil }
    guard range.contains(value) else {
      let limit =
        range.upperBound == .max ? "at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
      throw invalid(key, "is \(value).", remedy: "Use a number that is \(limit).")
    }
    return value
  }

  func boolean(_ key: String) async throws(ConfigurationError) -> Bool? {
    try await fetch(key, "true or false") { try await reader.fetchBool(forKey: $0) }
  }

  func text(_ key: String) async throws(ConfigurationError) -> String? {
    guard let text = try await fetch(key, "a string", { try await reader.fetchString(forKey: $0) }) else { return nil }
    guard !text.isEmpty else { throw invalid(key, "is empty.", remedy: "Give it a value, or leave it out.") }
    return text
  }

  func requiredText(_ key: String) async throws(ConfigurationError) -> String {
    guard let text = try await text(key) else { throw invalid(key, "is missing.", remedy: "Give it a value.") }
    return text
  }

  func list(_ key: String) async throws(ConfigurationError) -> [String]? {
    try await fetch(key, "a list of strings") { try await reader.fetchStringArray(forKey: $0) }
  }

  func duration(_ key: String) async throws(ConfigurationError) -> Duration? {
    guard let text = try await text(key) else { return nil }
    guard let duration = Quantity.duration(text) else {
      throw invalid(key, "is no duration.", remedy: "Write a number with a unit: ms, s, m, h or d, such as 30s.")
    }
    return duration
  }

  func size(_ key: String, atLeast minimum: Int64) async throws(ConfigurationError) -> Int64? {
    var size: Int64?
    // A value that is no integer is read as a string with a unit.
    if let number = try? await reader.fetchInt(forKey: ConfigKey(key)) {
      size = Int64(number)
    } else {
      guard let text = try await text(key) else { return nil }
      size = Quantity.bytes(text)
    }
    guard let size, size >= minimum else {
      throw invalid(
        key, "is no size that can be used.", remedy: "Write at least \(minimum) bytes, with a unit such as KiB or MiB.")
    }
    return size
  }

  /// Returns the secret of a key, or of the file that the key with `File` at its end names.
  func secret(_ key: String) async throws(ConfigurationError) -> Secret? {
    let value = try await fetch(key, "a string") { try await reader.fetchString(forKey: $0, isSecret: true) }
    guard let path = try await text("\(key)File") else { return value.map { Secret($0) } }
    guard value == nil else { throw invalid(key, "and \(key)File are both set.", remedy: "Leave one of them out.") }
    return Secret(try content(of: path, for: "\(key)File"))
  }

  /// Returns the secrets of a list, and those on the lines of the file that the key with `File` at its end names.
  ///
  /// Blank lines of the file, and those that begin with `#`, are ignored.
  func secrets(_ key: String) async throws(ConfigurationError) -> [Secret] {
    let values = try await fetch(key, "a list of strings") {
      try await reader.fetchStringArray(forKey: $0, isSecret: true)
    }
    var texts = values ?? []
    if let path = try await text("\(key)File") {
      let lines = try content(of: path, for: "\(key)File").split(whereSeparator: \.isNewline).map(String.init)
      texts += lines.filter { !$0.beginsWithByte("#") && !$0.isBlank }
    }
    return texts.map { Secret($0) }
  }

  private static let fileByteLimit = 1 << 16

  /// Returns the content of a file without the line ends at its end.
  private func content(of path: String, for key: String) throws(ConfigurationError) -> String {
    let contents: FileContents
    do throws(FileReadError) {
      contents = try SystemFiles().read(path, limit: Self.fileByteLimit)
    } catch {
      throw invalid(key, "names a file that cannot be read.", remedy: "Name a file that this process can read.")
    }
    if let weakness = contents.weakness {
      throw invalid(
        key, "names a file that other users could have written: \(weakness.reason).", remedy: "\(weakness.remedy)")
    }
    guard let text = String(utf8: contents.bytes) else {
      throw invalid(key, "names a file that is not UTF-8 text.", remedy: "Put only the secret into the file.")
    }
    let end = text.lastIndex { !$0.isNewline }.map { text.index(after: $0) } ?? text.startIndex
    guard end > text.startIndex else { throw invalid(key, "names an empty file.", remedy: "Put the secret into it.") }
    return String(text[..<end])
  }

  /// Returns the error for a setting; the reason continues a sentence that begins with its key.
  func invalid(_ key: String, _ reason: String, remedy: String) -> ConfigurationError {
    ConfigurationError(key: key, reader: reader.description, "The setting \(key) \(reason)", remedy: remedy)
  }

  /// Returns what an expression creates; its error becomes one that names the setting.
  func attributing<Value>(
    errorsTo key: String, _ create: @autoclosure () throws(TransportError) -> Value
  ) throws(ConfigurationError) -> Value {
    do throws(TransportError) {
      return try create()
    } catch {
      throw invalid(key, "cannot be used. \(error.message)", remedy: error.remedy)
    }
  }

  /// Returns the value of a key, or `nil`; an error lacks the message of the provider, which can contain the value.
  private func fetch<Value>(
    _ key: String, _ form: String, _ read: (ConfigKey) async throws -> Value?
  ) async throws(ConfigurationError) -> Value? {
    do {
      return try await read(ConfigKey(key))
    } catch {
      throw invalid(key, "is not \(form).", remedy: "Write \(form), or leave the setting out.")
    }
  }
}

enum Quantity {
  /// Parses a duration such as `30s`; the units are `ms`, `s`, `m`, `h` and `d`.
  static func duration(_ text: String) -> Duration? {
    if let number = product(of: text, factors: ["ms": 1]) { return .milliseconds(number) }
    return product(of: text, factors: ["s": 1, "m": 60, "h": 3_600, "d": 86_400]).map { .seconds($0) }
  }

  private static let byteUnits: [String: Int64] = [
    "": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "KB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000,
  ]

  /// Parses a number of bytes such as `8MiB` or `1000000`; the units are `B`, `KiB`, `MiB`, `GiB`, `KB`, `MB` and `GB`.
  static func bytes(_ text: String) -> Int64? { product(of: text, factors: byteUnits) }

  /// Returns a number times the factor of its unit, or `nil` for an unknown unit or if the product is too large.
  private static func product(of text: String, factors: [String: Int64]) -> Int64? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text[digits.endIndex...]
    let unitName = String(unit.first == " " ? unit.dropFirst() : unit)
    guard let number = Int64(digits: digits), let factor = factors[unitName] else { return nil }
    let (product, overflow) = number.multipliedReportingOverflow(by: factor)
    return overflow ? nil : product
  }
}
