// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if canImport(CommonCrypto)
  internal import CCommonCrypto
  internal import CommonCrypto

  struct MD5Context {
    private var state = CC_MD5_CTX()
    init() { unsafe _ = storage_auth_md5_init(&state) }

    @unsafe mutating func update(_ bytes: UnsafeRawBufferPointer) {
      unsafe inPieces(bytes) { unsafe _ = storage_auth_md5_update(&state, $0, $1) }
    }

    @unsafe mutating func finish(into digest: UnsafeMutablePointer<UInt8>?) {
      unsafe _ = storage_auth_md5_final(digest, &state)
    }
  }

  struct SHA1Context {
    private var state = CC_SHA1_CTX()
    init() { unsafe _ = storage_auth_sha1_init(&state) }

    @unsafe mutating func update(_ bytes: UnsafeRawBufferPointer) {
      unsafe inPieces(bytes) { unsafe _ = storage_auth_sha1_update(&state, $0, $1) }
    }

    @unsafe mutating func finish(into digest: UnsafeMutablePointer<UInt8>?) {
      unsafe _ = storage_auth_sha1_final(digest, &state)
    }
  }

  struct SHA256Context {
    private var state = CC_SHA256_CTX()
    init() { unsafe _ = CC_SHA256_Init(&state) }

    @unsafe mutating func update(_ bytes: UnsafeRawBufferPointer) {
      unsafe inPieces(bytes) { unsafe _ = CC_SHA256_Update(&state, $0, $1) }
    }

    @unsafe mutating func finish(into digest: UnsafeMutablePointer<UInt8>?) {
      unsafe _ = CC_SHA256_Final(digest, &state)
    }
  }

  struct SHA384Context {
    private var state = CC_SHA512_CTX()
    init() { unsafe _ = CC_SHA384_Init(&state) }

    @unsafe mutating func update(_ bytes: UnsafeRawBufferPointer) {
      unsafe inPieces(bytes) { unsafe _ = CC_SHA384_Update(&state, $0, $1) }
    }

    @unsafe mutating func finish(into digest: UnsafeMutablePointer<UInt8>?) {
      unsafe _ = CC_SHA384_Final(digest, &state)
    }
  }

  struct SHA512Context {
    private var state = CC_SHA512_CTX()
    init() { unsafe _ = CC_SHA512_Init(&state) }

    @unsafe mutating func update(_ bytes: UnsafeRawBufferPointer) {
      unsafe inPieces(bytes) { unsafe _ = CC_SHA512_Update(&state, $0, $1) }
    }

    @unsafe mutating func finish(into digest: UnsafeMutablePointer<UInt8>?) {
      unsafe _ = CC_SHA512_Final(digest, &state)
    }
  }

  /// Calls `body` with consecutive pieces of memory, because CommonCrypto counts bytes in 32 bits.
  @unsafe private func inPieces(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawPointer?, CC_LONG) -> Void) {
    var remainingBytes = unsafe bytes
    repeat {
      let count = CC_LONG(clamping: remainingBytes.count)
      unsafe body(remainingBytes.baseAddress, count)
      unsafe remainingBytes = UnsafeRawBufferPointer(rebasing: remainingBytes.dropFirst(Int(count)))
    } while unsafe !remainingBytes.isEmpty
  }

  @unsafe func isEqualInConstantTime(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
    unsafe storage_auth_is_equal(first.baseAddress, second.baseAddress, first.count)
  }

  @unsafe func overwriteWithZeros(_ bytes: UnsafeMutableRawBufferPointer) {
    unsafe storage_auth_wipe(bytes.baseAddress, bytes.count)
  }
#endif
