// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import SigningProperties
import StorageAuth
import StorageCrypto
import XCTest

/// Settings of the COS verifier: authorization lifetime, and unsigned headers and parameters.
final class COSVerifierSettingTests: XCTestCase {
  private let now = COSFixture.date.unixSeconds

  private func window(_ start: Int64, _ end: Int64) -> COSKeyTime {
    COSKeyTime(from: Timestamp(unixSeconds: start), until: Timestamp(unixSeconds: end))
  }

  private func header(_ window: COSKeyTime) throws -> HTTPRequest {
    var request = COSFixture.request()
    try COSSigner().sign(&request, with: COSFixture.key, during: window)
    return request
  }

  private func url(_ window: COSKeyTime, _ form: COSSigner.URLForm = .parameters) throws -> HTTPRequest {
    try COSSigner(urlForm: form).presign(COSFixture.request(), with: COSFixture.key, during: window).request()
  }

  // matrix: COS V5: verify, expiry
  func testSignTimeBeyondTheLifetimeLimitIsRejected() throws {
    for mode in COSFixture.modes {
      func code(_ request: HTTPRequest, _ limits: VerificationLimits = .init()) throws -> VerificationError.Code? {
        try COSFixture.refusal(request, mode, limits: limits)?.code
      }
      XCTAssertNil(try code(header(window(now, now + 3600))))
      XCTAssertNil(try code(header(window(now - 3600, now))))
      XCTAssertNil(try code(header(window(now - 60, now + 3600))), "SDKs backdate the start")
      for (start, end) in [(now, now + 3601), (now - 4000, now + 600), (0, now), (now, 999_999_999_999)] {
        let request = try header(window(start, end))
        XCTAssertEqual(try code(request), .lifetimeOutOfRange, "\(start) \(end)")
        XCTAssertNil(try code(request, .asServices))
      }
      XCTAssertNil(try code(header(window(now, now + 7200)), VerificationLimits(headerWindow: .seconds(7200))))
      for form in [COSSigner.URLForm.parameters, .sign] {
        XCTAssertNil(try code(url(window(now, now + 604_800), form)))
        let long = try url(window(now, now + 604_801), form)
        XCTAssertEqual(try code(long), .lifetimeOutOfRange)
        XCTAssertNil(try code(long, .asServices))
        XCTAssertEqual(
          try code(url(window(now, now + 61), form), VerificationLimits(urlLifetime: .seconds(60))),
          .lifetimeOutOfRange)
      }
    }
  }

  // matrix: COS V5: form, expiry
  func testFormBeyondTheLifetimeLimitIsRejected() throws {
    for (seconds, isAccepted) in [(Int64(604_800), true), (604_801, false)] {
      let policy = FormPolicy(
        bucket: "photos-1250000000", objects: .key("a"), until: Timestamp(unixSeconds: now + seconds))
      let form = try COSSigner().sign(
        policy, to: .cos(region: "ap-guangzhou"), with: COSFixture.key, in: .at(COSFixture.date))
      let submitted = SubmittedForm(bucket: "photos-1250000000", fields: form.fields)
      let proof = try? COSVerifier().verify(submitted, against: COSFixture.key, at: COSFixture.date)
      XCTAssertEqual(proof != nil, isAccepted, "\(seconds)")
      XCTAssertNoThrow(
        try COSVerifier(limits: .asServices).verify(submitted, against: COSFixture.key, at: COSFixture.date))
    }
  }

  private func allForms(_ request: HTTPRequest) throws -> [HTTPRequest] {
    [
      try COSFixture.signed(request), try COSFixture.presigned(request), try COSFixture.presigned(request, form: .sign),
    ]
  }

