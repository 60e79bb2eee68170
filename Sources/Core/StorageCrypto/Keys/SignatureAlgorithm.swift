// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if canImport(CLibcrypto) || canImport(CryptoExtras)
  /// A signature algorithm of asymmetric keys.
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

    package func takes(_ kind: KeyKind) -> Bool {
      switch (self, kind) {
      case (.rsaPKCS1, .rsa), (.rsaPKCS1MD5, .rsa), (.rsaPSS, .rsa): true
      case (.ecdsa(let curve, _), .ecdsa(let other)): curve == other
      default: false
      }
    }
  }

  package enum SignatureHash: Sendable, Hashable, CaseIterable {
    case sha256, sha384, sha512
  }
#endif
