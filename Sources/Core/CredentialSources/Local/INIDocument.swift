// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import StorageAuth

/// A parsed INI file with sections of `key = value` lines, as the vendors' tools read it.
///
/// A comment is a line that begins with `#` or `;`, or the rest of a line after whitespace and one of these characters.
/// Lines may end with LF, CRLF or CR, and a byte order mark is skipped. Only the requested section must be valid.
package struct INIDocument {
  package struct Dialect: Sendable {
    let normalizeSection: @Sendable (String) -> String
    let normalizeKey: @Sendable (String) -> String
    let removesQuotes: Bool
    /// Whether lines that are indented more deeply than the preceding key are nested settings of that key.
    let hasNestedSettings: Bool

    package init(
      section: @escaping @Sendable (String) -> String = { $0.lowercased() },
      key: @escaping @Sendable (String) -> String = { $0.lowercased() }, removesQuotes: Bool = true,
      hasNestedSettings: Bool = false
    ) {
      normalizeSection = section
      normalizeKey = key
      self.removesQuotes = removesQuotes
      self.hasNestedSettings = hasNestedSettings
    }
  }

  private struct Section {
    let line: Int
    var values: [String: String] = [:]
    /// A predicate about the section that says why it is invalid, or `nil` if it is valid.
    var problem: String?

    mutating func recordProblem(_ problem: String) { self.problem = self.problem ?? problem }
  }

  private let location: SettingLocation
  private let dialect: Dialect
  /// The last key that is not nested, the key's indentation, and whether the key's value is empty.
  private var parent: (name: String, indentation: Int, isEmpty: Bool)?
  private var sections: [String: Section] = [:]
  /// The names of the sections as the file spells them, in its order.
  package private(set) var names: [String] = []

  /// Parses an INI file; the error for a file that is not UTF-8 does not show any part of it.
  package init(_ bytes: [UInt8], at location: SettingLocation, dialect: Dialect = Dialect()) throws(CredentialError) {
    guard let text = String(utf8: bytes) else { throw location.malformed("is not text in UTF-8") }
    self.location = location
    self.dialect = dialect
    var currentSection: String?
    let content = text.unicodeScalars.first == "\u{FEFF}" ? text.unicodeScalars.dropFirst() : text.unicodeScalars[...]
    let lines = Substring(content).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let indentation = line.utf8.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.count
      guard let line = line.trimmed, !line.beginsWithByte("#"), !line.beginsWithByte(";") else { continue }
      if line.hasPrefix("[") {
        currentSection = beginSection(line, at: index + 1)
        parent = nil
      } else if let currentSection {
        addSetting(line, indentation: indentation, to: currentSection, at: index + 1)
      }
    }
  }

  /// Returns the settings in a section, or `nil` if the file has no such section.
  ///
  /// - Throws: An error if the section is repeated, repeats a key, or has a line that is not a setting.
  package func section(_ name: String, at location: SettingLocation) throws(CredentialError) -> SettingTable? {
    guard let section = sections[dialect.normalizeSection(name)] else { return nil }
    if let problem = section.problem { throw location.malformed(problem) }
    return SettingTable(section.values, at: location)
  }

  /// Records the section of a header line, and returns its normalized name, or `nil` for a line without a name.
  private mutating func beginSection(_ line: String, at lineNumber: Int) -> String? {
    guard let bracket = line.firstIndex(of: "]"), let name = line[..<bracket].dropFirst().trimmed else { return nil }
    let normalizedName = dialect.normalizeSection(name)
    if let existing = sections[normalizedName] {
      sections[normalizedName]?.recordProblem("appears twice, in lines \(existing.line) and \(lineNumber)")
    } else {
      sections[normalizedName] = Section(line: lineNumber)
      names.append(name)
    }
    return normalizedName
  }

  /// Records a line's setting in a section, under `parent.key` if it is nested, or records why it is invalid.
  private mutating func addSetting(_ line: String, indentation: Int, to section: String, at lineNumber: Int) {
    guard let equalsSign = line.firstIndex(of: "="), let name = line[..<equalsSign].trimmed else {
      sections[section]?.recordProblem("has content in line \(lineNumber) that is not a setting")
      return
    }
    let value = parsedValue(line[equalsSign...].dropFirst())
    var key = dialect.normalizeKey(name)
    if dialect.hasNestedSettings, let parent, indentation > parent.indentation {
      guard parent.isEmpty else {
        sections[section]?.recordProblem("has a setting in line \(lineNumber) that is indented below a value")
        return
      }
      key = "\(parent.name).\(key)"
    } else {
      parent = (key, indentation, value.isEmpty)
    }
    if sections[section]?.values.updateValue(value, forKey: key) != nil {
      sections[section]?.recordProblem("has the key of line \(lineNumber) twice")
    }
  }

  /// Returns a setting's value without its comment, the surrounding whitespace and, by dialect, the quotation marks.
  private func parsedValue(_ text: Substring) -> String {
    guard var value = text.trimmed else { return "" }
    if dialect.removesQuotes, let quote = value.first, quote == "\"" || quote == "'",
      let closingQuote = value.dropFirst().firstIndex(of: quote)
    {
      return String(value[..<closingQuote].dropFirst())
    }
    var isAfterWhitespace = true
    let scalars = value.unicodeScalars
    for index in scalars.indices {
      if isAfterWhitespace, scalars[index] == "#" || scalars[index] == ";" {
        value = value[..<index].trimmed ?? ""
        break
      }
      isAfterWhitespace = scalars[index].properties.isWhitespace
    }
    return value
  }
}

extension SettingLocation {
  /// Returns the error for a section name that the file does not contain.
  ///
  /// - Parameter isMistake: Whether the section must exist, so that the code is `failed` rather than `notConfigured`.
  package func missing(section name: String, of document: INIDocument, isMistake: Bool) -> CredentialError {
    let sections = document.names.isEmpty ? "none" : document.names.map { "[\($0)]" }.joined(separator: ", ")
    return error(isMistake ? .failed : .notConfigured, "has no section [\(name)]; its sections: \(sections)")
  }
}
