// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if canImport(CLibcrypto)
  internal import CLibcrypto
  internal import StorageCrypto

  extension KeyHandle {
    /// Creates a private key from its integers, or returns `nil` if the integers cannot belong to the same key.
    static func key(of parts: PrivateKeyParts) -> KeyHandle? {
      clearingErrors {
        switch parts {
        case .rsa(let modulus, let publicExponent, let privateExponent, let coefficient, let primes):
          rsa(modulus, publicExponent, privateExponent, coefficient, primes)
        case .ecdsa(let curve, let point, let scalar): ecdsa(curve, point, scalar)
        case .ed25519(let point, let seed): ed25519(point, seed)
        }
      }
    }

    /// Creates an RSA key by encoding its integers as an `RSAPrivateKey` (PKCS #1, RFC 8017).
    private static func rsa(
      _ modulus: [UInt8], _ publicExponent: [UInt8], _ privateExponent: [UInt8], _ coefficient: [UInt8],
      _ primes: [[UInt8]]
    ) -> KeyHandle? {
      let parts = [modulus, publicExponent, privateExponent, coefficient] + primes
      guard primes.count == 2, parts.allSatisfy({ $0.count <= PrivateKeyParts.modulusLimit + 1 }) else { return nil }
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
      return handle.ed25519Point == point ? handle : nil
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
#endif
