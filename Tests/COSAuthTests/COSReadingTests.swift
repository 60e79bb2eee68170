// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import SigningProperties
import StorageAuth
import XCTest

/// Parsing of signed requests by the COS verifier in both modes: unique interpretation, size limits and masking.
final class COSReadingTests: XCTestCase {
  private func code(
    _ request: HTTPRequest, _ mode: COSVerifier.Mode, against key: AccessKey = COSFixture.key
  ) throws -> VerificationError.Code? {
    try COSFixture.refusal(request, mode, against: key)?.code
  }

  // matrix: COS V5: verify
  func testSimilarPathsAreDifferentObjects() throws {
    let paths = [
      "/a/b", "/a//b", "/a/./b", "/a/../b", "/b", "/a%252Fb", "/a+b", "/a%20b", "/A/b", "/a/b/", "//a/b", "/a%00b",
    ]
    for mode in COSFixture.modes {
      for path in paths {
        let signed = try COSFixture.signed(COSFixture.request(.get, path))
        XCTAssertNil(try code(signed, mode), path)
        for other in paths where other != path {
          var moved = signed
          moved.path = other
          XCTAssertEqual(try code(moved, mode), .mismatch, "\(mode) \(path) as \(other)")
        }
      }
    }
  }

  // matrix: COS V5: verify
  func testLineBreakInAKeyDoesNotInjectALine() throws {
    let policy = COSHeaderPolicy.only([])
    let signed = try COSFixture.signed(COSFixture.request(.get, "/a%0Aacl="), policy: policy)
    XCTAssertNil(try code(signed, .compatible))
    for other in ["/a?acl", "/a?acl=", "/a", "/a%0Aacl=%0A"] {
      var moved = signed
      moved.path = other
      XCTAssertNotNil(try code(moved, .compatible), other)
    }
  }

  // matrix: COS V5: verify
  func testPlusIsASpaceInAQueryAndPercentEncodingIsDecodedOnce() throws {
    for mode in COSFixture.modes {
      var signed = try COSFixture.signed(COSFixture.request(.get, "/a%252Fb?prefix=b%20c"))
      signed.path = "/a%252Fb?prefix=b+c"
      let claim = try XCTUnwrap(COSVerifier(mode: mode).claim(in: signed))
      let target = try COSVerifier(mode: mode).verify(
        claim, against: COSFixture.key, at: COSFixture.date
      ).target
      XCTAssertEqual(target.key, "a%2Fb")
      XCTAssertEqual(target["prefix"], "b c")
      XCTAssertEqual(target.bucket, "photos-1250000000")
      signed.path = "/a%252Fb?prefix=b%2Bc"
      XCTAssertEqual(try code(signed, mode), .mismatch)
      signed.path = "/a%2Fb?prefix=b%20c"
      XCTAssertEqual(try code(signed, mode), .mismatch)
    }
  }

  // matrix: COS V5: verify
  func testParameterNamesAreCaseInsensitive() throws {
    let plain = COSFixture.request(.get, "/?prefix=a/&acl")
    for mode in COSFixture.modes {
      for signed in [try COSFixture.signed(plain), try COSFixture.presigned(plain)] {
        var spelt = signed
        spelt.path = signed.path?.replacing("prefix=a", with: "Prefix=a").replacing("&acl", with: "&ACL")
        XCTAssertNotEqual(spelt.path, signed.path)
        let claim = try XCTUnwrap(COSVerifier(mode: mode).claim(in: spelt))
        let target = try COSVerifier(mode: mode).verify(
          claim, against: COSFixture.key, at: COSFixture.date
        ).target
        XCTAssertEqual(target["prefix"], "a/")
        XCTAssertEqual(target["PREFIX"], "a/")
        XCTAssertTrue(target.contains("acl"))
        XCTAssertNil(target["ac"])
      }
    }
  }

  // matrix: COS V5: verify, bad input
  func testMalformedRequestIsRejected() throws {
    for mode in COSFixture.modes {
      for path in ["/%", "/%2", "/%GG", "/a b", "/a#b", "a", "", "*", "/%ff", "/a?%ff", "/a?b=%ff", "/a?b=%2"] {
        var request = try COSFixture.signed()
        request.path = path
        XCTAssertEqual(try code(request, mode), .malformed, path)
      }
      for host in [nil, "", "a b", "a/b", "a@b", "a:b", "a:0", "a:99999", ":80", "[::1", "a?b", "[g]x"] {
        var request = try COSFixture.signed()
        request.authority = host
        XCTAssertEqual(try code(request, mode), .malformed, host ?? "none")
      }
    }
  }

  // matrix: COS V5: verify
  func testDuplicateAuthorizationParameterIsRejected() throws {
    for mode in COSFixture.modes {
      let url = try COSFixture.presigned()
      for name in [
        "q-sign-algorithm", "q-ak", "q-sign-time", "q-key-time", "q-header-list", "q-url-param-list", "q-signature",
      ] {
        XCTAssertEqual(try code(url.appending("\(name)=1"), mode), .ambiguous, name)
        XCTAssertEqual(try code(url.appending("%71\(name.dropFirst())=1"), mode), .ambiguous, name)
      }
    }
  }

