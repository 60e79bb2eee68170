// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import S3Auth
internal import StorageAuth
internal import XCTest

/// Tests known attacks on S3-compatible servers, over raw sockets where a client would normalize the request.
final class S3AttackTests: CloudTestCase {
  private func raw(
    _ client: TestClient, _ request: HTTPRequest, path: String? = nil, adding lines: [String] = [], body: String = ""
  ) async throws -> String {
    var head = ["\(request.method.rawValue) \(path ?? request.path ?? "") HTTP/1.1"]
    if !lines.contains(where: { $0.hasPrefix("Host: first") }) { head.append("Host: \(request.authority ?? "")") }
    head += request.headerFields.map { "\($0.name.rawName): \($0.value)" } + lines
    if !body.isEmpty { head.append("Content-Length: \(body.utf8.count)") }
    return try await RawConnection.exchange(RawConnection.head(head) + body, with: client.cloud.s3Endpoint)
  }

  private func assertRefused(_ answer: String, _ what: String, line: UInt = #line) {
    XCTAssertTrue(answer.hasPrefix("HTTP/1.1 4"), "\(what): \(answer.prefix(200))", line: line)
  }

  // matrix: S3 V4: verify
  func testEveryPayloadFormRequiresTheSignatureOfItsHead() async throws {
    try await withEachService(of: [.s3]) { client in
      let forms: [S3Payload] = [
        .unsigned, .signedChunks, .signedChunksWithTrailer, .unsignedChunksWithTrailer, .bytes([1, 2, 3]),
      ]
      for payload in forms {
        let upload =
          payload.isChunked
          ? try client.chunked("refused", [1, 2, 3], as: payload)
          : try client.upload("refused", [1, 2, 3], as: payload)
        var missing = upload
        missing.request.headerFields[.authorization] = nil
        var wrong = upload
        wrong.request.headerFields[.authorization] = upload.request.headerFields[.authorization]
          .map { $0.dropLast() + ($0.hasSuffix("0") ? "1" : "0") }
        var other = upload
        other.request.headerFields[.init("x-amz-content-sha256") ?? .accept] =
          (payload == .unsigned ? S3Payload.bytes([1, 2, 3]) : .unsigned).text
        for (attack, name) in [(missing, "no signature"), (wrong, "wrong"), (other, "another form")] {
          let reply = try await client.send(attack)
          XCTAssertEqual(reply.status, 403, "\(payload.text) \(name): \(reply.text)")
        }
        let head = try await client.send(.head, "refused")
        XCTAssertEqual(head.status, 404, payload.text)
      }
      XCTAssertEqual(client.cloud.writes(of: .s3, in: Self.bucket), [:])
    }
  }

  // matrix: S3 V4: verify, bad input
  func testPathIsDecodedOnceAndAsSigned() async throws {
    try await withEachService(of: [.s3]) { client in
      for key in ["a", "a b", "b", "dir/../a", "dir//a", "%2e", "a+b"] {
        let put = try await client.send(.put, key, body: Array(key.utf8))
        XCTAssertEqual(put.status, 200, key)
      }
      let signed = try client.signed(client.request(.get, "a"))
      let base = "/\(Self.bucket)"
      for path in [
        "\(base)/b", "\(base)//a", "\(base)/./a", "\(base)/dir/../a", "\(base)/%61%00", "\(base)/a%", "\(base)/a%2",
        "\(base)/%c0%ae", "//\(Self.bucket)/a", "\(base)%2Fa/", "http://other.test\(base)/a", "\(base)/a?acl",
        "\(base)/%2561",
      ] {
        assertRefused(try await raw(client, signed, path: path), path)
      }
      for key in ["dir/../a", "dir//a", "%2e", "a+b"] {
        let get = try await client.send(.get, key)
        XCTAssertEqual(get.text, key)
      }
      let plus = try client.signed(client.request(.get, "a b"))
      assertRefused(try await raw(client, plus, path: "\(base)/a+b"), "a plus for a space")
    }
  }

  // matrix: S3 V4: verify, bad input
  func testRepeatedHostsHeadersAndParametersAreRejected() async throws {
    try await withEachService(of: [.s3]) { client in
      _ = try await client.send(.put, "a", body: [1])
      let signed = try client.signed(client.request(.get, "a", headers: ["range": "bytes=0-0"]))
      let host = "Host: \(signed.authority ?? "")"
      let name = "x-amz-date: \(signed.headerFields[.init("x-amz-date") ?? .date] ?? "")"
      for lines in [
        ["Host: first.test"], [host], ["Host: first.test", host], [name], ["x-amz-date: 20261120T000000Z"],
        ["x-amz-content-sha256: \(S3Payload.empty.text)"], ["Authorization: AWS x:y"],
      ] {
        assertRefused(try await raw(client, signed, adding: lines), "\(lines)")
      }
      let link = try client.presigned(client.request(.get, "a"), validFor: .seconds(60))
      var request = try client.request(.get, "a")
      request.headerFields = link.headers
      let path = String(link.url.dropFirst("http://\(request.authority ?? "")".count))
      for more in [
        "&X-Amz-Expires=604800", "&X-Amz-Signature=00", "&X-Amz-Date=20261120T080000Z", "&x-amz-expires=1",
        "&response-content-type=text/html", "&X-Amz-Security-Token=x", "&versionId=1", "&uploadId=x", "&a",
      ] {
        assertRefused(try await raw(client, request, path: path + more), more)
      }
      let forwarded = try await raw(
        client, request, path: path, adding: ["X-Forwarded-Host: other.test", "X-Original-URL: /other"])
      XCTAssertTrue(forwarded.hasPrefix("HTTP/1.1 200"), "forwarding headers must be ignored")
    }
  }

