// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if !canImport(CLibcrypto) && canImport(CryptoExtras)

  extension KeyHandle {
    private static let privateKeyLabels = [
      "PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY",
    ]

    static func parse(privatePEM pem: SecretBytes, passphrase: SecretBytes?) throws(KeyError) -> KeyHandle {
      var text = [UInt8](pem)
      defer { wipe(&text) }
      let blocks = PEMBlock.blocks(in: text.withoutByteOrderMark)
      guard let block = blocks.first(where: { privateKeyLabels.contains($0.label) }), var der = block.contents else {
        throw .malformed
      }
      defer { wipe(&der) }
      let encryptedKey: EncryptedPrivateKey? =
        if block.label == "ENCRYPTED PRIVATE KEY" {
          try EncryptedPrivateKey(pkcs8: der)
        } else if block.cipher != nil {
          try EncryptedPrivateKey(dekInfo: block.headers["DEK-Info"] ?? "", der)
        } else {
          nil
        }
      guard let encryptedKey else { return try key(in: der, labelled: block.label, orThrow: .malformed) }
      guard let passphrase else { throw .passphraseMissing }
      var decryptedKey = try encryptedKey.decrypt(with: passphrase)
      defer { wipe(&decryptedKey) }
      let label = block.isPKCS8 ? "PRIVATE KEY" : block.label
      return try key(in: decryptedKey, labelled: label, orThrow: .wrongPassphrase)
    }

    private static func key(
      in der: [UInt8], labelled label: String, orThrow error: KeyError
    ) throws(KeyError) -> KeyHandle {
      let key =
        switch label {
        case "PRIVATE KEY": KeyHandle(pkcs8: der)
        case "RSA PRIVATE KEY": RSAKey(pkcs1: der).map { KeyHandle(.rsa($0)) }
        case "EC PRIVATE KEY": KeyHandle(sec1: der, algorithmInPKCS8: nil)
        case "DSA PRIVATE KEY": KeyHandle(dsa: der)
        default: nil as KeyHandle?
        }
      guard let key else { throw error }
      return key
    }

    /// Parses a PrivateKeyInfo (PKCS #8, RFC 5958).
    private init?(pkcs8 der: [UInt8]) {
      var reader = DERReader(der)
      guard var info = reader.sequence(), info.integer() != nil, let identifier = info.sequence(),
        let algorithm = KeyAlgorithm(identifier), var contents = info.octets()
      else { return nil }
      defer { wipe(&contents) }
      switch algorithm {
      case .rsa:
        guard let key = RSAKey(pkcs1: contents) else { return nil }
        self.init(.rsa(key))
      case .ecdsa: self.init(sec1: contents, algorithmInPKCS8: algorithm)
      case .ed25519:
        var seedReader = DERReader(contents)
        guard var seed = seedReader.octets() else { return nil }
        defer { wipe(&seed) }
        guard let key = Ed25519Key(seed: seed) else { return nil }
        self.init(.ed25519(key))
      case .dsa(let bits): self.init(.unsupported(.dsa(bits: bits)))
      case .other(let name): self.init(.unsupported(.other(name)))
      }
    }

    /// Parses an ECPrivateKey (SEC 1, RFC 5915), which has its curve inside, or in the algorithm of PKCS #8 around it.
    private init?(sec1 der: [UInt8], algorithmInPKCS8: KeyAlgorithm?) {
      var reader = DERReader(der)
      guard var fields = reader.sequence(), fields.integer() == 1, var scalar = fields.octets() else { return nil }
      defer { wipe(&scalar) }
      var algorithm = algorithmInPKCS8
      if fields.nextTag == DERTag.explicit0 {
        guard let contents = fields.contents(taggedWith: DERTag.explicit0) else { return nil }
        var parameters = DERReader(contents)
        algorithm = algorithm ?? KeyAlgorithm(curve: &parameters)
      }
      var point: [UInt8]?
      if fields.nextTag == DERTag.explicit1 {
        var contents = fields.contents(taggedWith: DERTag.explicit1).map { DERReader($0) }
        guard let bits = contents?.bits() else { return nil }
        point = bits
      }
      switch algorithm {
      case .ecdsa(let curve):
        guard let key = ECDSAKey(curve, point: point, scalar: scalar) else { return nil }
        self.init(.ecdsa(key))
      case .other(let name): self.init(.unsupported(.other(name)))
      default: return nil
      }
    }

    /// Parses a DSA key in OpenSSL's own format.
    private init?(dsa der: [UInt8]) {
      var reader = DERReader(der)
      guard var fields = reader.sequence(), fields.integer() == 0, let prime = fields.magnitude() else { return nil }
      self.init(.unsupported(.dsa(bits: RSAKey.bitCount(of: prime))))
    }

    // MARK: Public keys

    static func parse(publicPEM pem: String) -> KeyHandle? {
      let blocks = PEMBlock.blocks(in: Array(pem.utf8).withoutByteOrderMark)
      guard let block = blocks.first(where: { $0.label == "PUBLIC KEY" || $0.label == "RSA PUBLIC KEY" }),
        let der = block.contents
      else { return nil }
      guard block.label == "PUBLIC KEY" else { return RSAKey(publicPKCS1: der).map { KeyHandle(.rsa($0)) } }
      return KeyHandle(subjectPublicKeyInfo: der)
    }

    /// Parses a SubjectPublicKeyInfo (RFC 5280, section 4.1).
    private init?(subjectPublicKeyInfo der: [UInt8]) {
      var reader = DERReader(der)
      guard var info = reader.sequence(), let identifier = info.sequence(),
        let algorithm = KeyAlgorithm(identifier), let contents = info.bits()
      else { return nil }
      switch algorithm {
      case .rsa:
        guard let key = RSAKey(publicPKCS1: contents) else { return nil }
        self.init(.rsa(key))
      case .ecdsa(let curve):
        guard let key = ECDSAKey(curve, point: contents) else { return nil }
        self.init(.ecdsa(key))
      case .ed25519:
        guard let key = Ed25519Key(point: contents) else { return nil }
        self.init(.ed25519(key))
      case .dsa(let bits): self.init(.unsupported(.dsa(bits: bits)))
      case .other(let name): self.init(.unsupported(.other(name)))
      }
    }
  }

  extension KeyHandle {
    var traditionalPEM: SecretBytes? {
      switch material {
      case .rsa(let key): key.pkcs1.map { Self.pem("RSA PRIVATE KEY", [UInt8]($0)) }
      case .ecdsa(let key): key.sec1(withCurve: true).map { Self.pem("EC PRIVATE KEY", $0) }
      case .ed25519, .unsupported: nil
      }
    }

    var pkcs8PEM: SecretBytes? {
      switch material {
      case .rsa(let key): key.pkcs1.map { Self.pkcs8(KeyAlgorithm.rsaIdentifier, [UInt8]($0)) }
      case .ecdsa(let key): key.sec1(withCurve: false).map { Self.pkcs8(KeyAlgorithm.identifier(on: key.curve), $0) }
      case .ed25519(let key):
        key.seed.map { Self.pkcs8(KeyAlgorithm.ed25519Identifier, DER.value(DERTag.octets, [UInt8]($0))) }
      case .unsupported: nil
      }
    }

    /// Returns a PrivateKeyInfo in PEM, and wipes the key.
    private static func pkcs8(_ algorithm: [UInt8], _ key: consuming [UInt8]) -> SecretBytes {
      defer { wipe(&key) }
      return pem("PRIVATE KEY", DER.sequence([DER.integer([0]), algorithm, DER.value(DERTag.octets, key)]))
    }

    /// Returns a PEM block, and wipes its contents.
    private static func pem(_ label: StaticString, _ contents: consuming [UInt8]) -> SecretBytes {
      var text = [UInt8](writing: { $0.append(pemBlock: label, contents) })
      defer {
        wipe(&contents)
        wipe(&text)
      }
      return SecretBytes(text)
    }

    var publicPEM: String? {
      let info: [UInt8]? =
        switch material {
        case .rsa(let key): key.subjectPublicKeyInfo
        case .ecdsa(let key): DER.sequence([KeyAlgorithm.identifier(on: key.curve), DER.bits(key.point)])
        case .ed25519(let key): DER.sequence([KeyAlgorithm.ed25519Identifier, DER.bits(key.point)])
        case .unsupported: nil
        }
      return info.map { info in String(writing: { $0.append(pemBlock: "PUBLIC KEY", info) }) }
    }
  }

  extension ECDSAKey {
    /// Returns the private key as an ECPrivateKey (SEC 1, RFC 5915), which PKCS #8 contains without its curve.
    fileprivate func sec1(withCurve: Bool) -> [UInt8]? {
      scalar.map { scalar in
        var scalar = [UInt8](scalar)
        defer { wipe(&scalar) }
        let parameters =
          withCurve ? [DER.value(DERTag.explicit0, DER.value(DERTag.identifier, curve.objectIdentifier))] : []
        return DER.sequence(
          [DER.integer([1]), DER.value(DERTag.octets, scalar)] + parameters + [
            DER.value(DERTag.explicit1, DER.bits(point))
          ])
      }
    }
  }

  /// The algorithm identifiers of keys in PKCS #8 and in SubjectPublicKeyInfo.
  enum KeyAlgorithm {
    case rsa, dsa(bits: Int), ecdsa(EllipticCurve), ed25519
    /// An algorithm or a curve that swift-crypto does not support, by its name in libcrypto or its object identifier.
    case other(String)

    private static let names = [
      "1.2.840.113549.1.1.10": "RSA-PSS", "1.2.840.113549.1.3.1": "DH", "1.2.840.10046.2.1": "DHX",
      "1.3.101.110": "X25519", "1.3.101.111": "X448", "1.3.101.113": "ED448",
    ]

    private static let curves = [
      "1.3.132.0.10": "secp256k1", "1.3.132.0.33": "secp224r1", "1.2.840.10045.3.1.1": "prime192v1",
      "1.3.36.3.3.2.8.1.1.7": "brainpoolP256r1", "1.3.36.3.3.2.8.1.1.11": "brainpoolP384r1",
      "1.3.36.3.3.2.8.1.1.13": "brainpoolP512r1",
    ]

    init?(_ algorithm: DERReader) {
      var algorithm = algorithm
      guard let identifier = algorithm.identifier() else { return nil }
      switch identifier {
      case "1.2.840.113549.1.1.1": self = .rsa
      case "1.2.840.10045.2.1": self.init(curve: &algorithm)
      case "1.3.101.112": self = .ed25519
      case "1.2.840.10040.4.1":
        guard var parameters = algorithm.sequence(), let prime = parameters.magnitude() else { return nil }
        self = .dsa(bits: RSAKey.bitCount(of: prime))
      default: self = .other(Self.names[identifier] ?? identifier)
      }
    }

    /// Parses the parameters of an elliptic curve, which must be its name.
    init(curve parameters: inout DERReader) {
      guard parameters.nextTag == DERTag.identifier, let identifier = parameters.identifier() else {
        self = .other("EC with an unnamed curve")
        return
      }
      switch identifier {
      case "1.2.840.10045.3.1.7": self = .ecdsa(.nistp256)
      case "1.3.132.0.34": self = .ecdsa(.nistp384)
      case "1.3.132.0.35": self = .ecdsa(.nistp521)
      default: self = .other("EC \(Self.curves[identifier] ?? identifier)")
      }
    }

    /// The AlgorithmIdentifier of RSA keys, with `NULL` as its parameters.
    static let rsaIdentifier = DER.sequence([
      DER.value(DERTag.identifier, [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01]), DER.value(DERTag.null, []),
    ])

    static let ed25519Identifier = DER.sequence([DER.value(DERTag.identifier, [0x2b, 0x65, 0x70])])

    static func identifier(on curve: EllipticCurve) -> [UInt8] {
      DER.sequence([
        DER.value(DERTag.identifier, [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01]),
        DER.value(DERTag.identifier, curve.objectIdentifier),
      ])
    }
  }
#endif
