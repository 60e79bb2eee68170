// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import StorageAuth
internal import StorageCrypto

/// The parameters in the query of a call of the Node API.
///
/// The functions that read one value return `nil` if it is missing, and throw if it is not valid.
struct NodeQuery: Sendable {
  private static let pairLimit = 100
  private let pairs: [FormPair]

  /// Reads the query, in which only parameters whose names end in `[]` can occur several times.
  init(_ call: InboundCall) throws(ErrorResponse) {
    pairs = try call.pairs.required("The query cannot be read.")
    try require(pairs.count <= Self.pairLimit, "The query has more than \(Self.pairLimit) parameters.")
    let names = pairs.map(\.name).filter { !$0.hasByteSuffix("[]") }.sorted()
    if let (repeated, _) = zip(names, names.dropFirst()).first(where: { $0 == $1 }) {
      throw .nodeBadRequest("The parameter \(repeated) occurs twice in the query.")
    }
  }

  subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }

  /// Returns the words between commas in all parameters of a name, with or without `[]` after it.
  func list(_ name: String) -> [String] {
    pairs.filter { [name, "\(name)[]"].contains($0.name) }.flatMap { $0.value.words(between: ",").map(String.init) }
  }

  /// Returns the text of the query with another value of a parameter.
  func text(setting name: String, to value: String) -> String {
    let newPairs = pairs.filter { !$0.name.isIdentical(to: name) } + [FormPair(name, value)]
    return newPairs.map { "\($0.name.percentEncoded())=\($0.value.percentEncoded())" }.joined(separator: "&")
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
      try require(elements.count <= limit, "There are \(elements.count) results; ask for pages with page and per_page.")
      return elements[...]
    case (let page?, let size?):
      try require(page >= 1 && (1...limit).contains(size), "The page must be 1 or more, and per_page 1 to \(limit).")
      let (skipped, overflow) = (page - 1).multipliedReportingOverflow(by: size)
      return overflow ? [] : elements.dropFirst(skipped).prefix(size)
    default: throw .nodeBadRequest("The parameters page and per_page need each other.")
    }
  }
}

/// A pattern for names, in which `*` matches any characters and `?` a single one.
struct NamePattern: Sendable {
  /// The maximum length, because a match takes time in proportion to the product of the lengths of pattern and name.
  private static let byteLimit = 1_024
  private let pattern: WildcardPattern
  private let ignoresCase: Bool

  init(_ text: String, ignoresCase: Bool) throws(ErrorResponse) {
    try require(text.utf8.count <= Self.byteLimit, "A pattern is longer than \(Self.byteLimit) bytes.")
    pattern = WildcardPattern(ignoresCase ? text.asciiLowercased : text)
    self.ignoresCase = ignoresCase
  }

  func matches(_ name: String) -> Bool { pattern.matches(ignoresCase ? name.asciiLowercased : name) }
}
