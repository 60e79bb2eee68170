// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The output of a hash function: up to 64 bytes, which are stored inline.
@safe
@usableFromInline
package struct Digest: Sendable {
  @usableFromInline var words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (
    0, 0, 0, 0, 0, 0, 0, 0
  )

  /// The size of the digest in bytes.
  @usableFromInline package let byteCount: Int

  @usableFromInline
  init(byteCount: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
    self.byteCount = byteCount
    unsafe withUnsafeMutableBytes(of: &words) { unsafe fill($0.bindMemory(to: UInt8.self)) }
  }

  /// Creates a digest from at most 64 bytes.
  @inlinable
  init(_ bytes: Span<UInt8>) {
    unsafe self.init(byteCount: bytes.count) { words in
      unsafe bytes.withUnsafeBufferPointer { _ = unsafe words.update(fromContentsOf: $0) }
    }
  }

  /// Calls `body` with the bytes of the digest.
  @inlinable
  package func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    unsafe withUnsafeBytes(of: words) { buffer in
      unsafe body(
        Span(_unsafeElements: UnsafeBufferPointer(rebasing: buffer.bindMemory(to: UInt8.self)[..<byteCount])))
    }
  }

  /// The bytes of the digest as an array.
  package var bytes: [UInt8] {
    [UInt8](writing: { $0.append(self) })
  }

  /// The digest as lowercase hexadecimal digits.
  package var hex: String {
    String(writing: { $0.append(hex: self) })
  }

  /// The digest as Base64 with padding (RFC 4648, section 4).
  package var base64: String {
    String(writing: { $0.append(base64: self) })
  }
}
