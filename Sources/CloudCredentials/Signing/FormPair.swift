internal import StorageAuth
internal import StorageCrypto

/// A parameter of a query or a form, decoded.
package struct FormPair: Sendable, Equatable {
  package let name: String
  package let value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// `name=value`, percent-encoded.
  package var encoded: String { "\(name.percentEncoded())=\(value.percentEncoded())" }

  /// Reads a query or a form; nothing for a broken escape or text that is not UTF-8.
  package static func read(_ text: String) -> [FormPair]? {
    var pairs: [FormPair] = []
    for item in text.words(between: "&") {
      let parts = item.parts(between: "=", atMost: 1)
      guard let name = decoded(parts[0]), let value = decoded(parts.count > 1 ? parts[1] : "") else { return nil }
      pairs.append(FormPair(name, value))
    }
    return pairs
  }

  /// A query or a form of some parameters, in their order.
  package static func written(_ pairs: [FormPair]) -> String {
    pairs.map(\.encoded).joined(separator: "&")
  }

  /// The parameters sorted by the bytes of their names, and of their values where names are equal.
  static func sorted(_ pairs: [FormPair]) -> [FormPair] {
    pairs.sorted { first, second in
      if first.name != second.name { return first.name.utf8.lexicographicallyPrecedes(second.name.utf8) }
      return first.value.utf8.lexicographicallyPrecedes(second.value.utf8)
    }
  }

  private static func decoded(_ text: Substring) -> String? {
    String(text).percentDecodedBytes(plusIsSpace: true).flatMap { String(validating: $0, as: UTF8.self) }
  }
}
