// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import CAllocationCounter
import HTTPTypes
import S3Auth
import SigningProperties
import StorageAuth
import XCTest

/// Settings of the S3 signer, its endpoints, and its allocation budget.
final class S3SignerTests: XCTestCase {
  func testEndpointHosts() throws {
    func host(_ endpoint: ServiceEndpoint, _ bucket: String = "photos") throws -> String {
      let request = try endpoint.request(.get, bucket: bucket, key: "a b/c")
      return "\(request.authority ?? "")\(request.path ?? "")"
    }
    XCTAssertEqual(try host(.s3(region: "eu-west-1")), "photos.s3.eu-west-1.amazonaws.com/a%20b/c")
    XCTAssertEqual(
      try host(.s3(region: "us-west-2", network: .dualStack)), "photos.s3.dualstack.us-west-2.amazonaws.com/a%20b/c")
    XCTAssertEqual(try host(.s3(region: "us-west-2", network: .fips)), "photos.s3-fips.us-west-2.amazonaws.com/a%20b/c")
    XCTAssertEqual(
      try host(.s3(region: "us-west-2", network: [.fips, .dualStack])),
      "photos.s3-fips.dualstack.us-west-2.amazonaws.com/a%20b/c")
    XCTAssertEqual(
      try host(.s3(region: "us-west-2", network: .accelerated)), "photos.s3-accelerate.amazonaws.com/a%20b/c")
    XCTAssertEqual(
      try host(.s3(region: "us-west-2", network: [.accelerated, .dualStack])),
      "photos.s3-accelerate.dualstack.amazonaws.com/a%20b/c")
    XCTAssertEqual(try host(.s3(region: "cn-north-1")), "photos.s3.cn-north-1.amazonaws.com.cn/a%20b/c")
    XCTAssertEqual(
      try host(.s3(region: "eu-west-1", bucket: "my.dotted.bucket"), "my.dotted.bucket"),
      "s3.eu-west-1.amazonaws.com/my.dotted.bucket/a%20b/c")
    XCTAssertThrowsError(try ServiceEndpoint.s3(region: "us-west-2", network: [.accelerated, .fips]))
    XCTAssertThrowsError(try ServiceEndpoint.s3(region: "us-west-2", network: .accelerated, bucket: "a.b"))
    XCTAssertThrowsError(
      try host(.s3(region: "eu-west-1"), "my.dotted.bucket"), "a wildcard certificate covers one label")
    let path = try ServiceEndpoint("https://minio.example.com:9000", style: .path)
    for name in ["a..b", ".ab", "ab.", "1.2.3.4", "a.-b", "a.B", "a.b-", "a./b"] {
      XCTAssertThrowsError(try host(path, name), name)
    }
    XCTAssertEqual(try host(path, "a.b.c"), "minio.example.com:9000/a.b.c/a%20b/c")
  }

  /// A region or a host that leads to another server.
  // matrix: S3 V4: bad input
  func testHostileRegionsAreRejected() throws {
    for region in [
      "", "x.evil.test/#", "us-east-1/", "us-east-1#", "US-EAST-1", "us east", "-us", "us-", "a@b",
      "us-east-1.evil.test",
      "aws-global", "us-east-1\n", "é", String(repeating: "a", count: 64),
    ] {
      XCTAssertThrowsError(try ServiceEndpoint.s3(region: region), region)
      var request = S3Fixture.request()
      XCTAssertThrowsError(try S3Signer(region: region).sign(&request, with: S3Fixture.key, in: .at(S3Fixture.date)))
      XCTAssertEqual(request, S3Fixture.request())
    }
    for signer in [
      S3Signer(region: "us-east-1", service: "s3express"), S3Signer(region: "us-east-1", service: "s3/x"),
      S3Signer(region: "us-east-1", payload: .sha256("abc")),
    ] {
      XCTAssertThrowsError(try signer.signed(S3Fixture.request(), with: S3Fixture.key, in: .at(S3Fixture.date)))
    }
    for host in [
      "alias.accesspoint.s3-global.amazonaws.com", "alias.accesspoint.S3-GLOBAL.amazonaws.com",
      "photos--usw2-az1--X-S3.example.com", "photos.S3Express-usw2-az1.example.com",
      "photos--usw2-az1--x-s3.s3express-usw2-az1.us-west-2.amazonaws.com", "a b", "",
    ] {
      XCTAssertThrowsError(try S3Fixture.signed(S3Fixture.request(host: host)), host)
    }
  }