  // matrix: S3 V4: presign, expiry
  func testPresignedURLLifetimeIsLimitedToAWeek() async throws {
    try await withEachService(of: [.s3]) { client in
      _ = try await client.send(.put, "a", body: [1])
      let link = try client.presigned(client.request(.get, "a"), validFor: .seconds(60))
      var request = try client.request(.get, "a")
      request.headerFields = link.headers
      let path = String(link.url.dropFirst("http://\(request.authority ?? "")".count))
      for value in [
        "0", "-1", "604801", "+60", "1e3", "60.0", "NaN", "", "0x3C", "99999999999999999999", "%EF%BC%91", " 60",
      ] {
        let other = path.replacing("X-Amz-Expires=60", with: "X-Amz-Expires=\(value.replacing(" ", with: "%20"))")
        XCTAssertNotEqual(other, path)
        let answer = try await raw(client, request, path: other)
        assertRefused(answer, value)
        XCTAssertTrue(answer.contains("AuthorizationQueryParametersError"), "\(value): \(answer)")
      }
      clock.advance(by: .seconds(61))
      let ended = try await raw(client, request, path: path)
      clock.advance(by: .seconds(-61))
      XCTAssertTrue(ended.contains("Request has expired"), ended)
      XCTAssertFalse(ended.contains(link.url))
    }
  }

  // matrix: S3 V4: form, verify
  func testFormCannotOverrideFieldsOfItsPolicy() async throws {
    try await withEachService(of: [.s3]) { client in
      let form = try client.form(S3Signer(region: "us-east-1"), client.policy())
      let right = try await client.post(FormBody(form, file: [1]))
      XCTAssertEqual(right.status, 204, right.text)
      let elsewhere = FormField("bucket", "other-1250000000")
      for (name, fields) in [
        ("another bucket", [elsewhere]), ("a second key", [FormField("Key", "uploads/alice/b")]),
        ("an access", [FormField("acl", "public-read")]), ("metadata", [FormField("x-amz-meta-a", "1")]),
        ("a class", [FormField("x-amz-storage-class", "GLACIER")]),
        ("a second policy", [FormField("Policy", "e30=")]),
        ("version 2", [FormField("AWSAccessKeyId", "test-id"), FormField("signature", "AAAA")]),
      ] {
        let reply = try await client.post(FormBody(form, adding: fields, file: [2]))
        XCTAssertTrue([400, 403].contains(reply.status), "\(name): \(reply.text)")
      }
      for (name, value) in [
        ("x-amz-date", "20261119T080000Z"), ("x-amz-algorithm", "AWS4-HMAC-SHA256x"),
        ("x-amz-credential", "test-id/20261120/eu-west-1/s3/aws4_request"), ("x-amz-signature", nil),
        ("policy", nil), ("x-amz-signature", String(repeating: "0", count: 64)),
      ] as [(String, String?)] {
        var body = FormBody(form, file: [2])
        body.change(name, to: value)
        let reply = try await client.post(body)
        XCTAssertTrue([400, 403].contains(reply.status), "\(name): \(reply.status) \(reply.text)")
      }
      var after = FormBody(form, file: [1])
      after.after = [FormField("key", "uploads/bob/x"), FormField("acl", "public-read")]
      let ignored = try await client.post(after)
      XCTAssertEqual(ignored.status, 204)
      let keys = try await client.send(.get).document.all("Contents").compactMap { $0["Key"]?.text }
      XCTAssertEqual(Set(keys.map { $0.hasPrefix("uploads/alice/") }), [true])
      let get = try await client.send(client.request(.get, keys.first))
      XCTAssertEqual(get.status, 403)
    }
  }

  func testConnectionClosesAfterAnErrorBeforeTheBody() async throws {
    try await withEachService(of: [.s3]) { client in
      let request = try client.request(.put, "a")
      let answer = try await raw(
        client, request, path: "/\(Self.bucket)/a",
        adding: ["Expect: 100-continue", "Content-Length: 100"])
      XCTAssertTrue(answer.hasPrefix("HTTP/1.1 403"), answer)
      XCTAssertTrue(answer.lowercased().contains("connection: close"), answer)
    }
  }
}
