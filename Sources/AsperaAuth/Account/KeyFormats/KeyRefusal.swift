internal import StorageCrypto

/// The errors for keys that can be read and are not taken.
enum KeyRefusal {
  /// The shortest RSA modulus that current SSH clients take.
  static let leastBits = 1_024

  /// The longest RSA modulus that libcrypto works with.
  static let mostBits = 16_384

  static let remedy = "Make another one, ssh-keygen -t rsa -b 3072, and have its public key put on the server."

  static func dsa(at place: KeyPlace) -> AsperaError {
    place.error(.unsupportedKey, "is a DSA key, which current SSH servers and clients refuse", remedy: remedy)
  }

  static func kind(_ name: String, at place: KeyPlace) -> AsperaError {
    place.error(
      .unsupportedKey,
      name.hasPrefix("sk-")
        ? "needs a security key at hand (\(name)), which ascp cannot ask for"
        : "is of a kind that SSH does not log in with: \(name)", remedy: remedy)
  }
}

extension PrivateKeyReport.Kind {
  /// The kind in public terms.
  ///
  /// - Throws: An ``AsperaError`` for kinds that are not taken.
  init(_ kind: KeyKind, at place: KeyPlace) throws(AsperaError) {
    switch kind {
    case .rsa(let bits):
      guard (KeyRefusal.leastBits...KeyRefusal.mostBits).contains(bits) else {
        throw place.error(
          .unsupportedKey,
          "is an RSA key of \(bits) bits, where \(KeyRefusal.leastBits) to \(KeyRefusal.mostBits) are taken",
          remedy: KeyRefusal.remedy)
      }
      self = .rsa(bits: bits)
    case .ecdsa(let curve): self = .ecdsa(curve: curve.rawValue)
    case .ed25519: self = .ed25519
    case .dsa: throw KeyRefusal.dsa(at: place)
    case .other(let name): throw KeyRefusal.kind(name, at: place)
    }
  }
}
