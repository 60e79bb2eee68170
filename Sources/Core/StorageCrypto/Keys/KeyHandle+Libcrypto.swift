// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if canImport(CLibcrypto)
  internal import CLibcrypto

  /// A reference-counted libcrypto key, which is never changed and can be used from any thread.
  @safe final class KeyHandle: Sendable {
    // Safe to share: the pointer is set before the initializer returns, freed after the last reference is released, and
    // never changed in between. libcrypto allows many threads to use a key at the same time as long as none of them
    // changes it, and locks what it caches in the key (openssl-threads(7)).
    private nonisolated(unsafe) let key: OpaquePointer

    init?(_ key: OpaquePointer?) {
      guard let key = unsafe key else { return nil }
      unsafe self.key = key
    }

    deinit { unsafe EVP_PKEY_free(key) }

    /// Calls `body` with the libcrypto key, and keeps the key alive until `body` returns.
    ///
    /// Otherwise the object could be released after its last use, because the pointer does not retain it.
    func withKey<Result>(_ body: (OpaquePointer) -> Result) -> Result {
      withExtendedLifetime(self) { unsafe body(key) }
    }

    var kind: KeyKind {
      clearingErrors {
        let bits = unsafe withKey { Int(unsafe EVP_PKEY_get_bits($0)) }
        if isA("RSA") { return .rsa(bits: bits) }
        if isA("DSA") { return .dsa(bits: bits) }
        if isA("ED25519") { return .ed25519 }
        if isA("EC") {
          let group = groupName
          let curve = EllipticCurve.allCases.first { $0.groupName == group }
          return curve.map { .ecdsa($0) } ?? .other("EC \(group ?? "with an unnamed curve")")
        }
        return .other(
          unsafe withKey { unsafe EVP_PKEY_get0_type_name($0).map { unsafe String(cString: $0) } } ?? "unnamed")
      }
    }

    private func isA(_ name: String) -> Bool { unsafe withKey { unsafe EVP_PKEY_is_a($0, name) == 1 } }

    private var groupName: String? {
      var name = [CChar](repeating: 0, count: 64)
      var length = 0
      let status = unsafe withKey { unsafe EVP_PKEY_get_group_name($0, &name, name.count, &length) }
      guard status == 1, length < name.count else { return nil }
      return String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func number(_ number: KeyNumber) -> [UInt8]? {
      clearingErrors {
        switch number {
        case .modulus: parameter("n")
        case .publicExponent: parameter("e")
        case .privateExponent: parameter("d")
        case .coefficient: parameter("rsa-coefficient1")
        case .firstPrime: parameter("rsa-factor1")
        case .secondPrime: parameter("rsa-factor2")
        case .scalar: parameter("priv")
        }
      }
    }

    /// Returns an integer parameter as big-endian bytes, as many as given or as the integer needs, or `nil`.
    private func parameter(_ name: String, byteCount: Int? = nil) -> [UInt8]? {
      var number: OpaquePointer?
      guard unsafe withKey({ unsafe EVP_PKEY_get_bn_param($0, name, &number) }) == 1, let number = unsafe number else {
        return nil
      }
      defer { unsafe BN_clear_free(number) }
      let count = byteCount ?? (Int(unsafe BN_num_bits(number)) + 7) / 8
      var bytes = [UInt8](repeating: 0, count: count)
      return unsafe BN_bn2binpad(number, &bytes, Int32(count)) == Int32(count) ? bytes : nil
    }

    var ed25519Point: [UInt8]? { clearingErrors { rawBytes(isPrivate: false) } }
    var ed25519Seed: [UInt8]? { clearingErrors { rawBytes(isPrivate: true) } }

    private func rawBytes(isPrivate: Bool) -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: 32)
      var count = bytes.count
      let status = unsafe withKey { key in
        isPrivate
          ? unsafe EVP_PKEY_get_raw_private_key(key, &bytes, &count)
          : unsafe EVP_PKEY_get_raw_public_key(key, &bytes, &count)
      }
      return status == 1 && count == bytes.count ? bytes : nil
    }

    func point(on curve: EllipticCurve) -> [UInt8]? {
      clearingErrors {
        guard let x = parameter("qx", byteCount: curve.coordinateByteCount),
          let y = parameter("qy", byteCount: curve.coordinateByteCount)
        else { return nil }
        return [4] + x + y
      }
    }
  }

  extension EllipticCurve {
    var groupName: String {
      switch self {
      case .nistp256: "prime256v1"
      case .nistp384: "secp384r1"
      case .nistp521: "secp521r1"
      }
    }
  }

  extension KeyHandle {
    /// The lengths, in bits, of the moduli that libcrypto generates and uses.
    static let rsaBitCounts = 512...16_384

    static func canGenerateRSA(bits: Int) -> Bool { rsaBitCounts.contains(bits) }

    static func generateRSA(bits: Int) -> KeyHandle? {
      unsafe generate("RSA") { unsafe EVP_PKEY_CTX_set_rsa_keygen_bits($0, Int32(bits)) }
    }

    static func generateECDSA(_ curve: EllipticCurve) -> KeyHandle? {
      unsafe generate("EC") { unsafe EVP_PKEY_CTX_set_group_name($0, curve.groupName) }
    }

    static func generateEd25519() -> KeyHandle? { unsafe generate("ED25519") { _ in 1 } }

    private static func generate(_ algorithm: String, configuring configure: (OpaquePointer) -> Int32) -> KeyHandle? {
      clearingErrors {
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, algorithm, nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1, unsafe configure(context) == 1,
          unsafe EVP_PKEY_generate(context, &key) == 1
        else { return nil }
        return unsafe KeyHandle(key)
      }
    }
  }

  extension KeyHandle {
    /// Signs a message with an algorithm for the key's kind, or returns `nil` if the key is too short for the hash.
    func sign(_ message: [UInt8], with algorithm: SignatureAlgorithm) -> [UInt8]? {
      let encoded = clearingErrors {
        unsafe encodedSignature(of: message, algorithm.digest, usesPSS: algorithm.usesPSS)
      }
      guard case .ecdsa(let curve, _) = algorithm else { return encoded }
      return encoded.flatMap {
        ECDSASignature.concatenation(ofDER: $0, coordinateByteCount: curve.coordinateByteCount)
      }
    }

    func verify(_ signature: [UInt8], of message: [UInt8], with algorithm: SignatureAlgorithm) -> Bool {
      var encoded = signature
      if case .ecdsa(let curve, _) = algorithm {
        guard let der = ECDSASignature.der(ofConcatenation: signature, coordinateByteCount: curve.coordinateByteCount)
        else { return false }
        encoded = der
      }
      return clearingErrors { unsafe isValid(encoded, of: message, algorithm.digest, usesPSS: algorithm.usesPSS) }
    }

    var isConsistent: Bool {
      // Ed25519 hashes the message itself.
      let hasDigest = kind != .ed25519
      return clearingErrors {
        let message = Array("test".utf8)
        let digest = unsafe hasDigest ? EVP_sha256() : nil
        guard let encoded = unsafe encodedSignature(of: message, digest, usesPSS: false) else { return false }
        return unsafe isValid(encoded, of: message, digest, usesPSS: false)
      }
    }

    private func isValid(_ encoded: [UInt8], of message: [UInt8], _ digest: OpaquePointer?, usesPSS: Bool) -> Bool {
      guard let context = unsafe EVP_MD_CTX_new() else { return false }
      defer { unsafe EVP_MD_CTX_free(context) }
      var keyContext: OpaquePointer?
      let status = unsafe withKey { unsafe EVP_DigestVerifyInit(context, &keyContext, digest, nil, $0) }
      guard status == 1, unsafe !usesPSS || Self.selectPSS(keyContext) else { return false }
      return unsafe EVP_DigestVerify(context, encoded, encoded.count, message, message.count) == 1
    }

    /// Returns a signature in libcrypto's own encoding, which is DER for ECDSA.
    private func encodedSignature(of message: [UInt8], _ digest: OpaquePointer?, usesPSS: Bool) -> [UInt8]? {
      guard let context = unsafe EVP_MD_CTX_new() else { return nil }
      defer { unsafe EVP_MD_CTX_free(context) }
      var keyContext: OpaquePointer?
      let status = unsafe withKey { unsafe EVP_DigestSignInit(context, &keyContext, digest, nil, $0) }
      guard status == 1, unsafe !usesPSS || Self.selectPSS(keyContext) else { return nil }
      // The first call returns the maximum size of a signature.
      var count = 0
      guard unsafe EVP_DigestSign(context, nil, &count, message, message.count) == 1 else { return nil }
      var signature = [UInt8](repeating: 0, count: count)
      guard unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else { return nil }
      return Array(signature.prefix(count))
    }

    private static func selectPSS(_ keyContext: OpaquePointer?) -> Bool {
      unsafe EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PSS_PADDING) == 1
        && EVP_PKEY_CTX_set_rsa_pss_saltlen(keyContext, RSA_PSS_SALTLEN_DIGEST) == 1
    }
  }

  extension SignatureAlgorithm {
    /// The hash function of the algorithm in libcrypto, which exists for the duration of the process.
    fileprivate var digest: OpaquePointer? {
      switch self {
      case .rsaPKCS1(let hash), .rsaPSS(let hash), .ecdsa(_, let hash): unsafe hash.digest
      case .rsaPKCS1MD5: unsafe EVP_md5()
      }
    }

    fileprivate var usesPSS: Bool { if case .rsaPSS = self { true } else { false } }
  }

  extension SignatureHash {
    fileprivate var digest: OpaquePointer? {
      switch self {
      case .sha256: unsafe EVP_sha256()
      case .sha384: unsafe EVP_sha384()
      case .sha512: unsafe EVP_sha512()
      }
    }
  }

  /// The two encodings of an ECDSA signature: as a sequence in DER, which libcrypto uses, and as fixed-length integers.
  enum ECDSASignature {
    /// Returns a signature in DER as the concatenation of R and S, each of the given size, or `nil` if it is malformed.
    static func concatenation(ofDER der: [UInt8], coordinateByteCount count: Int) -> [UInt8]? {
      var document = DERReader(der)
      guard var fields = document.sequence(), let r = fields.magnitude(), let s = fields.magnitude(),
        r.count <= count, s.count <= count
      else { return nil }
      return [r, s].flatMap { [UInt8](repeating: 0, count: count - $0.count) + $0 }
    }

    /// Returns the encoding in DER of the concatenation of R and S, or `nil` if it does not have the expected length.
    static func der(ofConcatenation bytes: [UInt8], coordinateByteCount count: Int) -> [UInt8]? {
      guard bytes.count == 2 * count else { return nil }
      return DER.sequence([DER.integer(Array(bytes.prefix(count))), DER.integer(Array(bytes.suffix(count)))])
    }
  }

  extension KeyHandle {
    /// Creates a private key from its integers, or returns `nil` if the integers cannot belong to the same key.
    static func key(of parts: PrivateKeyParts) -> KeyHandle? {
      clearingErrors {
        switch parts {
        case .rsa(let modulus, let publicExponent, let privateExponent, let coefficient, let primes):
          rsa(
            modulus: modulus, publicExponent: publicExponent, privateExponent: privateExponent,
            coefficient: coefficient, primes: primes)
        case .ecdsa(let curve, let point, let scalar): ecdsa(curve, point, scalar)
        case .ed25519(let point, let seed): ed25519(point, seed)
        }
      }
    }

    /// Creates an RSA key by encoding its integers as an `RSAPrivateKey` (PKCS #1, RFC 8017).
    private static func rsa(
      modulus: [UInt8], publicExponent: [UInt8], privateExponent: [UInt8], coefficient: [UInt8], primes: [[UInt8]]
    ) -> KeyHandle? {
      let integers = [modulus, publicExponent, privateExponent, coefficient] + primes
      // One byte more than the limit: SSH puts a zero in front of an integer whose first bit is set.
      guard primes.count == 2, integers.allSatisfy({ $0.count <= PrivateKeyParts.rsaIntegerByteLimit + 1 }) else {
        return nil
      }
      guard let firstPrime = BigNumber(primes[0]), let secondPrime = BigNumber(primes[1]),
        let product = BigNumber(modulus), product.isProduct(of: firstPrime, secondPrime),
        let exponent = BigNumber(privateExponent), let firstExponent = exponent.remainder(byPredecessorOf: firstPrime),
        let secondExponent = exponent.remainder(byPredecessorOf: secondPrime)
      else { return nil }
      let fields = [
        modulus, publicExponent, privateExponent, primes[0], primes[1], firstExponent.bytes, secondExponent.bytes,
        coefficient,
      ]
      var der = DER.sequence([DER.integer([0])] + fields.map { DER.integer($0) })
      return key(der: &der, EVP_PKEY_RSA)
    }

    /// Creates an ECDSA key by encoding its integers as an `ECPrivateKey` (RFC 5915).
    private static func ecdsa(_ curve: EllipticCurve, _ point: [UInt8], _ scalar: [UInt8]) -> KeyHandle? {
      let digits = scalar.drop { $0 == 0 }
      let paddingCount = curve.coordinateByteCount - digits.count
      guard paddingCount >= 0, point.count == 1 + 2 * curve.coordinateByteCount, point.first == 4 else { return nil }
      var der = DER.sequence([
        DER.integer([1]), DER.value(DERTag.octets, [UInt8](repeating: 0, count: paddingCount) + digits),
        DER.value(DERTag.explicit0, DER.value(DERTag.identifier, curve.objectIdentifier)),
        DER.value(DERTag.explicit1, DER.bits(point)),
      ])
      return key(der: &der, EVP_PKEY_EC)
    }

    private static func ed25519(_ point: [UInt8], _ seed: [UInt8]) -> KeyHandle? {
      guard seed.count == 32,
        let handle = unsafe KeyHandle(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count))
      else { return nil }
      return handle.ed25519Point == point ? handle : nil
    }

    /// Parses the DER encoding of a private key, and wipes the encoding.
    private static func key(der: inout [UInt8], _ type: Int32) -> KeyHandle? {
      defer { wipe(&der) }
      return unsafe der.withUnsafeBufferPointer { buffer in
        var start = buffer.baseAddress
        return unsafe KeyHandle(d2i_PrivateKey(type, nil, &start, buffer.count))
      }
    }
  }

  /// A non-negative integer of any length, which is wiped when its last reference is released.
  @safe final class BigNumber {
    private let number: OpaquePointer

    private init?(_ number: OpaquePointer?) {
      guard let number = unsafe number else { return nil }
      unsafe self.number = number
    }

    convenience init?(_ bytes: [UInt8]) {
      unsafe self.init(BN_secure_new())
      guard unsafe BN_bin2bn(bytes, Int32(clamping: bytes.count), number) != nil else { return nil }
    }

    deinit { unsafe BN_clear_free(number) }

    /// The integer as big-endian bytes without leading zeros.
    var bytes: [UInt8] {
      var bytes = [UInt8](repeating: 0, count: (Int(unsafe BN_num_bits(number)) + 7) / 8)
      unsafe BN_bn2bin(number, &bytes)
      return bytes
    }

    /// Returns `self mod (prime - 1)`, or `nil` if `prime` is at most 1.
    func remainder(byPredecessorOf prime: BigNumber) -> BigNumber? {
      guard let context = unsafe BN_CTX_secure_new(), let divisor = unsafe BigNumber(BN_dup(prime.number)),
        let remainder = unsafe BigNumber(BN_secure_new())
      else { return nil }
      defer { unsafe BN_CTX_free(context) }
      guard unsafe BN_sub_word(divisor.number, 1) == 1, unsafe BN_is_negative(divisor.number) == 0,
        unsafe BN_div(nil, remainder.number, number, divisor.number, context) == 1
      else { return nil }
      return remainder
    }

    func isProduct(of first: BigNumber, _ second: BigNumber) -> Bool {
      guard let context = unsafe BN_CTX_secure_new(), let product = unsafe BigNumber(BN_secure_new()) else {
        return false
      }
      defer { unsafe BN_CTX_free(context) }
      return unsafe BN_mul(product.number, first.number, second.number, context) == 1
        && BN_cmp(product.number, number) == 0
    }
  }
#endif
