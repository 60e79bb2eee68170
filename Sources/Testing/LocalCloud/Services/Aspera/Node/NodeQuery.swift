// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import StorageAuth
internal import StorageCrypto

struct NodeQuery: Sendable {
  private let pairs: [FormPair]

  /// Reads the query, in which only parameters whose names end in `[]` can occur several times.
  init(_ call: InboundCall) throws(ErrorResponse) {
    guard let pairs = call.pairs, pairs.count <= 100 else {
      throw .nodeBadRequest("The query cannot be read, or has more than 100 parameters.")
    }
    let names = pairs.map(\.name).filter { !$0.hasByteSuffix("[]") }.sorted()
    if let (repeated, _) = zip(names, names.dropFirst()).first(where: { $0 == $1 }) {
      throw .nodeBadRequest("The parameter \(repeated) occurs twice in the query.")
    }
    self.pairs = pairs
  }

  subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }

  /// Returns the words between commas in all parameters of a name, with or without `[]` after it.
  func list(_ name: String) -> [String] {
    pairs.filter { [name, "\(name)[]"].contains($0.name) }.flatMap { $0.value.words(between: ",").map(String.init) }
  }

  func text(setting name: String, to value: String) -> String {
    let others = pairs.filter { !$0.name.isIdentical(to: name) }.map { ($0.name, $0.value) }
    return (others + [(name, value)]).map { "\($0.percentEncoded())=\($1.percentEncoded())" }.joined(separator: "&")
  }

  func number(_ name: String) throws(ErrorResponse) -> Int? {
    guard let text = self[name] else { return nil }
    return try Int(digits: text).required("The parameter \(name) must be an integer that is not negative.")
  }

  func bool(_ name: String) throws(ErrorResponse) -> Bool? {
    switch self[name] {
    case nil: return nil
    case "true"?: return true
    case "false"?: return false
    default: throw .nodeBadRequest("The parameter \(name) must be true or false.")
    }
  }

  func time(_ name: String) throws(ErrorResponse) -> Timestamp? {
    guard let text = self[name] else { return nil }
    return try Timestamp(iso8601: text).required("The parameter \(name) is not a time in the ISO 8601 format.")
  }

  func pattern(_ name: String, ignoresCase: Bool = false) throws(ErrorResponse) -> NamePattern? {
    try self[name].map { text throws(ErrorResponse) in try NamePattern(text, ignoresCase: ignoresCase) }
  }

  /// Returns the elements that `page` and `per_page` select, or all elements without these parameters.
  func page<Element>(of elements: [Element], limit: Int) throws(ErrorResponse) -> ArraySlice<Element> {
    switch (try number("page"), try number("per_page")) {
    case (nil, nil):
      guard elements.count <= limit else {
        throw .nodeBadRequest("There are \(elements.count) results; ask for them in pages with page and per_page.")
      }
      return elements[...]
    case (let page?, let size?):
      guard page >= 1, (1...limit).contains(size) else {
        throw .nodeBadRequest("The page must be at least 1, and per_page between 1 and \(limit).")
      }
      let (skipped, overflow) = (page - 1).multipliedReportingOverflow(by: size)
      return overflow ? [] : elements.dropFirst(skipped).prefix(size)
    default: throw .nodeBadRequest("The parameters page and per_page need each other.")
    }
  }
}

/// A pattern for names, in which `*` matches any characters and `?` a single one.
struct NamePattern: Sendable {
  /// A match takes time in proportion to the product of the lengths of pattern and name.
  private static let byteLimit = 1_024
  private let pattern: WildcardPattern
  private let ignoresCase: Bool

  init(_ text: String, ignoresCase: Bool) throws(ErrorResponse) {
    guard text.utf8.count <= Self.byteLimit else {
      throw .nodeBadRequest("A pattern is longer than \(Self.byteLimit) bytes.")
    }
    pattern = WildcardPattern(ignoresCase ? text.asciiLowercased : text)
    self.ignoresCase = ignoresCase
  }

  func matches(_ name: String) -> Bool { pattern.matches(ignoresCase ? name.asciiLowercased : name) }
}
