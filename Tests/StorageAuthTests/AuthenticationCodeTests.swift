// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

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

  /// The key is that of "Deriving a signing key" in the signing guide of Amazon, the last step of which is a code.
  func testDerivedKeyIsThatOfTheVendorsExample() {
    let key = AccessKey(id: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
    let scope = SigningKeyScope(prefix: "AWS4", ["20120215", "us-east-1", "iam"])
    for _ in 0..<2 {
      XCTAssertEqual(
        key.authenticationCode(for: "aws4_request", in: scope).hexadecimal,
        "f4780e2d9f65fa895f9c67b32ce1baf0b0d8a43505a000a1a9e090d414db404d")
    }
    for other in [
      SigningKeyScope(prefix: "AWS4", ["20120215", "us-east-1i", "am"]), SigningKeyScope(prefix: "AWS4", ["20120215"]),
      SigningKeyScope(prefix: "AWS", ["420120215", "us-east-1", "iam"]), SigningKeyScope(prefix: "AWS4", []),
    ] {
      XCTAssertNotEqual(
        key.authenticationCode(for: "aws4_request", in: other), key.authenticationCode(for: "aws4_request", in: scope))
    }
  }

  /// As `String` values, the prefixes and the parts of each pair are equal, but their bytes differ.
  func testKeysOfScopesWithEquivalentTextsAreNotConfused() {
    let pairs = [
      (SigningKeyScope(prefix: "\u{e9}", []), SigningKeyScope(prefix: "e\u{301}", [])),
      (SigningKeyScope(prefix: "x", ["a\u{323}\u{307}"]), SigningKeyScope(prefix: "x", ["a\u{307}\u{323}"])),
    ]
    for (first, second) in pairs {
      XCTAssertNotEqual(key.authenticationCode(for: text, in: first), key.authenticationCode(for: text, in: second))
    }
  }

  func testCodesOfBytesAndOfTheirTextAreEqual() {
    let key = AccessKey(id: "id", secret: "key")
    for algorithm in [AuthenticationCode.Algorithm.hmacSHA1, .hmacSHA256] {
      XCTAssertEqual(
        key.authenticationCode(for: Array("text".utf8), using: algorithm),
        key.authenticationCode(for: "text", using: algorithm))
    }
  }

  /// The values are those of the standards' examples for "abc".
  func testDigestsAreThoseOfTheStandards() {
    let abc = Array("abc".utf8)
    XCTAssertEqual(MessageDigest.md5(of: abc).hexadecimal, "900150983cd24fb0d6963f7d28e17f72")
    XCTAssertEqual(MessageDigest.md5(of: abc).base64, "kAFQmDzST7DWlj99KOF/cg==")
    XCTAssertEqual(MessageDigest.sha1(of: abc).hexadecimal, "a9993e364706816aba3e25717850c26c9cd0d89d")
    XCTAssertEqual(
      MessageDigest.sha256(of: abc).hexadecimal, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }
}
