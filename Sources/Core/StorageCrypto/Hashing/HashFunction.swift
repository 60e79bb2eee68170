// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A cryptographic hash function whose state is a plain value, so that a copy continues from the same state.
@usableFromInline
package protocol HashFunction: Sendable {
  /// The size of the function's digests in bytes.
  static var digestByteCount: Int { get }
  /// The block size of the compression function in bytes.
  static var blockByteCount: Int { get }

  init()

  mutating func update(_ bytes: Span<UInt8>)

  /// Updates the hash state with the bytes that `body` writes.
  mutating func update(writing body: (inout ByteWriter) -> Void)

  /// Writes the digest to memory, which must have room for it.
  ///
  /// The hash must not be used afterwards.
  @unsafe
  mutating func finish(into digest: UnsafeMutableBufferPointer<UInt8>)
}

extension HashFunction {
  /// Ends the message, and returns the digest of all its bytes.
  @inlinable
  package consuming func finalize() -> Digest {
    var hash = self
    return unsafe Digest(byteCount: Self.digestByteCount) { unsafe hash.finish(into: $0) }
  }

  /// Returns the digest of the bytes that `body` writes.
  @inlinable
  package static func hash(writing body: (inout ByteWriter) -> Void) -> Digest {
    var hash = Self()
    hash.update(writing: body)
    return hash.finalize()
  }

  /// Returns the digest of the bytes of a span.
  @inlinable
  package static func hash(_ bytes: Span<UInt8>) -> Digest {
    var hash = Self()
    hash.update(bytes)
    return hash.finalize()
  }

  /// Returns the digest of the bytes of an array.
  @inlinable
  package static func hash(_ bytes: [UInt8]) -> Digest {
    bytes.withElements { hash($0) }
  }

  /// Updates the hash state with the bytes of an array.
  @inlinable
  package mutating func update(_ bytes: [UInt8]) {
    bytes.withElements { update($0) }
  }
}
