// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SigningProperties
import StorageAuth
import StorageCrypto
import XCTest

@testable import COSAuth

/// Wiping of keys that are derived from a secret, once the access key is released.
///
/// The secret's own text belongs to the test. The values were computed with Python's hmac and the compression function
/// of the hash (FIPS 180-4), and are masked.
final class WipingTests: XCTestCase {
  private static let derived: [(name: String, masked: String)] = [
    ("cos raw", "825b20b98e48cc925e239289c4ed875cf05964ad"),
    ("cos hex", "9892cc9b92cb9b99989ecf989c9c9992cc9e9293999298999ccf9e9d98cecc9c9fcbcc99c9cf9a9d"),
    ("cos inner", "9eda02268317f615a0d264271a24c37fb5c94c97"),
    ("cos outer", "fe1a597a1fc8ec6884454ffbd1895e32099896c8"),
    ("secret inner", "be7ba5964ffebdc789595a81930ac8ff8c987769"),
    ("secret outer", "71efc13b40fbe52a91cffc64b8cb5de3295b3021"),
  ]

  private static func key() -> AccessKey {
    AccessKey(id: "id", secret: "wipe-me-" + "7f3b9c2e5d8a1046")
  }

  @inline(never)
  private static func sign(_ key: AccessKey) {
    let window = COSKeyTime(
      from: Timestamp(unixSeconds: 1_767_225_600), until: Timestamp(unixSeconds: 1_767_229_200))
    let signature = window.signingKey(of: key).authenticationCode(for: "text").hex
    XCTAssertEqual(signature.utf8.count, 40)
  }

  func testReleasedKeyWipesItsDerivedKeys() throws {
    let key = Self.key()
    let control = Self.derived.first { $0.name == "cos inner" }?.masked ?? ""
    try MemoryScan.behind({ Self.sign(key) }) {
      guard let found = MemoryScan.count(ofMasked: control) else {
        throw XCTSkip("a process cannot read its own memory on this system")
      }
      XCTAssertEqual(found, 1, "the scan must find the retained key once")
    }
    MemoryScan.behind({ Self.sign(Self.key()) }) {
      for (name, masked) in Self.derived {
        let expected = masked == control || name.hasSuffix("cos outer") ? 1 : 0
        XCTAssertLessThanOrEqual(MemoryScan.count(ofMasked: masked) ?? 0, expected, name)
      }
    }
  }
}
