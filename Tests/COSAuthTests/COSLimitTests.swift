// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import SigningProperties
import StorageAuth
import XCTest

/// Requests, keys and settings that the COS signer rejects, and its header policies.
final class COSLimitTests: XCTestCase {
  private let request = COSFixture.request()
  private let date = COSFixture.date

  // matrix: COS V5: bad input, atomicity
  func testInvalidKeyIsRejectedAndLeavesTheRequestUnchanged() throws {
    let keys = [
      AccessKey(id: "", secret: "s"), AccessKey(id: "id", secret: ""), AccessKey(id: "id ", secret: "s"),
      AccessKey(id: "id\n", secret: "s"), AccessKey(id: "i&d", secret: "s"), AccessKey(id: "i=d", secret: "s"),
      AccessKey(id: "i;d", secret: "s"), AccessKey(id: "ïd", secret: "s"), AccessKey(id: "id", secret: "s\n"),
      AccessKey(id: "id", secret: " s"), AccessKey(id: "id", secret: "s", sessionToken: "t\r\nx-cos-acl: public-read"),
      AccessKey(id: "id", secret: "s", sessionToken: "t\n"), AccessKey(id: "", secret: "", sessionToken: "t"),
      AccessKey(id: "", secret: ""),
    ]
    let scheme = try COSSchemes.scheme()
    for (index, key) in keys.enumerated() {
      let error = try scheme.throwLeavesTheRequest(request, with: key, at: date)
      XCTAssertEqual(error.code, .invalidCredential, "\(index)")
      let presigning = try signingError { () throws(SigningError) in
        try COSSigner().presign(request, with: key, validFor: .seconds(60), in: .at(date))
      }
      XCTAssertEqual(presigning.code, .invalidCredential, "\(index)")
    }
  }

  // matrix: COS V5: bad input, atomicity
  func testInvalidRequestIsRejectedAndRemainsUnchanged() throws {
    var noHost = request
    noHost.authority = nil
    let type = request.adding("content-type", "text/plain")
    let cases: [(HTTPRequest, SigningError.Code)] = [
      (COSFixture.request(.get, "/a?=1&b=2"), .invalidPath), (noHost, .invalidRequest),
      (COSFixture.request(host: ""), .invalidRequest),
      (COSFixture.request(host: "a b"), .invalidRequest), (COSFixture.request(host: "user@a.com"), .invalidRequest),
      (COSFixture.request(host: "a.com/x?"), .invalidRequest),
      (COSFixture.request(.get, "/a%2"), .invalidPath), (COSFixture.request(.get, "/a%zz"), .invalidPath),
      (COSFixture.request(.get, "/a?b=%"), .invalidPath), (COSFixture.request(.get, "/a b"), .invalidPath),
      (COSFixture.request(.get, "/é"), .invalidPath), (COSFixture.request(.get, "/a#b"), .invalidPath),
      (COSFixture.request(.get, ""), .invalidPath), (COSFixture.request(.get, "a"), .invalidPath),
      (type.adding("content-type", "text/plain"), .invalidHeader),
      (request.adding("x-cos-meta-a", "1").adding("X-COS-META-A", "1"), .invalidHeader),
      (COSFixture.request(.get, "/a?sign=x"), .invalidPath),
      (COSFixture.request(.get, "/a?q-signature=x"), .invalidPath),
      (COSFixture.request(.get, "/a?q-key-time=1;2"), .invalidPath),
      (COSFixture.request(.get, "/a?q-ak=x"), .invalidPath),
    ]
    let scheme = try COSSchemes.scheme()
    for (request, code) in cases {
      let error = try scheme.throwLeavesTheRequest(request, with: COSFixture.key, at: date)
      XCTAssertEqual(error.code, code, request.path ?? "")
      XCTAssertThrowsError(
        try COSSigner().presign(request, with: COSFixture.key, validFor: .seconds(60), in: .at(date)))
      XCTAssertThrowsError(try COSSigner().prepare(request, as: COSFixture.key.identity, in: .at(date)))
    }
  }

  // matrix: COS V5: presign, bad input
  func testPresignRejectsURLThatAlreadyHasAToken() throws {
    let request = COSFixture.request(.get, "/a?x-cos-security-token=t")
    for key in [COSFixture.key, COSFixture.temporary] {
      let error = try signingError { () throws(SigningError) in
        try COSSigner().presign(request, with: key, validFor: .seconds(60), in: .at(date))
      }
      XCTAssertEqual(error.code, .invalidPath)
    }
  }

