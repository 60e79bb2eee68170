// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if !canImport(CLibcrypto)
  internal import Crypto
  internal import CryptoExtras

  /// The encryption of a private key.
  struct KeyEncryption {
    private enum Derivation {
      /// OpenSSL's own function for traditional formats: MD5 with the first half of the initialization vector as salt.
      case traditional
      case pbkdf2(KDF.Insecure.PBKDF2.HashFunction, salt: [UInt8], rounds: Int)
      case scrypt(salt: [UInt8], rounds: Int, blockSize: Int, parallelism: Int)
    }

    private struct Parameters {
      let derivation: Derivation
      let keyByteCount: Int
      let vector: [UInt8]
    }

    /// The parameters, or `nil` if swift-crypto does not provide the algorithm.
    private let parameters: Parameters?
    private let encrypted: [UInt8]

    /// Parses an EncryptedPrivateKeyInfo (PKCS #8, RFC 5958).
    init(pkcs8 der: [UInt8]) throws(KeyError) {
      var document = DERReader(der)
      guard var info = document.sequence(), var algorithm = info.sequence(), let scheme = algorithm.identifier(),
        let data = info.octets()
      else { throw .malformed }
      encrypted = data
      guard scheme == "1.2.840.113549.1.5.13", let encryption = PKCS8Encryption(der: der),
        encryption.work <= PKCS8Encryption.workLimit
      else {
        parameters = nil
        return
      }
      parameters = Self.parameters(pbes2: &algorithm)
    }

    init(dekInfo: String, _ data: [UInt8]) throws(KeyError) {
      encrypted = data
      let fields = dekInfo.split(separator: ",", maxSplits: 1)
      guard let name = fields.first, let count = Self.traditionalCiphers[String(name)] else {
        parameters = nil
        return
      }
      guard fields.count == 2, let vector = [UInt8](hex: String(fields[1])), vector.count == 16 else {
        throw .malformed
      }
      parameters = Parameters(derivation: .traditional, keyByteCount: count, vector: vector)
    }

    private static let traditionalCiphers = ["AES-128-CBC": 16, "AES-192-CBC": 24, "AES-256-CBC": 32]

    private static let ciphers = [
      "2.16.840.1.101.3.4.1.2": 16, "2.16.840.1.101.3.4.1.22": 24, "2.16.840.1.101.3.4.1.42": 32,
    ]

    private static let functions: [String: KDF.Insecure.PBKDF2.HashFunction] = [
      "1.2.840.113549.2.7": .insecureSHA1, "1.2.840.113549.2.8": .insecureSHA224, "1.2.840.113549.2.9": .sha256,
      "1.2.840.113549.2.10": .sha384, "1.2.840.113549.2.11": .sha512,
    ]

    /// Parses the parameters of PBES2 (RFC 8018), or returns `nil` if they name another algorithm.
    private static func parameters(pbes2 algorithm: inout DERReader) -> Parameters? {
      guard var schemes = algorithm.sequence(), var derivation = schemes.sequence(),
        let function = derivation.identifier(), var settings = derivation.sequence(), let salt = settings.octets(),
        !salt.isEmpty, let rounds = settings.integer(), rounds > 0, var encryption = schemes.sequence(),
        let count = encryption.identifier().flatMap({ ciphers[$0] }), let vector = encryption.octets(),
        vector.count == 16
      else { return nil }
      switch function {
      case "1.2.840.113549.1.5.12":
        // The length of the key, which follows from the cipher.
        if settings.nextTag == 0x02, settings.integer() != count { return nil }
        guard let hash = hash(&settings) else { return nil }
        return Parameters(derivation: .pbkdf2(hash, salt: salt, rounds: rounds), keyByteCount: count, vector: vector)
      case "1.3.6.1.4.1.11591.4.11":
        guard let blockSize = settings.integer(), let parallelism = settings.integer(),
          isAcceptableScrypt(rounds, blockSize, parallelism)
        else { return nil }
        return Parameters(
          derivation: .scrypt(salt: salt, rounds: rounds, blockSize: blockSize, parallelism: parallelism),
          keyByteCount: count, vector: vector)
      default: return nil
      }
    }

    /// Parses the pseudorandom function of PBKDF2, which is HMAC with SHA-1 if it is not named.
    private static func hash(_ settings: inout DERReader) -> KDF.Insecure.PBKDF2.HashFunction? {
      guard settings.nextTag == 0x30 else { return .insecureSHA1 }
      var function = settings.sequence()
      return function?.identifier().flatMap { functions[$0] }
    }

    /// The memory that scrypt may use, in blocks of 128 bytes, which is libcrypto's limit of 32 MiB.
    private static let scryptBlockLimit = 1 << 18

    private static func isAcceptableScrypt(_ rounds: Int, _ blockSize: Int, _ parallelism: Int) -> Bool {
      let (blocks, overflow) = rounds.multipliedReportingOverflow(by: blockSize)
      return rounds > 1 && rounds & (rounds &- 1) == 0 && blockSize > 0 && (1...64).contains(parallelism) && !overflow
        && blocks <= scryptBlockLimit
    }

    /// Returns the decrypted key in DER, which the caller wipes.
    func decrypt(with passphrase: SecretBytes) throws(KeyError) -> [UInt8] {
      guard let parameters else { throw .unsupportedEncryption }
      var passphrase = [UInt8](passphrase)
      defer { wipe(&passphrase) }
      guard !passphrase.isEmpty, !encrypted.isEmpty, encrypted.count.isMultiple(of: 16),
        let key = try? Self.key(parameters, passphrase), let vector = try? AES._CBC.IV(ivBytes: parameters.vector),
        let clear = try? AES._CBC.decrypt(encrypted, using: key, iv: vector)
      else { throw .wrongPassphrase }
      return Array(clear)
    }

    private static func key(_ parameters: Parameters, _ passphrase: [UInt8]) throws -> SymmetricKey {
      let count = parameters.keyByteCount
      switch parameters.derivation {
      case .traditional: return traditionalKey(count, passphrase, parameters.vector)
      case .pbkdf2(let hash, let salt, let rounds):
        return try KDF.Insecure.PBKDF2.deriveKey(
          from: passphrase, salt: salt, using: hash, outputByteCount: count, unsafeUncheckedRounds: rounds)
      case .scrypt(let salt, let rounds, let blockSize, let parallelism):
        return try KDF.Scrypt.deriveKey(
          from: passphrase, salt: salt, outputByteCount: count, rounds: rounds, blockSize: blockSize,
          parallelism: parallelism)
      }
    }

    /// Returns the key of `EVP_BytesToKey` with MD5 and one round.
    private static func traditionalKey(_ count: Int, _ passphrase: [UInt8], _ vector: [UInt8]) -> SymmetricKey {
      let salt = Array(vector.prefix(8))
      var key: [UInt8] = []
      var digest: [UInt8] = []
      defer {
        wipe(&key)
        wipe(&digest)
      }
      key.reserveCapacity(count + MD5.digestByteCount)
      while key.count < count {
        digest =
          MD5.hash(writing: { writer in
            writer.append(digest)
            writer.append(passphrase)
            writer.append(salt)
          }).bytes
        key.append(contentsOf: digest)
      }
      return SymmetricKey(data: key.prefix(count))
    }
  }
#endif
