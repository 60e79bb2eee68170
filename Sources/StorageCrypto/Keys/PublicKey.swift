// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CLibcrypto

/// A public key for use with libcrypto.
package struct PublicKey: Sendable {
  let handle: KeyHandle

  init(_ handle: KeyHandle) {
    self.handle = handle
  }

  /// Creates a public key from PEM text.
  ///
  /// The format is SubjectPublicKeyInfo (`BEGIN PUBLIC KEY`) or the older RSA format (`BEGIN RSA PUBLIC KEY`).
  package init(pem: String) throws(KeyError) {
    let handle: KeyHandle? = clearingErrors {
      withBytes(of: pem) { pem in
        unsafe MemoryBIO.reading(pem) { bio in
          unsafe KeyHandle(PassphraseAnswer(nil).use { unsafe PEM_read_bio_PUBKEY(bio, nil, answerPassphrase, $0) })
        }
      }
    }
    guard let handle else { throw .malformed }
    self.handle = handle
  }

  /// The algorithm of the public key, with the key's length or curve.
  package var kind: KeyKind { handle.kind }

  /// The public key as an SSH key blob, or `nil` if SSH does not support the key's kind.
  package var sshBlob: [UInt8]? { handle.sshBlob }

  /// The public key in PEM, as SubjectPublicKeyInfo, or `nil` if libcrypto cannot encode it.
  package var pem: String? {
    clearingErrors {
      unsafe MemoryBIO.writing { bio in unsafe handle.withKey { unsafe PEM_write_bio_PUBKEY(bio, $0) } }
        .map { bytes in String(writing: { writer in bytes.withBytes { writer.append($0) } }) }
    }
  }
}
