/// A cryptographic hash whose state is a plain value, so that a copy continues from where the original stood.
@usableFromInline
package protocol HashFunction: Sendable {
  /// The size of the digest, in bytes.
  static var digestByteCount: Int { get }
  /// The size of the block that the compression function takes, in bytes.
  static var blockByteCount: Int { get }

  init()

  mutating func update(_ bytes: Span<UInt8>)

  /// Continues with everything that `body` writes.
  mutating func update(writing body: (inout ByteWriter) -> Void)

  /// Writes the digest to memory that has room for it; the hash cannot be used afterwards.
  @unsafe
  mutating func finish(into digest: UnsafeMutableBufferPointer<UInt8>)
}

extension HashFunction {
  /// Ends the message, and returns its digest.
  @inlinable
  package consuming func finalize() -> Digest {
    var hash = self
    return unsafe Digest(byteCount: Self.digestByteCount) { unsafe hash.finish(into: $0) }
  }

  /// The digest of everything that `body` writes.
  @inlinable
  package static func hash(writing body: (inout ByteWriter) -> Void) -> Digest {
    var hash = Self()
    hash.update(writing: body)
    return hash.finalize()
  }

  /// The digest of bytes that lie in memory.
  @inlinable
  package static func hash(_ bytes: Span<UInt8>) -> Digest {
    var hash = Self()
    hash.update(bytes)
    return hash.finalize()
  }

  /// The digest of an array.
  @inlinable
  package static func hash(_ bytes: [UInt8]) -> Digest {
    hash(bytes.span)
  }
}