  // matrix: COS V5: bad input
  func testPresignedRequestIsNotSignedAgain() throws {
    for form in [COSSigner.URLForm.parameters, .sign] {
      let once = try COSFixture.presigned(form: form)
      XCTAssertThrowsError(try COSFixture.presigned(once))
      XCTAssertThrowsError(try COSFixture.signed(once))
    }
  }

  // matrix: COS V5: header
  func testRepeatedParameterIsListedForEveryOccurrence() throws {
    let signed = try COSFixture.signed(COSFixture.request(.get, "/a?tag=b&tag=a&Tag=c"))
    XCTAssertEqual(
      signed.headerFields[.authorization]?.contains("&q-url-param-list=tag;tag;tag&"), true)
    for mode in COSFixture.modes {
      XCTAssertNil(try COSFixture.refusal(signed, mode))
      XCTAssertNotNil(try COSFixture.refusal(signed.appending("tag=d"), mode))
      XCTAssertNotNil(try COSFixture.refusal(signed.replacing("tag=b&", with: ""), mode))
    }
  }

  // matrix: COS V5: header, presign
  func testAnonymousKeyLeavesRequestsUnsignedAndPresignsNoURL() throws {
    XCTAssertEqual(try COSFixture.signed(with: .anonymous), request)
    let error = try signingError { () throws(SigningError) in
      try COSSigner().presign(request, with: .anonymous, validFor: .seconds(60), in: .at(date))
    }
    XCTAssertEqual(error.code, .anonymous)
  }

  // matrix: COS V5: bad input
  func testStrictSignerRejectsRequestsThatTheStrictVerifierRejects() throws {
    func error(_ signer: COSSigner, _ request: HTTPRequest) throws -> SigningError {
      try signingError { () throws(SigningError) in
        try signer.signed(request, with: COSFixture.key, in: .at(date))
      }
    }
    XCTAssertEqual(
      try error(COSSigner(policy: .standardWithoutHost, isStrict: true), request).code, .invalidConfiguration)
    XCTAssertEqual(try error(COSSigner(policy: .only(["host"]), isStrict: true), request).code, .invalidConfiguration)
    for method in [HTTPRequest.Method.put, .post] {
      let upload = COSFixture.request(method)
      XCTAssertEqual(try error(COSSigner(isStrict: true), upload).code, .invalidHeader)
      let signed = try COSSigner(isStrict: true).signed(
        upload.adding("content-length", "3"), with: COSFixture.temporary, in: .at(date))
      XCTAssertNil(try COSFixture.refusal(signed, .strict, against: COSFixture.temporary))
    }
    XCTAssertNoThrow(try COSSigner(isStrict: true).signed(request, with: COSFixture.key, in: .at(date)))
  }

  // matrix: COS V5: header
  func testHeaderPolicySelectsTheSignedHeaders() throws {
    var full = COSFixture.request(.put)
    for name: StaticString in [
      "cache-control", "content-disposition", "content-encoding", "content-length", "content-md5", "content-type",
      "expect",
      "expires", "if-match", "if-modified-since", "if-none-match", "if-unmodified-since", "origin", "range",
      "transfer-encoding", "pic-operations", "x-cos-a", "x-ci-a",
    ] { full = full.adding(name, "1") }
    full = full.adding("user-agent", "1").adding("accept", "1").adding("date", "1").adding("x-other", "1")
    func list(_ policy: COSHeaderPolicy) throws -> String? {
      try COSFixture.signed(full, policy: policy).headerFields[.authorization]?
        .split(separator: "&").first { $0.hasPrefix("q-header-list=") }.map { String($0.dropFirst(14)) }
    }
    let rest =
      "cache-control;content-disposition;content-encoding;content-length;content-md5;content-type;expect;expires;"
    let tail =
      "if-match;if-modified-since;if-none-match;if-unmodified-since;origin;pic-operations;range;transfer-encoding;"
    XCTAssertEqual(try list(.standard), rest + "host;" + tail + "x-ci-a;x-cos-a")
    XCTAssertEqual(try list(.standardWithoutHost), rest + tail + "x-ci-a;x-cos-a")
    XCTAssertEqual(try list(.only(["Date", "HOST", "x-missing"])), "date;host")
    XCTAssertEqual(try list(.only([])), "")
    XCTAssertTrue(COSHeaderPolicy.only(["Host"]).signsHost)
    XCTAssertFalse(COSHeaderPolicy.only(["date"]).signsHost)
  }
}
