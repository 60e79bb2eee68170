// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The reason why a key cannot be parsed or used.
package enum KeyError: Error, Sendable, Hashable {
  /// The text is not a key of the expected kind.
  case malformed
  /// The key is encrypted and the caller gave no passphrase.
  case passphraseMissing
  /// The passphrase does not decrypt the key; a damaged key may give the same error, because wrong decryption results
  /// in random bytes.
  case wrongPassphrase
  /// The key is encrypted with an algorithm that libcrypto does not provide.
  case unsupportedEncryption
  /// The kind of the key does not support the operation.
  case unsupportedKind
  /// An operation of libcrypto failed.
  case failed
}