  // matrix: COS V5: verify, bad input
  func testAuthorizationParametersWithWrongCaseAreRejected() throws {
    let names = [
      "SIGN", "Sign", "Q-AK", "q-Ak", "Q-Signature", "Q-SIGN-ALGORITHM", "q-url-param-LIST", "X-COS-Security-Token",
      "X-Ci-Security-Token", "q-a\u{212A}", "\u{17F}ign", "x-co\u{17F}-security-token",
    ]
    for mode in COSFixture.modes {
      for request in try allForms(COSFixture.request()) + [COSFixture.request()] {
        for name in names {
          for value in ["", "=", "=x"] {
            let sent = request.appending(name.percentEncoded() + value)
            XCTAssertEqual(try COSFixture.refusal(sent, mode)?.code, .malformed, "\(mode) \(name)\(value)")
          }
        }
      }
      // The parameter is rejected even if it is signed.
      for name in names {
        let signed = try COSFixture.signed(COSFixture.request(.get, "/cat.jpg?prefix=a"))
        let renamed = signed.replacing("prefix", with: name.percentEncoded())
        XCTAssertNotNil(try COSFixture.refusal(renamed, mode), name)
      }
    }
  }

  // matrix: COS V5: verify, bad input
  func testStrictVerifierRejectsChunkedBodies() throws {
    for method in [HTTPRequest.Method.put, .post, .get, .delete] {
      let request = COSFixture.request(method)
      for sent in try allForms(request).map({ $0.adding("transfer-encoding", "chunked") })
        + allForms(request.adding("transfer-encoding", "chunked"))
        + allForms(request.adding("transfer-encoding", "chunked").adding("content-length", "3"))
      {
        XCTAssertEqual(try COSFixture.refusal(sent, .strict)?.code, .unsignedField)
        XCTAssertNil(try COSFixture.refusal(sent, .compatible))
      }
    }
  }

  // matrix: COS V5: verify, bad input
  func testStrictModeRefusesTheBytesOfABodyWithoutASignedLength() throws {
    for (isStrict, length) in [(true, nil), (true, "3"), (false, nil)] as [(Bool, String?)] {
      var request = COSFixture.request(.put)
      request.headerFields[.contentLength] = length
      for sent in try allForms(request) {
        let verifier = COSVerifier(mode: isStrict ? .strict : .compatible)
        let claim = try XCTUnwrap(verifier.claim(in: sent))
        let verified = try verifier.verify(claim, against: COSFixture.key, at: COSFixture.date)
        guard isStrict, length == nil else {
          XCTAssertNil(verified.bodyDecoder)
          continue
        }
        var decoder = try XCTUnwrap(verified.bodyDecoder)
        XCTAssertEqual(try decoder.decode([]), [])
        XCTAssertNoThrow(try decoder.finish())
        XCTAssertThrowsError(try decoder.decode([1])) {
          XCTAssertEqual(($0 as? VerificationError)?.code, .unsignedField)
        }
      }
    }
  }

  // matrix: COS V5: verify, bad input
  func testStrictModeRequiresSignedObjectMetadata() throws {
    let names: [StaticString] = [
      "cache-control", "content-disposition", "content-encoding", "content-md5", "content-type", "expires",
    ]
    for name in names {
      for method in [HTTPRequest.Method.put, .post] {
        let request = COSFixture.request(method)
        for sent in try allForms(request).map({ $0.adding(name, "x") }) {
          XCTAssertEqual(try COSFixture.refusal(sent, .strict)?.code, .unsignedField, "\(name)")
          XCTAssertNil(try COSFixture.refusal(sent, .compatible))
        }
        for sent in try allForms(request.adding(name, "x")) {
          XCTAssertNil(try COSFixture.refusal(sent, .strict), "\(name)")
        }
      }
      XCTAssertNil(
        try COSFixture.refusal(COSFixture.signed().adding(name, "x"), .strict), "browsers send some of these headers")
    }
  }

  // matrix: COS V5: verify, bad input
  func testDataProcessingTokenInTheURLMustBeSigned() throws {
    for mode in COSFixture.modes {
      let signed = try COSFixture.signed().appending("x-ci-security-token=other")
      XCTAssertEqual(try COSFixture.refusal(signed, mode)?.code, .unsignedField)
      let both = try COSFixture.signed(with: COSFixture.temporary).appending("x-ci-security-token=other")
      XCTAssertEqual(try COSFixture.refusal(both, mode, against: COSFixture.temporary)?.code, .unsignedField)
    }
  }
}
