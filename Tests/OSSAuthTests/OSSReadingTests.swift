// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import OSSAuth
import SigningProperties
import StorageAuth
import XCTest

/// Parsing of signed requests by the OSS verifier: unique interpretation, size limits and masking.
final class OSSReadingTests: XCTestCase {
  private func code(_ request: HTTPRequest, against key: AccessKey = OSSFixture.key) throws -> VerificationError.Code? {
    try OSSFixture.refusal(request, against: key)?.code
  }

  // matrix: OSS V1: verify
  // matrix: OSS V4: verify
  func testSimilarPathsAreDifferentObjects() throws {
    let paths = [
      "/a/b", "/a//b", "/a/./b", "/a/../b", "/b", "/a%252Fb", "/a+b", "/a%20b", "/A/b", "/a/b/", "//a/b", "/a%00b",
    ]
    for version in OSSSignatureVersion.allCases {
      for path in paths {
        let signed = try OSSFixture.signed(version, OSSFixture.request(.get, path))
        XCTAssertNil(try code(signed), path)
        for other in paths where other != path {
          var moved = signed
          moved.path = other
          XCTAssertEqual(try code(moved), .mismatch, "\(version) \(path) as \(other)")
        }
      }
    }
  }

  // matrix: OSS V1: verify
  // matrix: OSS V4: verify
  func testPlusIsASpaceInAQueryAndLiteralInAPath() throws {
    for version in OSSSignatureVersion.allCases {
      var signed = try OSSFixture.signed(version, OSSFixture.request(.get, "/a?response-content-type=b%20c"))
      signed.path = "/a?response-content-type=b+c"
      XCTAssertNil(try code(signed))
      let claim = try XCTUnwrap(OSSVerifier().claim(in: signed))
      let proof = try OSSVerifier().verify(claim, against: OSSFixture.key, at: OSSFixture.date)
      XCTAssertEqual(proof.target["response-content-type"], "b c")
      signed.path = "/a?response-content-type=b%2Bc"
      XCTAssertEqual(try code(signed), .mismatch)
      let plus = try OSSFixture.signed(version, OSSFixture.request(.get, "/a+b"))
      XCTAssertEqual(try OSSVerifier().claim(in: plus).map { _ in try RequestTarget(of: plus).key }, "a+b")
    }
  }

  // matrix: OSS V1: verify
  // matrix: OSS V4: verify
  func testPercentEncodingIsDecodedOnce() throws {
    for version in OSSSignatureVersion.allCases {
      let signed = try OSSFixture.signed(version, OSSFixture.request(.get, "/a%252E%252E%252Fb?uploadId=%2525"))
      let claim = try XCTUnwrap(OSSVerifier().claim(in: signed))
      let target = try OSSVerifier().verify(claim, against: OSSFixture.key, at: OSSFixture.date).target
      XCTAssertEqual(target.key, "a%2E%2E%2Fb")
      XCTAssertEqual(target["uploadId"], "%25")
    }
  }

  // matrix: OSS V1: verify
  // matrix: OSS V4: verify
  func testDuplicateSignedParameterIsRejected() throws {
    for version in OSSSignatureVersion.allCases {
      let signed = try OSSFixture.signed(version, OSSFixture.request(.get, "/a?uploadId=1"))
      XCTAssertEqual(try code(signed.appending("uploadId=2")), .ambiguous)
      XCTAssertEqual(try code(signed.appending("uploadId=1")), .ambiguous)
      XCTAssertEqual(try code(signed.appending("upload%49d=2")), .ambiguous)
      let url = try OSSFixture.presigned(version)
      for name in version == .v1
        ? ["Expires", "OSSAccessKeyId", "Signature"]
        : ["x-oss-date", "x-oss-expires", "x-oss-credential", "x-oss-signature", "x-oss-signature-version"]
      {
        XCTAssertEqual(try code(url.appending("\(name)=1")), .ambiguous, name)
      }
    }
  }

