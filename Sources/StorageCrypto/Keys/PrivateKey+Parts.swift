// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CLibcrypto

/// The integers of a private key in an SSH key file, as big-endian bytes.
package enum PrivateKeyParts: Sendable {
  /// The modulus, the exponents, the coefficient and the two primes of an RSA key.
  case rsa(
    modulus: [UInt8], publicExponent: [UInt8], privateExponent: [UInt8], coefficient: [UInt8], primes: [[UInt8]])
  /// The uncompressed public point and the private scalar of an ECDSA key.
  case ecdsa(EllipticCurve, point: [UInt8], scalar: [UInt8])
  /// The public point and the private seed of an Ed25519 key.
  case ed25519(point: [UInt8], seed: [UInt8])
}

extension PrivateKeyParts: CustomStringConvertible, CustomReflectable {
  /// The kind of the private key, without its integers.
  package var description: String {
    switch self {
    case .rsa: "PrivateKeyParts(rsa)"
    case .ecdsa: "PrivateKeyParts(ecdsa)"
    case .ed25519: "PrivateKeyParts(ed25519)"
    }
  }

  /// A mirror without children.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension PrivateKey {
  /// The maximum size, in bytes, of an RSA modulus that libcrypto supports.
  private static let modulusLimit = 2_048

  /// Creates a private key from its integers.
  ///
  /// - Throws: `malformed` if the integers do not belong to the same key, which a test signature shows.
  package init(_ parts: PrivateKeyParts) throws(KeyError) {
    let handle: KeyHandle? = clearingErrors {
      switch parts {
      case .rsa(let modulus, let publicExponent, let privateExponent, let coefficient, let primes):
        Self.rsa(modulus, publicExponent, privateExponent, coefficient, primes)
      case .ecdsa(let curve, let point, let scalar): Self.ecdsa(curve, point, scalar)
      case .ed25519(let point, let seed): Self.ed25519(point, seed)
      }
    }
    guard let handle else { throw .malformed }
    self.init(handle)
    guard isWhole else { throw .malformed }
  }

  /// Creates an RSA key by encoding its integers as an `RSAPrivateKey` (PKCS #1, RFC 8017).
  private static func rsa(
    _ modulus: [UInt8], _ publicExponent: [UInt8], _ privateExponent: [UInt8], _ coefficient: [UInt8],
    _ primes: [[UInt8]]
  ) -> KeyHandle? {
    let parts = [modulus, publicExponent, privateExponent, coefficient] + primes
    guard primes.count == 2, parts.allSatisfy({ $0.count <= modulusLimit + 1 }) else { return nil }
    let numbers = parts.compactMap { BigNumber($0) }
    guard numbers.count == 6, numbers[0].isProduct(of: numbers[4], numbers[5]),
      let first = numbers[2].remainder(byPredecessorOf: numbers[4]),
      let second = numbers[2].remainder(byPredecessorOf: numbers[5])
    else { return nil }
    let fields = [
      modulus, publicExponent, privateExponent, primes[0], primes[1], first.bytes, second.bytes, coefficient,
    ]
    var der = DER.sequence([DER.integer([0])] + fields.map { DER.integer($0) })
    return key(der: &der, EVP_PKEY_RSA)
  }

  /// Creates an ECDSA key by encoding its integers as an `ECPrivateKey` (RFC 5915).
  private static func ecdsa(_ curve: EllipticCurve, _ point: [UInt8], _ scalar: [UInt8]) -> KeyHandle? {
    let digits = scalar.drop { $0 == 0 }
    let padding = curve.coordinateByteCount - digits.count
    guard padding >= 0, point.count == 1 + 2 * curve.coordinateByteCount, point.first == 4 else { return nil }
    var der = DER.sequence([
      DER.integer([1]), DER.value(0x04, [UInt8](repeating: 0, count: padding) + digits),
      DER.value(0xa0, DER.value(0x06, curve.objectIdentifier)), DER.value(0xa1, DER.value(0x03, [0] + point)),
    ])
    return key(der: &der, EVP_PKEY_EC)
  }

  private static func ed25519(_ point: [UInt8], _ seed: [UInt8]) -> KeyHandle? {
    guard seed.count == 32,
      let handle = unsafe KeyHandle(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count))
    else { return nil }
    return handle.raw(isPrivate: false) == point ? handle : nil
  }

  /// Parses the DER encoding of a private key, and wipes the encoding.
  private static func key(der: inout [UInt8], _ type: Int32) -> KeyHandle? {
    defer { wipe(&der) }
    return unsafe der.withUnsafeBufferPointer { buffer in
      var start = buffer.baseAddress
      return unsafe KeyHandle(d2i_PrivateKey(type, nil, &start, buffer.count))
    }
  }
}
