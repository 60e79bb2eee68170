// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if canImport(CLibcrypto)
  internal import CLibcrypto

  extension KeyHandle {
    /// Signs a message with an algorithm that takes the key's kind, or returns `nil` if the key is too short for the hash.
    func sign(_ message: [UInt8], with algorithm: SignatureAlgorithm) -> [UInt8]? {
      let signature: [UInt8]? = clearingErrors {
        guard let context = unsafe EVP_MD_CTX_new() else { return nil }
        defer { unsafe EVP_MD_CTX_free(context) }
        var keyContext: OpaquePointer?
        let status = unsafe withKey {
          unsafe EVP_DigestSignInit(context, &keyContext, algorithm.digest, nil, $0)
        }
        guard status == 1, unsafe algorithm.configure(keyContext) else { return nil }
        return unsafe Self.signature(of: message, context)
      }
      guard case .ecdsa(let curve, _) = algorithm else { return signature }
      return signature.flatMap {
        ECDSASignature.concatenation(ofDER: $0, coordinateByteCount: curve.coordinateByteCount)
      }
    }

    /// Returns whether the key verifies a signature of a message with an algorithm that takes the key's kind.
    func verify(_ signature: [UInt8], of message: [UInt8], with algorithm: SignatureAlgorithm) -> Bool {
      var encoded = signature
      if case .ecdsa(let curve, _) = algorithm {
        guard let der = ECDSASignature.der(ofConcatenation: signature, coordinateByteCount: curve.coordinateByteCount)
        else { return false }
        encoded = der
      }
      return clearingErrors {
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        var keyContext: OpaquePointer?
        let status = unsafe withKey {
          unsafe EVP_DigestVerifyInit(context, &keyContext, algorithm.digest, nil, $0)
        }
        guard status == 1, unsafe algorithm.configure(keyContext) else { return false }
        return unsafe EVP_DigestVerify(context, encoded, encoded.count, message, message.count) == 1
      }
    }

    /// Whether the public key verifies a signature made with the private key.
    var isWhole: Bool {
      let hasDigest = kind != .ed25519
      return clearingErrors {
        let message = Array("whole".utf8)
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        let digest = unsafe hasDigest ? EVP_sha256() : nil
        guard unsafe withKey({ unsafe EVP_DigestSignInit(context, nil, digest, nil, $0) }) == 1,
          let signature = unsafe Self.signature(of: message, context), let check = unsafe EVP_MD_CTX_new()
        else { return false }
        defer { unsafe EVP_MD_CTX_free(check) }
        return unsafe withKey { unsafe EVP_DigestVerifyInit(check, nil, digest, nil, $0) } == 1
          && EVP_DigestVerify(check, signature, signature.count, message, message.count) == 1
      }
    }

    /// Signs a message in a context that is set up with a key, or returns `nil` if that fails.
    private static func signature(of message: [UInt8], _ context: OpaquePointer) -> [UInt8]? {
      var count = 0
      guard unsafe EVP_DigestSign(context, nil, &count, message, message.count) == 1 else { return nil }
      var signature = [UInt8](repeating: 0, count: count)
      guard unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else { return nil }
      return Array(signature.prefix(count))
    }
  }

  extension SignatureAlgorithm {
    /// The hash function of the algorithm in libcrypto, which exists for the duration of the process.
    fileprivate var digest: OpaquePointer? {
      switch self {
      case .rsaPKCS1(let hash), .rsaPSS(let hash), .ecdsa(_, let hash): unsafe hash.digest
      case .rsaPKCS1MD5: unsafe EVP_md5()
      }
    }

    /// Sets the padding of the algorithm in a key's context, and returns whether that succeeds.
    fileprivate func configure(_ context: OpaquePointer?) -> Bool {
      guard case .rsaPSS = self else { return true }
      return unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
        && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
    }
  }

  extension SignatureHash {
    /// The hash function in libcrypto, which exists for the duration of the process.
    fileprivate var digest: OpaquePointer? {
      switch self {
      case .sha256: unsafe EVP_sha256()
      case .sha384: unsafe EVP_sha384()
      case .sha512: unsafe EVP_sha512()
      }
    }
  }

  /// The two encodings of an ECDSA signature: as a sequence in DER, which libcrypto uses, and as fixed-length integers.
  enum ECDSASignature {
    /// Returns a signature in DER as the concatenation of R and S, each of the given size in bytes, or `nil` if the
    /// signature is malformed.
    static func concatenation(ofDER der: [UInt8], coordinateByteCount count: Int) -> [UInt8]? {
      unsafe der.withUnsafeBufferPointer { buffer -> [UInt8]? in
        var start = buffer.baseAddress
        guard let signature = unsafe d2i_ECDSA_SIG(nil, &start, buffer.count) else { return nil }
        defer { unsafe ECDSA_SIG_free(signature) }
        var first: OpaquePointer?
        var second: OpaquePointer?
        unsafe ECDSA_SIG_get0(signature, &first, &second)
        var halves = [UInt8](repeating: 0, count: count)
        var half = halves
        guard unsafe BN_bn2binpad(first, &halves, Int32(count)) == Int32(count),
          unsafe BN_bn2binpad(second, &half, Int32(count)) == Int32(count)
        else { return nil }
        halves.append(contentsOf: half)
        return halves
      }
    }

    /// Returns the encoding in DER of the concatenation of R and S, or `nil` if it does not have the expected length.
    static func der(ofConcatenation bytes: [UInt8], coordinateByteCount count: Int) -> [UInt8]? {
      guard bytes.count == 2 * count else { return nil }
      return DER.sequence([DER.integer(Array(bytes.prefix(count))), DER.integer(Array(bytes.suffix(count)))])
    }
  }
#endif
