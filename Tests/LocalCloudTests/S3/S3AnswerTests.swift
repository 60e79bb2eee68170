// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import LocalCloud
internal import S3Auth
internal import StorageAuth
internal import XCTest

/// Tests the documents, headers and error responses of S3.
final class S3AnswerTests: CloudTestCase {
  private let temporary = AccessKey(
    id: "ASIATEMPORARY", secret: "temporary-secret", sessionToken: "to+ken/=",
    expiration: Timestamp(unixSeconds: 1_795_161_600 + 3600))

  override var configuration: LocalCloud.Configuration {
    var configuration = super.configuration
    configuration.accounts.append(.init(temporary))
    return configuration
  }

  private func refused(
    _ client: TestClient, _ signer: S3Signer = S3Signer(region: "us-east-1"), with key: AccessKey? = nil,
    at offset: Int = 0, _ change: (inout HTTPRequest) -> Void = { _ in }
  ) async throws -> Reply {
    var request = try signer.signed(
      client.request(.get, "a"), with: key ?? client.key, in: .at(clock.now.advanced(by: .seconds(offset))))
    change(&request)
    return try await client.send(request)
  }

  // matrix: S3 V4: verify, skew, expiry, redaction
  func testErrorsHaveTheCodesAndElementsOfTheService() async throws {
    try await withEachService(of: [.s3]) { client in
      let wrong = try await refused(client, with: AccessKey(id: "test-id", secret: "wrong"))
      XCTAssertEqual(wrong.status, 403)
      let names = try wrong.document.children.map(\.name)
      XCTAssertEqual(
        names,
        [
          "Code", "Message", "AWSAccessKeyId", "StringToSign", "SignatureProvided", "StringToSignBytes",
          "CanonicalRequest", "CanonicalRequestBytes", "RequestId", "HostId",
        ])
      let text = try XCTUnwrap(try wrong.document["StringToSign"]?.text)
      XCTAssertEqual(
        try wrong.document["StringToSignBytes"]?.text,
        text.utf8.map { String(format: "%02x", $0) }.joined(separator: " "))
      XCTAssertEqual(try wrong.document["RequestId"]?.text, wrong.header("x-amz-request-id"))
      XCTAssertEqual(try wrong.document["HostId"]?.text, wrong.header("x-amz-id-2"))

      let cases: [(Reply, Int, String, String?)] = [
        (try await refused(client, with: AccessKey(id: "nobody", secret: "x")), 403, "InvalidAccessKeyId", "nobody"),
        (
          try await refused(client, with: AccessKey(id: temporary.id.string, secret: "temporary-secret")), 403,
          "InvalidAccessKeyId", temporary.id.string
        ),
        (
          try await refused(
            client, with: AccessKey(id: temporary.id.string, secret: "temporary-secret", sessionToken: "other")), 400,
          "InvalidToken", "Token-0"
        ),
        (
          try await refused(client, with: AccessKey(id: "test-id", secret: "test-secret", sessionToken: "x")),
          400, "InvalidToken", nil
        ),
        (try await refused(client, at: -901), 403, "RequestTimeTooSkewed", "900000"),
        (try await refused(client, at: 901), 403, "RequestTimeTooSkewed", "<RequestTime>2026"),
        (
          try await refused(client, S3Signer(region: "eu-central-1")), 400, "AuthorizationHeaderMalformed",
          "<Region>us-east-1</Region>"
        ),
        (
          try await refused(client, S3Signer(region: "us-east-1", service: "s3-outposts")), 400,
          "AuthorizationHeaderMalformed", nil
        ),
        (
          try await refused(client) { $0.headerFields[.authorization]? += "0" }, 400, "AuthorizationHeaderMalformed",
          nil
        ),
        (
          try await refused(client) { $0.headerFields[.init("x-amz-storage-class")!] = "GLACIER" }, 403,
          "AccessDenied", "<HeadersNotSigned>x-amz-storage-class</HeadersNotSigned>"
        ),
        (try await client.send(client.request(.get, "a")), 403, "AccessDenied", "Access Denied"),
        (try await refused(client) { $0.headerFields[.date] = nil }, 404, "NoSuchKey", nil),
        (
          try await refused(client) { $0.headerFields[.init("x-amz-date")!] = nil }, 403, "AccessDenied",
          "valid Date or x-amz-date"
        ),
        (
          try await refused(client) { $0.headerFields[.init("x-amz-content-sha256")!] = nil }, 400, "InvalidRequest",
          "x-amz-content-sha256"
        ),
        (
          try await refused(client) { $0.headerFields[.init("x-amz-content-sha256")!] = "plain" }, 400,
          "InvalidArgument", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
        ),
        (
          try await refused(client) {
            $0.headerFields[.init("x-amz-content-sha256")!] = "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD"
          }, 501, "NotImplemented", nil
        ),
      ]
      for (reply, status, code, text) in cases {
        XCTAssertEqual(reply.status, status, reply.text)
        XCTAssertEqual(try reply.errorCode, code, reply.text)
        if let text { XCTAssertTrue(reply.text.contains(text), reply.text) }
        XCTAssertFalse(reply.text.contains("to+ken"), reply.text)
      }
      clock.advance(by: .seconds(3600))
      let ended = try await refused(
        client, with: AccessKey(id: temporary.id.string, secret: "temporary-secret", sessionToken: "to+ken/="))
      clock.advance(by: .seconds(-3600))
      XCTAssertEqual(try ended.errorCode, "ExpiredToken")
      XCTAssertEqual(ended.status, 400)
      XCTAssertFalse(ended.text.contains("to+ken"))
    }
  }

