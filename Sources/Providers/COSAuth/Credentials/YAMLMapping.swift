// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import StorageAuth

/// A mapping of keys to strings at a path in a YAML file, limited to the subset of YAML that coscli writes.
///
/// Keys are converted to lowercase because coscli ignores their case. Values may be in quotation marks. Any other kind
/// of value in the mapping, such as a list or a string over several lines, is rejected.
struct YAMLMapping {
  /// The nonempty values in the mapping, by their lowercase keys.
  private(set) var values: [String: String] = [:]

  /// The characters at the start of a value that YAML does not read as a plain string.
  private static let structuralCharacters: Set<Character> = [
    "{", "[", "&", "*", "!", "|", ">", "%", "@", "`", "?", "-",
  ]

  /// Parses the mapping at a path of lowercase keys, or returns `nil` if the file has no such mapping.
  ///
  /// It throws an error if the file is not UTF-8, or if the mapping has a repeated key or an unsupported value.
  init?(_ bytes: [UInt8], path: [String], at location: SettingLocation) throws(CredentialError) {
    guard let text = String(utf8: bytes) else { throw location.malformed("is not text in UTF-8") }
    var parents: [(indent: Int, key: String)] = []
    var isFound = false
    let content = text.unicodeScalars.first == "\u{FEFF}" ? text.unicodeScalars.dropFirst() : text.unicodeScalars[...]
    let lines = Substring(content).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      guard let trimmed = line.trimmed, !trimmed.hasPrefix("#"), trimmed != "---" else { continue }
      let indent = line.prefix { $0 == " " }.count
      parents.removeAll { $0.indent >= indent }
      let isInside = parents.map(\.key) == path
      guard let (key, value) = Self.pair(trimmed) else {
        if isInside { throw location.malformed("has content in line \(index + 1) that is not a key with a value") }
        continue
      }
      parents.append((indent, key))
      isFound = isFound || parents.map(\.key) == path
      guard isInside, !value.isEmpty else { continue }
      guard let scalar = Self.scalar(value) else {
        throw location.malformed("has a value in line \(index + 1) that is not a plain string")
      }
      if values.updateValue(scalar, forKey: key) != nil {
        throw location.malformed("has the key of line \(index + 1) twice")
      }
    }
    if !isFound { return nil }
  }

  /// Returns the lowercase key and the value in a line, or `nil` if the line is not a key-value pair.
  private static func pair(_ line: String) -> (key: String, value: String)? {
    guard let colon = line.firstIndex(of: ":"), let key = line[..<colon].trimmed else { return nil }
    let rest = line[line.index(after: colon)...]
    guard rest.first.map(\.isWhitespace) ?? true, !key.hasPrefix("- ") else { return nil }
    return (key.lowercased(), rest.trimmed ?? "")
  }

  /// Returns the string in a value, with or without quotation marks, or `nil` if the value is not a plain string.
  private static func scalar(_ value: String) -> String? {
    if let quote = value.first, quote == "\"" || quote == "'" {
      let body = value.dropFirst()
      guard let end = body.firstIndex(of: quote), !body[..<end].contains("\\") else { return nil }
      let rest = body[body.index(after: end)...].trimmed
      return rest == nil || rest?.hasPrefix("#") == true ? String(body[..<end]) : nil
    }
    guard let first = value.first, !structuralCharacters.contains(first) else { return nil }
    return value.firstRange(of: " #").map { value[..<$0.lowerBound].trimmed ?? "" } ?? value
  }
}
