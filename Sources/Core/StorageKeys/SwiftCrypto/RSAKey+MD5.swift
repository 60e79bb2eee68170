// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if !canImport(CLibcrypto)
  internal import StorageCrypto

  /// Signatures with MD5, which swift-crypto does not provide, and with keys shorter than it accepts.
  ///
  /// The public key with which OSS signs callbacks has 512 bits.
  extension RSAKey {
    /// The encoded object identifier of MD5, before the digest (RFC 8017, section 9.2).
    private static let digestInfo: [UInt8] = [
      0x30, 0x20, 0x30, 0x0c, 0x06, 0x08, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02, 0x05, 0x05, 0x00, 0x04, 0x10,
    ]

    /// The lengths, in bytes, of the moduli with which signatures are computed here.
    private static let modulusByteCounts = 64...512

    /// Signs a message, or returns `nil` if the key is public or of an unsupported length.
    ///
    /// The time depends on the private key, so that the method is only for keys that protect no data, such as the key
    /// of a local server for tests.
    func signMD5(_ message: [UInt8]) -> [UInt8]? {
      guard var exponent = number(.privateExponent), let modulus = number(.modulus),
        let encoded = Self.encoded(message, byteCount: modulus.count)
      else { return nil }
      defer { wipe(&exponent) }
      return power(of: encoded, exponent, modulus: modulus)
    }

    /// Returns whether the key verifies a signature of a message.
    func verifyMD5(_ signature: [UInt8], of message: [UInt8]) -> Bool {
      guard let modulus = number(.modulus), let exponent = number(.publicExponent), exponent.count <= 8,
        signature.count == modulus.count, signature.lexicographicallyPrecedes(modulus),
        let encoded = Self.encoded(message, byteCount: modulus.count)
      else { return false }
      return power(of: signature, exponent, modulus: modulus) == encoded
    }

    /// Returns the padded digest of a message (EMSA-PKCS1-v1_5), or `nil` if the modulus has an unsupported length.
    private static func encoded(_ message: [UInt8], byteCount: Int) -> [UInt8]? {
      guard modulusByteCounts.contains(byteCount) else { return nil }
      let value = digestInfo + MD5.hash(message).bytes
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
