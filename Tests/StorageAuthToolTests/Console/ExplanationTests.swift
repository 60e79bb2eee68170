// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import LocalCloud
import StorageAuth
import XCTest

/// The explanations of rejected signatures that the console shows, with the strings of both sides.
final class ExplanationTests: XCTestCase {
  /// The differing parts of the rows of a string: the client's and the service's.
  private func differences(_ detail: JSONValue, _ name: String = "Canonical request") -> [[String?]] {
    let strings = detail["strings"]?.array?.first { $0["name"]?.string == name }
    return (strings?["rows"]?.array ?? []).filter { $0["differs"]?.bool == true }.map { row in
      [row["client"]?[1]?.string, row["service"]?[1]?.string]
    }
  }

  private func names(_ detail: JSONValue) -> [String?] { detail["strings"]?.array?.map { $0["name"]?.string } ?? [] }

  // matrix: OSS V4: diagnosis
  // matrix: COS V5: diagnosis
  // matrix: S3 V4: diagnosis
  // matrix: Console: rejected signatures
  func testChangedContentTypeIsProvenByTheSignature() async throws {
    let bench = try await ConsoleBench(self)
    for provider in LocalCloud.Provider.allCases {
      var request = try bench.request(.put, "type-\(provider)", of: provider)
      request.headerFields[.contentType] = "text/plain"
      var changed = try bench.sign(request, of: provider)
      changed.headerFields[.contentType] = "text/plain; charset=utf-8"
      let (summary, detail) = try await bench.explanation(of: changed)
      XCTAssertEqual(summary["cause"]?.string, "content type changed", "\(provider)")
      XCTAssertEqual(detail["basis"]?.string, "proven")
      XCTAssertEqual(detail["line"]?.string, "Content-Type")
      let found = differences(detail)
      XCTAssertEqual(found.count, 1, "\(provider): \(detail)")
      XCTAssertEqual(found.first?.first, "")
      XCTAssertTrue(found.first?.last??.contains("charset") ?? false, "\(found)")
      XCTAssertEqual(names(detail), ["String to sign", "Canonical request"])
    }
  }

  func testAddedHeaderAndRewrittenPathAreFound() async throws {
    let bench = try await ConsoleBench(self)
    let changes: [(String, (inout HTTPRequest) -> Void)] = [
      ("content type added", { $0.headerFields[.contentType] = "image/png" }),
      ("plus for space", { $0.path = $0.path?.replacing("%20", with: "+") }),
      ("encoded twice", { $0.path = $0.path?.replacing("%20", with: "%2520") }),
      ("method changed", { $0.method = .put }),
    ]
    for (cause, change) in changes {
      var request = try bench.signed("my cat \(cause.split(separator: " ")[0])", of: .oss)
      change(&request)
      let (summary, detail) = try await bench.explanation(of: request)
      XCTAssertEqual(summary["cause"]?.string, cause)
      XCTAssertEqual(detail["basis"]?.string, "proven", cause)
      XCTAssertEqual(differences(detail).count, 1, "\(cause): \(detail)")
    }
  }

  // matrix: Console: rejected signatures
  func testWrongSecretIsToldApartFromAnotherString() async throws {
    let bench = try await ConsoleBench(self)
    for provider in LocalCloud.Provider.allCases {
      for (wrong, words, basis) in [
        (ConsoleBench.other.secret.reveal(), "LTAIother", "proven"), ("LTAItest", "access key ID", "proven"),
        ("unknown", "No likely change", "unknown"),
      ] {
        let key = AccessKey(id: ConsoleBench.key.id, secret: Secret(wrong))
        let request = try bench.sign(
          bench.request(.get, "secret-\(words.count)-\(provider)", of: provider), of: provider, with: key)
        let (summary, detail) = try await bench.explanation(of: request)
        XCTAssertEqual(
          summary["cause"]?.string, basis == "proven" ? "wrong secret" : "wrong secret, or another string")
        XCTAssertTrue(detail["text"]?.string?.contains(words) ?? false, "\(provider) \(words): \(detail)")
        XCTAssertEqual(detail["basis"]?.string, basis)
        XCTAssertEqual(detail["strings"]?[0]?["pair"]?.bool, basis == "proven")
        XCTAssertEqual(differences(detail).count, 0)
      }
    }
  }

  func testWrongClockAndRegionAreShownInTheStringToSign() async throws {
    let bench = try await ConsoleBench(self)
    let late = ConsoleBench.now.advanced(by: .seconds(-172_800))
    for provider in LocalCloud.Provider.allCases {
      let clock = try bench.sign(bench.request(.get, "clock-\(provider)", of: provider), of: provider, at: late)
      let (summary, detail) = try await bench.explanation(of: clock)
      XCTAssertEqual(summary["cause"]?.string, provider == .cos ? "expired" : "clock skew", "\(detail)")
      XCTAssertEqual(detail["basis"]?.string, "stated")
      if provider != .cos { XCTAssertEqual(differences(detail, "String to sign").count, 1, "\(detail)") }
      if provider == .cos { continue }
      let region = try bench.sign(
        bench.request(.get, "region-\(provider)", of: provider), of: provider, region: "eu-nowhere-1")
      let (there, why) = try await bench.explanation(of: region)
      XCTAssertEqual(there["cause"]?.string, "wrong region")
      let scope = differences(why, "String to sign")
      XCTAssertEqual(scope.count, 1, "\(provider) \(why)")
      XCTAssertEqual(why["strings"]?[0]?["pair"]?.bool, true)
    }
  }

