internal import StorageAuth

/// A mapping of plain texts in a YAML file, found by its path; of YAML, only what coscli writes.
///
/// Keys are in lower case, because coscli does not tell their cases apart. Values may be in quotation marks; what is in
/// any other form, such as a list or a text over several lines, is refused when it is in this mapping.
struct YAMLMapping {
  /// The texts by their keys in lower case; an empty one is left out.
  private(set) var values: [String: String] = [:]

  private static let structure: Set<Character> = ["{", "[", "&", "*", "!", "|", ">", "%", "@", "`", "?", "-"]

  /// Reads the mapping.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the file.
  ///   - path: The keys that lead to the mapping, in lower case.
  ///   - place: The file, for errors.
  /// - Returns: Nothing if there is no such mapping.
  init?(_ bytes: [UInt8], path: [String], at place: SettingLocation) throws(CredentialError) {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw place.malformed("is not text in UTF-8") }
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
        if isInside { throw place.malformed("has something in line \(index + 1) that is no text by a key") }
        continue
      }
      parents.append((indent, key))
      isFound = isFound || parents.map(\.key) == path
      guard isInside, !value.isEmpty else { continue }
      guard let scalar = Self.scalar(value) else {
        throw place.malformed("has a value in line \(index + 1) that is no plain text")
      }
      if values.updateValue(scalar, forKey: key) != nil {
        throw place.malformed("has the key of line \(index + 1) twice")
      }
    }
    if !isFound { return nil }
  }

  /// Key and value of a line; nothing for another kind of line.
  private static func pair(_ line: String) -> (key: String, value: String)? {
    guard let colon = line.firstIndex(of: ":"), let key = line[..<colon].trimmed else { return nil }
    let rest = line[line.index(after: colon)...]
    guard rest.first.map(\.isWhitespace) ?? true, !key.hasPrefix("- ") else { return nil }
    return (key.lowercased(), rest.trimmed ?? "")
  }

  /// A plain text, with or without quotation marks; nothing for what is more than that.
  private static func scalar(_ value: String) -> String? {
    if let quote = value.first, quote == "\"" || quote == "'" {
      let body = value.dropFirst()
      guard let end = body.firstIndex(of: quote), !body[..<end].contains("\\") else { return nil }
      let rest = body[body.index(after: end)...].trimmed
      return rest == nil || rest?.hasPrefix("#") == true ? String(body[..<end]) : nil
    }
    guard let first = value.first, !structure.contains(first) else { return nil }
    return value.firstRange(of: " #").map { value[..<$0.lowerBound].trimmed ?? "" } ?? value
  }
}