  func testRegionInAmazonsHosts() {
    for (host, region) in [
      ("s3.eu-west-1.amazonaws.com", "eu-west-1"), ("photos.s3-fips.dualstack.us-west-2.amazonaws.com", "us-west-2"),
      ("s3-eu-west-1.amazonaws.com", "eu-west-1"), ("s3-fips-us-gov-west-1.amazonaws.com", "us-gov-west-1"),
      ("photos.s3-external-1.amazonaws.com", "us-east-1"), ("s3-website.eu-west-1.amazonaws.com", "eu-west-1"),
      ("photos.s3-website-us-west-2.amazonaws.com:80", "us-west-2"),
      ("ap-1.s3-accesspoint.us-west-2.amazonaws.com", "us-west-2"),
      ("ap-1.s3-accesspoint-fips.dualstack.us-west-2.amazonaws.com", "us-west-2"),
      ("S3.CN-NORTH-1.amazonaws.com.cn", "cn-north-1"), ("s3.amazonaws.com", nil), ("s3-fips.amazonaws.com", nil),
      ("photos.s3-accelerate.amazonaws.com", nil), ("photos.s3-accelerate.dualstack.amazonaws.com", nil),
      ("s3.eu-west-1.example.com", nil), ("s3.a.b.amazonaws.com", nil),
    ] as [(String, String?)] {
      XCTAssertEqual(S3Address.region(in: host), region, host)
    }
  }

  func testBucketInHostOrPathMustMatchTheSigner() throws {
    func isSigned(_ host: String, _ path: String, _ style: AddressingStyle? = nil, bucket: String = "photos") -> Bool {
      let signer = S3Signer(region: "us-east-1", bucket: bucket, style: style)
      return
        (try? signer.signed(
          S3Fixture.request(.get, path, host: host), with: S3Fixture.key, in: .at(S3Fixture.date))) != nil
    }
    XCTAssertTrue(isSigned("photos.s3.us-east-1.amazonaws.com", "/a"))
    XCTAssertTrue(isSigned("s3.us-east-1.amazonaws.com", "/photos/a"))
    XCTAssertTrue(isSigned("s3.us-east-1.amazonaws.com", "/"))
    XCTAssertTrue(isSigned("s3.us-east-1.amazonaws.com", "/photos?list-type=2"))
    XCTAssertTrue(isSigned("my.photos.s3.us-east-1.amazonaws.com", "/a", bucket: "my.photos"))
    XCTAssertTrue(isSigned("photos.s3.oss-cn-hangzhou.aliyuncs.com", "/a", .virtualHosted))
    XCTAssertTrue(isSigned("img.example.com", "/a", .customDomain))
    XCTAssertFalse(isSigned("photos2.s3.us-east-1.amazonaws.com", "/photos/a"))
    XCTAssertFalse(isSigned("s3.us-east-1.amazonaws.com", "/photos2/a"))
    XCTAssertFalse(isSigned("127.0.0.1:9000", "/other/a"))
  }

  func testPayloadHashIsTakenFromTheRequestIfTheSignerHasNone() throws {
    let hash = S3Payload.bytes(Array("hello".utf8))
    XCTAssertEqual(hash.text, "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")
    let request = S3Fixture.request(.put).adding("x-amz-content-sha256", hash.text)
    XCTAssertEqual(try S3Fixture.signed(request), try S3Fixture.signed(S3Fixture.request(.put), hash))
    XCTAssertEqual(try S3Fixture.signed(S3Fixture.request()), try S3Fixture.signed(S3Fixture.request(), .unsigned))
    XCTAssertEqual(
      try S3Fixture.signer().with(payload: .empty).signed(
        S3Fixture.request(), with: S3Fixture.key, in: .at(S3Fixture.date)),
      try S3Fixture.signed(S3Fixture.request(), .empty))
    let error = try signingError { () throws(SigningError) in
      try S3Fixture.signer().signed(
        S3Fixture.request().adding("x-amz-content-sha256", "abc"), with: S3Fixture.key, in: .at(S3Fixture.date))
    }
    XCTAssertEqual(error.code, .invalidHeader)
  }

  func testSlashInAnAccessKeyIDIsAcceptedOnlyByS3() throws {
    let key = AccessKey(id: "minio/tenant", secret: "x")
    XCTAssertNil(S3Fixture.refusal(try S3Fixture.signed(with: key), against: key))
    XCTAssertNil(S3Fixture.refusal(try S3Fixture.presigned(with: key), against: key))
    XCTAssertThrowsError(try key.check())
  }

