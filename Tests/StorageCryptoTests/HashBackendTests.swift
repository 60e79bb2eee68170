// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import StorageCrypto
import XCTest

/// Tests the hash functions of the backend against known answers.
final class HashBackendTests: XCTestCase {
  /// Hashes the digests of the first 0 to 299 of the same bytes; the expected digests are those of Python's hashlib.
  func testEveryLengthAroundTheBlocksHasItsDigest() {
    XCTAssertEqual(Self.digestOfDigests(MD5.self), "b9d5b0ec0d207bb96cccb77036c15f87")
    XCTAssertEqual(Self.digestOfDigests(SHA1.self), "d86f432ef2b3a77b72697e5684cf65ebf943b865")
    XCTAssertEqual(
      Self.digestOfDigests(SHA256.self),
      "f65f14b090e805017546322e618401d41f0710c213e013a5131eb38bbe8f367f")
    XCTAssertEqual(
      Self.digestOfDigests(SHA384.self),
      "cb5c261a5471690f763a4168dfa3c2ee6011f568ecd03e25a3014563f430c32b8e7d3f10d1c89ed40ee89827b60e354e")
    XCTAssertEqual(
      Self.digestOfDigests(SHA512.self),
      "8dbfff7fba0e8bdbab57c3b7ce89219cf36e43c426ac64166db2ed89c603f2e1"
        + "89f415de2614e940d4abc94ffb5f3db0da34196e9b42d6150fab1546a662ec58")
  }

  private static func digestOfDigests<Hash: HashFunction>(_: Hash.Type) -> String {
    let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0 * 7) }
    var all = Hash()
    for count in bytes.indices { all.update(Hash.hash(Array(bytes[..<count])).bytes) }
    return all.finalize().hex
  }

  func testACopyOfAStateContinuesByItself() {
    assertCopiesAreIndependent(MD5.self)
    assertCopiesAreIndependent(SHA1.self)
    assertCopiesAreIndependent(SHA256.self)
    assertCopiesAreIndependent(SHA384.self)
    assertCopiesAreIndependent(SHA512.self)
  }

  private func assertCopiesAreIndependent<Hash: HashFunction>(_: Hash.Type) {
    let bytes = (0..<500).map { UInt8(truncatingIfNeeded: $0 * 13) }
    for cut in [0, 1, 63, 64, 65, 127, 128, 129, 400] {
      var first = Hash()
      first.update(Array(bytes[..<cut]))
      var second = first
      second.update([1, 2, 3])
      first.update(Array(bytes[cut...]))
      XCTAssertEqual(first.finalize().hex, Hash.hash(bytes).hex, "\(Hash.self) copied after \(cut)")
      XCTAssertEqual(
        second.finalize().hex, Hash.hash(Array(bytes[..<cut]) + [1, 2, 3]).hex, "\(Hash.self) copied after \(cut)")
    }
  }

  /// A backend whose functions count bytes in 32 bits has to be called more than once.
  func testMoreBytesThanFitInto32BitsAreHashed() throws {
    let count = (1 << 32) + 5
    let zeros = mmap(nil, count, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    let start = try XCTUnwrap(zeros == MAP_FAILED ? nil : zeros)
    defer { munmap(start, count) }
    let bytes = UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)
    XCTAssertEqual(
      SHA256.hash(Span(_unsafeElements: bytes)).hex,
      "709fc0b74f7c916cedccb212d681c035f36ffbb31ebfe806eb40c31592744eb5")
  }

  func testComparisonSeesEveryByte() {
    for count in [1, 7, 8, 9, 31, 32, 33, 64] {
      let bytes = [UInt8](repeating: 0xa5, count: count)
      XCTAssertTrue(constantTimeEqual(bytes, Array(bytes)))
      for index in bytes.indices {
        for bit in [UInt8(1), 0x80] {
          var other = bytes
          other[index] ^= bit
          XCTAssertFalse(constantTimeEqual(bytes, other), "\(count) bytes, byte \(index)")
        }
      }
    }
  }

  func testWipingLeavesZerosOnly() {
    for count in [0, 1, 7, 8, 9, 100] {
      var bytes = [UInt8](repeating: 0xa5, count: count)
      wipe(&bytes)
      XCTAssertEqual(bytes, [UInt8](repeating: 0, count: count))
    }
  }
}
