// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import XCTest

/// Tests the classification of ascp's error codes and messages.
final class AscpErrorCodeTests: XCTestCase {
  /// The codes that are classified differently than by aspera-cli, with the reason.
  private static let deviations: [Int: String] = [
    37: "it is used for the same rejections as 34: the text decides, and the same token is not tried again"
  ]

  func testTableEqualsTheVectors() throws {
    let rows = try SpecificationVectors("error_codes").cases("table")
    XCTAssertEqual(AscpErrorCode.all.count, 67)
    XCTAssertEqual(rows.count, AscpErrorCode.all.count)
    for row in rows {
      let number = try XCTUnwrap(row["code"]?.integer)
      let code = try XCTUnwrap(AscpErrorCode(number))
      XCTAssertEqual(code.code, number)
      XCTAssertEqual(code.name, row["name"]?.string)
      let isRetryable = try XCTUnwrap(row["retryable_aspera_cli"]?.bool)
      XCTAssertEqual(code.isRetryable == isRetryable, Self.deviations[number] == nil, "\(number)")
      try checkSuggestion(row["suggested_queue_class"]?.string, code)
    }
    XCTAssertNil(AscpErrorCode(67))
    XCTAssertNil(AscpErrorCode(-1))
  }

  private func checkSuggestion(_ suggestion: String?, _ code: AscpErrorCode) throws {
    guard let suggestion else { return }
    let classes: [(String, AscpFailureClass)] = [
      ("caller error", .caller), ("transport", .transport), ("accountAuthentication", .account),
      ("hostKeyMismatch", .hostKey), ("token/authorization", .authorizationDenied),
    ]
    let expected = try XCTUnwrap(classes.first { suggestion.hasPrefix($0.0) }, suggestion)
    XCTAssertEqual(code.failureClass, expected.1, suggestion)
  }

  func testTokenErrorsAreClassifiedByTheirText() throws {
    let names: [String: AscpFailureClass] = [
      "token": .tokenRejected, "tokenMissing": .tokenMissing, "tokenExpired": .tokenExpired,
      "authorizationDenied": .authorizationDenied,
    ]
    let vectors = try SpecificationVectors("management_frames").block["token_error_texts"]?["frames"]?.array
    for vector in try XCTUnwrap(vectors) {
      var parser = ManagementFrameParser()
      guard case .frame(let frame)? = parser.feed(try XCTUnwrap(vector["text"]?.string).utf8).first else {
        return XCTFail("no frame")
      }
      XCTAssertEqual(frame.failureClass, names[try XCTUnwrap(vector["class"]?.string)])
      let isCuredByToken = [.tokenExpired, .tokenRejected, .tokenMissing].contains(frame.failureClass)
      XCTAssertEqual(isCuredByToken, vector["refresh"]?.bool)
    }
    let texts: [(String, AscpFailureClass)] = [
      ("Token expired 12 seconds ago", .tokenExpired), ("TOKEN INVALID", .tokenRejected),
      ("Authorization refused: undefined token", .tokenMissing), ("bad token Basic", .tokenRejected),
      ("no token was presented", .tokenMissing), ("the token presented is invalid", .tokenRejected),
      ("could not validate token", .tokenRejected),
      ("token does not match direction", .authorizationDenied), ("Token doesn't match file-list", .authorizationDenied),
      ("token user-name mismatch", .authorizationDenied), ("stronger encryption required", .authorizationDenied),
      ("user token denied by server", .authorizationDenied), ("user tokenuser denied", .authorizationDenied),
      ("Tags missing, token authentication failed", .authorizationDenied), ("", .authorizationDenied),
      ("token of a kind that nobody knows", .authorizationDenied),
      ("token denied by server: direction mismatch", .authorizationDenied),
      ("invalid token, file list does not match", .authorizationDenied),
    ]
    for (text, expected) in texts {
      for code in [34, 37] { XCTAssertEqual(AscpErrorCode.classify(code: code, text: text), expected, text) }
    }
  }

  func testTextDoesNotOverrideOtherCodes() {
    XCTAssertEqual(AscpErrorCode.classify(code: 19, text: "token expired"), .account)
    XCTAssertEqual(AscpErrorCode.classify(code: 51, text: "token denied"), .hostKey)
    XCTAssertEqual(AscpErrorCode.classify(code: 14, text: "Connection refused"), .transport)
    XCTAssertEqual(AscpErrorCode.classify(code: 14, text: "Target address not available"), .caller)
    XCTAssertEqual(AscpErrorCode.classify(code: 4711, text: "token denied"), .other)
  }

  func testObservedOutcomesAreClassified() throws {
    let classes: [Int: AscpFailureClass] = [
      19: .account, 4: .caller, 51: .hostKey, 44: .transport, 12: .transport, 43: .caller, 8: .caller,
    ]
    for outcome in try SpecificationVectors("observed_ascp_outcomes").cases() {
      guard let code = outcome["code"]?.integer, let text = outcome["description"]?.string else { continue }
      XCTAssertEqual(AscpErrorCode.classify(code: code, text: text), classes[code], text)
    }
  }

  func testWithoutACodeTheTextDecides() {
    let texts: [(String, AscpFailureClass)] = [
      ("ascp: failed to authenticate, exiting.", .account), ("Remote host is not who we expected", .hostKey),
      ("Failed to open TCP connection for SSH", .transport), ("License expired", .license),
      ("bearer token has expired", .tokenExpired), ("something", .other),
      ("/data/license.txt: connection lost", .transport), ("token expired, timeout of the session", .tokenExpired),
    ]
    for (text, expected) in texts { XCTAssertEqual(AscpErrorCode.classify(code: nil, text: text), expected, text) }
  }
}
