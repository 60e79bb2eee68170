// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import S3Auth
import StorageAuth
import StorageCrypto
import StorageDiagnosis
import XCTest

/// Diagnosis of S3 requests that an intermediary changed and the verifier rejected.
final class S3RequestTests: XCTestCase {
  private static let now = Provocation.now
  private static let key = AccessKey(id: "AKIAtest", secret: "not-a-secret")
  private static let temporaryKey = AccessKey(id: "ASIAtest", secret: "not-a-secret", sessionToken: Provocation.token)
  private static let host = "photos.s3.eu-central-1.amazonaws.com"

  private func request(
    _ method: HTTPRequest.Method, _ path: String, host: String = host, _ headers: [String: String] = [:]
  ) -> HTTPRequest {
    var request = Provocation.request(method, path, host: host, headers)
    request.scheme = "https"
    return request
  }

  private func signed(
    _ request: HTTPRequest, with key: AccessKey = temporaryKey, region: String = "eu-central-1", service: String = "s3",
    payload: S3Payload? = nil, additional: Set<String> = ["content-type", "content-md5"], at date: Timestamp = now
  ) throws -> HTTPRequest {
    try S3Signer(region: region, service: service, payload: payload, additionalHeaders: additional)
      .signed(request, with: key, in: .at(date))
  }

  /// Returns the document with which S3 rejects a request, or `nil` if it accepts it.
  private func refusal(of request: HTTPRequest, against key: AccessKey, region: String = "eu-central-1")
    -> RejectedResponse?
  {
    let verifier = S3Verifier(region: region)
    do throws(VerificationError) {
      guard let claim = try verifier.claim(in: request) else {
        throw VerificationError(.unsigned, "Access Denied", remedy: "Sign.")
      }
      if claim.accessKeyID != key.id { throw .unknownKey(claim.accessKeyID) }
      _ = try verifier.verify(claim, against: key, at: Self.now)
      return nil
    } catch {
      let words = verifier.errorCodes[error]
      var children = [XMLNode("Code", words.code), XMLNode("Message", error.message)]
      if let comparison = error.comparison {
        children.append(XMLNode("AWSAccessKeyId", key.id.string))
        for (name, text) in [
          ("StringToSign", comparison.stringToSign), ("CanonicalRequest", comparison.canonicalRequest ?? ""),
        ] {
          children.append(XMLNode(name, text))
          let bytes = text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
          children.append(XMLNode("\(name)Bytes", bytes.joined(separator: " ")))
        }
      }
      children.append(XMLNode("ServerTime", Self.now.iso8601))
      let document = String(decoding: XMLNode("Error", children: children).serialized(), as: UTF8.self)
      return RejectedResponse(HTTPResponse(status: words.status), body: Array(document.utf8))
    }
  }

  private func explain(
    _ sent: HTTPRequest, against key: AccessKey = temporaryKey, for service: SignedService = .s3(),
    _ change: (inout HTTPRequest) -> Void = { _ in }
  ) throws -> SignatureDiagnosis? {
    var changed = sent
    change(&changed)
    let answer = try XCTUnwrap(refusal(of: changed, against: key), "the request was accepted")
    let diagnosis = SignatureDiagnosis(of: answer, to: sent, signedFor: service)
    XCTAssertFalse("\(diagnosis as Any)".contains(Provocation.token), "\(diagnosis as Any)")
    return diagnosis
  }

  func testKeyIDOfACompatibleServerIsRead() throws {
    let key = AccessKey(id: "user@example.test/sub=1", secret: "not-a-secret")
    let sent = try signed(request(.get, "/my%20cat"), with: key)
    assertDiagnosis(try explain(sent, against: key) { $0.path = "/my%2520cat" }, .encodedTwice, line: "path")
  }

