// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The SHA-256 hash function (FIPS 180-4).
@safe
@usableFromInline
package struct SHA256: HashFunction, BitwiseCopyable {
  @usableFromInline package static let digestByteCount = 32
  @usableFromInline package static let blockByteCount = 64

  private var context = SHA256Context()

  @usableFromInline
  package init() {}

  @usableFromInline
  package mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { unsafe context.update($0) }
  }

  @usableFromInline
  package mutating func update(writing body: (inout ByteWriter) -> Void) {
    unsafe withUnsafeMutablePointer(to: &self) { hash in
      unsafe ByteWriter.with(.sha256(hash), body) { unsafe hash.pointee.update($0) }
    }
  }

  @unsafe
  @usableFromInline
  package mutating func finish(into digest: UnsafeMutableBufferPointer<UInt8>) {
    unsafe context.finish(into: digest.baseAddress)
  }
}
