/// Why a key cannot be read or used.
package enum KeyError: Error, Sendable, Hashable {
  /// The text is not such a key.
  case malformed
  /// The key is encrypted and no passphrase was given.
  case passphraseMissing
  /// The passphrase does not open the key; where decryption leaves nonsense, damage cannot be told from this.
  case wrongPassphrase
  /// The key is encrypted in a way that libcrypto does not offer.
  case unsupportedEncryption
  /// The kind of the key does not allow what was asked for.
  case unsupportedKind
  /// libcrypto could not do it.
  case failed
}
