internal import CLibcrypto

/// SHA-512 (FIPS 180-4).
@safe
package struct SHA512: HashFunction {
  package static let digestByteCount = 64
  package static let blockByteCount = 128

  private var context = SHA512_CTX()

  package init() {
    unsafe _ = SHA512_Init(&context)
  }

  package mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { unsafe _ = SHA512_Update(&context, $0.baseAddress, $0.count) }
  }

  package consuming func finalize() -> Digest {
    var context = context
    return unsafe Digest(byteCount: Self.digestByteCount) { unsafe _ = SHA512_Final($0, &context) }
  }

  package consuming func finalize(writing body: (inout ByteWriter) -> Void) -> Digest {
    unsafe withUnsafeMutablePointer(to: &self) { hash in
      unsafe ByteWriter.with(.sha512(hash), body) { unsafe hash.pointee.update($0) }
      return unsafe hash.pointee.finalize()
    }
  }
}