  // matrix: OSS V1: verify, bad input
  // matrix: OSS V4: verify, bad input
  func testMalformedRequestIsRejected() throws {
    for version in OSSSignatureVersion.allCases {
      for path in [
        "/%", "/%2", "/%GG", "/a b", "/a#b", "/\u{e9}", "a", "", "*", "/%ff", "/a?%ff", "/a?b=%ff", "/a?b=%2",
      ] {
        var request = try OSSFixture.signed(version)
        request.path = path
        XCTAssertEqual(try code(request), .malformed, path)
      }
      for host in [nil, "", "a b", "a/b", "a@b", "a:b", "a:0", "a:99999", ":80", "[::1", "a?b", "[g]x"] {
        var request = try OSSFixture.signed(version)
        request.authority = host
        XCTAssertEqual(try code(request), .malformed, host ?? "none")
      }
    }
    for value in ["OSS", "OSS ", "OSS id", "OSS id:", "OSS :sig", "OSS4-HMAC-SHA256 ", "OSS4-HMAC-SHA256 x", " "] {
      var request = try OSSFixture.signed(.v4)
      request.headerFields[.authorization] = value
      XCTAssertNotNil(try code(request), value)
    }
    let v4 = try OSSFixture.signed(.v4)
    XCTAssertEqual(try code(v4.replacingInAuthorization(",Signature", with: ",Extra=1,Signature")), .malformed)
    XCTAssertEqual(try code(v4.replacingInAuthorization(",Signature", with: ",Signature=a,Signature")), .malformed)
    XCTAssertEqual(
      try code(v4.replacingInAuthorization(",Signature", with: ",AdditionalHeaders=,Signature")), .malformed)
    var hash = v4
    hash.headerFields[.named("x-oss-content-sha256")] = String(repeating: "a", count: 64)
    XCTAssertEqual(try code(hash), .unsupported)
  }

  // matrix: OSS V1: verify
  // matrix: OSS V4: verify
  func testSizeLimitsPrecedeParsing() throws {
    let giant = String(repeating: "a", count: 70_000)
    let many = (0..<5_000).map { "p\($0)" }.joined(separator: "&")
    for version in OSSSignatureVersion.allCases {
      for request in [try OSSFixture.signed(version), try OSSFixture.presigned(version)] {
        XCTAssertEqual(try code(request.adding("cookie", giant)), .limitExceeded)
        XCTAssertEqual(try code(request.adding("x-oss-meta-a", giant)), .limitExceeded)
        XCTAssertEqual(try code(request.appending(many)), .limitExceeded)
        XCTAssertEqual(try code(request.appending("a=" + giant)), .limitExceeded)
        var host = request
        host.authority = giant
        XCTAssertEqual(try code(host), .limitExceeded)
        var fields = request
        for index in 0..<200 { fields.headerFields.append(HTTPField(name: .cookie, value: "\(index)")) }
        XCTAssertEqual(try code(fields), .limitExceeded)
      }
    }
    let narrow = OSSVerifier(limits: VerificationLimits(pathByteCount: 7))
    XCTAssertEqual(try OSSFixture.refusal(OSSFixture.signed(.v4), by: narrow)?.code, .limitExceeded)
  }

  // matrix: OSS V1: verify
  // matrix: OSS V4: verify
  func testTemporaryKeyRequiresItsToken() throws {
    for version in OSSSignatureVersion.allCases {
      let temporary = OSSFixture.temporary
      let bare = AccessKey(id: temporary.id, secret: temporary.secret)
      let other = AccessKey(id: temporary.id, secret: temporary.secret, sessionToken: Secret("other"))
      let ended = AccessKey(
        id: temporary.id, secret: temporary.secret, sessionToken: temporary.sessionToken, expiration: OSSFixture.date)
      for (withToken, without) in [
        (try OSSFixture.signed(version, with: temporary), try OSSFixture.signed(version, with: bare)),
        (try OSSFixture.presigned(version, with: temporary), try OSSFixture.presigned(version, with: bare)),
      ] {
        XCTAssertNil(try code(withToken, against: temporary))
        XCTAssertEqual(try code(without, against: temporary), .missingToken)
        XCTAssertEqual(try code(withToken, against: bare), .invalidToken)
        XCTAssertEqual(try code(withToken, against: other), .invalidToken)
        XCTAssertEqual(try code(withToken, against: ended), .keyExpired)
      }
    }
    let long = try OSSSigner(.v4, bucket: "photos", region: "cn-hangzhou").presign(
      OSSFixture.request(), with: OSSFixture.key, validFor: .seconds(604_800), in: .at(OSSFixture.date)
    ).request().replacing("&x-oss-signature=", with: "&x-oss-security-token=CAIS%2Ftok%2Ben%3D%3D&x-oss-signature=")
    let temporary = AccessKey(id: OSSFixture.key.id, secret: "s", sessionToken: OSSFixture.token)
    XCTAssertEqual(try code(long, against: temporary), .malformed, "the limit is twelve hours")
  }