  // matrix: S3 V4: verify, bad input
  func testRequestWithAnyAuthenticationIsNeverAnonymous() async throws {
    try await withEachService(of: [.s3]) { client in
      _ = try await client.send(.put, headers: ["x-amz-acl": "public-read"])
      _ = try await client.send(.put, query: ["acl": nil], headers: ["x-amz-acl": "public-read"])
      _ = try await client.send(.put, "a", headers: ["x-amz-acl": "public-read"], body: [1])
      let open = try await client.send(client.request(.get, "a"))
      XCTAssertEqual(open.status, 200)
      for (name, value) in [
        ("authorization", "AWS test-id:AAAA"), ("authorization", "AWS4-HMAC-SHA256"),
        ("authorization", "AWS4-HMAC-SHA256x Credential=a"), ("authorization", "Bearer x"),
        ("authorization", "Basic eDp5"), ("x-amz-security-token", "to+ken/="), ("x-amz-s3session-token", "x"),
      ] {
        let reply = try await client.send(client.request(.get, "a", headers: [name: value]))
        XCTAssertTrue((400...501).contains(reply.status), "\(name): \(value) \(reply.status)")
      }
      for query in [
        "AWSAccessKeyId=test-id&Expires=1895161600&Signature=AAAA", "X-Amz-Signature=00", "X-Amz-Algorithm=x",
        "x-amz-signature=00", "X-Amz-Credential=a",
      ] {
        var request = try client.request(.get, "a")
        request.path? += "?\(query)"
        let reply = try await client.send(request)
        XCTAssertEqual(reply.status, 400, "\(query) \(reply.text)")
      }
    }
  }

  func testHeadHasNoBodyAndReturnsTheRegion() async throws {
    try await withEachService(of: [.s3]) { client in
      let right = try await client.send(.head)
      XCTAssertEqual(right.header("x-amz-bucket-region"), "us-east-1")
      let request = try S3Signer(region: "eu-central-1").signed(
        client.request(.head), with: client.key, in: .at(clock.now))
      let wrong = try await client.send(request)
      XCTAssertEqual(wrong.status, 400)
      XCTAssertEqual(wrong.header("x-amz-bucket-region"), "us-east-1")
      XCTAssertEqual(wrong.body, [])
    }
    var elsewhere = configuration
    elsewhere.s3Region = "eu-central-1"
    try await withEachService(elsewhere, of: [.s3]) { client in
      func send(_ method: HTTPRequest.Method, bucket: String, _ body: String = "") async throws -> Reply {
        let signer = S3Signer(region: "eu-central-1", payload: .bytes(Array(body.utf8)))
        var request = try client.request(method)
        request.path = "/\(bucket)"
        request = try signer.signed(request, with: client.key, in: .at(clock.now))
        return try await client.send(request, body: Array(body.utf8))
      }
      let document = { (name: String) in
        "<CreateBucketConfiguration><LocationConstraint>\(name)</LocationConstraint></CreateBucketConfiguration>"
      }
      for body in ["", document("eu-west-1")] {
        let refused = try await send(.put, bucket: "made.here", body)
        XCTAssertEqual(try refused.errorCode, "IllegalLocationConstraintException")
      }
      let made = try await send(.put, bucket: "made.here", document("eu-central-1"))
      XCTAssertEqual(made.status, 200, made.text)
      let again = try await send(.put, bucket: "made.here", document("eu-central-1"))
      XCTAssertEqual(try again.errorCode, "BucketAlreadyOwnedByYou")
      for bucket in ["ab", "Made", "a..b", "1.2.3.4", "-ab"] {
        let invalid = try await send(.put, bucket: bucket)
        XCTAssertEqual(try invalid.errorCode, "InvalidBucketName", bucket)
      }
    }
  }

