// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import OSSAuth
import StorageAuth
import StorageDiagnosis
import XCTest

/// Diagnosis of responses that no service was observed to send, and the page of causes.
final class DiagnosisTextTests: XCTestCase {
  func testReorderedParametersAreNamed() throws {
    let signed = try Provocation.request(.get, "/a?b=1&c=2").oss()
    let text = """
      GET
      /photos/a
      c=2&b=1
      x-oss-content-sha256:UNSIGNED-PAYLOAD
      x-oss-date:\(Provocation.now.iso8601Basic)


      UNSIGNED-PAYLOAD
      """
    assertDiagnosis(
      SignatureDiagnosis(of: RejectedResponse(text), to: signed, signedFor: .oss()), .otherDifference, sent: "b=1&c=2",
      received: "c=2&b=1")
  }

  /// Some regions of OSS are reported to show only the string to sign for V4.
  func testHashIdentifiesCommonChanges() throws {
    let rows: [(HTTPRequest, SignatureDiagnosis.Cause, String, (inout HTTPRequest) -> Void)] = [
      (Provocation.request(.put, "/a"), .contentTypeAdded, "Content-Type", { $0["Content-Type"] = "text/plain" }),
      (
        Provocation.request(.put, "/a", ["Content-Type": "text/xml"]), .contentTypeChanged, "Content-Type",
        { $0["Content-Type"] = "text/xml; charset=utf-8" }
      ),
      (Provocation.request(.get, "/my%20cat?acl"), .plusForSpace, "path", { $0.path = "/my+cat?acl" }),
      (Provocation.request(.get, "/my%20cat"), .encodedTwice, "path", { $0.path = "/my%2520cat" }),
      (Provocation.request(.get, "/a//b/../c"), .dotsResolved, "path", { $0.path = "/a/c" }),
      (Provocation.request(.head, "/a"), .methodChanged, "method", { $0.method = .get }),
      (Provocation.request(.get, "/a?acl&b=1"), .parameterRemoved, "query parameter b", { $0.path = "/a?acl" }),
      (
        Provocation.request(.put, "/a", ["x-oss-meta-a": "1"]), .headerRemoved, "header x-oss-meta-a",
        {
          $0["x-oss-meta-a"] = nil
        }
      ),
    ]
    for (request, cause, line, change) in rows {
      let signed = try request.oss()
      var seen = request
      change(&seen)
      let text = try OSSSigner(region: "cn-hangzhou").prepare(
        seen, as: Provocation.key.identity, in: .at(Provocation.now)
      ).stringToSign
      assertDiagnosis(SignatureDiagnosis(of: RejectedResponse(text), to: signed, signedFor: .oss()), cause, line: line)
    }
    let signed = try Provocation.request(.get, "/a").oss()
    let other = try OSSSigner(region: "cn-hangzhou").prepare(
      Provocation.request(.get, "/something"), as: Provocation.key.identity, in: .at(Provocation.now))
    let diagnosis = SignatureDiagnosis(of: RejectedResponse(other.stringToSign), to: signed, signedFor: .oss())
    assertDiagnosis(diagnosis, .hiddenDifference)
    XCTAssertTrue(diagnosis?.explanation.contains("only the hash") ?? false)
  }

  func testMissingTrailingSlashIsNoMissingPrefix() throws {
    let signed = try Provocation.request(.get, "/").oss(.v1)
    let text = "GET\n\n\n\(Provocation.now.httpDate)\n/photos"
    assertDiagnosis(
      SignatureDiagnosis(of: RejectedResponse(text), to: signed, signedFor: .oss()), .pathChanged, line: "path",
      sent: "/photos/", received: "/photos")
  }

  func testJoinedHeaderLinesAreNoOtherFormOfTheirCharacters() throws {
    let signed = try Provocation.request(.get, "/a").oss(.v1)
    let start = "GET\n\n\n\(Provocation.now.httpDate)\n"
    assertDiagnosis(
      SignatureDiagnosis(
        of: RejectedResponse(start + "x-oss-meta-a:b, b\n/photos/a"), to: signed, signedFor: .oss(),
        stringToSign: start + "x-oss-meta-a:b\nx-oss-meta-a:b\n/photos/a"), .headerChanged,
      line: "header x-oss-meta-a", sent: "b, b", received: "b, b")
  }

  func testPageListsEveryCause() throws {
    let page = try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(
          path: "Sources/Core/StorageDiagnosis/StorageDiagnosis.docc/Explain.md"),
      encoding: .utf8)
    for cause in SignatureDiagnosis.Cause.allCases {
      XCTAssertTrue(page.contains("\n| `\(cause.rawValue)` | "), cause.rawValue)
    }
  }

  func testControlCharactersAreEscaped() throws {
    let signed = try Provocation.request(.get, "/a").oss(.v1)
    let text = "GET\n\n\u{1B}[2Jx\n\(Provocation.now.httpDate)\n/photos/a"
    XCTAssertEqual(
      SignatureDiagnosis(of: RejectedResponse(text), to: signed, signedFor: .oss())?.received, "\\u{1B}[2Jx")
  }

  func testTokenInAServicesResponseIsMasked() throws {
    let signed = try Provocation.request(.get, "/a").oss(.v1, with: Provocation.temporaryKey)
    func diagnosis(_ token: String) -> SignatureDiagnosis? {
      let text = "GET\n\n\n\(Provocation.now.httpDate)\nx-oss-security-token:\(token)\n/photos/a"
      return SignatureDiagnosis(of: RejectedResponse(text), to: signed, signedFor: .oss())
    }
    assertDiagnosis(diagnosis(Provocation.token), .unknown)
    let other = diagnosis("the-token-of-another")
    assertDiagnosis(
      other, .tokenOfAnotherKey, line: "header x-oss-security-token", sent: Secret.mask, received: Secret.mask)
    XCTAssertFalse(other?.description.contains("the-token-of-another") ?? true)
    assertDiagnosis(diagnosis("***"), .unknown)
  }

  func testTokenInAnUnexpectedPositionIsMasked() throws {
    let url = try OSSSigner(.v1).presign(
      Provocation.request(.get, "/what%253Fx"), with: Provocation.temporaryKey, validFor: .seconds(60),
      in: .at(Provocation.now))
    for resource in [
      "/photos/what?x?security-token=\(Provocation.token)", "/photos/what?x?security-token=another-token",
      "/photos/\(Provocation.token)?security-token=\(Provocation.token)",
    ] {
      let end = Provocation.now.advanced(by: .seconds(60)).unixSeconds
      let text = "GET\n\n\n\(end)\n\(resource)"
      let diagnosis = SignatureDiagnosis(of: RejectedResponse(text), to: url.request, signedFor: .oss())
      let shown = "\(diagnosis as Any) \(String(reflecting: diagnosis)) \(diagnosis?.otherLines ?? [])"
      XCTAssertEqual(diagnosis?.line, "path", shown)
      XCTAssertEqual([Provocation.token, "another-token"].filter(shown.contains), [])
    }
  }
}
