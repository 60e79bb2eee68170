/// What a key is for, and how long it is.
package enum KeyKind: Sendable, Hashable {
  /// RSA with a modulus of so many bits.
  case rsa(bits: Int)
  /// ECDSA on one of the curves that SSH knows.
  case ecdsa(EllipticCurve)
  /// Ed25519.
  case ed25519
  /// DSA with a prime of so many bits.
  case dsa(bits: Int)
  /// Something else, by the name that libcrypto has for it.
  case other(String)
}

/// The curves that SSH knows (RFC 5656).
package enum EllipticCurve: String, Sendable, Hashable, CaseIterable {
  case nistp256, nistp384, nistp521

  /// The name that libcrypto has for the curve.
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
