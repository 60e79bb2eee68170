internal import StorageAuth

/// A file of sections with `key = value` lines, as the vendors' tools read it.
///
/// Comments are lines that begin with `#` or `;`, and what follows a blank and one of these. Line ends may be LF, CRLF or
/// CR, and a byte order mark is skipped. Only the section that is asked for has to be in order.
struct INIDocument {
  /// What differs between the tools that write such files.
  struct Dialect: Sendable {
    /// Makes spellings of a section's name that mean the same the same.
    var section: @Sendable (String) -> String = { $0.lowercased() }

    /// Makes spellings of a key that mean the same the same.
    var key: @Sendable (String) -> String = { $0.lowercased() }

    /// Whether quotation marks around a value are no part of it.
    var removesQuotes = true

    /// Whether lines that are indented deeper than the key before them are settings of that key.
    var hasNestedSettings = false
  }

  private struct Section {
    var line: Int
    var values: [String: String] = [:]
    var problem: String?

    /// Notes what is wrong; the first problem counts.
    mutating func note(_ problem: String) {
      self.problem = self.problem ?? problem
    }
  }

  private let place: SettingLocation
  private let dialect: Dialect
  /// The last key that is not nested, and how deep it is indented.
  private var parent: (name: String, indentation: Int, isEmpty: Bool)?
  private var sections: [String: Section] = [:]

  /// The names of the sections, as they stand, in their order.
  private(set) var names: [String] = []

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the file.
  ///   - place: The file, for errors.
  ///   - dialect: How the file's tool writes it.
  /// - Throws: An error that shows nothing of the bytes.
  init(_ bytes: [UInt8], at place: SettingLocation, dialect: Dialect = Dialect()) throws(CredentialError) {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw place.malformed("is not text in UTF-8") }
    self.place = place
    self.dialect = dialect
    var current: String?
    let content = text.unicodeScalars.first == "\u{FEFF}" ? text.unicodeScalars.dropFirst() : text.unicodeScalars[...]
    let lines = Substring(content).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let indentation = line.utf8.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.count
      guard let line = line.trimmed, !line.hasPrefix("#"), !line.hasPrefix(";") else { continue }
      if line.hasPrefix("[") {
        current = open(line, at: index + 1)
        parent = nil
      } else if let current {
        add(line, indentation: indentation, to: current, at: index + 1)
      }
    }
  }

  /// The settings of a section.
  ///
  /// - Returns: Nothing if there is no such section.
  /// - Throws: An error if the section stands twice, or has a line or a key that cannot be what was meant.
  func section(_ name: String, at place: SettingLocation) throws(CredentialError) -> SettingTable? {
    guard let section = sections[dialect.section(name)] else { return nil }
    if let problem = section.problem { throw place.malformed(problem) }
    return SettingTable(section.values, at: place)
  }

  private mutating func open(_ line: String, at number: Int) -> String? {
    guard let end = line.firstIndex(of: "]"), let name = line[line.index(after: line.startIndex)..<end].trimmed else {
      return nil
    }
    let key = dialect.section(name)
    if let first = sections[key] {
      sections[key]?.note("stands twice, in lines \(first.line) and \(number)")
    } else {
      sections[key] = Section(line: number)
      names.append(name)
    }
    return key
  }

  private mutating func add(_ line: String, indentation: Int, to section: String, at number: Int) {
    guard let equals = line.firstIndex(of: "="), let name = line[..<equals].trimmed else {
      sections[section]?.note("has something in line \(number) that is no setting")
      return
    }
    let value = value(line[line.index(after: equals)...])
    var key = dialect.key(name)
    if dialect.hasNestedSettings, let parent, indentation > parent.indentation {
      guard parent.isEmpty else {
        sections[section]?.note("has a setting in line \(number) that is indented below a value")
        return
      }
      key = "\(parent.name).\(key)"
    } else {
      parent = (key, indentation, value.isEmpty)
    }
    if sections[section]?.values.updateValue(value, forKey: key) != nil {
      sections[section]?.note("has the key of line \(number) twice")
    }
  }

  /// A value without comment and blanks, and without quotation marks where they are no part of it.
  private func value(_ text: Substring) -> String {
    guard var value = text.trimmed else { return "" }
    if dialect.removesQuotes, let quote = value.first, quote == "\"" || quote == "'",
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
