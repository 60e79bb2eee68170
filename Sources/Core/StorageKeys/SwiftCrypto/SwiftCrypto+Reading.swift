// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if !canImport(CLibcrypto)
  internal import StorageCrypto

  extension KeyHandle {
    private static let labels = [
      "PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY",
    ]

    /// Parses and, if necessary, decrypts a private key in PEM.
    static func reading(privatePEM pem: SecretBytes, passphrase: SecretBytes?) throws(KeyError) -> KeyHandle {
      var text = [UInt8](pem)
      defer { wipe(&text) }
      guard let block = PEMBlock.all(in: text.withoutByteOrderMark).first(where: { labels.contains($0.label) }),
        var der = block.contents
      else { throw .malformed }
      defer { wipe(&der) }
      let encryption: KeyEncryption? =
        if block.label == "ENCRYPTED PRIVATE KEY" {
          try KeyEncryption(pkcs8: der)
        } else if block.cipher != nil {
          try KeyEncryption(dekInfo: block.headers["DEK-Info"] ?? "", der)
        } else {
          nil
        }
      guard let encryption else { return try key(der, block.label, otherwise: .malformed) }
      guard let passphrase else { throw .passphraseMissing }
      var clear = try encryption.decrypt(with: passphrase)
      defer { wipe(&clear) }
      return try key(clear, block.isPKCS8 ? "PRIVATE KEY" : block.label, otherwise: .wrongPassphrase)
    }

    private static func key(
      _ der: [UInt8], _ label: String, otherwise error: KeyError
    ) throws(KeyError) -> KeyHandle {
      let key =
        switch label {
        case "PRIVATE KEY": KeyHandle(pkcs8: der)
        case "RSA PRIVATE KEY": RSAKey(pkcs1: der).map { KeyHandle(.rsa($0)) }
        case "EC PRIVATE KEY": KeyHandle(sec1: der, nil)
        case "DSA PRIVATE KEY": KeyHandle(dsa: der)
        default: nil as KeyHandle?
        }
      guard let key else { throw error }
      return key
    }

    /// Parses a PrivateKeyInfo (PKCS #8, RFC 5958).
    private init?(pkcs8 der: [UInt8]) {
      var document = DERReader(der)
      guard var info = document.sequence(), info.integer() != nil, let identifier = info.sequence(),
        let algorithm = KeyAlgorithm(identifier), var contents = info.octets()
      else { return nil }
      defer { wipe(&contents) }
      switch algorithm {
      case .rsa:
        guard let key = RSAKey(pkcs1: contents) else { return nil }
        self.init(.rsa(key))
      case .ecdsa: self.init(sec1: contents, algorithm)
      case .ed25519:
        var document = DERReader(contents)
        guard var seed = document.octets() else { return nil }
        defer { wipe(&seed) }
        guard let key = Ed25519Key(seed: seed) else { return nil }
        self.init(.ed25519(key))
      case .dsa(let bits): self.init(.unsupported(.dsa(bits: bits)))
      case .other(let name): self.init(.unsupported(.other(name)))
      }
    }

    /// Parses an ECPrivateKey (SEC 1, RFC 5915), whose curve may be known from the algorithm in PKCS #8.
    private init?(sec1 der: [UInt8], _ algorithm: KeyAlgorithm?) {
      var document = DERReader(der)
      guard var fields = document.sequence(), fields.integer() == 1, var scalar = fields.octets() else { return nil }
      defer { wipe(&scalar) }
      var algorithm = algorithm
      if fields.nextTag == 0xa0 {
        guard let contents = fields.contents(0xa0) else { return nil }
        var parameters = DERReader(contents)
        algorithm = algorithm ?? KeyAlgorithm(curve: &parameters)
      }
      var point: [UInt8]?
      if fields.nextTag == 0xa1 {
        var contents = fields.contents(0xa1).map { DERReader($0) }
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
      var document = DERReader(der)
      guard var fields = document.sequence(), fields.integer() == 0, let prime = fields.magnitude() else { return nil }
      self.init(.unsupported(.dsa(bits: RSAKey.bitCount(of: prime))))
    }

    /// Parses a public key in PEM, or returns `nil` if the text contains none.
    static func reading(publicPEM pem: String) -> KeyHandle? {
      let blocks = PEMBlock.all(in: Array(pem.utf8).withoutByteOrderMark)
      guard let block = blocks.first(where: { $0.label == "PUBLIC KEY" || $0.label == "RSA PUBLIC KEY" }),
        let der = block.contents
      else { return nil }
      guard block.label == "PUBLIC KEY" else { return RSAKey(publicPKCS1: der).map { KeyHandle(.rsa($0)) } }
      return KeyHandle(subjectPublicKeyInfo: der)
    }

    /// Parses a SubjectPublicKeyInfo (RFC 5280, section 4.1).
    private init?(subjectPublicKeyInfo der: [UInt8]) {
      var document = DERReader(der)
      guard var info = document.sequence(), let identifier = info.sequence(),
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
#endif
