// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if !canImport(CLibcrypto)
  internal import StorageCrypto

  extension KeyHandle {
    /// The unencrypted private key in its kind's traditional PEM format, or `nil` if the kind has none.
    var traditionalPEM: SecretBytes? {
      switch material {
      case .rsa(let key): key.pkcs1.map { Self.pem("RSA PRIVATE KEY", [UInt8]($0)) }
      case .ecdsa(let key): key.sec1(withCurve: true).map { Self.pem("EC PRIVATE KEY", $0) }
      case .ed25519, .unsupported: nil
      }
    }

    /// The unencrypted private key in PKCS #8 PEM, or `nil` if swift-crypto does not support the kind.
    var pkcs8PEM: SecretBytes? {
      switch material {
      case .rsa(let key): key.pkcs1.map { Self.pkcs8(KeyAlgorithm.rsaIdentifier, [UInt8]($0)) }
      case .ecdsa(let key):
        key.sec1(withCurve: false).map { Self.pkcs8(KeyAlgorithm.identifier(on: key.curve), $0) }
      case .ed25519(let key):
        key.seed.map { Self.pkcs8(KeyAlgorithm.ed25519Identifier, DER.value(0x04, [UInt8]($0))) }
      case .unsupported: nil
      }
    }

    /// Returns a PrivateKeyInfo in PEM, and wipes the key.
    private static func pkcs8(_ algorithm: [UInt8], _ key: consuming [UInt8]) -> SecretBytes {
      defer { wipe(&key) }
      return pem("PRIVATE KEY", DER.sequence([DER.integer([0]), algorithm, DER.value(0x04, key)]))
    }

    /// Returns a PEM block, and wipes its contents.
    private static func pem(_ label: StaticString, _ contents: consuming [UInt8]) -> SecretBytes {
      var text = [UInt8](writing: { write(label, contents, to: &$0) })
      defer {
        wipe(&contents)
        wipe(&text)
      }
      return SecretBytes(text)
    }

    /// The public key in PEM, or `nil` if swift-crypto does not support the kind.
    var publicPEM: String? {
      let info: [UInt8]? =
        switch material {
        case .rsa(let key): key.subjectPublicKeyInfo
        case .ecdsa(let key): DER.sequence([KeyAlgorithm.identifier(on: key.curve), DER.bits(key.point)])
        case .ed25519(let key): DER.sequence([KeyAlgorithm.ed25519Identifier, DER.bits(key.point)])
        case .unsupported: nil
        }
      return info.map { info in String(writing: { Self.write("PUBLIC KEY", info, to: &$0) }) }
    }

    private static func write(_ label: StaticString, _ contents: [UInt8], to writer: inout ByteWriter) {
      writer.append("-----BEGIN " as StaticString)
      writer.append(label)
      writer.append("-----\n" as StaticString)
      for start in stride(from: 0, to: contents.count, by: 48) {
        writer.append(base64: contents[start..<min(start + 48, contents.count)].span)
        writer.append(UInt8(ascii: "\n"))
      }
      writer.append("-----END " as StaticString)
      writer.append(label)
      writer.append("-----\n" as StaticString)
    }
  }

  extension ECDSAKey {
    /// Returns the private key as an ECPrivateKey (SEC 1, RFC 5915), which PKCS #8 contains without its curve, or `nil`
    /// for a public key.
    fileprivate func sec1(withCurve: Bool) -> [UInt8]? {
      scalar.map { scalar in
        var scalar = [UInt8](scalar)
        defer { wipe(&scalar) }
        let parameters = withCurve ? [DER.value(0xa0, DER.value(0x06, curve.objectIdentifier))] : []
        return DER.sequence(
          [DER.integer([1]), DER.value(0x04, scalar)] + parameters + [DER.value(0xa1, DER.bits(point))])
      }
    }
  }

  extension [UInt8] {
    /// Copies the bytes of a secret into an array, which the caller wipes.
    init(_ secret: SecretBytes) {
      self.init(writing: { writer in secret.withBytes { writer.append($0) } })
    }
  }
#endif