  // matrix: COS V5: verify
  func testSizeLimitsPrecedeParsing() throws {
    let giant = String(repeating: "a", count: 70_000)
    let many = (0..<5_000).map { "p\($0)" }.joined(separator: "&")
    for mode in COSFixture.modes {
      for request in [try COSFixture.signed(), try COSFixture.presigned()] {
        XCTAssertEqual(try code(request.adding("cookie", giant), mode), .limitExceeded)
        XCTAssertEqual(try code(request.adding("x-cos-meta-a", giant), mode), .limitExceeded)
        XCTAssertEqual(try code(request.appending(many), mode), .limitExceeded)
        XCTAssertEqual(try code(request.appending("a=" + giant), mode), .limitExceeded)
        var host = request
        host.authority = giant
        XCTAssertEqual(try code(host, mode), .limitExceeded)
        var fields = request
        for index in 0..<200 { fields.headerFields.append(HTTPField(name: .cookie, value: "\(index)")) }
        XCTAssertEqual(try code(fields, mode), .limitExceeded)
      }
      let narrow = VerificationLimits(headerCount: 0)
      XCTAssertEqual(
        try COSFixture.refusal(COSFixture.signed(), mode, limits: narrow)?.code, .limitExceeded)
    }
  }

  // matrix: COS V5: verify
  func testTemporaryKeyRequiresItsToken() throws {
    let temporary = COSFixture.temporary
    let bare = AccessKey(id: temporary.id, secret: temporary.secret)
    let other = AccessKey(id: temporary.id, secret: temporary.secret, sessionToken: Secret("other"))
    let ended = AccessKey(
      id: temporary.id, secret: temporary.secret, sessionToken: temporary.sessionToken, expiration: COSFixture.date)
    for mode in COSFixture.modes {
      for (withToken, without) in [
        (try COSFixture.signed(with: temporary), try COSFixture.signed(with: bare)),
        (try COSFixture.presigned(with: temporary), try COSFixture.presigned(with: bare)),
        (try COSFixture.presigned(with: temporary, form: .sign), try COSFixture.presigned(with: bare, form: .sign)),
      ] {
        XCTAssertNil(try code(withToken, mode, against: temporary))
        XCTAssertEqual(try code(without, mode, against: temporary), .missingToken)
        XCTAssertEqual(try code(withToken, mode, against: bare), .invalidToken)
        XCTAssertEqual(try code(withToken, mode, against: other), .invalidToken)
        XCTAssertEqual(try code(withToken, mode, against: ended), .keyExpired)
      }
    }
  }

  // matrix: COS V5: redaction
  func testMismatchErrorMasksTheToken() throws {
    let wrong = AccessKey(id: COSFixture.temporary.id, secret: "other", sessionToken: COSFixture.token)
    let encoded = "tok%2Ben%2Fwith%3D%3D"
    let signed = try COSFixture.signed(with: COSFixture.temporary)
    let misplaced = COSFixture.request(.get, "/a?security-token=\(encoded)&x-ci-security-token=\(encoded)")
    let bare = AccessKey(id: COSFixture.key.id, secret: "other")
    for (request, key, mode) in [
      (signed, wrong, .compatible), (signed, wrong, .strict),
      (try COSFixture.presigned(with: COSFixture.temporary), wrong, .compatible),
      (try COSFixture.presigned(with: COSFixture.temporary), wrong, COSVerifier.Mode.strict),
      (try COSFixture.signed(misplaced), bare, .compatible), (try COSFixture.presigned(misplaced), bare, .strict),
    ] {
      let error = try XCTUnwrap(COSFixture.refusal(request, mode, against: key))
      XCTAssertEqual(error.code, .mismatch)
      let comparison = try XCTUnwrap(error.comparison)
      let text = try XCTUnwrap(comparison.canonicalRequest)
      XCTAssertTrue(text.contains(Secret.mask), text)
      var dumped = ""
      dump(error, to: &dumped)
      for text in [text, comparison.stringToSign, "\(error)", dumped, String(reflecting: error)] {
        XCTAssertFalse(text.contains(COSFixture.token) || text.contains(encoded), text)
      }
    }
  }

  // matrix: COS V5: verify
  func testUnknownKeyIsReportedInBothModes() async throws {
    for mode in COSFixture.modes {
      for request in [try COSFixture.signed(), try COSFixture.presigned(with: COSFixture.temporary)] {
        do {
          _ = try await COSVerifier(mode: mode).verify(request, at: COSFixture.date) { _ in nil }
          XCTFail("an unknown key was accepted")
        } catch let error as VerificationError {
          XCTAssertEqual(error.code, .unknownKey)
          XCTAssertNotNil(error.accessKeyID)
        }
        let proof = try await COSVerifier(mode: mode).verify(request, at: COSFixture.date) { id in
          [COSFixture.key, COSFixture.temporary].first { $0.id == id }
        }
        XCTAssertEqual(proof.target.key, "cat.jpg")
      }
      XCTAssertNil(try COSVerifier(mode: mode).claim(in: COSFixture.request()))
      do {
        _ = try await COSVerifier(mode: mode).verify(COSFixture.request(), at: COSFixture.date) { _ in COSFixture.key }
        XCTFail("an unsigned request was accepted")
      } catch let error as VerificationError {
        XCTAssertEqual(error.code, .unsigned)
      }
    }
  }

  // matrix: COS V5: verify
  func testClaimIsVerifiedOnlyByTheVerifierThatParsedItInBothModes() throws {
    for mode in COSFixture.modes {
      let verifier = COSVerifier(mode: mode)
      let claim = try XCTUnwrap(verifier.claim(in: COSFixture.signed()))
      XCTAssertEqual(
        try verifier.verify(claim, against: COSFixture.key, at: COSFixture.date).target.key, "cat.jpg")
      for other in [COSVerifier(mode: mode, style: .path), COSVerifier(mode: mode, bucket: "other")] {
        XCTAssertThrowsError(try other.verify(claim, against: COSFixture.key, at: COSFixture.date)) {
          XCTAssertEqual(($0 as? VerificationError)?.code, .malformed)
        }
      }
    }
  }
}
