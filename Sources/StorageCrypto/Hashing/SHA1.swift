// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CLibcrypto

/// SHA-1 (FIPS 180-4), for the signatures that are defined with it; this package does not use it for other protection.
@safe
@usableFromInline
package struct SHA1: HashFunction, BitwiseCopyable {
  @usableFromInline package static let digestByteCount = 20
  @usableFromInline package static let blockByteCount = 64

  private var context = SHA_CTX()

  @usableFromInline
  package init() {
    unsafe _ = SHA1_Init(&context)
  }

  @usableFromInline
  package mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { unsafe _ = SHA1_Update(&context, $0.baseAddress, $0.count) }
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
    unsafe _ = SHA1_Final(digest.baseAddress, &context)
  }
}
