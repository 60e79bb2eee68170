// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
  /// The byte order mark of UTF-8, which editors on Windows write at the start of a text.
  private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

  /// Whether the text starts with the byte order mark of UTF-8.
  package var hasByteOrderMark: Bool { starts(with: Self.byteOrderMark) }

  /// The text without the byte order mark of UTF-8.
  package var withoutByteOrderMark: [UInt8] {
    hasByteOrderMark ? Array(dropFirst(Self.byteOrderMark.count)) : self
  }
}