  // matrix: S3 V4: diagnosis
  func testChangesByAnIntermediaryAreNamed() throws {
    let rows: [(HTTPRequest, SignatureDiagnosis.Cause, String, (inout HTTPRequest) -> Void)] = [
      (
        request(.put, "/a", ["Content-Type": "text/xml"]), .contentTypeChanged, "Content-Type",
        { $0["Content-Type"] = "text/xml; charset=utf-8" }
      ),
      (
        request(.put, "/a", ["Content-MD5": "1B2M2Y8AsgTpgAmY7PhCfg=="]), .contentMD5Changed, "Content-MD5",
        { $0["Content-MD5"] = "2B2M2Y8AsgTpgAmY7PhCfg==" }
      ),
      (request(.get, "/my%20cat"), .encodedTwice, "path", { $0.path = "/my%2520cat" }),
      (request(.get, "/100%2525"), .decodedTwice, "path", { $0.path = "/100%25" }),
      (request(.get, "/caf%C3%A9"), .unicodeForm, "path", { $0.path = "/cafe%CC%81" }),
      (request(.get, "/cat"), .pathPrefixAdded, "path", { $0.path = "/s3/cat" }),
      (request(.get, "/s3/cat"), .pathPrefixRemoved, "path", { $0.path = "/cat" }),
      (request(.get, "/a//b"), .slashesMerged, "path", { $0.path = "/a/b" }),
      (request(.get, "/a/../b"), .dotsResolved, "path", { $0.path = "/b" }),
      (request(.get, "/?prefix=a"), .parameterChanged, "query parameter prefix", { $0.path = "/?prefix=b" }),
      (request(.get, "/a?b=1"), .parameterRemoved, "query parameter b", { $0.path = "/a" }),
      (request(.get, "/a"), .parameterAdded, "query parameter b", { $0.path = "/a?b=1" }),
      (
        request(.get, "/a", host: Self.host + ":8443"), .hostPort, "Host", { $0.authority = Self.host }
      ),
      (request(.get, "/a"), .hostChanged, "Host", { $0.authority = "films.s3.eu-central-1.amazonaws.com" }),
      (
        request(.put, "/a", ["x-amz-meta-a": "1"]), .headerChanged, "header x-amz-meta-a", { $0["x-amz-meta-a"] = "2" }
      ),
      (request(.head, "/a"), .methodChanged, "method", { $0.method = .get }),
    ]
    for (request, cause, line, change) in rows {
      assertDiagnosis(try explain(try signed(request), change), cause, line: line)
    }
  }

  func testPayloadHashMismatchIsNamed() throws {
    let sent = try signed(request(.put, "/a"), payload: .bytes(Array("hello".utf8)))
    let other = SHA256.hash(Array("hullo".utf8)).hex
    assertDiagnosis(
      try explain(sent) { $0["x-amz-content-sha256"] = other }, .payloadHash, line: "payload hash",
      sent: SHA256.hash(Array("hello".utf8)).hex, received: other)
    let document = """
      <Error><Code>XAmzContentSHA256Mismatch</Code><Message>The provided 'x-amz-content-sha256' header does not match \
      what was computed.</Message><ClientComputedContentSHA256>aa</ClientComputedContentSHA256>\
      <S3ComputedContentSHA256>bb</S3ComputedContentSHA256></Error>
      """
    assertDiagnosis(
      SignatureDiagnosis(of: RejectedResponse(document), to: sent, signedFor: .s3()), .payloadHash, sent: "aa",
      received: "bb")
    assertDiagnosis(try explain(sent) { $0["x-amz-content-sha256"] = nil }, .payloadHash)
  }

  func testUnsignedHeadersAreNamed() throws {
    let plain = try signed(request(.put, "/a"), with: Self.key)
    assertDiagnosis(
      try explain(plain, against: Self.key) { $0["x-amz-acl"] = "public-read" }, .unsignedField,
      line: "header x-amz-acl")
    assertDiagnosis(
      try explain(plain, against: Self.key) { $0["x-amz-security-token"] = Provocation.token }, .tokenUnsigned,
      line: "header x-amz-security-token")
    assertDiagnosis(
      try explain(try signed(request(.put, "/a", ["x-amz-meta-a": "1"]))) { $0["x-amz-meta-a"] = nil }, .headerRemoved)
    // The service names them in a separate element, and the request that is compared has none of them.
    let answer = RejectedResponse(
      "<Error><Code>AccessDenied</Code><Message>There were headers present in the request which were not signed</Message>"
        + "<HeadersNotSigned>x-amz-tagging, x-amz-acl</HeadersNotSigned></Error>")
    assertDiagnosis(
      SignatureDiagnosis(of: answer, to: plain, signedFor: .s3()), .unsignedField, line: "header x-amz-tagging")
  }

