// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import OBSProvider
import StorageAuth
import XCTest

/// Requests that the OBS verifier rejects, and the parts that a signature covers.
final class OBSVerifierTests: XCTestCase {
  private let date = Timestamp(unixSeconds: 1_795_161_600)
  private let key = AccessKey(id: "OBSEXAMPLEACCESSKEY1", secret: "a secret")
  private let temporary = AccessKey(id: "OBSEXAMPLETEMPKEY002", secret: "a secret", sessionToken: "a/token+")
  private let host = "photos.obs.cn-north-4.myhuaweicloud.com"

  private func request(_ path: String, _ fields: HTTPFields = [:], host: String? = nil) -> HTTPRequest {
    HTTPRequest(method: .get, scheme: "https", authority: host ?? self.host, path: path, headerFields: fields)
  }

  private func verify(
    _ request: HTTPRequest, with key: AccessKey? = nil, at date: Timestamp? = nil,
    _ verifier: OBSVerifier = OBSVerifier()
  ) throws -> VerifiedRequest? {
    guard let claim = try verifier.claim(in: request) else { return nil }
    return try verifier.verify(claim, against: key ?? self.key, at: date ?? self.date)
  }

  private func assertRefused(
    _ request: HTTPRequest, _ code: VerificationError.Code, with key: AccessKey? = nil, at date: Timestamp? = nil,
    _ verifier: OBSVerifier = OBSVerifier(), line: UInt = #line
  ) {
    XCTAssertThrowsError(try verify(request, with: key, at: date, verifier), line: line) {
      XCTAssertEqual(($0 as? VerificationError)?.code, code, "\($0)", line: line)
    }
  }

  private func presigned(
    _ request: HTTPRequest, with key: AccessKey? = nil, validFor duration: Duration = .seconds(600)
  ) throws -> HTTPRequest {
    let url = try OBSSigner().presign(request, with: key ?? self.key, validFor: duration, in: .at(date))
    var request = request
    request.path = String(url.url.dropFirst("https://\(host)".count))
    return request
  }

  func testSignedAndUnsignedPartsAreDistinguished() throws {
    let fields: HTTPFields = [.contentType: "text/plain", .range: "bytes=0-1"]
    let signed = try OBSSigner().signed(request("/a%2Fb?versionId=1&prefix=x", fields), with: key, in: .at(date))
    let verified = try XCTUnwrap(verify(signed))
    XCTAssertEqual(verified.target.bucket, "photos")
    XCTAssertEqual(verified.target.key, "a/b")
    XCTAssertEqual(verified.target.parameters.map(\.name), ["versionId"])
    XCTAssertEqual(verified.unsignedParameters.map(\.name), ["prefix"])
    XCTAssertEqual(verified.signedHeaders, ["content-type", "date"])
    XCTAssertTrue(verified.signsPlacement)
    XCTAssertEqual(verified.usableFrom, date.advanced(by: .seconds(-900)))
    XCTAssertEqual(verified.usableUntil, date.advanced(by: .seconds(900)))

    let url = try XCTUnwrap(verify(presigned(request("/a?versionId=1"), with: temporary), with: temporary))
    XCTAssertEqual(Set(url.target.parameters.map(\.name)), ["versionId", "Expires", "x-obs-security-token"])
    XCTAssertEqual(Set(url.unsignedParameters.map(\.name)), ["AccessKeyId", "Signature"])
    XCTAssertEqual(url.expiration, date.advanced(by: .seconds(600)))
  }

  func testTwoAuthorizationsAreAmbiguous() throws {
    let signed = try OBSSigner().signed(request("/a"), with: key, in: .at(date))
    var both = signed
    both.path = try presigned(request("/a")).path
    assertRefused(both, .ambiguous)
    var twice = signed
    twice.headerFields.append(HTTPField(name: .authorization, value: signed.headerFields[.authorization] ?? ""))
    assertRefused(twice, .ambiguous)
    var twoIDs = try presigned(request("/a"))
    twoIDs.path = "\(twoIDs.path ?? "")&AccessKeyId=another"
    assertRefused(twoIDs, .ambiguous)
    var twoTokens = try presigned(request("/a"), with: temporary)
    twoTokens.headerFields[try XCTUnwrap(HTTPField.Name("x-obs-security-token"))] = "a/token+"
    assertRefused(twoTokens, .ambiguous, with: temporary)
  }

  func testOtherSchemesAreRejected() throws {
    assertRefused(request("/a", [.authorization: "AWS a:b"]), .unsupported)
    assertRefused(request("/a?AccessKeyId=a&Policy=e30&Signature=b"), .unsupported)
    assertRefused(request("/a?accesskeyid=a&Expires=1&signature=b"), .malformed)
    for broken in ["OBS a", "OBS a:", "OBS a:b:c", "OBS é:b"] {
      assertRefused(request("/a", [.authorization: broken, .date: date.httpDate]), .malformed)
    }
    assertRefused(request("/a", [.authorization: "OBS a:b"]), .missingDate)
    XCTAssertNil(try verify(request("/a")))
    XCTAssertTrue(try OBSVerifier().recognizes(request("/a", [.authorization: "obs x"])))
    XCTAssertTrue(try OBSVerifier().recognizes(request("/a?signature=x")))
    XCTAssertFalse(try OBSVerifier().recognizes(request("/a", [.authorization: "OSS a:b"])))
  }

