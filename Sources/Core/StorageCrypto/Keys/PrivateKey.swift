// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if canImport(CLibcrypto) || canImport(CryptoExtras)
  /// A private key, which `print`, `dump` and `Mirror` do not show.
  package struct PrivateKey: Sendable {
    let handle: KeyHandle

    /// Creates a private key from PEM text in a traditional RSA, EC or DSA format or PKCS #8, encrypted or not.
    ///
    /// Other text around the key is skipped. The initializer never prompts the user for a passphrase.
    package init(pem: SecretBytes, passphrase: SecretBytes? = nil) throws(KeyError) {
      handle = try KeyHandle.parse(privatePEM: pem, passphrase: passphrase)
    }

    /// Creates a private key from PEM text in strings that are no longer secret, or that cannot be wiped anyway.
    package init(pem: String, passphrase: String? = nil) throws(KeyError) {
      try self.init(
        pem: withBytes(of: pem) { SecretBytes($0) },
        passphrase: passphrase.map { withBytes(of: $0) { SecretBytes($0) } })
    }

    /// Creates a private key from its integers, which belong to the same key if a test signature is valid.
    package init(_ parts: PrivateKeyParts) throws(KeyError) {
      guard let handle = KeyHandle.key(of: parts), handle.isConsistent else { throw .malformed }
      self.handle = handle
    }

    private init(generated handle: KeyHandle?) throws(KeyError) {
      guard let handle else { throw .failed }
      self.handle = handle
    }

    /// The length, in bits, of the longest RSA modulus with which a key can sign.
    package static let rsaModulusBitLimit = KeyHandle.rsaBitCounts.upperBound

    /// Returns whether an RSA key pair with a modulus of the given length can be generated.
    ///
    /// libcrypto supports 512 to 16384 bits; swift-crypto generates the multiples of 128 from 1024 to 8192 bits.
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
    package var isConsistent: Bool { handle.isConsistent }
    /// The public key, which retains the same key but uses only its public part.
    package var publicKey: PublicKey { PublicKey(handle) }

    /// Signs a message, or throws `failed` if the key is too short for the hash.
    package func sign(_ message: [UInt8], with algorithm: SignatureAlgorithm) throws(KeyError) -> [UInt8] {
      guard algorithm.supports(kind) else { throw .unsupportedKind }
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
    /// The block size to which the private section is padded if it is not encrypted, in bytes.
    private static let cipherBlockByteCount = 8

    /// Returns the unencrypted key in OpenSSH's format (`PROTOCOL.key` of OpenSSH), or `nil` for a kind without one.
    package func openSSHPEM(comment: String = "") -> SecretBytes? {
      guard let publicBlob = handle.sshBlob, var privateFields else { return nil }
      defer { privateFields.wipeBytes() }
      // A reader that decrypts with a wrong passphrase sees two different integers.
      let checkInteger = UInt32.random(in: .min ... .max)
      var privateSection = SSHFields()
      defer { privateSection.wipeBytes() }
      privateSection.append(checkInteger)
      privateSection.append(checkInteger)
      privateSection.append(raw: privateFields.bytes)
      privateSection.append(comment)
      let paddingCount =
        (Self.cipherBlockByteCount - privateSection.bytes.count % Self.cipherBlockByteCount) % Self.cipherBlockByteCount
      privateSection.append(raw: (0..<paddingCount).map { UInt8($0 + 1) })
      var container = SSHFields()
      defer { container.wipeBytes() }
      container.append(raw: Array("openssh-key-v1\0".utf8))
      // The names of the cipher and of the key derivation, the options of the derivation, and the number of keys.
      container.append("none")
      container.append("none")
      container.append("")
      container.append(1)
      container.append(publicBlob)
      container.append(privateSection.bytes)
      var text = [UInt8](writing: { $0.append(pemBlock: "OPENSSH PRIVATE KEY", container.bytes) })
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
        for number in numbers {
          guard var bytes = handle.number(number) else { return nil }
          fields.append(number: bytes)
          wipe(&bytes)
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
    /// A damaged key may cause the same error, because decrypting it results in random bytes as well.
    case wrongPassphrase
    /// The key is encrypted with an algorithm that libcrypto or swift-crypto does not provide.
    case unsupportedEncryption
    /// The key's kind does not support the operation.
    case unsupportedKind
    /// The library could not generate a key or sign with it.
    case failed
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
    static let rsaIntegerByteLimit = 2_048
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
#endif
