// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// SHA-1 and SHA-256, implemented from FIPS 180-4, so that signatures are checked with code independent of the package.
package enum ReferenceHash: Sendable {
  case sha1, sha256

  package func digest(_ message: [UInt8]) -> [UInt8] {
    var state: [UInt32] =
      switch self {
      case .sha1: [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]
      case .sha256: Self.rootFractions(count: 8, power: 2)
      }
    var padded = message + [0x80]
    while padded.count % 64 != 56 { padded.append(0) }
    padded += Self.bigEndian(UInt64(message.count) * 8)
    for block in stride(from: 0, to: padded.count, by: 64) {
      let words = stride(from: block, to: block + 64, by: 4).map { index in
        padded[index..<(index + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      }
      let mixed = self == .sha1 ? Self.mixSHA1(state, words) : Self.mixSHA256(state, words)
      state = zip(state, mixed).map { $0 &+ $1 }
    }
    return state.flatMap { Self.bigEndian($0) }
  }

  /// Computes the HMAC (RFC 2104).
  package func authenticationCode(key: [UInt8], message: [UInt8]) -> [UInt8] {
    var pad = key.count > 64 ? digest(key) : key
    pad += [UInt8](repeating: 0, count: 64 - pad.count)
    return digest(pad.map { $0 ^ 0x5c } + digest(pad.map { $0 ^ 0x36 } + message))
  }

  package func authenticationCode(key: [UInt8], message: String) -> [UInt8] {
    authenticationCode(key: key, message: Array(message.utf8))
  }

  private static func mixSHA1(_ state: [UInt32], _ block: [UInt32]) -> [UInt32] {
    var words = block
    for index in 16..<80 {
      words.append(rotateLeft(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1))
    }
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for index in 0..<80 {
      let (mix, constant): (UInt32, UInt32) =
        switch index {
        case ..<20: ((b & c) | (~b & d), 0x5a82_7999)
        case ..<40: (b ^ c ^ d, 0x6ed9_eba1)
        case ..<60: ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc)
        default: (b ^ c ^ d, 0xca62_c1d6)
        }
      let next = rotateLeft(a, 5) &+ mix &+ e &+ constant &+ words[index]
      (a, b, c, d, e) = (next, a, rotateLeft(b, 30), c, d)
    }
    return [a, b, c, d, e]
  }

  private static func mixSHA256(_ state: [UInt32], _ block: [UInt32]) -> [UInt32] {
    var words = block
    for index in 16..<64 {
      let (early, late) = (words[index - 15], words[index - 2])
      let small = rotateLeft(early, 25) ^ rotateLeft(early, 14) ^ (early >> 3)
      let large = rotateLeft(late, 15) ^ rotateLeft(late, 13) ^ (late >> 10)
      words.append(words[index - 16] &+ small &+ words[index - 7] &+ large)
    }
    var s = state
    for index in 0..<64 {
      let large = rotateLeft(s[4], 26) ^ rotateLeft(s[4], 21) ^ rotateLeft(s[4], 7)
      let choice = (s[4] & s[5]) ^ (~s[4] & s[6])
      let first = s[7] &+ large &+ choice &+ cubeFractions[index] &+ words[index]
      let small = rotateLeft(s[0], 30) ^ rotateLeft(s[0], 19) ^ rotateLeft(s[0], 10)
      let majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2])
      s = [first &+ small &+ majority, s[0], s[1], s[2], s[3] &+ first, s[4], s[5], s[6]]
    }
    return s
  }

  private static let cubeFractions = rootFractions(count: 64, power: 3)

  /// Returns the first 32 bits of the fractions of the roots of the first primes, in integer arithmetic.
  private static func rootFractions(count: Int, power: Int) -> [UInt32] {
    var primes: [UInt64] = []
    var candidate: UInt64 = 2
    while primes.count < count {
      if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
      candidate += 1
    }
    return primes.map { prime in
      // The largest number whose power is at most the prime, shifted by 32 bits per root.
      let target = (high: prime << (32 * (power - 2)), low: UInt64(0))
      var root: UInt64 = 0
      for bit in (0..<36).reversed() {
        let next = root | 1 << bit
        var raised = (high: UInt64(0), low: UInt64(1))
        for _ in 0..<power {
          let product = raised.low.multipliedFullWidth(by: next)
          raised = (raised.high * next + product.high, product.low)
        }
        if raised <= target { root = next }
      }
      return UInt32(truncatingIfNeeded: root)
    }
  }

  private static func rotateLeft(_ value: UInt32, _ count: UInt32) -> UInt32 {
    value << count | value >> (32 - count)
  }

  private static func bigEndian<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
    (0..<(Number.bitWidth / 8)).reversed().map { UInt8(truncatingIfNeeded: value >> Number($0 * 8)) }
  }
}

extension [UInt8] {
  /// The bytes in lowercase hexadecimal.
  package var hexText: String {
    reduce(into: "") { $0 += ($1 < 16 ? "0" : "") + String($1, radix: 16) }
  }
}
