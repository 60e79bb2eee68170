// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageKeys

/// Errors about keys that can be parsed but are not supported.
enum KeyRefusal {
  /// The minimum length, in bits, of an RSA modulus that current SSH clients accept.
  static let leastBits = 1_024

  /// The maximum length, in bits, of an RSA modulus that this system's cryptography supports.
  static let mostBits = PrivateKey.longestRSAModulus

  static let remedy = "Create another one with ssh-keygen -t rsa -b 3072, and have its public key added to the server."

  static func dsa(at location: KeyLocation) -> AsperaError {
    location.error(
      .unsupportedKey, "is a DSA key, which current SSH servers and clients refuse",
      remedy: """
        If this is IBM's public key (asperaweb_id_dsa.openssh, aspera_bypass_dsa.pem), use IBM's aspera_tokenauth_id_rsa \
        or aspera_bypass_rsa.pem. Otherwise create a key with ssh-keygen -t rsa -b 3072, and have its public key added to \
        the server.
        """)
  }

  static func kind(_ name: String, at location: KeyLocation) -> AsperaError {
    location.error(
      .unsupportedKey,
      name.hasPrefix("sk-")
        ? "requires a hardware security key (\(name)), which ascp does not support"
        : "is of a kind that SSH does not support for logins: \(name)", remedy: remedy)
  }
}

extension PrivateKeyReport.Kind {
  /// Creates the kind in a report from the kind of a parsed key.
  ///
  /// - Throws: An ``AsperaError`` with the code `unsupportedKey` if keys of this kind are not accepted.
  init(_ kind: KeyKind, at location: KeyLocation) throws(AsperaError) {
    switch kind {
    case .rsa(let bits):
      guard (KeyRefusal.leastBits...KeyRefusal.mostBits).contains(bits) else {
        throw location.error(
          .unsupportedKey,
          "is an RSA key of \(bits) bits, and \(KeyRefusal.leastBits) to \(KeyRefusal.mostBits) are supported",
          remedy: KeyRefusal.remedy)
      }
      self = .rsa(bits: bits)
    case .ecdsa(let curve): self = .ecdsa(curve: curve.rawValue)
    case .ed25519: self = .ed25519
    case .dsa: throw KeyRefusal.dsa(at: location)
    case .other(let name): throw KeyRefusal.kind(name, at: location)
    }
  }
}
