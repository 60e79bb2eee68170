// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

/// HMAC values of an access key: known answers, parsing and redaction.
final class AuthenticationCodeTests: XCTestCase {
  private let key = AccessKey(id: "AKIDexample", secret: "Jefe")
  private let text = "what do ya want for nothing?"

  /// Test case 2 of RFC 2202, section 3, and of RFC 4231, section 4.3.
  func testKnownAnswers() {
    for _ in 0..<2 {
      XCTAssertEqual(
        key.authenticationCode(for: text, using: .hmacSHA1).hexadecimal, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
      XCTAssertEqual(
        key.authenticationCode(for: text, using: .hmacSHA256).hexadecimal,
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }
    XCTAssertEqual(key.authenticationCode(for: text, using: .hmacSHA1).base64, "7/zfauXrL6LSdBbV8YTfnCWafHk=")
  }

  func testOnlyTheCanonicalEncodingIsParsed() {
    for algorithm in AuthenticationCode.Algorithm.allCases {
      let code = key.authenticationCode(for: text, using: algorithm)
      XCTAssertEqual(code.bytes.count, algorithm.byteCount)
      XCTAssertEqual(AuthenticationCode(base64: code.base64, algorithm), code)
      XCTAssertEqual(AuthenticationCode(hexadecimal: code.hexadecimal, algorithm), code)
      XCTAssertNil(AuthenticationCode(hexadecimal: code.hexadecimal.uppercased(), algorithm))
      XCTAssertNil(AuthenticationCode(base64: code.base64 + "=", algorithm))
      XCTAssertNil(AuthenticationCode(base64: String(code.base64.dropLast()), algorithm))
      XCTAssertNotEqual(AuthenticationCode(base64: code.base64, algorithm), nil)
    }
    // The last base64 character before the padding has bits that encode no byte.
    XCTAssertNil(AuthenticationCode(base64: "7/zfauXrL6LSdBbV8YTfnCWafHl=", .hmacSHA1))
    XCTAssertNil(AuthenticationCode(base64: "", .hmacSHA1))
    XCTAssertNil(AuthenticationCode(base64: "AAAA", .hmacSHA1))
    XCTAssertNil(AuthenticationCode(hexadecimal: "zz", .hmacSHA1))
  }

  func testADifferentSecretOrTextGivesADifferentCode() {
    let code = key.authenticationCode(for: text, using: .hmacSHA1)
    XCTAssertNotEqual(
      code, AccessKey(id: "AKIDexample", secret: "Jefe2").authenticationCode(for: text, using: .hmacSHA1))
    XCTAssertNotEqual(code, key.authenticationCode(for: text + " ", using: .hmacSHA1))
  }

  func testDescriptionsDoNotRevealTheCode() {
    let code = key.authenticationCode(for: text, using: .hmacSHA1)
    var dumped = ""
    dump(code, to: &dumped)
    for shown in ["\(code)", String(reflecting: code), dumped] {
      XCTAssertFalse(shown.contains(code.base64) || shown.contains("239"), shown)
    }
  }
}
