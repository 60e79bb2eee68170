// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The reason why a key cannot be parsed or used.
package enum KeyError: Error, Sendable, Hashable {
  /// The text does not contain a key of the expected kind.
  case malformed
  /// The key is encrypted, and the caller gave no passphrase.
  case passphraseMissing
  /// The passphrase is wrong.
  ///
  /// A damaged key may cause the same error, because decrypting it results in random bytes, as with a wrong passphrase.
  case wrongPassphrase
  /// The key is encrypted with an algorithm that libcrypto or swift-crypto does not provide.
  case unsupportedEncryption
  /// The key's kind does not support the operation.
  case unsupportedKind
  /// An operation failed.
  case failed
}
