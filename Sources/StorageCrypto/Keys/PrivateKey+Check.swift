// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CLibcrypto

extension PrivateKey {
  /// Whether the public key verifies a signature made with the private key.
  package var isWhole: Bool {
    let hasDigest = kind != .ed25519
    return clearingErrors {
      let message = Array("whole".utf8)
      guard let context = unsafe EVP_MD_CTX_new() else { return false }
      defer { unsafe EVP_MD_CTX_free(context) }
      let digest = unsafe hasDigest ? EVP_sha256() : nil
      var count = 0
      guard unsafe handle.withKey({ unsafe EVP_DigestSignInit(context, nil, digest, nil, $0) }) == 1,
        unsafe EVP_DigestSign(context, nil, &count, message, message.count) == 1
      else { return false }
      var signature = [UInt8](repeating: 0, count: count)
      guard unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1,
        let check = unsafe EVP_MD_CTX_new()
      else { return false }
      defer { unsafe EVP_MD_CTX_free(check) }
      return unsafe handle.withKey { unsafe EVP_DigestVerifyInit(check, nil, digest, nil, $0) } == 1
        && EVP_DigestVerify(check, signature, count, message, message.count) == 1
    }
  }
}
