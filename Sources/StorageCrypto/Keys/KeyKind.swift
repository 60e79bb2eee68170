// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The algorithm of a key, and its length or curve.
package enum KeyKind: Sendable, Hashable {
  /// RSA with a modulus of `bits` bits.
  case rsa(bits: Int)
  /// ECDSA on one of the curves that SSH supports.
  case ecdsa(EllipticCurve)
  /// Ed25519.
  case ed25519
  /// DSA with a prime of `bits` bits.
  case dsa(bits: Int)
  /// Another algorithm, by its name in libcrypto.
  case other(String)
}

/// A curve that SSH supports (RFC 5656).
package enum EllipticCurve: String, Sendable, Hashable, CaseIterable {
  case nistp256, nistp384, nistp521

  /// The name of the curve in libcrypto.
  var groupName: String {
    switch self {
    case .nistp256: "prime256v1"
    case .nistp384: "secp384r1"
    case .nistp521: "secp521r1"
    }
  }

  /// The object identifier of the curve, without tag and length.
  var objectIdentifier: [UInt8] {
    switch self {
    case .nistp256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
    case .nistp384: [0x2b, 0x81, 0x04, 0x00, 0x22]
    case .nistp521: [0x2b, 0x81, 0x04, 0x00, 0x23]
    }
  }

  /// The size of a coordinate and of a private scalar, in bytes.
  package var coordinateByteCount: Int {
    switch self {
    case .nistp256: 32
    case .nistp384: 48
    case .nistp521: 66
    }
  }
}
