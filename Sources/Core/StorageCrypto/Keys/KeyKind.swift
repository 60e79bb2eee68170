// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if canImport(CLibcrypto) || canImport(CryptoExtras)
  /// The algorithm of a key, with the key's length or curve.
  package enum KeyKind: Sendable, Hashable {
    /// RSA, with the length of the modulus in bits.
    case rsa(bits: Int)
    /// ECDSA, with a curve that SSH supports.
    case ecdsa(EllipticCurve)
    /// Ed25519, the Edwards-curve signature algorithm (RFC 8032).
    case ed25519
    /// DSA, with the length of the prime in bits.
    case dsa(bits: Int)
    /// Another algorithm, with its name in libcrypto, or its object identifier if swift-crypto does not know it.
    case other(String)
  }

  /// An elliptic curve that SSH supports (RFC 5656).
  package enum EllipticCurve: String, Sendable, Hashable, CaseIterable {
    case nistp256, nistp384, nistp521

    /// The encoded object identifier of the elliptic curve, without tag and length.
    var objectIdentifier: [UInt8] {
      switch self {
      case .nistp256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
      case .nistp384: [0x2b, 0x81, 0x04, 0x00, 0x22]
      case .nistp521: [0x2b, 0x81, 0x04, 0x00, 0x23]
      }
    }

    /// The size, in bytes, of a coordinate and of a private scalar on the curve.
    package var coordinateByteCount: Int {
      switch self {
      case .nistp256: 32
      case .nistp384: 48
      case .nistp521: 66
      }
    }
  }

  /// An integer that a key consists of.
  enum KeyNumber {
    /// The public integers of an RSA key.
    case modulus, publicExponent
    /// The private integers of an RSA key.
    case privateExponent, coefficient, firstPrime, secondPrime
    /// The private integer of an ECDSA key.
    case scalar
  }

  /// An algorithm by which a key signs, with its hash function.
  package enum SignatureAlgorithm: Sendable, Hashable {
    /// RSASSA-PKCS1-v1_5 (RFC 8017, section 8.2) with a hash function.
    case rsaPKCS1(SignatureHash)
    /// RSASSA-PKCS1-v1_5 with MD5, which OSS uses for callbacks.
    ///
    /// MD5 is broken for text that an attacker can choose. Use the algorithm only where a vendor requires it.
    case rsaPKCS1MD5
    /// RSASSA-PSS (RFC 8017, section 8.1) with a hash function, also for MGF1, and a salt as long as the digest.
    case rsaPSS(SignatureHash)
    /// ECDSA on a curve with a hash function.
    ///
    /// The signature is the concatenation of R and S, each as long as a coordinate (RFC 7518, section 3.4).
    case ecdsa(EllipticCurve, SignatureHash)

    /// Returns whether a key of a kind, on the same curve for ECDSA, can sign with the algorithm.
    package func supports(_ kind: KeyKind) -> Bool {
      switch (self, kind) {
      case (.rsaPKCS1, .rsa), (.rsaPKCS1MD5, .rsa), (.rsaPSS, .rsa): true
      case (.ecdsa(let curve, _), .ecdsa(let keyCurve)): curve == keyCurve
      default: false
      }
    }
  }

  /// A hash function of a signature algorithm, for algorithms that support several.
  package enum SignatureHash: Sendable, Hashable, CaseIterable { case sha256, sha384, sha512 }
#endif
