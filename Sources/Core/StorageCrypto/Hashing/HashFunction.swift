// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A cryptographic hash function whose state is a plain value, so that a copy continues from the same state.
@usableFromInline package protocol HashFunction: Sendable {
  static var digestByteCount: Int { get }
  static var blockByteCount: Int { get }

  init()
  mutating func update(_ bytes: Span<UInt8>)
  mutating func update(writing body: (inout ByteWriter) -> Void)

  /// Writes the digest to memory with room for it; the hash must not be used afterwards.
  @unsafe mutating func finish(into digest: UnsafeMutableBufferPointer<UInt8>)
}

extension HashFunction {
  @inlinable package consuming func finalize() -> Digest {
    var hash = self
    return unsafe Digest(byteCount: Self.digestByteCount) { unsafe hash.finish(into: $0) }
  }

  @inlinable package static func hash(writing body: (inout ByteWriter) -> Void) -> Digest {
    var hash = Self()
    hash.update(writing: body)
    return hash.finalize()
  }

  @inlinable package static func hash(_ bytes: Span<UInt8>) -> Digest {
    var hash = Self()
    hash.update(bytes)
    return hash.finalize()
  }

  @inlinable package static func hash(_ bytes: [UInt8]) -> Digest { bytes.withElements { hash($0) } }
  @inlinable package mutating func update(_ bytes: [UInt8]) { bytes.withElements { update($0) } }
}

/// The output of a hash function: up to 64 bytes, which are stored inline.
@safe @usableFromInline package struct Digest: Sendable {
  @usableFromInline var words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (
    0, 0, 0, 0, 0, 0, 0, 0
  )

  @usableFromInline package let byteCount: Int

  @usableFromInline init(byteCount: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
    self.byteCount = byteCount
    unsafe withUnsafeMutableBytes(of: &words) { unsafe fill($0.bindMemory(to: UInt8.self)) }
  }

  /// Creates a digest from at most 64 bytes.
  @inlinable init(_ bytes: Span<UInt8>) {
    unsafe self.init(byteCount: bytes.count) { words in
      unsafe bytes.withUnsafeBufferPointer { _ = unsafe words.update(fromContentsOf: $0) }
    }
  }

  @inlinable package func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    unsafe withUnsafeBytes(of: words) { buffer in
      unsafe body(Span(_unsafeElements: UnsafeBufferPointer(rebasing: buffer.bindMemory(to: UInt8.self)[..<byteCount])))
    }
  }

  package var bytes: [UInt8] { [UInt8](writing: { $0.append(self) }) }
  package var hex: String { String(writing: { $0.append(hex: self) }) }
  package var base64: String { String(writing: { $0.append(base64: self) }) }
}

/// The MD5 hash function (RFC 1321), for the `Content-MD5` header and entity tags, and not for security.
@safe @usableFromInline package struct MD5: HashFunction {
  @usableFromInline package static let digestByteCount = 16
  @usableFromInline package static let blockByteCount = 64

  private var context = MD5Context()
  @usableFromInline package init() {}

  @usableFromInline package mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { unsafe context.update($0) }
  }

  @usableFromInline package mutating func update(writing body: (inout ByteWriter) -> Void) {
    unsafe withUnsafeMutablePointer(to: &self) { hash in
      unsafe ByteWriter.with(.md5(hash), body) { unsafe hash.pointee.update($0) }
    }
  }

  @unsafe @usableFromInline package mutating func finish(into digest: UnsafeMutableBufferPointer<UInt8>) {
    unsafe context.finish(into: digest.baseAddress)
  }
}

/// The SHA-1 hash function (FIPS 180-4), only for the signature schemes that require it.
@safe @usableFromInline package struct SHA1: HashFunction, BitwiseCopyable {
  @usableFromInline package static let digestByteCount = 20
  @usableFromInline package static let blockByteCount = 64

  private var context = SHA1Context()
  @usableFromInline package init() {}

  @usableFromInline package mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { unsafe context.update($0) }
  }

  @usableFromInline package mutating func update(writing body: (inout ByteWriter) -> Void) {
    unsafe withUnsafeMutablePointer(to: &self) { hash in
      unsafe ByteWriter.with(.sha1(hash), body) { unsafe hash.pointee.update($0) }
    }
  }

  @unsafe @usableFromInline package mutating func finish(into digest: UnsafeMutableBufferPointer<UInt8>) {
    unsafe context.finish(into: digest.baseAddress)
  }
}

/// The SHA-256 hash function (FIPS 180-4).
@safe @usableFromInline package struct SHA256: HashFunction, BitwiseCopyable {
  @usableFromInline package static let digestByteCount = 32
  @usableFromInline package static let blockByteCount = 64

  private var context = SHA256Context()
  @usableFromInline package init() {}

  @usableFromInline package mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { unsafe context.update($0) }
  }

  @usableFromInline package mutating func update(writing body: (inout ByteWriter) -> Void) {
    unsafe withUnsafeMutablePointer(to: &self) { hash in
      unsafe ByteWriter.with(.sha256(hash), body) { unsafe hash.pointee.update($0) }
    }
  }

  @unsafe @usableFromInline package mutating func finish(into digest: UnsafeMutableBufferPointer<UInt8>) {
    unsafe context.finish(into: digest.baseAddress)
  }
}

/// The SHA-512 hash function (FIPS 180-4).
@safe @usableFromInline package struct SHA512: HashFunction {
  @usableFromInline package static let digestByteCount = 64
  @usableFromInline package static let blockByteCount = 128

  private var context = SHA512Context()
  @usableFromInline package init() {}

  @usableFromInline package mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { unsafe context.update($0) }
  }

  @usableFromInline package mutating func update(writing body: (inout ByteWriter) -> Void) {
    unsafe withUnsafeMutablePointer(to: &self) { hash in
      unsafe ByteWriter.with(.sha512(hash), body) { unsafe hash.pointee.update($0) }
    }
  }

  @unsafe @usableFromInline package mutating func finish(into digest: UnsafeMutableBufferPointer<UInt8>) {
    unsafe context.finish(into: digest.baseAddress)
  }
}

/// The SHA-384 hash function (FIPS 180-4): SHA-512 with another initial state and a shorter digest.
@safe @usableFromInline package struct SHA384: HashFunction {
  @usableFromInline package static let digestByteCount = 48
  @usableFromInline package static let blockByteCount = 128

  private var context = SHA384Context()
  @usableFromInline package init() {}

  @usableFromInline package mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { unsafe context.update($0) }
  }

  @usableFromInline package mutating func update(writing body: (inout ByteWriter) -> Void) {
    unsafe withUnsafeMutablePointer(to: &self) { hash in
      unsafe ByteWriter.with(.sha384(hash), body) { unsafe hash.pointee.update($0) }
    }
  }

  @unsafe @usableFromInline package mutating func finish(into digest: UnsafeMutableBufferPointer<UInt8>) {
    unsafe context.finish(into: digest.baseAddress)
  }
}