  func testRegionOfAPresignedURLIsComparedWithTheRequiredOne() async throws {
    let bench = try await ConsoleBench(self)
    var request = try bench.request(.get, "presigned", of: .s3)
    request.path =
      (request.path ?? "")
      + "?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=LTAItest%2F20261121%2Feu-nowhere-1%2Fs3%2Faws4_request"
      + "&X-Amz-Date=\(ConsoleBench.now.iso8601Basic)&X-Amz-Expires=60&X-Amz-SignedHeaders=host&X-Amz-Signature="
      + String(repeating: "a", count: 64)
    let (summary, detail) = try await bench.explanation(of: request)
    XCTAssertTrue(["wrong region", "wrong day"].contains(summary["cause"]?.string), "\(detail)")
    XCTAssertEqual(summary["presigned"]?.bool, true)
    XCTAssertFalse("\(detail) \(summary)".contains("aaaaaaaa"))
  }

  func testUnknownKeyAndUnsignedRequestAreExplained() async throws {
    let bench = try await ConsoleBench(self)
    let stranger = AccessKey(id: "LTAIstranger", secret: "x")
    let request = try bench.sign(bench.request(.get, "stranger", of: .oss), of: .oss, with: stranger)
    let (summary, detail) = try await bench.explanation(of: request)
    XCTAssertEqual(summary["cause"]?.string, "unknown key ID")
    XCTAssertEqual(detail["strings"]?[0]?["pair"]?.bool, false)
    XCTAssertEqual(detail["strings"]?[0]?["rows"]?[0]?["client"], .null, "the client's string is unknown")
    var events = try await bench.events()
    try await bench.send(bench.request(.get, "unsigned", of: .oss))
    var unsigned = try await events.next("request")
    while unsigned["key"]?.string != "unsigned" { unsigned = try await events.next("request") }
    XCTAssertEqual([unsigned["code"]?.string, unsigned["authorization"]?.string], ["AccessDenied", "rejected"])
  }

  // matrix: OSS V4: redaction
  // matrix: COS V5: redaction
  // matrix: S3 V4: redaction
  // matrix: Console: masking
  func testNoEventAndNoExplanationContainsASecretATokenOrASignature() async throws {
    let bench = try await ConsoleBench(self)
    var marks = ["M4RK"]
    for provider in LocalCloud.Provider.allCases {
      for (number, secret) in [
        ConsoleBench.temporary.secret.reveal(), "wrong", ConsoleBench.other.secret.reveal(),
      ].enumerated() {
        let key = AccessKey(
          id: ConsoleBench.temporary.id, secret: Secret(secret), sessionToken: ConsoleBench.temporary.sessionToken)
        for type in [nil, "text/plain"] {
          var request = try bench.sign(
            bench.request(.put, "\(provider)-\(number)-\(type ?? "none")", of: provider), of: provider, with: key)
          request.headerFields[.contentType] = type
          let signature = request.headerFields[.authorization]?.components(separatedBy: "ignature=").last
          marks.append(try XCTUnwrap(signature.map { String($0.prefix(24)) }))
          try await bench.send(request)
        }
      }
    }
    var events = try await bench.events()
    var seen = ""
    for _ in 0..<18 {
      let summary = try await events.next("request")
      let detail = try await bench.text("requests/\(try XCTUnwrap(summary["n"]?.integer))")
      seen += String(decoding: summary.serialized, as: UTF8.self) + detail
    }
    XCTAssertTrue(seen.contains("security-token"), "tokens are part of the signed strings")
    for mark in marks { XCTAssertFalse(seen.contains(mark), mark) }
    XCTAssertFalse(seen.contains("of%3Dthe"), "the token is masked in its percent-encoded form too")
  }

  // matrix: Console: limits
  func testRequestWithManyPartsIsNotSearched() async throws {
    let bench = try await ConsoleBench(self)
    for (count, basis) in [(10, "proven"), (100, "unknown")] {
      var request = try bench.request(.get, "many-\(count)", of: .oss)
      request.path = (request.path ?? "") + "?" + (0..<count).map { "p\($0)=1" }.joined(separator: "&")
      request = try bench.sign(request, of: .oss)
      request.headerFields[.contentType] = "image/png"
      let (_, detail) = try await bench.explanation(of: request)
      XCTAssertEqual(detail["basis"]?.string, basis, "\(count) parameters")
    }
  }
}
