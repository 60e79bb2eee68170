internal import CLibcrypto

/// SHA-256 (FIPS 180-4).
@safe
package struct SHA256: HashFunction, BitwiseCopyable {
  package static let digestByteCount = 32
  package static let blockByteCount = 64

  private var context = SHA256_CTX()

  package init() {
    unsafe _ = SHA256_Init(&context)
  }

  package mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { unsafe _ = SHA256_Update(&context, $0.baseAddress, $0.count) }
  }

  package mutating func update(writing body: (inout ByteWriter) -> Void) {
    unsafe withUnsafeMutablePointer(to: &self) { hash in
      unsafe ByteWriter.with(.sha256(hash), body) { unsafe hash.pointee.update($0) }
    }
  }

  @unsafe
  package mutating func finish(into digest: UnsafeMutableBufferPointer<UInt8>) {
    unsafe _ = SHA256_Final(digest.baseAddress, &context)
  }
}
