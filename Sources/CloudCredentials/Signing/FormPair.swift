// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// A decoded parameter of a query or a form.
package struct FormPair: Sendable, Equatable {
  package let name: String
  package let value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// The parameter as `name=value`, percent-encoded.
  package var encoded: String { "\(name.percentEncoded())=\(value.percentEncoded())" }

  /// Parses a query or a form, or returns `nil` if it has an invalid percent-encoding or bytes that are not UTF-8.
  package static func read(_ text: String) -> [FormPair]? {
    var pairs: [FormPair] = []
    for item in text.words(between: "&") {
      let parts = item.parts(between: "=", atMost: 1)
      guard let name = decoded(parts[0]), let value = decoded(parts.count > 1 ? parts[1] : "") else { return nil }
      pairs.append(FormPair(name, value))
    }
    return pairs
  }

  /// Returns parameters encoded as a query or a form, in their order.
  package static func written(_ pairs: [FormPair]) -> String {
    pairs.map(\.encoded).joined(separator: "&")
  }

  /// Returns the parameters sorted by the bytes of their names, then by the bytes of their values.
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
