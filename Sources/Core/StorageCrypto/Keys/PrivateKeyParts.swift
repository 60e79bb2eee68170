// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if canImport(CLibcrypto) || canImport(CryptoExtras)
  /// The integers of a private key in an SSH key file, as big-endian bytes.
  package enum PrivateKeyParts: Sendable {
    /// The modulus, the exponents, the coefficient and the two primes of an RSA key.
    case rsa(
      modulus: [UInt8], publicExponent: [UInt8], privateExponent: [UInt8], coefficient: [UInt8], primes: [[UInt8]])
    /// The uncompressed public point and the private scalar of an ECDSA key.
    case ecdsa(EllipticCurve, point: [UInt8], scalar: [UInt8])
    /// The public point and the private seed of an Ed25519 key.
    case ed25519(point: [UInt8], seed: [UInt8])

    /// The maximum size, in bytes, of an integer of an RSA key, without a leading zero.
    static let rsaIntegerByteLimit = 2_048
  }

  extension PrivateKeyParts: CustomStringConvertible, CustomReflectable {
    package var description: String {
      switch self {
      case .rsa: "PrivateKeyParts(rsa)"
      case .ecdsa: "PrivateKeyParts(ecdsa)"
      case .ed25519: "PrivateKeyParts(ed25519)"
      }
    }

    package var customMirror: Mirror { Mirror(self, children: [:]) }
  }
#endif
