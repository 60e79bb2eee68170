// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if canImport(CLibcrypto)
  internal import CLibcrypto
  internal import StorageCrypto

  extension KeyHandle {
    /// Parses and, if necessary, decrypts a private key in PEM.
    static func reading(privatePEM pem: SecretBytes, passphrase: SecretBytes?) throws(KeyError) -> KeyHandle {
      let response = PassphraseAnswer(passphrase)
      let outcome: Result<KeyHandle, KeyError> = clearingErrors {
        let handle = pem.withBytes { pem in
          unsafe MemoryBIO.reading(pem) { bio in
            unsafe KeyHandle(response.use { unsafe PEM_read_bio_PrivateKey(bio, nil, answerPassphrase, $0) })
          }
        }
        return handle.map { .success($0) } ?? .failure(response.failure)
      }
      return try outcome.get()
    }

    /// Parses a public key in PEM, or returns `nil` if the text contains none.
    static func reading(publicPEM pem: String) -> KeyHandle? {
      clearingErrors {
        withBytes(of: pem) { pem in
          unsafe MemoryBIO.reading(pem) { bio in
            unsafe KeyHandle(PassphraseAnswer(nil).use { unsafe PEM_read_bio_PUBKEY(bio, nil, answerPassphrase, $0) })
          }
        }
      }
    }

    /// The unencrypted private key in its kind's traditional PEM format, or `nil` if the kind has none.
    var traditionalPEM: SecretBytes? {
      clearingErrors {
        unsafe MemoryBIO.writing { bio in
          unsafe withKey { unsafe PEM_write_bio_PrivateKey_traditional(bio, $0, nil, nil, 0, nil, nil) }
        }
      }
    }

    /// The unencrypted private key in PKCS #8 PEM, or `nil` if libcrypto cannot encode it.
    var pkcs8PEM: SecretBytes? {
      clearingErrors {
        unsafe MemoryBIO.writing { bio in
          unsafe withKey { unsafe PEM_write_bio_PKCS8PrivateKey(bio, $0, nil, nil, 0, nil, nil) }
        }
      }
    }

    /// The public key in PEM, or `nil` if libcrypto cannot encode it.
    var publicPEM: String? {
      clearingErrors {
        unsafe MemoryBIO.writing { bio in unsafe withKey { unsafe PEM_write_bio_PUBKEY(bio, $0) } }
          .map { bytes in String(writing: { writer in bytes.withBytes { writer.append($0) } }) }
      }
    }
  }
#endif
