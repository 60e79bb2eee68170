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
}

extension PrivateKey: CustomStringConvertible, CustomReflectable {
  /// The kind of the private key, without any secret.
  package var description: String { "PrivateKey(\(kind))" }

  /// A mirror without children.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
