// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if !canImport(CLibcrypto) && canImport(CryptoExtras)
  internal import Crypto
  internal import CryptoExtras

  /// An RSA key with which swift-crypto signs and verifies.
  struct RSAKey: Sendable {
    /// The lengths, in bits, of the moduli that swift-crypto accepts.
    static let bitCounts = 1_024...8_192

    /// The integers of an `RSAPrivateKey` with two primes, in their order (RFC 8017, appendix A.1.2).
    private enum PrivateKeyField: Int, CaseIterable {
      case modulus, publicExponent, privateExponent, firstPrime, secondPrime, firstExponent, secondExponent, coefficient
    }

    private let modulus: [UInt8]
    private let publicExponent: [UInt8]
    /// The private key as an `RSAPrivateKey` (PKCS #1), or `nil` for a public key.
    let pkcs1: SecretBytes?

    // Both are `nil` if swift-crypto does not accept the length of the key; the signer is also `nil` for a public key.
    private let signer: _RSA.Signing.PrivateKey?
    private let verifier: _RSA.Signing.PublicKey?

    var bitCount: Int { Self.bitCount(of: modulus) }

    static func bitCount(of magnitude: [UInt8]) -> Int {
      magnitude.first.map { magnitude.count * 8 - $0.leadingZeroBitCount } ?? 0
    }

    init?(modulus: [UInt8], publicExponent: [UInt8]) {
      guard !modulus.isEmpty, !publicExponent.isEmpty else { return nil }
      self.modulus = modulus
      self.publicExponent = publicExponent
      pkcs1 = nil
      signer = nil
      verifier = Self.verifier(modulus, publicExponent)
    }

    /// Parses a public key as an `RSAPublicKey` (PKCS #1).
    init?(publicPKCS1 der: [UInt8]) {
      var document = DERReader(der)
      guard var fields = document.sequence(), let modulus = fields.magnitude(), let exponent = fields.magnitude()
      else { return nil }
      self.init(modulus: modulus, publicExponent: exponent)
    }

    /// Parses a private key as an `RSAPrivateKey` (PKCS #1).
    init?(pkcs1 der: [UInt8]) {
      guard var integers = Self.integers(ofPKCS1: der) else { return nil }
      defer { wipe(each: &integers) }
      guard integers.allSatisfy({ !$0.isEmpty }) else { return nil }
      modulus = integers[PrivateKeyField.modulus.rawValue]
      publicExponent = integers[PrivateKeyField.publicExponent.rawValue]
      pkcs1 = SecretBytes(der)
      verifier = Self.verifier(modulus, publicExponent)
      guard Self.bitCounts.contains(Self.bitCount(of: modulus)) else {
        signer = nil
        return
      }
      guard let key = try? _RSA.Signing.PrivateKey(unsafeDERRepresentation: der) else { return nil }
      signer = key
    }

    /// Creates a private key from its integers, or returns `nil` if they are too long or not those of two primes.
    init?(
      modulus: [UInt8], publicExponent: [UInt8], privateExponent: [UInt8], coefficient: [UInt8], primes: [[UInt8]]
    ) {
      let givenIntegers = [modulus, publicExponent, privateExponent, coefficient] + primes
      // One byte more than the limit: SSH puts a zero in front of an integer whose first bit is set.
      guard primes.count == 2, givenIntegers.allSatisfy({ $0.count <= PrivateKeyParts.rsaIntegerByteLimit + 1 }),
        var firstExponent = remainder(of: privateExponent, byPredecessorOf: primes[0]),
        var secondExponent = remainder(of: privateExponent, byPredecessorOf: primes[1])
      else { return nil }
      var integers = [
        modulus, publicExponent, privateExponent, primes[0], primes[1], firstExponent, secondExponent, coefficient,
      ]
      var der = DER.sequence([DER.integer([0])] + integers.map { DER.integer($0) })
      defer {
        wipe(&firstExponent)
        wipe(&secondExponent)
        // The array shares the memory of both, so that each of these calls wipes a copy and this one the original.
        wipe(each: &integers)
        wipe(&der)
      }
      self.init(pkcs1: der)
    }

    /// Generates a private key.
    init?(bitCount: Int) {
      guard let key = try? _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: bitCount)) else { return nil }
      var der = Array(key.derRepresentation)
      defer { wipe(&der) }
      self.init(pkcs1: der)
    }

    private static func verifier(_ modulus: [UInt8], _ publicExponent: [UInt8]) -> _RSA.Signing.PublicKey? {
      try? _RSA.Signing.PublicKey(unsafeDERRepresentation: subjectPublicKeyInfo(modulus, publicExponent))
    }

    var subjectPublicKeyInfo: [UInt8] { Self.subjectPublicKeyInfo(modulus, publicExponent) }

    private static func subjectPublicKeyInfo(_ modulus: [UInt8], _ publicExponent: [UInt8]) -> [UInt8] {
      DER.sequence([
        KeyAlgorithm.rsaIdentifier, DER.bits(DER.sequence([DER.integer(modulus), DER.integer(publicExponent)])),
      ])
    }

    func number(_ number: KeyNumber) -> [UInt8]? {
      switch number {
      case .modulus: modulus
      case .publicExponent: publicExponent
      case .privateExponent: privateInteger(.privateExponent)
      case .firstPrime: privateInteger(.firstPrime)
      case .secondPrime: privateInteger(.secondPrime)
      case .coefficient: privateInteger(.coefficient)
      case .scalar: nil
      }
    }

    private func privateInteger(_ field: PrivateKeyField) -> [UInt8]? {
      guard var der = pkcs1.map({ [UInt8]($0) }) else { return nil }
      defer { wipe(&der) }
      guard var integers = Self.integers(ofPKCS1: der) else { return nil }
      defer { wipe(each: &integers) }
      return integers.remove(at: field.rawValue)
    }

    /// Returns the integers of an `RSAPrivateKey` at the indices that ``PrivateKeyField`` defines.
    private static func integers(ofPKCS1 der: [UInt8]) -> [[UInt8]]? {
      var document = DERReader(der)
      // The version is 0 for two primes, and 1 for more.
      guard var fields = document.sequence(), fields.integer() == 0 else { return nil }
      var integers: [[UInt8]] = []
      for _ in PrivateKeyField.allCases {
        guard let integer = fields.magnitude() else { return nil }
        integers.append(integer)
      }
      return integers
    }

    func sign(_ message: [UInt8], hash: SignatureHash, padding: _RSA.Signing.Padding) -> [UInt8]? {
      guard let signer else { return nil }
      let signature =
        switch hash {
        case .sha256: try? signer.signature(for: Crypto.SHA256.hash(data: message), padding: padding)
        case .sha384: try? signer.signature(for: Crypto.SHA384.hash(data: message), padding: padding)
        case .sha512: try? signer.signature(for: Crypto.SHA512.hash(data: message), padding: padding)
        }
      return signature.map { Array($0.rawRepresentation) }
    }

    func verify(_ bytes: [UInt8], of message: [UInt8], hash: SignatureHash, padding: _RSA.Signing.Padding) -> Bool {
      guard let verifier else { return false }
      let signature = _RSA.Signing.RSASignature(rawRepresentation: bytes)
      return switch hash {
      case .sha256: verifier.isValidSignature(signature, for: Crypto.SHA256.hash(data: message), padding: padding)
      case .sha384: verifier.isValidSignature(signature, for: Crypto.SHA384.hash(data: message), padding: padding)
      case .sha512: verifier.isValidSignature(signature, for: Crypto.SHA512.hash(data: message), padding: padding)
      }
    }
  }

  private func wipe(each integers: inout [[UInt8]]) { for index in integers.indices { wipe(&integers[index]) } }

  /// Returns `number mod (prime - 1)` for big-endian integers, or `nil` if `prime` is not an odd number from 3.
  ///
  /// The integers are secret: the loops always subtract, and select by a mask, so that only lengths determine the time.
  private func remainder(of number: [UInt8], byPredecessorOf prime: [UInt8]) -> [UInt8]? {
    // One more byte than the prime, because the remainder is doubled before it is reduced.
    var divisor = [0] + prime.drop { $0 == 0 }
    defer { wipe(&divisor) }
    guard let lastByte = divisor.last, !lastByte.isMultiple(of: 2), divisor.count > 2 || lastByte > 1 else {
      return nil
    }
    // The predecessor of an odd number differs from it only in the last bit.
    divisor[divisor.count - 1] = lastByte & 0xfe
    var result = [UInt8](repeating: 0, count: divisor.count)
    var reducedResult = result
    defer {
      wipe(&result)
      wipe(&reducedResult)
    }
    for bit in 0..<number.count * 8 {
      var carry = number[bit / 8] >> UInt8(7 - bit % 8) & 1
      var borrow: UInt16 = 0
      for index in result.indices.reversed() {
        let doubled = result[index] << 1 | carry
        carry = result[index] >> 7
        result[index] = doubled
        let difference = UInt16(doubled) &- UInt16(divisor[index]) &- borrow
        reducedResult[index] = UInt8(truncatingIfNeeded: difference)
        borrow = difference >> 15
      }
      // All bits are set if the result was less than the divisor.
      let keepMask = UInt8(truncatingIfNeeded: 0 &- borrow)
      for index in result.indices { result[index] = result[index] & keepMask | reducedResult[index] & ~keepMask }
    }
    return Array(result.drop { $0 == 0 })
  }

  /// Signatures with MD5, which swift-crypto does not provide, and with keys shorter than it accepts.
  ///
  /// The public key with which OSS signs callbacks has 512 bits.
  extension RSAKey {
    /// The beginning of a DigestInfo, which ends with the digest: the identifier of MD5 (RFC 8017, section 9.2).
    private static let md5Prefix: [UInt8] = [
      0x30, 0x20, 0x30, 0x0c, 0x06, 0x08, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02, 0x05, 0x05, 0x00, 0x04, 0x10,
    ]

    /// The lengths, in bytes, of the moduli with which signatures are computed here.
    private static let modulusByteCounts = 64...512

    /// Signs a message, or returns `nil` if the key is public or of an unsupported length.
    ///
    /// The time depends on the private key: use it only for keys that protect no data, such as a test server's.
    func signMD5(_ message: [UInt8]) -> [UInt8]? {
      guard var exponent = number(.privateExponent), let encoded = Self.encoded(message, byteCount: modulus.count)
      else { return nil }
      defer { wipe(&exponent) }
      return power(of: encoded, exponent: exponent, modulus: modulus)
    }

    func verifyMD5(_ signature: [UInt8], of message: [UInt8]) -> Bool {
      // An exponent of at most eight bytes, as all usual ones are, limits the time that a foreign key can take.
      guard publicExponent.count <= 8, signature.count == modulus.count, signature.lexicographicallyPrecedes(modulus),
        let encoded = Self.encoded(message, byteCount: modulus.count)
      else { return false }
      return power(of: signature, exponent: publicExponent, modulus: modulus) == encoded
    }

    /// Returns the padded digest of a message (EMSA-PKCS1-v1_5), or `nil` if the modulus has an unsupported length.
    private static func encoded(_ message: [UInt8], byteCount: Int) -> [UInt8]? {
      guard modulusByteCounts.contains(byteCount) else { return nil }
      let digestInfo = md5Prefix + MD5.hash(message).bytes
      return [0, 1] + [UInt8](repeating: 0xff, count: byteCount - digestInfo.count - 3) + [0] + digestInfo
    }
  }

  /// Returns `base` to the power of `exponent`, modulo `modulus`, for big-endian integers.
  ///
  /// The base is less than the modulus, and has as many bytes.
  private func power(of base: [UInt8], exponent: [UInt8], modulus: [UInt8]) -> [UInt8] {
    let baseLimbs = limbs(of: base)
    let modulusLimbs = limbs(of: modulus)
    var result = [UInt32](repeating: 0, count: modulusLimbs.count)
    result[0] = 1
    for byte in exponent {
      for bit in (0..<8).reversed() {
        result = product(of: result, result, modulo: modulusLimbs)
        if byte >> UInt8(bit) & 1 == 1 { result = product(of: result, baseLimbs, modulo: modulusLimbs) }
      }
    }
    return result.dropLast().reversed().flatMap { limb in
      (0..<4).reversed().map { UInt8(truncatingIfNeeded: limb >> UInt32(8 * $0)) }
    }.suffix(modulus.count)
  }

  /// Returns a big-endian integer as limbs, the lowest first, with a highest limb of zero, so that a sum fits.
  private func limbs(of bytes: [UInt8]) -> [UInt32] {
    var limbs: [UInt32] = []
    for (index, byte) in bytes.reversed().enumerated() {
      if index.isMultiple(of: 4) { limbs.append(0) }
      limbs[index / 4] |= UInt32(byte) << UInt32(8 * (index % 4))
    }
    return limbs + [0]
  }

  /// Returns the product of two integers below the modulus, modulo the modulus, by doubling and adding.
  private func product(of first: [UInt32], _ second: [UInt32], modulo modulus: [UInt32]) -> [UInt32] {
    var result = [UInt32](repeating: 0, count: modulus.count)
    for limb in second.reversed() {
      for bit in (0..<32).reversed() {
        add(result, to: &result, modulo: modulus)
        if limb >> UInt32(bit) & 1 == 1 { add(first, to: &result, modulo: modulus) }
      }
    }
    return result
  }

  /// Adds an integer below the modulus to another one, modulo the modulus.
  private func add(_ number: [UInt32], to sum: inout [UInt32], modulo modulus: [UInt32]) {
    var carry: UInt64 = 0
    for index in sum.indices {
      carry += UInt64(sum[index]) + UInt64(number[index])
      sum[index] = UInt32(truncatingIfNeeded: carry)
      carry >>= 32
    }
    guard !sum.reversed().lexicographicallyPrecedes(modulus.reversed()) else { return }
    var borrow: Int64 = 0
    for index in sum.indices {
      borrow += Int64(sum[index]) - Int64(modulus[index])
      sum[index] = UInt32(truncatingIfNeeded: borrow)
      borrow >>= 32
    }
  }
#endif
