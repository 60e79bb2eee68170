// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CLibcrypto

/// A private key for use with libcrypto.
///
/// `print`, `dump` and `Mirror` do not show the key.
package struct PrivateKey: Sendable {
  let handle: KeyHandle

  init(_ handle: KeyHandle) {
    self.handle = handle
  }

  /// Creates a private key from PEM text.
  ///
  /// The format can be a traditional RSA, EC or DSA format, or PKCS #8, with or without encryption.
  ///
  /// The initializer never prompts the user for a passphrase.
  ///
  /// - Parameters:
  ///   - pem: The PEM text. Other text around the key is skipped.
  ///   - passphrase: The passphrase in UTF-8, which is ignored if the key is not encrypted.
  package init(pem: SecretBytes, passphrase: SecretBytes? = nil) throws(KeyError) {
    let answer = PassphraseAnswer(passphrase)
    let outcome: Result<KeyHandle, KeyError> = clearingErrors {
      let handle = pem.withBytes { pem in
        unsafe MemoryBIO.reading(pem) { bio in
          unsafe KeyHandle(answer.use { unsafe PEM_read_bio_PrivateKey(bio, nil, answerPassphrase, $0) })
        }
      }
      return handle.map { .success($0) } ?? .failure(answer.failure)
    }
    handle = try outcome.get()
  }

  /// Creates a private key from PEM text in strings that are no longer secret, or that cannot be wiped anyway.
  package init(pem: String, passphrase: String? = nil) throws(KeyError) {
    try self.init(
      pem: withBytes(of: pem) { SecretBytes($0) },
      passphrase: passphrase.map { withBytes(of: $0) { SecretBytes($0) } })
  }

  /// The algorithm of the private key, with the key's length or curve.
  package var kind: KeyKind { handle.kind }

  /// The public key, which retains the same libcrypto key but uses only its public part.
  package var publicKey: PublicKey { PublicKey(handle) }

  /// Signs a message with RSA, using PKCS #1 v1.5 and SHA-512.
  ///
  /// - Throws: `unsupportedKind` if the key is not an RSA key, or `failed` if the key is too short for the hash.
  package func sign(rsaSHA512 message: [UInt8]) throws(KeyError) -> [UInt8] {
    guard case .rsa = kind else { throw .unsupportedKind }
    let signature: [UInt8]? = clearingErrors {
      guard let context = unsafe EVP_MD_CTX_new() else { return nil }
      defer { unsafe EVP_MD_CTX_free(context) }
      var count = 0
      guard unsafe handle.withKey({ unsafe EVP_DigestSignInit(context, nil, EVP_sha512(), nil, $0) }) == 1,
        unsafe EVP_DigestSign(context, nil, &count, message, message.count) == 1
      else { return nil }
      var signature = [UInt8](repeating: 0, count: count)
      guard unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else { return nil }
      return Array(signature.prefix(count))
    }
    guard let signature else { throw .failed }
    return signature
  }
}

extension PrivateKey: CustomStringConvertible, CustomReflectable {
  /// The kind of the private key, without any secret.
  package var description: String { "PrivateKey(\(kind))" }

  /// A mirror without children.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
