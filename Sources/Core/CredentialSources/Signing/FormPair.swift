// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// A decoded name-value pair of a URL's query or of a form body.
package struct FormPair: Sendable, Equatable {
  package let name: String
  package let value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  package var encoded: String { "\(name.percentEncoded())=\(value.percentEncoded())" }

  /// Parses a query or a form body, or returns `nil` for an invalid escape or bytes that are not UTF-8.
  package static func read(_ text: String) -> [FormPair]? {
    var pairs: [FormPair] = []
    for item in text.words(between: "&") {
      let parts = item.parts(between: "=", maxSplits: 1)
      guard let name = parts[0].percentDecoded(plusIsSpace: true),
        let value = (parts.count > 1 ? parts[1] : "").percentDecoded(plusIsSpace: true)
      else { return nil }
      pairs.append(FormPair(name, value))
    }
    return pairs
  }

  package static func written(_ pairs: [FormPair]) -> String { pairs.map(\.encoded).joined(separator: "&") }

  /// Returns pairs sorted by the bytes of their names, then by the bytes of their values.
  package static func sorted(_ pairs: [FormPair]) -> [FormPair] {
    pairs.sorted { first, second in
      if first.name.utf8.elementsEqual(second.name.utf8) {
        return first.value.utf8.lexicographicallyPrecedes(second.value.utf8)
      }
      return first.name.utf8.lexicographicallyPrecedes(second.name.utf8)
    }
  }
}
