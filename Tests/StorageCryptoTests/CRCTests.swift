// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageCrypto
import XCTest

/// CRCs compared with their bitwise definition, at every length around the block size and at every alignment.
final class CRCTests: XCTestCase {
  private static let polynomials: [(CRC.Algorithm, UInt64)] = [
    (.crc32, 0xEDB8_8320), (.crc32c, 0x82F6_3B78), (.crc64ECMA, 0xC96C_5795_D787_0F42),
    (.crc64NVME, 0x9A6C_9329_AC4B_C9B5),
  ]

  private static let longest = 1024

  /// More bytes than the longest input, without a period that the blocks share.
  private static let bytes: [UInt8] = {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    return (0..<longest + 16).map { _ in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return UInt8(truncatingIfNeeded: state >> 32)
    }
  }()

  /// Returns the checksums of the first 0, 1, 2, … bytes.
  private func definition(_ bytes: ArraySlice<UInt8>, _ algorithm: CRC.Algorithm, _ polynomial: UInt64) -> [UInt64] {
    let mask = UInt64.max >> UInt64(64 - 8 * algorithm.byteCount)
    var register = mask
    var checksums = [register ^ mask]
    for byte in bytes {
      register ^= UInt64(byte)
      for _ in 0..<8 { register = register & 1 == 1 ? (register >> 1) ^ polynomial : register >> 1 }
      checksums.append(register ^ mask)
    }
    return checksums
  }

  func testEveryLengthAndAlignmentMatchesTheDefinition() {
    XCTAssertEqual(Set(Self.polynomials.map(\.0)), Set(CRC.Algorithm.allCases))
    for (algorithm, polynomial) in Self.polynomials {
      Self.bytes.withUnsafeBytes { all in
        for start in 0..<16 {
          let expected = definition(Self.bytes[start..<start + Self.longest], algorithm, polynomial)
          for length in 0...Self.longest {
            let bytes = UnsafeRawBufferPointer(rebasing: all[start..<start + length])
            var crc = CRC(algorithm)
            crc.update(bytes)
            XCTAssertEqual(crc.checksum, expected[length], "\(algorithm): \(length) bytes from \(start)")
            var table = CRC(algorithm)
            table.updateByTable(bytes)
            XCTAssertEqual(table.checksum, expected[length], "\(algorithm): \(length) bytes from \(start), by table")
          }
        }
      }
    }
  }

  func testEverySplitMatchesTheDefinition() {
    let bytes = Self.bytes[..<Self.longest]
    for (algorithm, polynomial) in Self.polynomials {
      let expected = definition(bytes, algorithm, polynomial)
      for cut in 0...Self.longest {
        var crc = CRC(algorithm)
        crc.update(Array(bytes[..<cut]))
        XCTAssertEqual(crc.checksum, expected[cut], "\(algorithm) before \(cut)")
        crc.update(Array(bytes[cut...]))
        XCTAssertEqual(crc.checksum, expected[Self.longest], "\(algorithm) split at \(cut)")
      }
    }
  }

  /// The check value of CRC-64/XZ, and digits in updates that cross the boundaries of several blocks.
  func testUpdatesOfEveryLengthMatchOneUpdate() {
    let digits = Array("123456789".utf8)
    let text = Array(repeatElement(digits, count: 100).joined())
    var whole = CRC(.crc64ECMA)
    whole.update(digits)
    XCTAssertEqual(whole.checksum, 0x995D_C9BB_DF19_39FA)
    var expected = CRC(.crc64ECMA)
    text.withUnsafeBytes { expected.updateByTable($0) }
    for size in 1...text.count {
      var crc = CRC(.crc64ECMA)
      for start in stride(from: 0, to: text.count, by: size) {
        crc.update(Array(text[start..<min(start + size, text.count)]))
      }
      XCTAssertEqual(crc.checksum, expected.checksum, "in pieces of \(size)")
    }
  }
}
