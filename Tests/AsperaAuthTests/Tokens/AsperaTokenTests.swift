// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import StorageCrypto
import XCTest

/// Tests the kinds, expiration and descriptions of tokens.
final class AsperaTokenTests: XCTestCase {
  // matrix: Aspera transfer (token): bad input
  func testKindsOfTheVectors() throws {
    let cases = try XCTUnwrap(TokenVectors()["token_kinds"]["cases"]?.array)
    XCTAssertEqual(cases.count, 7)
    for item in cases {
      let text = try XCTUnwrap(item["token"]?.string)
      switch try XCTUnwrap(item["kind"]?.string) {
      case "empty": assertRefused(.invalidToken, "is empty") { try AsperaToken(Secret(text)) }
      case "invalid": assertRefused(.invalidToken, "line break") { try AsperaToken(Secret(text)) }
      case let kind:
        let token = try AsperaToken(Secret(text))
        XCTAssertEqual(token.kind.rawValue, kind, text)
        XCTAssertNil(token.note, text)
        XCTAssertEqual(token.secret.reveal(), text)
      }
    }
  }

  func testTruncatedTransferTokenIsNotATransferToken() throws {
    let whole = "ATM2_ACscsRUiIj8bJco62NaQ8c5Qohsasyg3mGs68_2MTA"
    XCTAssertEqual(try AsperaToken(Secret(whole)).kind, .transfer)
    for text in [
      String(whole.dropLast()), String(whole.dropLast(5)), "ATM2_AAAA_2BTA", "ATM2_AAAA_3MTA", "ATM2__2MTA",
      "ATM2_2MTA",
      "ATM2_", "ATM2_AAAA2MTA", whole + "A",
    ] {
      let token = try AsperaToken(Secret(text))
      XCTAssertEqual(token.kind, .other, text)
      XCTAssertTrue(try XCTUnwrap(token.note, text).contains("_2MTA"), text)
      XCTAssertTrue("\(token)".contains("truncated"), "\(token)")
    }
    for text in ["ATM1_A_1MTA", "ATX2_A_2XTA", "ATM5_A_5MTA", "ATM2-A_2MTA", "atm2_A_2mta", "basic abc", "x", "é"] {
      let token = try AsperaToken(Secret(text))
      XCTAssertEqual(token.kind, .other, text)
      XCTAssertNil(token.note, text)
    }
  }

  func testBasicTokensOfTheVectorsAreEncodedInOneLine() throws {
    let cases = try XCTUnwrap(TokenVectors()["basic_tokens"]["cases"]?.array)
    XCTAssertEqual(cases.count, 4)
    for item in cases {
      let (id, secret) = (try XCTUnwrap(item["access_key"]?.string), try XCTUnwrap(item["secret"]?.string))
      let token = try AsperaToken.basic(accessKey: id, secret: Secret(secret))
      XCTAssertEqual(token.secret.reveal(), item["token"]?.string)
      XCTAssertEqual(token.kind, .basic)
      XCTAssertNil(token.expiration)
      XCTAssertEqual("\(token)", "AsperaToken(basic, access key: \(id))")
    }
  }

  func testAccessKeyThatATokenCannotCarryIsRejected() {
    for (id, secret, says) in [
      ("a:b", "secret0canary", "colon"), ("", "secret0canary", "is empty"), ("ak", "", "is empty"),
      ("a\nb", "secret0canary", "line break"), ("ak", "secret0canary\n", "line break"), ("ak", "a\u{7f}", "control"),
    ] {
      assertRefused(.invalidToken, says) { try AsperaToken.basic(accessKey: id, secret: Secret(secret)) }
    }
  }