  func testRequestsOfOtherClientsVerify() throws {
    for vector in try S3Vector.load()
    where ["header", "chunked"].contains(vector.mode) && vector.headersComplete != true {
      guard let authorization = vector.expected.authorization, !vector.id.contains("#"), vector.id != "server-path-plus"
      else { continue }
      var request = vector.request
        .setting("x-amz-content-sha256", vector.payloadHash)
        .setting("x-amz-date", vector.dateISO).setting("authorization", authorization)
      if vector.request.headerFields[.named("x-amz-date")] != nil {
        request = request.setting("x-amz-date", vector.dateISO)
      }
      if !vector.credential.token.isEmpty { request = request.setting("x-amz-security-token", vector.credential.token) }
      XCTAssertNil(
        S3Fixture.refusal(request, against: vector.key, at: vector.timestamp, by: S3Verifier(region: vector.region)),
        vector.id)
    }
    for vector in try S3Vector.load() where vector.mode == "presign" && vector.headersComplete != true {
      let url = try XCTUnwrap(vector.expected.url)
      let start = try XCTUnwrap(url.range(of: vector.host)).upperBound
      var request = vector.request
      request.path = String(url[start...])
      XCTAssertNil(
        S3Fixture.refusal(request, against: vector.key, at: vector.timestamp, by: S3Verifier(region: vector.region)),
        vector.id)
    }
  }

  /// The verifier reads a tab as a space, and accepts only the signature of a client that does so too.
  func testVerifierReadsTabsAsSpaces() throws {
    let vectors = try ["header-tab#a", "header-tab#b"].map { try S3Vector.one($0) }
    let accepted = vectors.filter { vector in
      let request = vector.request.setting("x-amz-content-sha256", vector.payloadHash)
        .setting("x-amz-date", vector.dateISO).setting("authorization", vector.expected.authorization)
      return S3Fixture.refusal(request, against: vector.key, at: vector.timestamp, by: S3Verifier()) == nil
    }
    XCTAssertEqual(accepted.count, 1)
  }

  func testErrorsMapToTheServicesCodes() throws {
    let words = S3Fixture.verifier.errorCodes
    let expired = try XCTUnwrap(
      S3Fixture.refusal(S3Fixture.presigned(), at: S3Fixture.date.advanced(by: .seconds(700))))
    XCTAssertEqual(words[expired], .init(.forbidden, "AccessDenied"))
    let mismatch = try XCTUnwrap(S3Fixture.refusal(S3Fixture.signed().replacing("cat", with: "dog")))
    XCTAssertEqual(words[mismatch], .init(.forbidden, "SignatureDoesNotMatch"))
    let malformed = try XCTUnwrap(
      S3Fixture.refusal(S3Fixture.signed().replacingInAuthorization("Signature=", with: "")))
    XCTAssertEqual(words[malformed], .init(.badRequest, "AuthorizationHeaderMalformed"))
    let declined = try XCTUnwrap(S3Fixture.refusal(S3Fixture.request().appending("X-Amz-Region-Set=*")))
    XCTAssertEqual(words[declined], .init(.notImplemented, "NotImplemented"))
  }

  /// Header signing allocates only the parts of its result: date, list of names, authorization and fields.
  // matrix: S3 V4: allocation budget
  func testAllocationBudgetOfHeaderSigning() throws {
    guard allocation_count() >= 0 else { throw XCTSkip("allocations cannot be counted on this system") }
    let signer = S3Fixture.signer(.unsigned)
    let request = S3Fixture.request(.put, "/a/b.jpg", [.contentType: "image/jpeg", .named("x-amz-meta-a"): "b"])
    var last = request
    func count() throws -> Int {
      let before = allocation_count()
      last = try signer.signed(request, with: S3Fixture.key, in: .at(S3Fixture.date))
      return allocation_count() - before
    }
    _ = try count()
    let counts = try (0..<5).map { _ in try count() }
    XCTAssertNotNil(last.headerFields[.authorization])
    // Without optimization, generic code of the standard library also allocates.
    #if DEBUG
      let budget = 160
    #else
      let budget = 12
    #endif
    XCTAssertLessThanOrEqual(try XCTUnwrap(counts.min()), budget)
  }

  func testErrorForAPresignedURLNamesTheExistingSignature() throws {
    let host = "photos.s3.eu-central-1.amazonaws.com"
    let (key, date) = (AccessKey(id: "AKIDEXAMPLE", secret: "secret"), Timestamp(unixSeconds: 1_795_161_600))
    var request = HTTPRequest(method: .get, scheme: "https", authority: host, path: "/cat.jpg?versionId=a")
    let signer = S3Signer(region: "eu-central-1")
    request.path = String(
      try signer.presign(request, with: key, validFor: .seconds(60), in: .at(date)).url.trimmingPrefix(
        "https://\(host)"))
    XCTAssertThrowsError(try signer.presign(request, with: key, validFor: .seconds(60), in: .at(date))) {
      XCTAssertTrue("\($0)".contains("carries a signature"), "\($0)")
    }
    XCTAssertThrowsError(try signer.signed(request, with: key, in: .at(date))) {
      XCTAssertTrue("\($0)".contains("carries a signature"), "\($0)")
    }
  }
}
