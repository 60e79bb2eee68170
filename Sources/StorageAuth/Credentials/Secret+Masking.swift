internal import StorageCrypto

extension String {
  /// The text with a secret masked, as it is and percent-encoded.
  package func masking(_ secret: Secret?) -> String {
    guard let secret, !secret.isEmpty else { return self }
    let clear = secret.reveal()
    return replacing(clear, with: Secret.mask).replacing(clear.percentEncoded(), with: Secret.mask)
  }
}