  func testListingsHaveTheFormatOfTheService() async throws {
    try await withEachService(of: [.s3]) { client in
      for key in ["a b/1", "a b/é", "b", "c"] { _ = try await client.send(.put, key, body: [1]) }
      let list = try await client.send(.get, query: ["encoding-type": "url", "list-type": "2"])
      XCTAssertTrue(list.text.contains("xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\""))
      let document = try list.document
      XCTAssertEqual(document.all("Contents").map { $0["Key"]?.text }, ["a+b/1", "a+b/%C3%A9", "b", "c"])
      XCTAssertNil(document["Contents"]?["Owner"])
      XCTAssertNil(document["Delimiter"])
      XCTAssertEqual(document["MaxKeys"]?.text, "1000")
      let large = try await client.send(.get, query: ["max-keys": "5000"]).document
      XCTAssertEqual(large["MaxKeys"]?.text, "1000")
      let negative = try await client.send(.get, query: ["max-keys": "-1"])
      XCTAssertEqual(try negative.errorCode, "InvalidArgument")
      let page = try await client.send(.get, query: ["max-keys": "2"]).document
      XCTAssertEqual(page["IsTruncated"]?.text, "true")
      XCTAssertNil(page["NextMarker"], "only with a delimiter")
      let grouped = try await client.send(.get, query: ["max-keys": "1", "delimiter": "/"]).document
      XCTAssertEqual(grouped["NextMarker"]?.text, "a b/")
      let next = try await client.send(.get, query: ["list-type": "2", "start-after": "b", "fetch-owner": "true"])
      XCTAssertEqual(try next.document.all("Contents").map { $0["Key"]?.text }, ["c"])
      XCTAssertNotNil(try next.document["Contents"]?["Owner"])
      let buckets = try await client.send(.get, bucket: nil).document
      XCTAssertEqual(buckets["Buckets"]?.children.map { $0["BucketRegion"]?.text }, ["us-east-1"])
      let location = try await client.send(.get, query: ["location": nil])
      XCTAssertEqual(try location.document.text, "")
    }
  }

  // matrix: S3 V4: header, verify
  func testBucketIsReadFromTheHost() async throws {
    try await withEachService(of: [.s3]) { client in
      _ = try await client.send(.put, "dir/a", body: [1, 2])
      let hosts = [
        ("\(Self.bucket).s3.us-east-1.amazonaws.com", "/dir/a"), ("\(Self.bucket).localhost:9000", "/dir/a"),
        ("s3.us-east-1.amazonaws.com", "/\(Self.bucket)/dir/a"), ("s3.localhost", "/\(Self.bucket)/dir/a"),
        ("localhost:1", "/\(Self.bucket)/dir/a"),
      ]
      for (host, path) in hosts {
        let request = try S3Signer(region: "us-east-1").signed(
          HTTPRequest(method: .get, scheme: "http", authority: host, path: path), with: client.key,
          in: .at(clock.now))
        var lines = ["GET \(path) HTTP/1.1", "Host: \(host)"]
        lines += request.headerFields.map { "\($0.name.rawName): \($0.value)" }
        let answer = try await RawConnection.exchange(
          RawConnection.head(lines), with: client.cloud.s3Endpoint, until: { $0.contains("\u{1}\u{2}") })
        XCTAssertTrue(answer.hasPrefix("HTTP/1.1 200"), "\(host): \(answer)")
      }
    }
  }

  func testWritesAreConditional() async throws {
    try await withEachService(of: [.s3]) { client in
      let first = try await client.send(.put, "a", headers: ["If-None-Match": "*"], body: [1])
      let tag = try XCTUnwrap(first.header("etag"))
      for (headers, status, code) in [
        (["If-None-Match": "*"], 412, "PreconditionFailed"), (["If-Match": "\"0\""], 412, "PreconditionFailed"),
        (["If-None-Match": tag], 501, "NotImplemented"),
      ] {
        let reply = try await client.send(.put, "a", headers: headers, body: [2])
        XCTAssertEqual(reply.status, status, reply.text)
        XCTAssertEqual(try reply.errorCode, code)
      }
      let missing = try await client.send(.put, "b", headers: ["If-Match": tag], body: [2])
      XCTAssertEqual(try missing.errorCode, "NoSuchKey")
      let copy = try await client.send(
        .put, "a", headers: ["x-amz-copy-source": "/\(Self.bucket)/a", "If-None-Match": "*"])
      XCTAssertTrue([400, 412].contains(copy.status), copy.text)
      let kept = try await client.send(.delete, "a", headers: ["If-Match": "\"0\""])
      XCTAssertEqual(kept.status, 412)
      let second = try await client.send(.put, "a", headers: ["If-Match": tag], body: [2])
      XCTAssertEqual(second.status, 200)
      let gone = try await client.send(.delete, "a", headers: ["If-Match": second.header("etag") ?? ""])
      XCTAssertEqual(gone.status, 204)
    }
  }

  func testUnsupportedFeaturesAreRejected() async throws {
    try await withEachService(of: [.s3]) { client in
      for name in [
        "object-lock-mode", "website-redirect-location", "bypass-governance-retention", "mfa", "new",
        "object-ownership", "write-offset-bytes", "traffic-limit", "forbid-overwrite",
        "rename-source",
      ] {
        let reply = try await client.send(.put, "a", headers: ["x-amz-\(name)": "x"], body: [1])
        XCTAssertEqual(reply.status, 501, name)
        XCTAssertEqual(try reply.errorCode, "NotImplemented")
      }
      let element = Array("<Delete><Object><Key>a</Key><Size>1</Size></Object></Delete>".utf8)
      let reply = try await client.send(
        .post, query: ["delete": nil], headers: ["x-amz-checksum-crc32": TestClient.sum(element, .crc32)],
        body: element)
      XCTAssertEqual(reply.status, 501, reply.text)
    }
  }
}
