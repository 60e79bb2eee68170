// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import XCTest

@testable import AsperaTransfer

/// Tests the messages of failures that ascp reports.
final class AscpFailureTests: XCTestCase {
  func testFailureContainsCodeNameAndText() {
    let failure = TransferFailure(ascpCode: 34, text: "token denied by server.")
    XCTAssertEqual(failure.kind, .token(.rejected))
    XCTAssertEqual(failure.code, 34)
    XCTAssertEqual(failure.message, "ascp ended with 34 (UNAUTHORIZED): token denied by server.")
    XCTAssertEqual(TransferFailure(ascpCode: 999, text: "").message, "ascp ended with 999.")
    XCTAssertEqual(TransferFailure(ascpCode: nil, text: "odd").message, "ascp ended without a code: odd.")
  }

  func testEachClassHasItsKindAndARemedy() {
    let kinds: [(Int?, String, TransferFailure.Kind)] = [
      (19, "failed to authenticate", .account), (51, "not who we expected", .hostKey),
      (34, "Token expired 3 seconds ago", .token(.expired)), (37, "undefined token", .token(.missing)),
      (34, "bad token Basic", .token(.rejected)), (34, "user mia denied by server", .authorization),
      (44, "refused", .transport), (43, "missing", .caller), (29, "no licence", .license), (28, "user", .cancelled),
      (25, "full", .other),
    ]
    for (code, text, kind) in kinds {
      let failure = TransferFailure(ascpCode: code, text: text)
      XCTAssertEqual(failure.kind, kind, text)
      XCTAssertTrue(failure.remedy.hasSuffix("."), text)
    }
  }

  func testTextIsASingleLineOfLimitedLength() {
    let failure = TransferFailure(
      ascpCode: 1, text: "a\u{1b}[31m b\r\n\tc\u{202e}d \u{0}e" + String(repeating: "x", count: 5000))
    XCTAssertTrue(failure.message.hasPrefix("ascp ended with 1 (FASP_PROTO): a [31m b c d e"), failure.message)
    XCTAssertLessThan(failure.message.count, 400)
  }

  // matrix: Aspera transfer (token): redaction
  func testSecretsAreMasked() {
    let text = """
      bad token ATM2_ACsqxvUGhA_2MTA, (ATB3_x), Basic ZGlhX2s6c2VjcmV0a2V5, Bearer eJyVjkEKwjAQRfc5 with pass-word \
      and my%20key, Authorization:Basic bWlhOm15LXNlY3JldA==
      """
    let failure = TransferFailure(ascpCode: 34, text: text, masking: [Secret("pass-word"), Secret("my key")])
    for secret in ["ATM2", "ATB3", "ZGlh", "eJyV", "pass-word", "my%20key", "bWlh"] {
      XCTAssertFalse(failure.message.contains(secret), failure.message)
    }
    XCTAssertTrue(failure.message.contains("bad token"), failure.message)
    XCTAssertEqual(
      TransferFailure(ascpCode: 34, text: "bad token Basic/Bearer seen").message,
      "ascp ended with 34 (UNAUTHORIZED): bad token Basic/Bearer seen.")
  }
}
