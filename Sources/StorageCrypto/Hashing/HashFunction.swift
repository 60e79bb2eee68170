/// A cryptographic hash whose state is a plain value, so that a copy continues from where the original stood.
package protocol HashFunction: Sendable {
  /// The size of the digest, in bytes.
  static var digestByteCount: Int { get }
  /// The size of the block that the compression function takes, in bytes.
  static var blockByteCount: Int { get }

  init()

  mutating func update(_ bytes: Span<UInt8>)

  consuming func finalize() -> Digest

  /// Continues with everything that `body` writes, then finalizes.
  consuming func finalize(writing body: (inout ByteWriter) -> Void) -> Digest
}

extension HashFunction {
  /// The digest of everything that `body` writes.
  @inlinable
  package static func hash(writing body: (inout ByteWriter) -> Void) -> Digest {
    Self().finalize(writing: body)
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
