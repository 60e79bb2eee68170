// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if !canImport(CLibcrypto) && canImport(CryptoExtras)
  internal import CryptoExtras

  /// A key with which swift-crypto signs and verifies.
  struct KeyHandle: Sendable {
    enum Material: Sendable {
      case rsa(RSAKey)
      case ecdsa(ECDSAKey)
      case ed25519(Ed25519Key)
      /// A key that swift-crypto cannot use.
      case unsupported(KeyKind)
    }

    let material: Material
    init(_ material: Material) { self.material = material }

    var kind: KeyKind {
      switch material {
      case .rsa(let key): .rsa(bits: key.bitCount)
      case .ecdsa(let key): .ecdsa(key.curve)
      case .ed25519: .ed25519
      case .unsupported(let kind): kind
      }
    }

    func number(_ number: KeyNumber) -> [UInt8]? {
      switch (material, number) {
      case (.rsa(let key), _): key.number(number)
      case (.ecdsa(let key), .scalar): key.scalar.map { [UInt8]($0) }
      default: nil
      }
    }

    func point(on curve: EllipticCurve) -> [UInt8]? {
      guard case .ecdsa(let key) = material, key.curve == curve else { return nil }
      return key.point
    }

    var ed25519Point: [UInt8]? {
      guard case .ed25519(let key) = material else { return nil }
      return key.point
    }

    var ed25519Seed: [UInt8]? {
      guard case .ed25519(let key) = material else { return nil }
      return key.seed.map { [UInt8]($0) }
    }

    func sign(_ message: [UInt8], with algorithm: SignatureAlgorithm) -> [UInt8]? {
      switch (material, algorithm) {
      case (.rsa(let key), .rsaPKCS1(let hash)): key.sign(message, hash: hash, padding: .insecurePKCS1v1_5)
      case (.rsa(let key), .rsaPKCS1MD5): key.signMD5(message)
      case (.rsa(let key), .rsaPSS(let hash)): key.sign(message, hash: hash, padding: .PSS)
      case (.ecdsa(let key), .ecdsa(_, let hash)): key.sign(message, hash: hash)
      default: nil
      }
    }

    func verify(_ signature: [UInt8], of message: [UInt8], with algorithm: SignatureAlgorithm) -> Bool {
      switch (material, algorithm) {
      case (.rsa(let key), .rsaPKCS1(let hash)):
        key.verify(signature, of: message, hash: hash, padding: .insecurePKCS1v1_5)
      case (.rsa(let key), .rsaPKCS1MD5): key.verifyMD5(signature, of: message)
      case (.rsa(let key), .rsaPSS(let hash)): key.verify(signature, of: message, hash: hash, padding: .PSS)
      case (.ecdsa(let key), .ecdsa(_, let hash)): key.verify(signature, of: message, hash: hash)
      default: false
      }
    }

    var isConsistent: Bool {
      let message = Array("test".utf8)
      return switch material {
      case .rsa:
        sign(message, with: .rsaPKCS1(.sha256)).map { verify($0, of: message, with: .rsaPKCS1(.sha256)) } ?? false
      case .ecdsa(let key): key.sign(message, hash: .sha256).map { key.verify($0, of: message, hash: .sha256) } ?? false
      case .ed25519(let key): key.isConsistent
      case .unsupported: false
      }
    }
  }

  extension KeyHandle {
    static let rsaBitCounts = RSAKey.bitCounts

    static func canGenerateRSA(bits: Int) -> Bool {
      // Other lengths are rounded down.
      rsaBitCounts.contains(bits) && bits.isMultiple(of: 128)
    }

    static func generateRSA(bits: Int) -> KeyHandle? { RSAKey(bitCount: bits).map { KeyHandle(.rsa($0)) } }

    static func generateECDSA(_ curve: EllipticCurve) -> KeyHandle? {
      ECDSAKey(on: curve).map { KeyHandle(.ecdsa($0)) }
    }

    static func generateEd25519() -> KeyHandle? { KeyHandle(.ed25519(Ed25519Key())) }

    static func key(of parts: PrivateKeyParts) -> KeyHandle? {
      switch parts {
      case .rsa(let modulus, let publicExponent, let privateExponent, let coefficient, let primes):
        RSAKey(
          modulus: modulus, publicExponent: publicExponent, privateExponent: privateExponent, coefficient: coefficient,
          primes: primes
        ).map { KeyHandle(.rsa($0)) }
      case .ecdsa(let curve, let point, let scalar):
        point.first == 4 ? ECDSAKey(curve, point: point, scalar: scalar).map { KeyHandle(.ecdsa($0)) } : nil
      case .ed25519(let point, let seed):
        Ed25519Key(seed: seed).flatMap { $0.point == point ? KeyHandle(.ed25519($0)) : nil }
      }
    }
  }
#endif
