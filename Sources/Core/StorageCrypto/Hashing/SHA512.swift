// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The SHA-512 hash function (FIPS 180-4).
@safe
@usableFromInline
package struct SHA512: HashFunction {
  @usableFromInline package static let digestByteCount = 64
  @usableFromInline package static let blockByteCount = 128

  private var context = SHA512Context()

  @usableFromInline
  package init() {}

  @usableFromInline
  package mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { unsafe context.update($0) }
  }

  @usableFromInline
  package mutating func update(writing body: (inout ByteWriter) -> Void) {
    unsafe withUnsafeMutablePointer(to: &self) { hash in
      unsafe ByteWriter.with(.sha512(hash), body) { unsafe hash.pointee.update($0) }
    }
  }

  @unsafe
  @usableFromInline
  package mutating func finish(into digest: UnsafeMutableBufferPointer<UInt8>) {
    unsafe context.finish(into: digest.baseAddress)
  }
}

/// The SHA-384 hash function (FIPS 180-4): SHA-512 with another initial state and a shorter digest.
@safe
@usableFromInline
package struct SHA384: HashFunction {
  @usableFromInline package static let digestByteCount = 48
  @usableFromInline package static let blockByteCount = 128

  private var context = SHA384Context()

  @usableFromInline
  package init() {}

  @usableFromInline
  package mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { unsafe context.update($0) }
  }

  @usableFromInline
  package mutating func update(writing body: (inout ByteWriter) -> Void) {
    unsafe withUnsafeMutablePointer(to: &self) { hash in
      unsafe ByteWriter.with(.sha384(hash), body) { unsafe hash.pointee.update($0) }
    }
  }

  @unsafe
  @usableFromInline
  package mutating func finish(into digest: UnsafeMutableBufferPointer<UInt8>) {
    unsafe context.finish(into: digest.baseAddress)
  }
}