  // matrix: OSS V1: redaction
  // matrix: OSS V4: redaction
  func testMismatchErrorMasksTheToken() throws {
    let wrong = AccessKey(id: OSSFixture.temporary.id, secret: "other", sessionToken: OSSFixture.token)
    let encoded = "CAIS%2Ftok%2Ben%3D%3D"
    for version in OSSSignatureVersion.allCases {
      for request in [
        try OSSFixture.signed(version, with: OSSFixture.temporary),
        try OSSFixture.presigned(version, with: OSSFixture.temporary),
      ] {
        let error = try XCTUnwrap(OSSFixture.refusal(request, against: wrong))
        XCTAssertEqual(error.code, .mismatch)
        let comparison = try XCTUnwrap(error.comparison)
        XCTAssertEqual(comparison.canonicalRequest == nil, version == .v1)
        let shown = (comparison.canonicalRequest ?? "") + comparison.stringToSign
        XCTAssertTrue(shown.contains(Secret.mask), shown)
        var dumped = ""
        dump(error, to: &dumped)
        for text in [shown, "\(error)", dumped, String(reflecting: error)] {
          XCTAssertFalse(text.contains(OSSFixture.token), text)
          XCTAssertFalse(text.contains(encoded), text)
        }
      }
      // A token in a position without effect must be masked too.
      let misplaced = try OSSFixture.signed(
        version, OSSFixture.request(.get, "/a?x-oss-security-token=\(encoded)&security-token=\(encoded)"))
      let error = try XCTUnwrap(
        OSSFixture.refusal(misplaced, against: AccessKey(id: OSSFixture.key.id, secret: "other")))
      let shown = (error.comparison?.canonicalRequest ?? "") + (error.comparison?.stringToSign ?? "")
      XCTAssertEqual(error.code, .mismatch)
      XCTAssertFalse(shown.contains(OSSFixture.token) || shown.contains(encoded), shown)
    }
  }

  // matrix: OSS V1: verify
  // matrix: OSS V4: verify
  func testUnknownKeyIsReported() async throws {
    for version in OSSSignatureVersion.allCases {
      for request in [try OSSFixture.signed(version), try OSSFixture.presigned(version, with: OSSFixture.temporary)] {
        do {
          _ = try await OSSVerifier().verify(request, at: OSSFixture.date) { _ in nil }
          XCTFail("an unknown key was accepted")
        } catch let error as VerificationError {
          XCTAssertEqual(error.code, .unknownKey)
          XCTAssertNotNil(error.accessKeyID)
        }
        let proof = try await OSSVerifier().verify(request, at: OSSFixture.date) { id in
          [OSSFixture.key, OSSFixture.temporary].first { $0.id == id }
        }
        XCTAssertEqual(proof.target.key, "cat.jpg")
      }
    }
    XCTAssertNil(try OSSVerifier().claim(in: OSSFixture.request()))
  }

  // matrix: OSS V1: verify
  // matrix: OSS V4: verify
  func testClaimIsVerifiedOnlyByTheVerifierThatParsedIt() throws {
    for version in OSSSignatureVersion.allCases {
      let claim = try XCTUnwrap(OSSVerifier().claim(in: OSSFixture.signed(version)))
      XCTAssertEqual(
        try OSSVerifier().verify(claim, against: OSSFixture.key, at: OSSFixture.date).target.key, "cat.jpg")
      for other in [OSSVerifier(style: .path), OSSVerifier(bucket: "other"), OSSVerifier(acceptsAmbiguousV1: true)] {
        XCTAssertThrowsError(try other.verify(claim, against: OSSFixture.key, at: OSSFixture.date)) {
          XCTAssertEqual(($0 as? VerificationError)?.code, .malformed)
        }
      }
    }
  }
}
