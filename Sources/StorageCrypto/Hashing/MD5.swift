// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CLibcrypto

/// The MD5 hash function (RFC 1321), for the `Content-MD5` header and entity tags.
///
/// This package does not use MD5 for security.
@safe
@usableFromInline
package struct MD5: HashFunction {
  @usableFromInline package static let digestByteCount = 16
  @usableFromInline package static let blockByteCount = 64

  private var context = MD5_CTX()

  @usableFromInline
  package init() {
    unsafe _ = MD5_Init(&context)
  }

  @usableFromInline
  package mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { unsafe _ = MD5_Update(&context, $0.baseAddress, $0.count) }
  }

  @usableFromInline
  package mutating func update(writing body: (inout ByteWriter) -> Void) {
    unsafe withUnsafeMutablePointer(to: &self) { hash in
      unsafe ByteWriter.with(.md5(hash), body) { unsafe hash.pointee.update($0) }
    }
  }

  @unsafe
  @usableFromInline
  package mutating func finish(into digest: UnsafeMutableBufferPointer<UInt8>) {
    unsafe _ = MD5_Final(digest.baseAddress, &context)
  }
}