  // matrix: Aspera transfer (token): expiry
  func testExpirationIsReadFromBearerTokensOnly() throws {
    let vectors = try TokenVectors()
    let header = try vectors.text("node_bearer_token", "authorization_header")
    XCTAssertEqual(try AsperaToken(Secret(header)).expiration, Timestamp(iso8601: "2030-01-01T00:00:00Z"))
    XCTAssertNil(try AsperaToken(Secret("Bearer eJwlysmuolgAgOE9T1FxS1Uz")).expiration)
    XCTAssertNil(try AsperaToken(Secret("ATB3_AAAA_3BTA")).expiration)
    let told = Timestamp(unixSeconds: 1_900_000_000)
    XCTAssertEqual(try AsperaToken(Secret("ATB3_AAAA_3BTA"), expiration: told).expiration, told)
    XCTAssertEqual(try AsperaToken(Secret(header), expiration: told).expiration, told)
  }

  func testExpirationOfAJSONWebTokenIsRead() throws {
    // {"exp":1900000000}, {"exp":1900000000.75}, {"exp":"soon"}, {"sub":"a"}, [], and text that is not JSON
    let cases: [(payload: String, end: Int64?)] = [
      (#"{"exp":1900000000}"#, 1_900_000_000), (#"{"exp":1900000000.75}"#, 1_900_000_000),
      (#"{"sub":"ÿþ??>>","exp":1900000001}"#, 1_900_000_001), (#"{"exp":"soon"}"#, nil), (#"{"exp":1e300}"#, nil),
      (#"{"exp":null}"#, nil), (#"{"sub":"a"}"#, nil), ("[]", nil), ("{", nil), ("", nil),
    ]
    for (payload, end) in cases {
      let token = "Bearer eyJhbGciOiJSUzI1NiJ9.\(base64URL(payload)).c2lnbmF0dXJl"
      XCTAssertEqual(try AsperaToken(Secret(token)).expiration?.unixSeconds, end, payload)
    }
    for token in ["Bearer a.b", "Bearer a.b.c.d", "Bearer ..", "Bearer !.!.!", "Bearer .e30.", "Bearer "] {
      XCTAssertNil(try AsperaToken(Secret(token)).expiration, token)
    }
  }

  func testBearerTokenWithoutItsPrefixIsNoted() throws {
    let bare = try TokenVectors().text("node_bearer_token", "token")
    let token = try AsperaToken(Secret(bare))
    XCTAssertEqual(token.kind, .other)
    XCTAssertTrue(try XCTUnwrap(token.note).contains("word Bearer"))
  }

  // matrix: Aspera transfer (token): redaction
  func testDescriptionsDistinguishTokensWithoutShowingThem() throws {
    let end = Timestamp(unixSeconds: 1_900_000_000)
    let texts = [
      "ATM2_c4nary0transfer_2MTA", "ATM2_c4nary0transfer", "Basic YWs6c4nary0secret", "Bearer c4nary0bearer",
      "c4nary0other",
    ]
    for text in texts {
      let token = try AsperaToken(Secret(text), expiration: end)
      XCTAssertEqual(DisplayedTexts(of: token).containing(["c4nary0"]), [], text)
      XCTAssertEqual(DisplayedTexts(of: TransferCredential(token: token)).containing(["c4nary0"]), [], text)
      XCTAssertTrue("\(token)".contains("expiration: \(end)"))
      XCTAssertTrue("\(token)".contains(token.kind.rawValue))
    }
    let (first, second) = (try AsperaToken(Secret(texts[0])), try AsperaToken(Secret(texts[3])))
    XCTAssertNotEqual(first.fingerprint, second.fingerprint)
    XCTAssertEqual(first.fingerprint, String(SHA256.hash(Array(texts[0].utf8)).hex.prefix(8)))
    XCTAssertTrue("\(first)".contains(try XCTUnwrap(first.fingerprint)))
  }

  func testBasicTokenHasNoFingerprint() throws {
    let token = try AsperaToken(Secret("Basic YWs6c2VjcmV0"))
    XCTAssertNil(token.fingerprint)
    XCTAssertEqual("\(token)", "AsperaToken(basic, access key: ak)")
    XCTAssertEqual("\(try AsperaToken(Secret("Basic c2VjcmV0")))", "AsperaToken(basic)")
    XCTAssertEqual("\(try AsperaToken(Secret("Basic not base64")))", "AsperaToken(basic)")
  }

  private func base64URL(_ text: String) -> String {
    String(writing: { $0.append(base64: Array(text.utf8)) })
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}
