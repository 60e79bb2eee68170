// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension String {
  /// Creates a string from bytes, or returns `nil` if they are not UTF-8.
  @inlinable
  package init?(utf8 bytes: some Collection<UInt8>) {
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
      self.init(validating: bytes, as: UTF8.self)
    } else {
      self.init(unchangedUTF8: bytes)
    }
  }

  /// Creates a string as ``init(utf8:)`` does on systems without `String(validating:as:)`.
  @inlinable
  package init?(unchangedUTF8 bytes: some Collection<UInt8>) {
    let text = String(decoding: bytes, as: UTF8.self)
    // What is not UTF-8 was replaced by U+FFFD.
    guard text.utf8.elementsEqual(bytes) else { return nil }
    self = text
  }
}
