// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import S3Auth
import StorageAuth
import XCTest

/// Tests access key IDs as S3-compatible servers issue them, which contain what separates other parts elsewhere.
final class S3KeyIDTests: XCTestCase {
  private static let ids = [
    "user@example.test/sub=1", "a/b/c", "a/20261120/eu-central-1/s3/aws4_request", "/", "a/", "/a", "=", "a=b", "a;b",
    "a:b", "a&b", "a%2Fb", "a%", "\"a\"", "a+b", "uid$tenant", "a|b", "~", "Credential=a",
  ]

  // matrix: S3 V4: header, presign
  func testIDsSurviveHeadersURLsAndForms() async throws {
    for id in Self.ids {
      let key = AccessKey(
        id: id, secret: "secret-of-\(id)", sessionToken: id.utf8.count.isMultiple(of: 2) ? "t/=" : nil)
      for request in [try S3Fixture.signed(with: key), try S3Fixture.presigned(with: key)] {
        XCTAssertEqual(try S3Fixture.verifier.claim(in: request)?.accessKeyID.string, id)
        XCTAssertNil(S3Fixture.refusal(request, against: key), id)
        let other = AccessKey(id: id, secret: "another", sessionToken: key.sessionToken?.reveal())
        XCTAssertEqual(S3Fixture.refusal(request, against: other)?.code, .mismatch, id)
        let proof = try await S3Fixture.verifier.verify(request, at: S3Fixture.date) { $0.string == id ? key : nil }
        XCTAssertEqual(proof.accessKeyID.string, id)
      }
      let signer = S3Fixture.signer()
      let split = try signer.prepare(S3Fixture.request(), as: key.identity, in: .at(S3Fixture.date))
      XCTAssertNoThrow(try signer.finish(split, signature: String(repeating: "0", count: 64)), id)
    }
  }

  func testIDsThatTheHeaderCannotCarryAreRefused() {
    for id in ["a,b", "a b", " a", "a\n", "a\t", "ä", ""] {
      let key = AccessKey(id: id, secret: "secret")
      XCTAssertThrowsError(try S3Fixture.signed(with: key), id)
      XCTAssertThrowsError(try S3Fixture.presigned(with: key), id)
    }
  }
}
