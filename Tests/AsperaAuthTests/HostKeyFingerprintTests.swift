// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import Foundation
import StorageAuth
import StorageCrypto
import XCTest

/// Tests the parsing and computation of host key fingerprints.
final class HostKeyFingerprintTests: XCTestCase {
  func testSpellingsOfOneFingerprintAreEqual() throws {
    let plain = "6d3b30e1682631885606914fed0f4ab95ca9a755"
    let grouped = "6D:3B:30:E1:68:26:31:88:56:06:91:4F:ED:0F:4A:B9:5C:A9:A7:55"
    for text in [plain, plain.uppercased(), grouped] {
      XCTAssertEqual(try HostKeyFingerprint(text).description, plain)
    }
  }

  func testInvalidFingerprintsAreRejected() {
    for text in [
      "", "ab", "SHA256:LqGnnDYYfGE", String(repeating: "g", count: 40), "6d:3b30" + String(repeating: "0", count: 34),
    ] {
      XCTAssertThrowsError(try HostKeyFingerprint(text), text) {
        XCTAssertEqual(($0 as? AsperaError)?.code, .invalidHostKey)
      }
    }
  }

  func testFingerprintOfAKeyIsInAscpsFormat() throws {
    let url = try XCTUnwrap(Bundle.module.url(forResource: "Vectors", withExtension: nil))
    let vectors = try JSONValue(parsing: [UInt8](try Data(contentsOf: url.appending(path: "aspera.json"))))
    let cases = try XCTUnwrap(vectors["sshfp"]?["cases"]?.array)
    XCTAssertEqual(cases.count, 3)
    for vector in cases {
      let line = try XCTUnwrap(vector["pub"]?.string)
      let blob = try XCTUnwrap([UInt8](base64: String(line.split(separator: " ")[1])))
      XCTAssertEqual(HostKeyFingerprint(ofKey: blob).description, vector["sshfp"]?.string)
    }
  }
}
