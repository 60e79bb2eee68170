// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if canImport(CLibcrypto)
  internal import CLibcrypto

  /// A reference-counted libcrypto key, which is never changed and can be used from any thread.
  @safe
  final class KeyHandle: Sendable {
    // Safe to share: the pointer is set before the initializer returns, freed after the last reference is released, and
    // never changed in between. libcrypto allows many threads to use a key at the same time as long as none of them
    // changes it, and locks what it caches in the key (openssl-threads(7)).
    private nonisolated(unsafe) let key: OpaquePointer

    /// Creates a handle that takes ownership of a libcrypto key, or returns `nil` if `key` is `nil`.
    init?(_ key: OpaquePointer?) {
      guard let key = unsafe key else { return nil }
      unsafe self.key = key
    }

    deinit {
      unsafe EVP_PKEY_free(key)
    }

    /// Calls `body` with the libcrypto key, and keeps the key alive until `body` returns.
    ///
    /// Otherwise the object could be released after its last use, because the pointer does not retain it.
    func withKey<Result>(_ body: (OpaquePointer) -> Result) -> Result {
      withExtendedLifetime(self) { unsafe body(key) }
    }

    /// The algorithm of the key, with the key's length or curve.
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

    /// Returns an integer of the key as big-endian bytes, or `nil` if the key does not have it.
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

    /// Returns an integer parameter of the key as big-endian bytes, or `nil` if the key has no such parameter.
    ///
    /// The result has `byteCount` bytes. If `byteCount` is `nil`, the result has as many bytes as the integer needs.
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

    /// The 32 bytes of an Ed25519 key's public point, or `nil` if they are not available.
    var ed25519Point: [UInt8]? { clearingErrors { raw(isPrivate: false) } }

    /// The 32 bytes of an Ed25519 key's private seed, or `nil` if they are not available.
    var ed25519Seed: [UInt8]? { clearingErrors { raw(isPrivate: true) } }

    private func raw(isPrivate: Bool) -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: 32)
      var count = bytes.count
      let status = unsafe withKey { key in
        isPrivate
          ? unsafe EVP_PKEY_get_raw_private_key(key, &bytes, &count)
          : unsafe EVP_PKEY_get_raw_public_key(key, &bytes, &count)
      }
      return status == 1 && count == bytes.count ? bytes : nil
    }

    /// Returns the uncompressed public point of an ECDSA key, or `nil` if the point is not available.
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
    /// The name of the elliptic curve in libcrypto.
    var groupName: String {
      switch self {
      case .nistp256: "prime256v1"
      case .nistp384: "secp384r1"
      case .nistp521: "secp521r1"
      }
    }
  }

  extension KeyHandle {
    static let rsaBitCounts = 512...16_384

    static func canGenerateRSA(bits: Int) -> Bool { rsaBitCounts.contains(bits) }

    static func generateRSA(bits: Int) -> KeyHandle? {
      unsafe generate("RSA") { unsafe EVP_PKEY_CTX_set_rsa_keygen_bits($0, Int32(bits)) }
    }

    static func generateECDSA(_ curve: EllipticCurve) -> KeyHandle? {
      unsafe generate("EC") { unsafe EVP_PKEY_CTX_set_group_name($0, curve.groupName) }
    }

    static func generateEd25519() -> KeyHandle? {
      unsafe generate("ED25519") { _ in 1 }
    }

    private static func generate(_ algorithm: String, _ prepare: (OpaquePointer) -> Int32) -> KeyHandle? {
      clearingErrors {
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, algorithm, nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1, unsafe prepare(context) == 1,
          unsafe EVP_PKEY_generate(context, &key) == 1
        else { return nil }
        return unsafe KeyHandle(key)
      }
    }
  }
#endif
