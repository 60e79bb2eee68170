// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if canImport(CLibcrypto)
  internal import CLibcrypto

  struct MD5Context {
    private var state = MD5_CTX()
    init() { unsafe _ = MD5_Init(&state) }

    @unsafe mutating func update(_ bytes: UnsafeRawBufferPointer) {
      unsafe _ = MD5_Update(&state, bytes.baseAddress, bytes.count)
    }

    @unsafe mutating func finish(into digest: UnsafeMutablePointer<UInt8>?) { unsafe _ = MD5_Final(digest, &state) }
  }

  struct SHA1Context {
    private var state = SHA_CTX()
    init() { unsafe _ = SHA1_Init(&state) }

    @unsafe mutating func update(_ bytes: UnsafeRawBufferPointer) {
      unsafe _ = SHA1_Update(&state, bytes.baseAddress, bytes.count)
    }

    @unsafe mutating func finish(into digest: UnsafeMutablePointer<UInt8>?) { unsafe _ = SHA1_Final(digest, &state) }
  }

  struct SHA256Context {
    private var state = SHA256_CTX()
    init() { unsafe _ = SHA256_Init(&state) }

    @unsafe mutating func update(_ bytes: UnsafeRawBufferPointer) {
      unsafe _ = SHA256_Update(&state, bytes.baseAddress, bytes.count)
    }

    @unsafe mutating func finish(into digest: UnsafeMutablePointer<UInt8>?) { unsafe _ = SHA256_Final(digest, &state) }
  }

  struct SHA384Context {
    private var state = SHA512_CTX()
    init() { unsafe _ = SHA384_Init(&state) }

    @unsafe mutating func update(_ bytes: UnsafeRawBufferPointer) {
      unsafe _ = SHA384_Update(&state, bytes.baseAddress, bytes.count)
    }

    @unsafe mutating func finish(into digest: UnsafeMutablePointer<UInt8>?) { unsafe _ = SHA384_Final(digest, &state) }
  }

  struct SHA512Context {
    private var state = SHA512_CTX()
    init() { unsafe _ = SHA512_Init(&state) }

    @unsafe mutating func update(_ bytes: UnsafeRawBufferPointer) {
      unsafe _ = SHA512_Update(&state, bytes.baseAddress, bytes.count)
    }

    @unsafe mutating func finish(into digest: UnsafeMutablePointer<UInt8>?) { unsafe _ = SHA512_Final(digest, &state) }
  }

  @unsafe func isEqualInConstantTime(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
    unsafe CRYPTO_memcmp(first.baseAddress, second.baseAddress, first.count) == 0
  }

  @unsafe func overwriteWithZeros(_ bytes: UnsafeMutableRawBufferPointer) {
    unsafe OPENSSL_cleanse(bytes.baseAddress, bytes.count)
  }
#endif
