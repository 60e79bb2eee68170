// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CLibcrypto

/// The SHA-512 hash function (FIPS 180-4).
@safe
@usableFromInline
package struct SHA512: HashFunction {
  @usableFromInline package static let digestByteCount = 64
  @usableFromInline package static let blockByteCount = 128

  private var context = SHA512_CTX()

  @usableFromInline
  package init() {
    unsafe _ = SHA512_Init(&context)
  }

  /// Creates a hash whose digest starts with the 48 bytes of SHA-384, which is SHA-512 with another initial state.
  package static var sha384: SHA512 {
    var hash = SHA512()
    unsafe _ = SHA384_Init(&hash.context)
    return hash
  }

  @usableFromInline
  package mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { unsafe _ = SHA512_Update(&context, $0.baseAddress, $0.count) }
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
    unsafe _ = SHA512_Final(digest.baseAddress, &context)
  }
}
