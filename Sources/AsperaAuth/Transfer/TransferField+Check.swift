internal import StorageCrypto
internal import StorageJSON

extension TransferField {
  /// Checks a value, and says what is wrong with it; never the value itself.
  func check(_ value: JSONValue) throws(AsperaError) {
    if let problem = problem(with: value) {
      throw AsperaError(
        name == "token" ? .invalidToken : .invalidSpecification,
        "The field \(name) of the transfer specification \(problem).",
        remedy: "Correct the field, or leave it out.")
    }
  }

  private func problem(with value: JSONValue) -> String? {
    switch form {
    case .anything: return nil
    case .text, .line, .filledLine, .name, .word, .fingerprint, .base64:
      guard let text = value.text else { return "is not a text" }
      return problem(withText: text)
    case .truthOrWord(let words):
      return value.truth != nil || value.text.map(words.contains) == true
        ? nil : "is neither a truth value nor \(Self.list(words))"
    case .truth: return value.truth == nil ? "is neither true nor false" : nil
    case .port: return value.integer.map((1...65_535).contains) == true ? nil : "is not a port: 1 to 65535"
    case .number(let range):
      if value.integer.map(range.contains) == true { return nil }
      return
        "is not a whole number from \(range.lowerBound)\(range.upperBound == .max ? " on" : " to \(range.upperBound)")"
    case .object: return value.object == nil ? "is not an object" : nil
    case .paths: return Self.problem(withPaths: value)
    }
  }

  private func problem(withText text: String) -> String? {
    if text.unicodeScalars.contains("\0") { return "holds a null character" }
    switch form {
    case .line: return text.unicodeScalars.contains(where: \.isBreak) ? "holds a line break" : nil
    case .filledLine:
      if text.isEmpty { return "is empty" }
      return text.unicodeScalars.contains(where: \.isBreak) ? "holds a line break" : nil
    case .name:
      let isName =
        !text.isEmpty && !text.hasPrefix("-")
        && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7f }
      return isName ? nil : "is empty, starts with a hyphen, or holds a space or a line break"
    case .word(let words): return words.contains(text) ? nil : "is none of \(Self.list(words))"
    case .base64: return [UInt8](base64: text) == nil ? "is not Base64" : nil
    default: return nil
    }
  }

  private static func problem(withPaths value: JSONValue) -> String? {
    guard let elements = value.array else { return "is not a list" }
    var destinations = 0
    for element in elements {
      guard let source = element["source"]?.text else { return "has an element without a source" }
      var texts = [source]
      if let destination = element["destination"], destination != .null {
        guard let text = destination.text else { return "has a destination that is not a text" }
        texts.append(text)
        destinations += 1
      }
      if texts.contains("") { return "has an element with an empty path" }
      if texts.contains(where: { $0.unicodeScalars.contains(where: \.isBreak) }) {
        return "has a path with a line break or a null character, which a list of files cannot hold"
      }
    }
    return destinations == 0 || destinations == elements.count
      ? nil : "has elements with a destination and elements without; give all of them one, or none"
  }

  private static func list(_ words: [String]) -> String { words.joined(separator: ", ") }
}
