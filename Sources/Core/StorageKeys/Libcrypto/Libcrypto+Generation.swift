// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if canImport(CLibcrypto)
  internal import CLibcrypto

  extension KeyHandle {
    static let rsaBitCounts = 512...16_384

    static func canGenerateRSA(bits: Int) -> Bool { rsaBitCounts.contains(bits) }

    static func generateRSA(bits: Int) -> KeyHandle? {
      unsafe generate("RSA") { unsafe EVP_PKEY_CTX_set_rsa_keygen_bits($0, Int32(bits)) }
    }

    static func generateECDSA(_ curve: EllipticCurve) -> KeyHandle? {
      unsafe generate("EC") { unsafe EVP_PKEY_CTX_set_group_name($0, curve.groupName) }
    }

    static func generateEd25519() -> KeyHandle? {
      unsafe generate("ED25519") { _ in 1 }
    }

    private static func generate(_ algorithm: String, _ prepare: (OpaquePointer) -> Int32) -> KeyHandle? {
      clearingErrors {
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, algorithm, nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1, unsafe prepare(context) == 1,
          unsafe EVP_PKEY_generate(context, &key) == 1
        else { return nil }
        return unsafe KeyHandle(key)
      }
    }
  }
#endif
