// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// An immutable file, named by a separate id.
///
/// The file exists as long as a reference to this value does: in the index, in a copy of the object, or in a reader
/// that is still sending it. With the last reference, the collector receives the file for deletion.
final class Blob: Sendable {
  let id: BlobID
  let byteCount: Int64
  private let collector: BlobCollector

  init(id: BlobID, byteCount: Int64, collector: BlobCollector) {
    self.id = id
    self.byteCount = byteCount
    self.collector = collector
  }

  deinit {
    collector.collect(id)
  }
}

/// The name of a file: 32 random hexadecimal digits.
struct BlobID: Sendable, Hashable, CustomStringConvertible {
  let description: String

  /// Returns a new random id.
  static func random() -> BlobID {
    BlobID(
      description: String(hexadecimal: UInt64.random(in: 0 ... .max))
        + String(hexadecimal: UInt64.random(in: 0 ... .max)))
  }

  /// Parses an id, or returns `nil` if the text is not 32 lower-case hexadecimal digits.
  init?(_ text: String) {
    guard text.utf8.count == 32, text.allSatisfy({ $0.isASCII && $0.isHexDigit && !$0.isUppercase }) else { return nil }
    description = text
  }

  private init(description: String) {
    self.description = description
  }
}

extension String {
  /// Creates the lower-case hexadecimal representation of an integer, with leading zeros.
  init(hexadecimal number: some FixedWidthInteger & UnsignedInteger) {
    let digits = String(number, radix: 16)
    self = String(repeating: "0", count: number.bitWidth / 4 - digits.count) + digits
  }
}

/// A range of bytes in a file.
struct Extent: Sendable {
  let blob: Blob
  let offset: Int64
  let byteCount: Int64
}
