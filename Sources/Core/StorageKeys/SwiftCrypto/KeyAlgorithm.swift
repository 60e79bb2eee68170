// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if !canImport(CLibcrypto)
  /// The algorithm identifiers of keys in PKCS #8 and in SubjectPublicKeyInfo.
  enum KeyAlgorithm {
    case rsa, dsa(bits: Int), ecdsa(EllipticCurve), ed25519
    /// An algorithm or a curve that swift-crypto does not support, by its name in libcrypto or its object identifier.
    case other(String)

    private static let names = [
      "1.2.840.113549.1.1.10": "RSA-PSS", "1.2.840.113549.1.3.1": "DH", "1.2.840.10046.2.1": "DHX",
      "1.3.101.110": "X25519", "1.3.101.111": "X448", "1.3.101.113": "ED448",
    ]

    private static let curves = [
      "1.3.132.0.10": "secp256k1", "1.3.132.0.33": "secp224r1", "1.2.840.10045.3.1.1": "prime192v1",
      "1.3.36.3.3.2.8.1.1.7": "brainpoolP256r1", "1.3.36.3.3.2.8.1.1.11": "brainpoolP384r1",
      "1.3.36.3.3.2.8.1.1.13": "brainpoolP512r1",
    ]

    /// Parses an AlgorithmIdentifier, or returns `nil` if it is malformed.
    init?(_ algorithm: DERReader) {
      var algorithm = algorithm
      guard let identifier = algorithm.identifier() else { return nil }
      switch identifier {
      case "1.2.840.113549.1.1.1": self = .rsa
      case "1.2.840.10045.2.1": self.init(curve: &algorithm)
      case "1.3.101.112": self = .ed25519
      case "1.2.840.10040.4.1":
        guard var parameters = algorithm.sequence(), let prime = parameters.magnitude() else { return nil }
        self = .dsa(bits: RSAKey.bitCount(of: prime))
      default: self = .other(Self.names[identifier] ?? identifier)
      }
    }

    /// Parses the parameters of an elliptic curve, which must be its name.
    init(curve parameters: inout DERReader) {
      guard parameters.nextTag == 0x06, let identifier = parameters.identifier() else {
        self = .other("EC with an unnamed curve")
        return
      }
      switch identifier {
      case "1.2.840.10045.3.1.7": self = .ecdsa(.nistp256)
      case "1.3.132.0.34": self = .ecdsa(.nistp384)
      case "1.3.132.0.35": self = .ecdsa(.nistp521)
      default: self = .other("EC \(Self.curves[identifier] ?? identifier)")
      }
    }

    /// The AlgorithmIdentifier of RSA keys, with `NULL` as its parameters.
    static let rsaIdentifier = DER.sequence([
      DER.value(0x06, [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01]), DER.value(0x05, []),
    ])

    /// The AlgorithmIdentifier of Ed25519 keys.
    static let ed25519Identifier = DER.sequence([DER.value(0x06, [0x2b, 0x65, 0x70])])

    /// Returns the AlgorithmIdentifier of ECDSA keys on a curve.
    static func identifier(on curve: EllipticCurve) -> [UInt8] {
      DER.sequence([
        DER.value(0x06, [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01]), DER.value(0x06, curve.objectIdentifier),
      ])
    }
  }
#endif
