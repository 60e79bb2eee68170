// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if canImport(CLibcrypto) || canImport(CryptoExtras)
  /// A private key, which `print`, `dump` and `Mirror` do not show.
  package struct PrivateKey: Sendable {
    let handle: KeyHandle

    /// Creates a private key from PEM text in a traditional RSA, EC or DSA format or PKCS #8, encrypted or not.
    ///
    /// Other text around the key is skipped. The initializer never prompts the user for a passphrase.
    package init(pem: SecretBytes, passphrase: SecretBytes? = nil) throws(KeyError) {
      handle = try KeyHandle.reading(privatePEM: pem, passphrase: passphrase)
    }

    /// Creates a private key from PEM text in strings that are no longer secret, or that cannot be wiped anyway.
    package init(pem: String, passphrase: String? = nil) throws(KeyError) {
      try self.init(
        pem: withBytes(of: pem) { SecretBytes($0) },
        passphrase: passphrase.map { withBytes(of: $0) { SecretBytes($0) } })
    }

    /// Creates a private key from its integers, which belong to the same key if a test signature is valid.
    package init(_ parts: PrivateKeyParts) throws(KeyError) {
      guard let handle = KeyHandle.key(of: parts), handle.isWhole else { throw .malformed }
      self.handle = handle
    }

    private init(generated handle: KeyHandle?) throws(KeyError) {
      guard let handle else { throw .failed }
      self.handle = handle
    }

    /// The length, in bits, of the longest RSA modulus with which a key can sign.
    package static let longestRSAModulus = KeyHandle.rsaBitCounts.upperBound

    /// Returns whether an RSA key pair with a modulus of the given length can be generated.
    ///
    /// libcrypto supports 512 to 16384 bits; swift-crypto 1024 to 8192 bits, of which it generates the multiples of 128.
    package static func canGenerateRSA(bits: Int) -> Bool { KeyHandle.canGenerateRSA(bits: bits) }

    package static func generateRSA(bits: Int) throws(KeyError) -> PrivateKey {
      guard Self.canGenerateRSA(bits: bits) else { throw .unsupportedKind }
      return try PrivateKey(generated: KeyHandle.generateRSA(bits: bits))
    }

    package static func generateECDSA(_ curve: EllipticCurve) throws(KeyError) -> PrivateKey {
      try PrivateKey(generated: KeyHandle.generateECDSA(curve))
    }

    package static func generateEd25519() throws(KeyError) -> PrivateKey {
      try PrivateKey(generated: KeyHandle.generateEd25519())
    }

    package var kind: KeyKind { handle.kind }

    /// Whether the public key verifies a signature made with the private key.
    package var isWhole: Bool { handle.isWhole }

    /// The public key, which retains the same key but uses only its public part.
    package var publicKey: PublicKey { PublicKey(handle) }

    /// Signs a message, or throws `failed` if the key is too short for the hash.
    package func sign(_ message: [UInt8], with algorithm: SignatureAlgorithm) throws(KeyError) -> [UInt8] {
      guard algorithm.takes(kind) else { throw .unsupportedKind }
      guard let signature = handle.sign(message, with: algorithm) else { throw .failed }
      return signature
    }

    /// The unencrypted key in its kind's traditional PEM format, such as `BEGIN RSA PRIVATE KEY`, or `nil` without one.
    package var traditionalPEM: SecretBytes? { handle.traditionalPEM }

    /// The unencrypted private key in PKCS #8 PEM (`BEGIN PRIVATE KEY`), or `nil` if the key cannot be encoded.
    package var pkcs8PEM: SecretBytes? { handle.pkcs8PEM }
  }

  extension PrivateKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "PrivateKey(\(kind))" }

    package var customMirror: Mirror { Mirror(self, children: [:]) }
  }

  extension PrivateKey {
    /// Returns the unencrypted key in OpenSSH's format (`BEGIN OPENSSH PRIVATE KEY`), or `nil` for a kind without one.
    package func openSSHPEM(comment: String = "") -> SecretBytes? {
      guard let blob = handle.sshBlob, var secret = privateFields else { return nil }
      defer { secret.wipeBytes() }
      let check = UInt32.random(in: .min ... .max)
      var section = SSHFields()
      defer { section.wipeBytes() }
      section.append(check)
      section.append(check)
      section.append(raw: secret.bytes)
      section.append(comment)
      section.append(raw: Array(1...8).prefix((8 - section.bytes.count % 8) % 8).map { $0 })
      var container = SSHFields()
      defer { container.wipeBytes() }
      container.append(raw: Array("openssh-key-v1\0".utf8))
      container.append("none")
      container.append("none")
      container.append("")
      container.append(1)
      container.append(blob)
      container.append(section.bytes)
      var text = [UInt8](writing: { writer in
        writer.append("-----BEGIN OPENSSH PRIVATE KEY-----\n" as StaticString)
        for start in stride(from: 0, to: container.bytes.count, by: 48) {
          writer.append(base64: container.bytes[start..<min(start + 48, container.bytes.count)].span)
          writer.append(UInt8(ascii: "\n"))
        }
        writer.append("-----END OPENSSH PRIVATE KEY-----\n" as StaticString)
      })
      defer { wipe(&text) }
      return SecretBytes(text)
    }

    /// The fields in the private section of an OpenSSH key file, without the check integers and the comment.
    private var privateFields: SSHFields? {
      var fields = SSHFields()
      switch kind {
      case .rsa:
        fields.append("ssh-rsa")
        let numbers: [KeyNumber] = [
          .modulus, .publicExponent, .privateExponent, .coefficient, .firstPrime, .secondPrime,
        ]
        for name in numbers {
          guard var number = handle.number(name) else { return nil }
          fields.append(number: number)
          wipe(&number)
        }
      case .ecdsa(let curve):
        guard let point = handle.point(on: curve), var scalar = handle.number(.scalar) else { return nil }
        fields.append("ecdsa-sha2-\(curve.rawValue)")
        fields.append(curve.rawValue)
        fields.append(point)
        fields.append(number: scalar)
        wipe(&scalar)
      case .ed25519:
        guard let point = handle.ed25519Point, var seed = handle.ed25519Seed else { return nil }
        fields.append("ssh-ed25519")
        fields.append(point)
        fields.append(seed + point)
        wipe(&seed)
      case .dsa, .other: return nil
      }
      return fields
    }
  }

  /// The reason why a key cannot be parsed or used.
  package enum KeyError: Error, Sendable, Hashable {
    /// The text does not contain a key of the expected kind.
    case malformed
    /// The key is encrypted, and the caller gave no passphrase.
    case passphraseMissing
    /// The passphrase is wrong.
    ///
    /// A damaged key may cause the same error, because decrypting it results in random bytes, as with a wrong passphrase.
    case wrongPassphrase
    /// The key is encrypted with an algorithm that libcrypto or swift-crypto does not provide.
    case unsupportedEncryption
    /// The key's kind does not support the operation.
    case unsupportedKind
    case failed
  }

  /// An integer of a key.
  enum KeyNumber {
    /// The public integers of an RSA key.
    case modulus, publicExponent
    /// The private integers of an RSA key.
    case privateExponent, coefficient, firstPrime, secondPrime
    /// The private integer of an ECDSA key.
    case scalar
  }

  /// The algorithm of a key, with the key's length or curve.
  package enum KeyKind: Sendable, Hashable {
    /// RSA, with the length of the modulus in bits.
    case rsa(bits: Int)
    /// ECDSA, with a curve that SSH supports.
    case ecdsa(EllipticCurve)
    /// Ed25519, the Edwards-curve signature algorithm (RFC 8032).
    case ed25519
    /// DSA, with the length of the prime in bits.
    case dsa(bits: Int)
    /// Another algorithm, with its name in libcrypto, or its object identifier if swift-crypto does not know it.
    case other(String)
  }

  /// An elliptic curve that SSH supports (RFC 5656).
  package enum EllipticCurve: String, Sendable, Hashable, CaseIterable {
    case nistp256, nistp384, nistp521

    /// The encoded object identifier of the elliptic curve, without tag and length.
    var objectIdentifier: [UInt8] {
      switch self {
      case .nistp256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
      case .nistp384: [0x2b, 0x81, 0x04, 0x00, 0x22]
      case .nistp521: [0x2b, 0x81, 0x04, 0x00, 0x23]
      }
    }

    /// The size, in bytes, of a coordinate and of a private scalar on the curve.
    package var coordinateByteCount: Int {
      switch self {
      case .nistp256: 32
      case .nistp384: 48
      case .nistp521: 66
      }
    }
  }

  /// The integers of a private key in an SSH key file, as big-endian bytes.
  package enum PrivateKeyParts: Sendable {
    /// The modulus, the exponents, the coefficient and the two primes of an RSA key.
    case rsa(
      modulus: [UInt8], publicExponent: [UInt8], privateExponent: [UInt8], coefficient: [UInt8], primes: [[UInt8]])
    /// The uncompressed public point and the private scalar of an ECDSA key.
    case ecdsa(EllipticCurve, point: [UInt8], scalar: [UInt8])
    /// The public point and the private seed of an Ed25519 key.
    case ed25519(point: [UInt8], seed: [UInt8])

    /// The maximum size, in bytes, of an integer of an RSA key, without a leading zero.
    static let modulusLimit = 2_048
  }

  extension PrivateKeyParts: CustomStringConvertible, CustomReflectable {
    package var description: String {
      switch self {
      case .rsa: "PrivateKeyParts(rsa)"
      case .ecdsa: "PrivateKeyParts(ecdsa)"
      case .ed25519: "PrivateKeyParts(ed25519)"
      }
    }

    package var customMirror: Mirror { Mirror(self, children: [:]) }
  }

  /// A signature algorithm of asymmetric keys.
  package enum SignatureAlgorithm: Sendable, Hashable {
    /// RSASSA-PKCS1-v1_5 (RFC 8017, section 8.2) with a hash function.
    case rsaPKCS1(SignatureHash)
    /// RSASSA-PKCS1-v1_5 with MD5, which OSS uses for callbacks.
    ///
    /// MD5 is broken for text that an attacker can choose. Use the algorithm only where a vendor requires it.
    case rsaPKCS1MD5
    /// RSASSA-PSS (RFC 8017, section 8.1) with a hash function, also for MGF1, and a salt as long as the digest.
    case rsaPSS(SignatureHash)
    /// ECDSA on a curve with a hash function.
    ///
    /// The signature is the concatenation of R and S, each as long as a coordinate (RFC 7518, section 3.4).
    case ecdsa(EllipticCurve, SignatureHash)

    package func takes(_ kind: KeyKind) -> Bool {
      switch (self, kind) {
      case (.rsaPKCS1, .rsa), (.rsaPKCS1MD5, .rsa), (.rsaPSS, .rsa): true
      case (.ecdsa(let curve, _), .ecdsa(let other)): curve == other
      default: false
      }
    }
  }

  package enum SignatureHash: Sendable, Hashable, CaseIterable {
    case sha256, sha384, sha512
  }
#endif
