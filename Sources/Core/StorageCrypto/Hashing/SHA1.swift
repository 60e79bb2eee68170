// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The SHA-1 hash function (FIPS 180-4), for the signature schemes that require it.
///
/// This package does not use SHA-1 for other security purposes.
@safe
@usableFromInline
package struct SHA1: HashFunction, BitwiseCopyable {
  @usableFromInline package static let digestByteCount = 20
  @usableFromInline package static let blockByteCount = 64

  private var context = SHA1Context()

  @usableFromInline
  package init() {}

  @usableFromInline
  package mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { unsafe context.update($0) }
  }

  @usableFromInline
  package mutating func update(writing body: (inout ByteWriter) -> Void) {
    unsafe withUnsafeMutablePointer(to: &self) { hash in
      unsafe ByteWriter.with(.sha1(hash), body) { unsafe hash.pointee.update($0) }
    }
  }

  @unsafe
  @usableFromInline
  package mutating func finish(into digest: UnsafeMutableBufferPointer<UInt8>) {
    unsafe context.finish(into: digest.baseAddress)
  }
}
