// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

// Libcrypto decrypts private keys itself. The package swift-crypto offers only the algorithms that this file combines.

#if !canImport(CLibcrypto) && canImport(CryptoExtras)
  internal import Crypto
  internal import CryptoExtras

  /// A private key that is encrypted with a key derived from a passphrase, in PKCS #8 or in a traditional PEM format.
  struct EncryptedPrivateKey {
    private enum Derivation {
      /// OpenSSL's own function for traditional formats: MD5 with the first half of the initialization vector as salt.
      case traditional
      case pbkdf2(KDF.Insecure.PBKDF2.HashFunction, salt: [UInt8], rounds: Int)
      case scrypt(salt: [UInt8], cost: Int, blockSize: Int, parallelism: Int)
    }

    private struct Parameters {
      let derivation: Derivation
      let keyByteCount: Int
      let initializationVector: [UInt8]
    }

    /// The length of a block of AES, and thus of an initialization vector.
    private static let blockByteCount = 16
    private static let traditionalKeyByteCounts = ["AES-128-CBC": 16, "AES-192-CBC": 24, "AES-256-CBC": 32]
    private static let keyByteCounts = [ObjectID.aes128CBC: 16, ObjectID.aes192CBC: 24, ObjectID.aes256CBC: 32]

    private static let pseudorandomFunctions: [String: KDF.Insecure.PBKDF2.HashFunction] = [
      ObjectID.hmacSHA1: .insecureSHA1, ObjectID.hmacSHA224: .insecureSHA224, ObjectID.hmacSHA256: .sha256,
      ObjectID.hmacSHA384: .sha384, ObjectID.hmacSHA512: .sha512,
    ]

    /// The maximum memory of scrypt, in bytes, which is that of libcrypto: this implementation must agree with it.
    private static let scryptMemoryLimit = 32 << 20

    /// The parameters, or `nil` if the algorithm is not supported or the key derivation is too expensive.
    private let parameters: Parameters?
    private let encryptedKey: [UInt8]

    /// Parses an EncryptedPrivateKeyInfo (PKCS #8, RFC 5958).
    init(pkcs8 der: [UInt8]) throws(KeyError) {
      var document = DERReader(der)
      guard var info = document.sequence(), var algorithm = info.sequence(), let scheme = algorithm.identifier(),
        let encryptedKey = info.octets()
      else { throw .malformed }
      self.encryptedKey = encryptedKey
      // `PKCS8Encryption` only limits the cost. It does not contain the salt and the vector, which are parsed below.
      guard scheme == ObjectID.pbes2, let encryption = PKCS8Encryption(der: der),
        encryption.derivationCost <= PKCS8Encryption.derivationCostLimit
      else {
        parameters = nil
        return
      }
      parameters = Self.pbes2Parameters(&algorithm)
    }

    /// Parses the header of a traditional PEM block, such as `DEK-Info: AES-256-CBC,` and the initialization vector.
    init(dekInfo: String, _ encryptedKey: [UInt8]) throws(KeyError) {
      self.encryptedKey = encryptedKey
      let fields = dekInfo.split(separator: ",", maxSplits: 1)
      guard let name = fields.first, let count = Self.traditionalKeyByteCounts[String(name)] else {
        parameters = nil
        return
      }
      guard fields.count == 2, let vector = [UInt8](hex: String(fields[1])), vector.count == Self.blockByteCount else {
        throw .malformed
      }
      parameters = Parameters(derivation: .traditional, keyByteCount: count, initializationVector: vector)
    }

    /// Returns the decrypted key in DER, which the caller wipes.
    func decrypt(with passphrase: SecretBytes) throws(KeyError) -> [UInt8] {
      guard let parameters else { throw .unsupportedEncryption }
      var passphrase = [UInt8](passphrase)
      defer { wipe(&passphrase) }
      // Libcrypto, with which this implementation must agree, reports keys that are empty or cut off in the same way.
      guard !passphrase.isEmpty, !encryptedKey.isEmpty, encryptedKey.count.isMultiple(of: Self.blockByteCount) else {
        throw .wrongPassphrase
      }
      // A wrong passphrase shows in the padding of the last block.
      guard let key = try? Self.decryptionKey(parameters, from: passphrase),
        let vector = try? AES._CBC.IV(ivBytes: parameters.initializationVector),
        let decryptedKey = try? AES._CBC.decrypt(encryptedKey, using: key, iv: vector)
      else { throw .wrongPassphrase }
      return Array(decryptedKey)
    }

    /// Parses the parameters of PBES2 (RFC 8018), or returns `nil` if they name another algorithm.
    private static func pbes2Parameters(_ algorithm: inout DERReader) -> Parameters? {
      guard var parameters = algorithm.sequence(), var derivation = parameters.sequence(),
        var encryption = parameters.sequence()
      else { return nil }
      guard let function = derivation.identifier(), var settings = derivation.sequence(),
        let keyByteCount = encryption.identifier().flatMap({ keyByteCounts[$0] }),
        let vector = encryption.octets(), vector.count == blockByteCount
      else { return nil }
      let parsedDerivation =
        switch function {
        case ObjectID.pbkdf2: pbkdf2(&settings, keyByteCount)
        case ObjectID.scrypt: scrypt(&settings, keyByteCount)
        default: nil as Derivation?
        }
      return parsedDerivation.map {
        Parameters(derivation: $0, keyByteCount: keyByteCount, initializationVector: vector)
      }
    }

    /// Parses the parameters of PBKDF2 (RFC 8018, appendix A.2).
    private static func pbkdf2(_ settings: inout DERReader, _ keyByteCount: Int) -> Derivation? {
      guard let salt = settings.octets(), !salt.isEmpty, let rounds = settings.integer(), rounds > 0,
        agreesWithOptionalLength(&settings, keyByteCount), let hash = pseudorandomFunction(&settings)
      else { return nil }
      return .pbkdf2(hash, salt: salt, rounds: rounds)
    }

    /// Parses the parameters of scrypt (RFC 7914, section 7).
    private static func scrypt(_ settings: inout DERReader, _ keyByteCount: Int) -> Derivation? {
      guard let salt = settings.octets(), !salt.isEmpty, let cost = settings.integer(),
        let blockSize = settings.integer(), let parallelism = settings.integer(),
        isSupportedScrypt(cost: cost, blockSize: blockSize, parallelism: parallelism),
        agreesWithOptionalLength(&settings, keyByteCount)
      else { return nil }
      return .scrypt(salt: salt, cost: cost, blockSize: blockSize, parallelism: parallelism)
    }

    /// Reads the optional length of the key, which must be the length that the cipher determines.
    private static func agreesWithOptionalLength(_ settings: inout DERReader, _ keyByteCount: Int) -> Bool {
      settings.nextTag != DERTag.integer || settings.integer() == keyByteCount
    }

    /// Parses the pseudorandom function of PBKDF2, which is HMAC with SHA-1 if it is not named.
    private static func pseudorandomFunction(_ settings: inout DERReader) -> KDF.Insecure.PBKDF2.HashFunction? {
      guard settings.nextTag == DERTag.sequence else { return .insecureSHA1 }
      var function = settings.sequence()
      return function?.identifier().flatMap { pseudorandomFunctions[$0] }
    }

    /// Returns whether the cost is a power of two, and the memory is within the limit.
    private static func isSupportedScrypt(cost: Int, blockSize: Int, parallelism: Int) -> Bool {
      guard (2...scryptMemoryLimit).contains(cost), cost & (cost - 1) == 0, (1...64).contains(parallelism) else {
        return false
      }
      // There are N + p + 2 blocks of 128 * r bytes.
      return blockSize > 0 && blockSize <= scryptMemoryLimit / 128 / (cost + parallelism + 2)
    }

    private static func decryptionKey(_ parameters: Parameters, from passphrase: [UInt8]) throws -> SymmetricKey {
      let count = parameters.keyByteCount
      switch parameters.derivation {
      case .traditional:
        return traditionalKey(byteCount: count, from: passphrase, vector: parameters.initializationVector)
      case .pbkdf2(let hash, let salt, let rounds):
        return try KDF.Insecure.PBKDF2.deriveKey(
          from: passphrase, salt: salt, using: hash, outputByteCount: count, unsafeUncheckedRounds: rounds)
      case .scrypt(let salt, let cost, let blockSize, let parallelism):
        return try KDF.Scrypt.deriveKey(
          from: passphrase, salt: salt, outputByteCount: count, rounds: cost, blockSize: blockSize,
          parallelism: parallelism)
      }
    }

    /// Returns the key of libcrypto's `EVP_BytesToKey` with MD5 and one round: chained digests, as many as are needed.
    private static func traditionalKey(byteCount: Int, from passphrase: [UInt8], vector: [UInt8]) -> SymmetricKey {
      let salt = Array(vector.prefix(8))
      var key: [UInt8] = []
      var digest: [UInt8] = []
      defer {
        wipe(&key)
        wipe(&digest)
      }
      // An array that grew would leave a copy that is not wiped.
      key.reserveCapacity(byteCount + MD5.digestByteCount)
      while key.count < byteCount {
        digest =
          MD5.hash(writing: { writer in
            writer.append(digest)
            writer.append(passphrase)
            writer.append(salt)
          }).bytes
        key.append(contentsOf: digest)
      }
      return SymmetricKey(data: key.prefix(byteCount))
    }
  }
#endif