  func testKeyProblemsAreNamed() throws {
    let get = request(.get, "/a")
    assertDiagnosis(
      try explain(try signed(get, with: AccessKey(id: "AKIAtest", secret: "another")), against: Self.key), .unknown)
    assertDiagnosis(
      try explain(try signed(get, with: AccessKey(id: "AKIAnobody", secret: "another")), against: Self.key),
      .unknownKeyID)
    assertDiagnosis(
      try explain(try signed(get, with: AccessKey(id: "ASIAtest", secret: "not-a-secret"))), .tokenMissing)
    let permanent = AccessKey(id: "AKIAtest", secret: "not-a-secret", sessionToken: Provocation.token)
    assertDiagnosis(try explain(try signed(get, with: permanent), against: Self.key), .tokenOfAnotherKey)
    let mixed = AccessKey(id: "ASIAtest", secret: "not-a-secret", sessionToken: "token-of-another")
    assertDiagnosis(try explain(try signed(get, with: mixed)), .tokenOfAnotherKey)
    let ended = AccessKey(
      id: "ASIAtest", secret: "not-a-secret", sessionToken: Provocation.token,
      expiration: Self.now.advanced(by: .seconds(-1)))
    assertDiagnosis(
      try explain(try signed(get, at: Self.now.advanced(by: .seconds(-10))), against: ended), .tokenExpired)
  }

  // matrix: S3 V4: diagnosis, redaction
  func testMaskedHeaderIsNotTakenForTheCause() throws {
    let put = request(
      .put, "/a",
      ["x-amz-server-side-encryption-customer-key": "Y3VzdG9tZXItc2VjcmV0", "x-amz-meta-secret": "Y3VzdG9tZXI"])
    let sent = try signed(put, with: AccessKey(id: "AKIAtest", secret: "another"))
    let answer = try XCTUnwrap(refusal(of: sent, against: Self.key))
    let texts = try S3Signer(region: "eu-central-1").prepare(put, as: Self.key.identity, in: .at(Self.now))
    let diagnosis = SignatureDiagnosis(
      of: answer, to: sent, signedFor: .s3(), stringToSign: texts.stringToSign)
    assertDiagnosis(diagnosis, .wrongSecret)
  }

  func testClockSkewIsNamedWithItsDifference() throws {
    let slow = try explain(try signed(request(.get, "/a"), at: Self.now.advanced(by: .seconds(-3660))))
    assertDiagnosis(slow, .clockSkew, line: "time of signing")
    XCTAssertTrue(slow?.explanation.contains("1 h 1 min behind the service") ?? false)
    let document = """
      <Error><Code>RequestTimeTooSkewed</Code><Message>The difference between the request time and the current time is \
      too large.</Message><RequestTime>20261120T070000Z</RequestTime><ServerTime>2026-11-20T08:00:00Z</ServerTime>\
      <MaxAllowedSkewMilliseconds>900000</MaxAllowedSkewMilliseconds></Error>
      """
    let told = SignatureDiagnosis(
      of: RejectedResponse(document), to: try signed(request(.get, "/a")), signedFor: .s3())
    assertDiagnosis(told, .clockSkew, sent: "2026-11-20T07:00:00Z", received: "2026-11-20T08:00:00Z")

    func url(_ seconds: Int64) throws -> HTTPRequest {
      var url = try S3Signer(region: "eu-central-1").presign(
        request(.get, "/a"), with: Self.key, validFor: .seconds(60), in: .at(Self.now.advanced(by: .seconds(seconds)))
      ).request
      url.scheme = "https"
      return url
    }
    let ended = try explain(try url(-180), against: Self.key)
    assertDiagnosis(ended, .expired, line: "end of the URL")
    XCTAssertTrue(ended?.explanation.contains("2 min before") ?? false)
    let early = try explain(try url(1800), against: Self.key)
    assertDiagnosis(early, .notYetValid)
    XCTAssertTrue(early?.explanation.contains("30 min ahead") ?? false)
  }

