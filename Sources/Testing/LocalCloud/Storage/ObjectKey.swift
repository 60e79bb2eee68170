// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// An object key, compared and ordered by its UTF-8 bytes as in the services' listings.
///
/// `String` compares by canonical equivalence, so that two keys with different bytes could be equal.
struct ObjectKey: Sendable, Comparable {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  static func == (first: ObjectKey, second: ObjectKey) -> Bool { first.text.utf8.elementsEqual(second.text.utf8) }

  static func < (first: ObjectKey, second: ObjectKey) -> Bool {
    first.text.utf8.lexicographicallyPrecedes(second.text.utf8)
  }

  func hasBytePrefix(_ prefix: String) -> Bool { text.utf8.starts(with: prefix.utf8) }

  /// Returns the key up to and including the first delimiter after a prefix, or `nil` if there is none.
  func group(after prefix: String, delimiter: String) -> String? {
    guard !delimiter.isEmpty else { return nil }
    let bytes = Array(text.utf8)
    let delimiterBytes = Array(delimiter.utf8)
    var start = prefix.utf8.count
    while start + delimiterBytes.count <= bytes.count {
      if bytes[start..<(start + delimiterBytes.count)].elementsEqual(delimiterBytes) {
        return String(decoding: bytes[..<(start + delimiterBytes.count)], as: UTF8.self)
      }
      start += 1
    }
    return nil
  }
}
