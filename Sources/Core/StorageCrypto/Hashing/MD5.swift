// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The MD5 hash function (RFC 1321), for the `Content-MD5` header and entity tags.
///
/// This package does not use MD5 for security.
@safe
@usableFromInline
package struct MD5: HashFunction {
  @usableFromInline package static let digestByteCount = 16
  @usableFromInline package static let blockByteCount = 64

  private var context = MD5Context()

  @usableFromInline
  package init() {}

  @usableFromInline
  package mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { unsafe context.update($0) }
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
    unsafe context.finish(into: digest.baseAddress)
  }
}
