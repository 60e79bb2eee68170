// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if !canImport(CLibcrypto) && canImport(CryptoExtras)
  internal import Crypto

  /// An ECDSA key on one of the NIST curves.
  struct ECDSAKey: Sendable {
    let curve: EllipticCurve
    /// The public point in its uncompressed form.
    let point: [UInt8]
    /// The private scalar, which is as long as a coordinate, or `nil` for a public key.
    let scalar: SecretBytes?

    init?(_ curve: EllipticCurve, point: [UInt8]) {
      guard let point = Self.uncompressed(point, on: curve) else { return nil }
      self.curve = curve
      self.point = point
      scalar = nil
    }

    /// Creates a private key, whose point is computed if it is `nil`, or returns `nil` for integers of another curve.
    init?(_ curve: EllipticCurve, point: [UInt8]?, scalar: [UInt8]) {
      let digits = scalar.drop { $0 == 0 }
      guard digits.count <= curve.coordinateByteCount else { return nil }
      var padded = [UInt8](repeating: 0, count: curve.coordinateByteCount - digits.count) + digits
      defer { wipe(&padded) }
      guard let computedPoint = Self.point(of: padded, on: curve) else { return nil }
      guard let point = point.map({ Self.uncompressed($0, on: curve) }) ?? computedPoint else { return nil }
      self.curve = curve
      self.point = point
      self.scalar = SecretBytes(padded)
    }

    /// Generates a private key.
    init?(on curve: EllipticCurve) {
      var scalar =
        switch curve {
        case .nistp256: Array(P256.Signing.PrivateKey().rawRepresentation)
        case .nistp384: Array(P384.Signing.PrivateKey().rawRepresentation)
        case .nistp521: Array(P521.Signing.PrivateKey().rawRepresentation)
        }
      defer { wipe(&scalar) }
      self.init(curve, point: nil, scalar: scalar)
    }

    private static func point(of scalar: [UInt8], on curve: EllipticCurve) -> [UInt8]? {
      let point =
        switch curve {
        case .nistp256: try? P256.Signing.PrivateKey(rawRepresentation: scalar).publicKey.x963Representation
        case .nistp384: try? P384.Signing.PrivateKey(rawRepresentation: scalar).publicKey.x963Representation
        case .nistp521: try? P521.Signing.PrivateKey(rawRepresentation: scalar).publicKey.x963Representation
        }
      return point.map { Array($0) }
    }

    /// Returns the uncompressed form of a point in either form, or `nil` if it is not on the curve.
    private static func uncompressed(_ point: [UInt8], on curve: EllipticCurve) -> [UInt8]? {
      let isCompressed = point.count == 1 + curve.coordinateByteCount
      let uncompressedPoint =
        switch (curve, isCompressed) {
        case (.nistp256, false): try? P256.Signing.PublicKey(x963Representation: point).x963Representation
        case (.nistp384, false): try? P384.Signing.PublicKey(x963Representation: point).x963Representation
        case (.nistp521, false): try? P521.Signing.PublicKey(x963Representation: point).x963Representation
        case (.nistp256, true): try? P256.Signing.PublicKey(compressedRepresentation: point).x963Representation
        case (.nistp384, true): try? P384.Signing.PublicKey(compressedRepresentation: point).x963Representation
        case (.nistp521, true): try? P521.Signing.PublicKey(compressedRepresentation: point).x963Representation
        }
      return uncompressedPoint.map { Array($0) }
    }

    /// Returns the signature as the concatenation of R and S, or `nil` if the key is public.
    func sign(_ message: [UInt8], hash: SignatureHash) -> [UInt8]? {
      switch hash {
      case .sha256: sign(digest: Crypto.SHA256.hash(data: message))
      case .sha384: sign(digest: Crypto.SHA384.hash(data: message))
      case .sha512: sign(digest: Crypto.SHA512.hash(data: message))
      }
    }

    private func sign(digest: some Crypto.Digest) -> [UInt8]? {
      guard var scalar = scalar.map({ [UInt8]($0) }) else { return nil }
      defer { wipe(&scalar) }
      let signature =
        switch curve {
        case .nistp256: try? P256.Signing.PrivateKey(rawRepresentation: scalar).signature(for: digest).rawRepresentation
        case .nistp384: try? P384.Signing.PrivateKey(rawRepresentation: scalar).signature(for: digest).rawRepresentation
        case .nistp521: try? P521.Signing.PrivateKey(rawRepresentation: scalar).signature(for: digest).rawRepresentation
        }
      return signature.map { Array($0) }
    }

    func verify(_ signature: [UInt8], of message: [UInt8], hash: SignatureHash) -> Bool {
      // A signature of another length is an error, and is as invalid as any other.
      let isValid =
        switch hash {
        case .sha256: try? verify(signature, ofDigest: Crypto.SHA256.hash(data: message))
        case .sha384: try? verify(signature, ofDigest: Crypto.SHA384.hash(data: message))
        case .sha512: try? verify(signature, ofDigest: Crypto.SHA512.hash(data: message))
        }
      return isValid ?? false
    }

    private func verify(_ bytes: [UInt8], ofDigest digest: some Crypto.Digest) throws -> Bool {
      switch curve {
      case .nistp256:
        try P256.Signing.PublicKey(x963Representation: point)
          .isValidSignature(P256.Signing.ECDSASignature(rawRepresentation: bytes), for: digest)
      case .nistp384:
        try P384.Signing.PublicKey(x963Representation: point)
          .isValidSignature(P384.Signing.ECDSASignature(rawRepresentation: bytes), for: digest)
      case .nistp521:
        try P521.Signing.PublicKey(x963Representation: point)
          .isValidSignature(P521.Signing.ECDSASignature(rawRepresentation: bytes), for: digest)
      }
    }
  }

  /// An Ed25519 key (RFC 8032).
  struct Ed25519Key: Sendable {
    /// The 32 bytes of the public point.
    let point: [UInt8]
    /// The 32 bytes of the private seed, or `nil` for a public key.
    let seed: SecretBytes?

    init?(point: [UInt8]) {
      guard point.count == 32 else { return nil }
      self.point = point
      seed = nil
    }

    init?(seed: [UInt8]) {
      guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) else { return nil }
      point = Array(key.publicKey.rawRepresentation)
      self.seed = SecretBytes(seed)
    }

    /// Generates a private key.
    init() {
      let key = Curve25519.Signing.PrivateKey()
      point = Array(key.publicKey.rawRepresentation)
      var seed = Array(key.rawRepresentation)
      defer { wipe(&seed) }
      self.seed = SecretBytes(seed)
    }

    /// Whether the public point verifies a signature made with the private seed.
    var isConsistent: Bool {
      guard var seed = seed.map({ [UInt8]($0) }) else { return false }
      defer { wipe(&seed) }
      let message = Array("test".utf8)
      guard let signature = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed).signature(for: message),
        let key = try? Curve25519.Signing.PublicKey(rawRepresentation: point)
      else { return false }
      return key.isValidSignature(signature, for: message)
    }
  }
#endif
