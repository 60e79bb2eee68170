// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if !canImport(CLibcrypto) && canImport(CryptoExtras)
  internal import Crypto
  internal import CryptoExtras

  /// An RSA key with which swift-crypto signs and verifies.
  struct RSAKey: Sendable {
    /// The lengths of the moduli that swift-crypto accepts.
    static let bitCounts = 1_024...8_192

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
      guard var numbers = Self.numbers(of: der) else { return nil }
      defer { wipe(each: &numbers) }
      guard numbers.allSatisfy({ !$0.isEmpty }) else { return nil }
      modulus = numbers[0]
      publicExponent = numbers[1]
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
      guard primes.count == 2,
        ([modulus, publicExponent, privateExponent, coefficient] + primes).allSatisfy({
          $0.count <= PrivateKeyParts.rsaIntegerByteLimit + 1  // With a leading zero.
        }),
        var first = remainder(of: privateExponent, byPredecessorOf: primes[0]),
        var second = remainder(of: privateExponent, byPredecessorOf: primes[1])
      else { return nil }
      var numbers = [modulus, publicExponent, privateExponent, primes[0], primes[1], first, second, coefficient]
      var der = DER.sequence([DER.integer([0])] + numbers.map { DER.integer($0) })
      defer {
        wipe(&first)
        wipe(&second)
        wipe(each: &numbers)
        wipe(&der)
      }
      self.init(pkcs1: der)
    }

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
      case .privateExponent: privateNumber(at: 2)
      case .firstPrime: privateNumber(at: 3)
      case .secondPrime: privateNumber(at: 4)
      case .coefficient: privateNumber(at: 7)
      case .scalar: nil
      }
    }

    private func privateNumber(at index: Int) -> [UInt8]? {
      guard var der = pkcs1.map({ [UInt8]($0) }) else { return nil }
      defer { wipe(&der) }
      guard var numbers = Self.numbers(of: der) else { return nil }
      defer { wipe(each: &numbers) }
      return numbers.remove(at: index)
    }

    /// Returns the eight integers of an `RSAPrivateKey` with two primes.
    private static func numbers(of der: [UInt8]) -> [[UInt8]]? {
      var document = DERReader(der)
      guard var fields = document.sequence(), fields.integer() == 0 else { return nil }
      var numbers: [[UInt8]] = []
      for _ in 0..<8 {
        guard let number = fields.magnitude() else { return nil }
        numbers.append(number)
      }
      return numbers
    }

    func sign(_ message: [UInt8], _ hash: SignatureHash, _ padding: _RSA.Signing.Padding) -> [UInt8]? {
      guard let signer else { return nil }
      let signature =
        switch hash {
        case .sha256: try? signer.signature(for: Crypto.SHA256.hash(data: message), padding: padding)
        case .sha384: try? signer.signature(for: Crypto.SHA384.hash(data: message), padding: padding)
        case .sha512: try? signer.signature(for: Crypto.SHA512.hash(data: message), padding: padding)
        }
      return signature.map { Array($0.rawRepresentation) }
    }

    func verify(_ bytes: [UInt8], of message: [UInt8], _ hash: SignatureHash, _ padding: _RSA.Signing.Padding) -> Bool {
      guard let verifier else { return false }
      let signature = _RSA.Signing.RSASignature(rawRepresentation: bytes)
      return switch hash {
      case .sha256: verifier.isValidSignature(signature, for: Crypto.SHA256.hash(data: message), padding: padding)
      case .sha384: verifier.isValidSignature(signature, for: Crypto.SHA384.hash(data: message), padding: padding)
      case .sha512: verifier.isValidSignature(signature, for: Crypto.SHA512.hash(data: message), padding: padding)
      }
    }
  }

  private func wipe(each numbers: inout [[UInt8]]) { for index in numbers.indices { wipe(&numbers[index]) } }

  /// Returns `number mod (other - 1)` for big-endian integers, or `nil` if `other` is not an odd number from 3.
  ///
  /// A prime is odd, so only the last bit of its predecessor differs. No branch or address depends on the integers.
  private func remainder(of number: [UInt8], byPredecessorOf other: [UInt8]) -> [UInt8]? {
    var divisor = Array(other.drop { $0 == 0 })
    guard let last = divisor.last, divisor.count > 1 || last > 1, !last.isMultiple(of: 2) else { return nil }
    defer { wipe(&divisor) }
    divisor[divisor.count - 1] = last & 0xfe
    // One more byte than the divisor, because the remainder is doubled before it is reduced.
    divisor.insert(0, at: 0)
    var rest = [UInt8](repeating: 0, count: divisor.count)
    var reduced = rest
    defer {
      wipe(&rest)
      wipe(&reduced)
    }
    for bit in 0..<number.count * 8 {
      var carry = number[bit / 8] >> UInt8(7 - bit % 8) & 1
      var borrow: UInt16 = 0
      for index in rest.indices.reversed() {
        let doubled = rest[index] << 1 | carry
        carry = rest[index] >> 7
        rest[index] = doubled
        let difference = UInt16(doubled) &- UInt16(divisor[index]) &- borrow
        reduced[index] = UInt8(truncatingIfNeeded: difference)
        borrow = difference >> 15
      }
      let keeps = UInt8(truncatingIfNeeded: 0 &- borrow)
      for index in rest.indices { rest[index] = rest[index] & keeps | reduced[index] & ~keeps }
    }
    return Array(rest.drop { $0 == 0 })
  }

  /// Signatures with MD5, which swift-crypto does not provide, and with keys shorter than it accepts.
  ///
  /// The public key with which OSS signs callbacks has 512 bits.
  extension RSAKey {
    /// The bytes in front of a digest of MD5 in its encoding, with the object identifier (RFC 8017, section 9.2).
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
      return power(of: encoded, exponent, modulus: modulus)
    }

    func verifyMD5(_ signature: [UInt8], of message: [UInt8]) -> Bool {
      guard publicExponent.count <= 8, signature.count == modulus.count, signature.lexicographicallyPrecedes(modulus),
        let encoded = Self.encoded(message, byteCount: modulus.count)
      else { return false }
      return power(of: signature, publicExponent, modulus: modulus) == encoded
    }

    /// Returns the padded digest of a message (EMSA-PKCS1-v1_5), or `nil` if the modulus has an unsupported length.
    private static func encoded(_ message: [UInt8], byteCount: Int) -> [UInt8]? {
      guard modulusByteCounts.contains(byteCount) else { return nil }
      let value = md5Prefix + MD5.hash(message).bytes
      return [0, 1] + [UInt8](repeating: 0xff, count: byteCount - value.count - 3) + [0] + value
    }
  }

  /// Returns `base` to the power of `exponent`, modulo `modulus`, for big-endian integers with `base` below `modulus`.
  private func power(of base: [UInt8], _ exponent: [UInt8], modulus: [UInt8]) -> [UInt8] {
    let limit = limbs(modulus)
    let base = limbs(base)
    var result = [UInt32](repeating: 0, count: limit.count)
    result[0] = 1
    for byte in exponent {
      for bit in (0..<8).reversed() {
        result = product(of: result, result, modulo: limit)
        if byte >> UInt8(bit) & 1 == 1 { result = product(of: result, base, modulo: limit) }
      }
    }
    return result.dropLast().reversed().flatMap { limb in
      (0..<4).reversed().map { UInt8(truncatingIfNeeded: limb >> UInt32(8 * $0)) }
    }.suffix(modulus.count)
  }

  /// Returns an integer as limbs, the lowest first, with a highest limb of zero.
  private func limbs(_ bytes: [UInt8]) -> [UInt32] {
    var limbs: [UInt32] = []
    for (index, byte) in bytes.reversed().enumerated() {
      if index.isMultiple(of: 4) { limbs.append(0) }
      limbs[index / 4] |= UInt32(byte) << UInt32(8 * (index % 4))
    }
    return limbs + [0]
  }

  /// Returns the product of two integers below the modulus, modulo the modulus, by doubling and adding.
  private func product(of first: [UInt32], _ second: [UInt32], modulo limit: [UInt32]) -> [UInt32] {
    var result = [UInt32](repeating: 0, count: limit.count)
    for limb in second.reversed() {
      for bit in (0..<32).reversed() {
        add(result, to: &result, modulo: limit)
        if limb >> UInt32(bit) & 1 == 1 { add(first, to: &result, modulo: limit) }
      }
    }
    return result
  }

  /// Adds an integer below the modulus to another one, modulo the modulus.
  private func add(_ number: [UInt32], to sum: inout [UInt32], modulo limit: [UInt32]) {
    var carry: UInt64 = 0
    for index in sum.indices {
      carry += UInt64(sum[index]) + UInt64(number[index])
      sum[index] = UInt32(truncatingIfNeeded: carry)
      carry >>= 32
    }
    guard !sum.reversed().lexicographicallyPrecedes(limit.reversed()) else { return }
    var borrow: Int64 = 0
    for index in sum.indices {
      borrow += Int64(sum[index]) - Int64(limit[index])
      sum[index] = UInt32(truncatingIfNeeded: borrow)
      borrow >>= 32
    }
  }
#endif
