// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SigningProperties
import StorageAuth
import StorageCrypto
import XCTest

@testable import OSSAuth

/// Wiping of keys that are derived from a secret, once the access key is released.
///
/// The secret's own text belongs to the test. The values were computed with Python's hmac and the compression function
/// of the hash (FIPS 180-4), and are masked.
final class WipingTests: XCTestCase {
  private static let derived: [(name: String, masked: String)] = [
    ("date", "c7a03521ddb47a7f9b8cdd4c4c7baffe979c7b12a309b611fad2606c214f98d4"),
    ("date inner", "8160ede43bdcdda330d95346e0a4c321f17960f69d45f307582190564b591735"),
    ("date outer", "ab2b93a61a0a99bb499cab5c724f3d0c08db010d2bd34853403d34a8c955b342"),
    ("region", "b707c2a47d8b17db74ea9e1cc539592bfb6c9da452c424d3136a87eeb69bb864"),
    ("region inner", "1ba7707c607828c583902fef0f5be520b325763b3b903ec9c710811411bbdbd3"),
    ("region outer", "eb0b532d235114f826a88500ff959b4710df927cefde2534d8513636142c2f0f"),
    ("product", "8ca92504d5372e977feeacd2e059b6d97e96a06372affe0d83cee61c5f15d25e"),
    ("product inner", "70a36406bf066c82ba69ef5305a101ed4d481bbd8c135046be10c31557949c8a"),
    ("product outer", "eb9047330b9f58d32122c3ca2b364d2d91e8edf9f0c134fc3baa6c121fbc4d05"),
    ("key", "b93dd5e4d38b66370b26b929dc5f769b1777d495c782a65c256238f571218f37"),
    ("key inner", "2de2deb5446ccec100b22c657f3a85b89a4319ba794acb5adb8c1ad33bf91cce"),
    ("key outer", "ee5b6beb76f20c192941ff5127d8c47c7a335e8798375fa77a39f343d29c4ced"),
    ("long inner", "e06090a6370c093b8a93f93962997018b51cdd36fe921655c3c0ac263f33eea0"),
    ("long outer", "bf8c6291083dd3fa57f8ebed12e7e237e87785414bf4287a9521c22b03fda702"),
  ]

  private static func key() -> AccessKey {
    AccessKey(id: "id", secret: "wipe-me-" + "7f3b9c2e5d8a1046")
  }

  @inline(never)
  private static func sign(_ key: AccessKey) {
    let scope = OSSV4Scope(date: Timestamp(unixSeconds: 1_767_225_600), region: "cn-hangzhou", product: "oss")
    let signature = scope.signingKey(of: key).authenticationCode(for: "text").hex
    XCTAssertEqual(signature.utf8.count, 64)
  }

  func testReleasedKeyWipesItsDerivedKeys() throws {
    let key = Self.key()
    let control = Self.derived.first { $0.name == "key inner" }?.masked ?? ""
    try MemoryScan.behind({ Self.sign(key) }) {
      guard let found = MemoryScan.count(ofMasked: control) else {
        throw XCTSkip("a process cannot read its own memory on this system")
      }
      XCTAssertEqual(found, 1, "the scan must find the retained key once")
    }
    MemoryScan.behind({ Self.sign(Self.key()) }) {
      for (name, masked) in Self.derived {
        let expected = masked == control || name.hasSuffix("key outer") ? 1 : 0
        XCTAssertLessThanOrEqual(MemoryScan.count(ofMasked: masked) ?? 0, expected, name)
      }
    }
  }

  /// Returns one byte of a secret that is too long for the stack.
  private static func byte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: (index &* 2_654_435_761) >> 7) }

  @inline(never)
  private static func makeLongKey(from first: Int = 0) {
    let key = HMACKey<SHA256> { writer in
      for index in first..<(first + 5000) { writer.append(byte(index)) }
    }
    XCTAssertEqual(key.authenticationCode(for: "text").byteCount, 32)
  }

  func testOutgrownArraysAreWiped() throws {
    let masked = [100, 1100, 2200, 4900].map { start in
      (start..<(start + 32)).map { index in
        let digits = String(Self.byte(index) ^ 0xaa, radix: 16)
        return digits.utf8.count == 1 ? "0" + digits : digits
      }.joined()
    }
    // The dynamic linker spills the vector registers, and with them the last copied bytes, when a function is called
    // for the first time. The first round calls every function once.
    MemoryScan.behind({ Self.makeLongKey(from: 10_000) }) { _ = MemoryScan.count(ofMasked: masked[0]) }
    try MemoryScan.behind({ Self.makeLongKey() }) {
      for value in masked {
        guard let found = MemoryScan.count(ofMasked: value) else {
          throw XCTSkip("a process cannot read its own memory on this system")
        }
        XCTAssertEqual(found, 0)
      }
    }
  }
}
