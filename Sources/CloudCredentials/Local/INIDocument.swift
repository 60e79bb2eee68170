internal import StorageAuth

/// A file of sections with `key = value` lines, as the vendors' tools read it.
///
/// Comments are lines that begin with `#` or `;`, and what follows a blank and one of these. Quotation marks around a
/// value are taken off. Line ends may be LF, CRLF or CR, and a byte order mark is skipped. Only the section that is asked
/// for has to be in order.
struct INIDocument {
  private struct Section {
    var line: Int
    var values: [String: String] = [:]
    var problem: String?

    /// Notes what is wrong; the first problem counts.
    mutating func note(_ problem: String) {
      self.problem = self.problem ?? problem
    }
  }

  private let place: Place
  private let normalize: (String) -> String
  private var sections: [String: Section] = [:]

  /// The names of the sections, as they stand, in their order.
  private(set) var names: [String] = []

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the file.
  ///   - place: The file, for errors.
  ///   - normalize: Makes spellings of a name that mean the same the same; used on names of sections and keys.
  /// - Throws: An error that shows nothing of the bytes.
  init(
    _ bytes: [UInt8], at place: Place, normalizing normalize: @escaping (String) -> String = { $0.lowercased() }
  ) throws(CredentialError) {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw place.malformed("is not text in UTF-8") }
    self.place = place
    self.normalize = normalize
    var current: String?
    let content = text.unicodeScalars.first == "\u{FEFF}" ? text.unicodeScalars.dropFirst() : text.unicodeScalars[...]
    let lines = Substring(content).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      guard let line = line.trimmed, !line.hasPrefix("#"), !line.hasPrefix(";") else { continue }
      if line.hasPrefix("[") {
        current = open(line, at: index + 1)
      } else if let current {
        add(line, to: current, at: index + 1)
      }
    }
  }

  /// The settings of a section.
  ///
  /// - Returns: Nothing if there is no such section.
  /// - Throws: An error if the section stands twice, or has a line or a key that cannot be what was meant.
  func section(_ name: String, at place: Place) throws(CredentialError) -> SettingTable? {
    guard let section = sections[normalize(name)] else { return nil }
    if let problem = section.problem { throw place.malformed(problem) }
    return SettingTable(section.values, at: place)
  }

  private mutating func open(_ line: String, at number: Int) -> String? {
    guard let end = line.firstIndex(of: "]"), let name = line[line.index(after: line.startIndex)..<end].trimmed else {
      return nil
    }
    let key = normalize(name)
    if let first = sections[key] {
      sections[key]?.note("stands twice, in lines \(first.line) and \(number)")
    } else {
      sections[key] = Section(line: number)
      names.append(name)
    }
    return key
  }

  private mutating func add(_ line: String, to section: String, at number: Int) {
    guard let equals = line.firstIndex(of: "="), let name = line[..<equals].trimmed else {
      sections[section]?.note("has something in line \(number) that is no setting")
      return
    }
    let value = Self.value(line[line.index(after: equals)...])
    if sections[section]?.values.updateValue(value, forKey: normalize(name)) != nil {
      sections[section]?.note("has the key of line \(number) twice")
    }
  }

  /// A value without comment, blanks and quotation marks.
  private static func value(_ text: Substring) -> String {
    guard var value = text.trimmed else { return "" }
    if let quote = value.first, quote == "\"" || quote == "'",
      let end = value.dropFirst().firstIndex(of: quote)
    {
      return String(value[value.index(after: value.startIndex)..<end])
    }
    var afterBlank = true
    for index in value.indices {
      if afterBlank, value[index] == "#" || value[index] == ";" {
        value = value[..<index].trimmed ?? ""
        break
      }
      afterBlank = value[index].isWhitespace
    }
    return value
  }
}