  func testWrongScopeIsNamed() throws {
    let get = request(.get, "/a")
    let region = try explain(try signed(get, region: "us-east-1"), for: .s3(region: "eu-central-1"))
    assertDiagnosis(region, .wrongRegion, line: "region of the scope", sent: "us-east-1")
    XCTAssertTrue(region?.explanation.contains("for us-east-1 and the bucket is in eu-central-1") ?? false)
    let told = RejectedResponse(
      "<Error><Code>AuthorizationHeaderMalformed</Code><Message>The authorization header is malformed; the region "
        + "'us-east-1' is wrong; expecting 'eu-west-1'</Message><Region>eu-west-1</Region></Error>")
    assertDiagnosis(
      SignatureDiagnosis(of: told, to: try signed(get, region: "us-east-1"), signedFor: .s3()), .wrongRegion,
      sent: "us-east-1", received: "eu-west-1")
    let moved = RejectedResponse(
      HTTPResponse(status: .movedPermanently),
      body: Array(
        "<Error><Code>PermanentRedirect</Code><Message>…</Message><Endpoint>photos.s3.eu-west-1.amazonaws.com</Endpoint></Error>"
          .utf8))
    let redirect = SignatureDiagnosis(of: moved, to: try signed(get), signedFor: .s3())
    assertDiagnosis(redirect, .wrongRegion, sent: "eu-central-1")
    XCTAssertTrue(redirect?.explanation.contains("photos.s3.eu-west-1.amazonaws.com") ?? false)
    assertDiagnosis(
      try explain(try signed(get, service: "s3-outposts")), .wrongService, line: "service of the scope",
      sent: "s3-outposts")
    var yesterday = try signed(get)
    yesterday["Authorization"] = yesterday["Authorization"]?.replacing("/20261120/", with: "/20261119/")
    assertDiagnosis(try explain(yesterday), .wrongDay, line: "day of the scope", sent: "20261119")
  }

  func testMalformedAuthorizationIsNamed() throws {
    assertDiagnosis(try explain(request(.get, "/a")), .unsigned)
    var url = try S3Signer(region: "eu-central-1").presign(
      request(.get, "/a"), with: Self.key, validFor: .seconds(60), in: .at(Self.now)
    ).request
    url["Authorization"] = try signed(request(.get, "/a"))["Authorization"]
    assertDiagnosis(try explain(url), .multipleSignatures)
    var cut = try signed(request(.get, "/a"))
    cut["Authorization"] = "AWS4-HMAC-SHA256 Credential=AKIAtest"
    assertDiagnosis(try explain(cut), .malformedAuthorization)
    var second = request(.get, "/a")
    second["Authorization"] = "AWS AKIAtest:c2ln"
    assertDiagnosis(try explain(second), .wrongVersion)
    let denied = RejectedResponse("<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>")
    assertDiagnosis(
      SignatureDiagnosis(of: denied, to: try signed(request(.get, "/a")), signedFor: .s3()), .accessDenied)
    let missing = RejectedResponse("<Error><Code>NoSuchKey</Code><Message>No.</Message></Error>")
    XCTAssertNil(SignatureDiagnosis(of: missing, to: try signed(request(.get, "/a")), signedFor: .s3()))
  }

  func testCopiedStringsAreRecognized() throws {
    let sent = try signed(request(.get, "/my%20cat"), with: Self.key)
    let seen = try S3Signer(region: "eu-central-1").prepare(
      request(.get, "/my%2520cat"), as: Self.key.identity, in: .at(Self.now))
    for text in [seen.stringToSign, seen.stringToSign + "\n", try XCTUnwrap(seen.canonicalRequest)] {
      assertDiagnosis(
        SignatureDiagnosis(of: RejectedResponse(text), to: sent, signedFor: .s3()), .encodedTwice, line: "path")
    }
    let v2 = "GET\n\n\nFri, 20 Nov 2026 08:00:00 GMT\n/photos/a"
    XCTAssertNil(SignatureDiagnosis(of: RejectedResponse(v2), to: sent, signedFor: .s3()))
  }
}
