// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import SigningProperties
import XCTest

/// The tests' reference hash functions against published examples.
final class ReferenceHashTests: XCTestCase {
  func testDigestsMatchTheStandards() {
    XCTAssertEqual(ReferenceHash.sha1.digest(Array("abc".utf8)).hexText, "a9993e364706816aba3e25717850c26c9cd0d89d")
    XCTAssertEqual(
      ReferenceHash.sha256.digest(Array("abc".utf8)).hexText,
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    XCTAssertEqual(
      ReferenceHash.sha256.digest(Array(repeating: UInt8(ascii: "a"), count: 1_000)).hexText,
      "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3")
  }

  func testAuthenticationCodesMatchRFC2202AndRFC4231() {
    XCTAssertEqual(
      ReferenceHash.sha1.authenticationCode(key: Array("Jefe".utf8), message: "what do ya want for nothing?").hexText,
      "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
    XCTAssertEqual(
      ReferenceHash.sha256.authenticationCode(
        key: Array(repeating: 0xaa, count: 131), message: "Test Using Larger Than Block-Size Key - Hash Key First"
      ).hexText, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
  }
}
