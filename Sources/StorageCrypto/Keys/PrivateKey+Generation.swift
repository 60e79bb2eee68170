// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CLibcrypto

extension PrivateKey {
  /// Generates an RSA key pair.
  ///
  /// - Parameter bits: The length of the modulus, from 512 to 16384 bits.
  package static func generateRSA(bits: Int) throws(KeyError) -> PrivateKey {
    guard (512...16_384).contains(bits) else { throw .unsupportedKind }
    return try unsafe generate("RSA") { unsafe EVP_PKEY_CTX_set_rsa_keygen_bits($0, Int32(bits)) }
  }

  /// Generates an ECDSA key pair on the given curve.
  package static func generateECDSA(_ curve: EllipticCurve) throws(KeyError) -> PrivateKey {
    try unsafe generate("EC") { unsafe EVP_PKEY_CTX_set_group_name($0, curve.groupName) }
  }

  /// Generates an Ed25519 key pair.
  package static func generateEd25519() throws(KeyError) -> PrivateKey {
    try unsafe generate("ED25519") { _ in 1 }
  }

  private static func generate(
    _ algorithm: String, _ prepare: (OpaquePointer) -> Int32
  ) throws(KeyError) -> PrivateKey {
    let handle: KeyHandle? = clearingErrors {
      guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, algorithm, nil) else { return nil }
      defer { unsafe EVP_PKEY_CTX_free(context) }
      var key: OpaquePointer?
      guard unsafe EVP_PKEY_keygen_init(context) == 1, unsafe prepare(context) == 1,
        unsafe EVP_PKEY_generate(context, &key) == 1
      else { return nil }
      return unsafe KeyHandle(key)
    }
    guard let handle else { throw .failed }
    return PrivateKey(handle)
  }
}
