// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth
import StorageCrypto
import XCTest

/// Redaction, comparison and wiping of secrets.
final class SecretTests: XCTestCase {
  func testEqualityComparesEveryByte() {
    let text = "correct horse battery staple"
    XCTAssertEqual(Secret(text), Secret(bytes: Array(text.utf8)))
    XCTAssertEqual(Secret(""), Secret(bytes: []))
    XCTAssertNotEqual(Secret(""), Secret("a"))
    XCTAssertNotEqual(Secret(text), Secret(text + " "))
    XCTAssertNotEqual(Secret("é"), Secret("e\u{301}"), "canonically equivalent texts are different secrets")
    for index in text.utf8.indices {
      var bytes = Array(text.utf8)
      bytes[text.utf8.distance(from: text.utf8.startIndex, to: index)] ^= 1
      XCTAssertNotEqual(Secret(bytes: bytes), Secret(text))
    }
  }

  func testRevealReturnsTheText() {
    for text in ["", "a", "tok+en/=", "密钥", String(repeating: "long", count: 2_000)] {
      XCTAssertEqual(Secret(text).reveal(), text)
      XCTAssertEqual(Secret(text).isEmpty, text.isEmpty)
    }
  }

  func testDescriptionsMaskTheText() {
    let secret = Secret("marker-of-the-secret")
    var dumped = ""
    dump(secret, to: &dumped)
    for text in ["\(secret)", String(reflecting: secret), String(describing: Optional(secret)), "\([secret])", dumped] {
      XCTAssertFalse(text.contains("marker"), text)
      XCTAssertTrue(text.contains(Secret.mask), text)
    }
    XCTAssertTrue(Mirror(reflecting: secret).children.isEmpty)
  }

  /// Runs `body` and collects the contents of secrets of a given length as their memory was released.
  private func released(_ length: Int, in body: () throws -> Void) rethrows -> [[UInt8]] {
    let seen = Collected()
    try SecretBytes.$wipeObserver.withValue({ bytes in if bytes.count == length { seen.add(bytes) } }, operation: body)
    return seen.all
  }

  func testSecretIsWipedWhenItsLastCopyIsReleased() {
    let all = released(37) {
      var first: Secret? = Secret(String(repeating: "s", count: 37))
      let second = first
      first = nil
      XCTAssertEqual(second?.reveal(), String(repeating: "s", count: 37))
    }
    XCTAssertEqual(all, [[UInt8](repeating: 0, count: 37)])
  }

  func testReleasedKeyWipesItsSecretAndToken() {
    let token = String(repeating: "/", count: 41)
    func use() {
      let key = AccessKey(id: "id", secret: String(repeating: "s", count: 43), sessionToken: token)
      XCTAssertEqual(key.sessionToken?.reveal(), token)
      XCTAssertNotNil(key.encodedTokenField(named: .cookie))
    }
    XCTAssertEqual(released(43, in: use), [[UInt8](repeating: 0, count: 43)])
    XCTAssertEqual(released(41, in: use), [[UInt8](repeating: 0, count: 41)])
    XCTAssertEqual(released(123, in: use), [[UInt8](repeating: 0, count: 123)], "the encoded token")
  }
}

private final class Collected: Sendable {
  private let bytes = Lock<[[UInt8]]>([])
  func add(_ run: [UInt8]) { bytes.withLock { $0.append(run) } }
  var all: [[UInt8]] { bytes.withLock { $0 } }
}