  func testClockToleranceAndURLLifetimeAreEnforced() throws {
    let signed = try OBSSigner().signed(request("/a"), with: key, in: .at(date))
    for seconds in [-900, 900] { XCTAssertNoThrow(try verify(signed, at: date.advanced(by: .seconds(seconds)))) }
    for seconds in [-901, 901] { assertRefused(signed, .clockSkew, at: date.advanced(by: .seconds(seconds))) }
    let url = try presigned(request("/a"))
    assertRefused(url, .expired, at: date.advanced(by: .seconds(601)))
    let long = try presigned(request("/a"), validFor: .seconds(8 * 86_400))
    assertRefused(long, .lifetimeOutOfRange)
    XCTAssertNoThrow(try verify(long, OBSVerifier(limits: .asServices)))
    let twentyYears = Duration.seconds(20 * 365 * 86_400)
    XCTAssertThrowsError(try presigned(request("/a"), validFor: twentyYears))
    let almost = try presigned(request("/a"), validFor: twentyYears - .seconds(1))
    assertRefused(almost, .lifetimeOutOfRange, at: date.advanced(by: .seconds(-1)), OBSVerifier(limits: .asServices))
  }

  /// The string of a value that contains `&versionId=` equals the string of a request with a version.
  func testAmbiguousValuesAreRejected() throws {
    let path = "/a?response-content-type=x%26versionId=5"
    XCTAssertThrowsError(try OBSSigner().signed(request(path), with: key, in: .at(date)))
    var signed = try OBSSigner().signed(
      request("/a?response-content-type=x&versionId=5"), with: key, in: .at(date))
    XCTAssertNoThrow(try verify(signed))
    signed.path = path
    assertRefused(signed, .malformed)
    XCTAssertNoThrow(try OBSSigner().signed(request("/a?response-content-type=x%26y=5"), with: key, in: .at(date)))
    assertRefused(
      try OBSSigner().signed(request("/a?acl&versionId=1"), with: key, in: .at(date)).with(
        path: "/a?acl&acl&versionId=1"),
      .ambiguous)
  }

  func testMismatchErrorMasksTheToken() throws {
    let signed = try OBSSigner().signed(request("/a"), with: temporary, in: .at(date))
    let wrong = AccessKey(id: temporary.id, secret: Secret("another"), sessionToken: temporary.sessionToken)
    XCTAssertThrowsError(try verify(signed, with: wrong)) { error in
      let comparison = (error as? VerificationError)?.comparison
      XCTAssertEqual(comparison?.stringToSign.hasSuffix("/photos/a"), true)
      XCTAssertEqual(comparison?.stringToSign.contains("a/token+"), false)
    }
  }

  /// A lookup of an unknown key takes the same path and reveals no comparison.
  func testErrorForAnUnknownKeyHasNoComparison() async throws {
    let signed = try OBSSigner().signed(request("/a"), with: key, in: .at(date))
    do {
      _ = try await OBSVerifier().verify(signed, at: date) { _ in nil }
      XCTFail("an unknown key was accepted")
    } catch let error as VerificationError {
      XCTAssertEqual(error.code, .unknownKey)
      XCTAssertNil(error.comparison)
    }
  }

  func testBodyHashIsAcceptedOnlyIfItIsChecked() throws {
    let name = try XCTUnwrap(HTTPField.Name("x-obs-content-sha256"))
    let hash = String(repeating: "0a", count: 32)
    let signed = try OBSSigner().signed(request("/a", [name: hash]), with: key, in: .at(date))
    assertRefused(signed, .unsupported)
    XCTAssertNoThrow(try verify(signed, OBSVerifier().acceptingPayloadHashes))
    let upper = try OBSSigner().signed(request("/a", [name: hash.uppercased()]), with: key, in: .at(date))
    assertRefused(upper, .unsupported, OBSVerifier().acceptingPayloadHashes)
  }

  func testResourceIsDerivedFromTheHost() throws {
    let expected: [(host: String, path: String, resource: String)] = [
      ("a.b.obs.eu-101.myhuaweicloud.com", "/k", "/a.b/k"), ("obs.eu-101.myhuaweicloud.com", "/", "/"),
      ("obs.eu-101.myhuaweicloud.com", "/b", "/b/"), ("obs.eu-101.myhuaweicloud.com", "/b/k", "/b/k"),
      ("127.0.0.1:9000", "/b/k", "/b/k"), ("[::1]:9000", "/b/k", "/b/k"),
      ("img.example.com:8080", "/k", "/img.example.com/k"),
    ]
    for (host, path, resource) in expected {
      let pending = try OBSSigner().prepare(request(path, host: host), as: key.identity, in: .at(date))
      XCTAssertTrue(pending.stringToSign.hasSuffix("GMT\n\(resource)"), "\(host) \(pending.stringToSign)")
    }
    XCTAssertThrowsError(
      try OBSSigner().prepare(request("//k", host: "127.0.0.1"), as: key.identity, in: .at(date)))
  }
}

extension HTTPRequest {
  fileprivate func with(path: String) -> HTTPRequest {
    var request = self
    request.path = path
    return request
  }
}
