// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import S3Auth
import StorageAuth
import XCTest

/// Tests a verifier whose signatures must cover the body.
final class S3CoveredBodyTests: XCTestCase {
  // matrix: S3 V4: verify, bad input
  func testVerifierForCoveredBodiesRefusesURLsWithABody() throws {
    let strict = S3Verifier(region: S3Fixture.region, allowsUnsignedPayload: false)
    for method in [HTTPRequest.Method.put, .post, .patch] {
      let url = try S3Fixture.presigned(S3Fixture.request(method))
      XCTAssertNil(S3Fixture.refusal(url), "\(method)")
      let named = try S3Fixture.presigned(S3Fixture.request(method, "/a", [.contentLength: "0"]))
      let hash = url.adding("x-amz-content-sha256", S3Payload.bytes([1]).text)
      for request in [url, named, hash, url.setting("content-length", "0")] {
        S3Fixture.assertRefused(request, .unsupported, "InvalidRequest", by: strict, "\(method)")
      }
    }
    for method in [HTTPRequest.Method.get, .head, .delete, .options] {
      let url = try S3Fixture.presigned(S3Fixture.request(method))
      XCTAssertNil(S3Fixture.refusal(url, by: strict), "\(method)")
      XCTAssertNil(S3Fixture.refusal(url.setting("content-length", "0"), by: strict), "\(method)")
      for (name, value) in [("content-length", "5"), ("content-length", "00"), ("transfer-encoding", "chunked")]
        as [(StaticString, String)]
      {
        S3Fixture.assertRefused(url.setting(name, value), .unsupported, "InvalidRequest", by: strict, "\(method)")
      }
    }
    XCTAssertNil(S3Fixture.refusal(try S3Fixture.signed(S3Fixture.request(.put), .bytes([1])), by: strict))
  }
}
