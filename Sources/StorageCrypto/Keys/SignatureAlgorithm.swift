// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CLibcrypto

/// A signature algorithm of asymmetric keys.
package enum SignatureAlgorithm: Sendable, Hashable {
  /// RSASSA-PKCS1-v1_5 (RFC 8017, section 8.2) with a hash function.
  case rsaPKCS1(SignatureHash)
  /// RSASSA-PSS (RFC 8017, section 8.1) with a hash function, MGF1 with the same function, and a salt as long as the
  /// digest.
  case rsaPSS(SignatureHash)
  /// ECDSA on a curve with a hash function.
  ///
  /// The signature is the concatenation of R and S, each as long as a coordinate (RFC 7518, section 3.4).
  case ecdsa(EllipticCurve, SignatureHash)

  /// The hash function of the algorithm.
  var hash: SignatureHash {
    switch self {
    case .rsaPKCS1(let hash), .rsaPSS(let hash), .ecdsa(_, let hash): hash
    }
  }

  /// Returns whether a key of the given kind can make or verify signatures with the algorithm.
  package func takes(_ kind: KeyKind) -> Bool {
    switch (self, kind) {
    case (.rsaPKCS1, .rsa), (.rsaPSS, .rsa): true
    case (.ecdsa(let curve, _), .ecdsa(let other)): curve == other
    default: false
    }
  }

  /// Sets the padding of the algorithm in a key's context, and returns whether that succeeds.
  func configure(_ context: OpaquePointer?) -> Bool {
    guard case .rsaPSS = self else { return true }
    return unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
      && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
  }
}

/// A hash function for signatures.
package enum SignatureHash: Sendable, Hashable, CaseIterable {
  case sha256, sha384, sha512

  /// The hash function in libcrypto, which exists for the duration of the process.
  var digest: OpaquePointer? {
    switch self {
    case .sha256: unsafe EVP_sha256()
    case .sha384: unsafe EVP_sha384()
    case .sha512: unsafe EVP_sha512()
    }
  }
}
