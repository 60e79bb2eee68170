// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CLibcrypto

extension PrivateKey {
  /// Signs a message.
  ///
  /// - Throws: `unsupportedKind` if the algorithm needs another kind of key, or `failed` if the key is too short for
  ///   the hash.
  package func sign(_ message: [UInt8], with algorithm: SignatureAlgorithm) throws(KeyError) -> [UInt8] {
    guard algorithm.takes(kind) else { throw .unsupportedKind }
    let signature: [UInt8]? = clearingErrors {
      guard let context = unsafe EVP_MD_CTX_new() else { return nil }
      defer { unsafe EVP_MD_CTX_free(context) }
      var keyContext: OpaquePointer?
      let status = unsafe handle.withKey {
        unsafe EVP_DigestSignInit(context, &keyContext, algorithm.hash.digest, nil, $0)
      }
      var count = 0
      guard status == 1, unsafe algorithm.configure(keyContext),
        unsafe EVP_DigestSign(context, nil, &count, message, message.count) == 1
      else { return nil }
      var signature = [UInt8](repeating: 0, count: count)
      guard unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else { return nil }
      return Array(signature.prefix(count))
    }
    guard let signature else { throw .failed }
    guard case .ecdsa(let curve, _) = algorithm else { return signature }
    guard
      let halves = ECDSASignature.concatenation(ofDER: signature, coordinateByteCount: curve.coordinateByteCount)
    else { throw .failed }
    return halves
  }
}

extension PublicKey {
  /// Returns whether the key verifies a signature of a message.
  package func verify(_ signature: [UInt8], of message: [UInt8], with algorithm: SignatureAlgorithm) -> Bool {
    guard algorithm.takes(kind) else { return false }
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
      let status = unsafe handle.withKey {
        unsafe EVP_DigestVerifyInit(context, &keyContext, algorithm.hash.digest, nil, $0)
      }
      guard status == 1, unsafe algorithm.configure(keyContext) else { return false }
      return unsafe EVP_DigestVerify(context, encoded, encoded.count, message, message.count) == 1
    }
  }
}
