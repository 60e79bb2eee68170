// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests known attacks on signature verifiers over the wire, against each service in its compatible mode.
final class AttackTests: CloudTestCase {
  private let temporary = AccessKey(id: "STS.temporary", secret: "temporary-secret", sessionToken: "to+ken/=")
  private let otherBucket = "other-1250000000"

  override var configuration: LocalCloud.Configuration {
    var configuration = super.configuration
    configuration.accounts.append(.init(temporary))
    configuration.buckets.append(otherBucket)
    return configuration
  }

  /// Sends a request that must be rejected with one of the given codes and must not be counted as verified.
  private func assertRefused(
    _ client: TestClient, _ request: HTTPRequest, body: [UInt8]? = nil, with codes: Set<String>, _ name: String,
    line: UInt = #line
  ) async throws {
    let before = client.cloud.statistics.verifiedCount
    let reply = try await client.send(request, body: body)
    XCTAssertTrue((400...403).contains(reply.status), "\(client.provider) \(name): \(reply.status)", line: line)
    XCTAssertEqual(client.cloud.statistics.verifiedCount, before, "\(client.provider) \(name)", line: line)
    guard request.method != .head else { return }
    let code = try reply.errorCode ?? "none"
    XCTAssertTrue(codes.contains(code), "\(client.provider) \(name): \(code)", line: line)
    XCTAssertFalse(reply.text.contains("to+ken"), "\(client.provider) \(name): token in the response", line: line)
  }

  private static let mismatch: Set<String> = ["SignatureDoesNotMatch"]

  /// A request for a presigned URL.
  private func presigned(
    _ client: TestClient, _ method: HTTPRequest.Method, _ key: String, headers: [String: String] = [:]
  ) throws -> HTTPRequest {
    let plain = try client.request(method, key, headers: headers)
    let link = try client.presigned(plain, validFor: .seconds(60))
    var request = plain
    request.headerFields = link.headers
    request.path = String(link.url.dropFirst("http://\(plain.authority ?? "")".count))
    return request
  }

  // matrix: OSS V4: verify
  // matrix: COS V5: verify
  // matrix: S3 V4: verify
  func testControlHeaderOnAPresignedUploadIsRejected() async throws {
    try await withEachService { client in
      _ = try await client.send(.put, "secret", body: [1])
      let names = ["acl", "copy-source", "meta-owner", "storage-class", "tagging", "object-acl"]
      for name in names {
        var request = try presigned(client, .put, "upload")
        let value = name == "copy-source" ? "/\(Self.bucket)/secret" : "public-read"
        request.headerFields[try XCTUnwrap(HTTPField.Name(client.prefix + name))] = value
        try await assertRefused(
          client, request, body: [2], with: ["SignatureDoesNotMatch", "AccessDenied"], "\(name) added")
      }
      let head = try await client.send(.head, "upload")
      XCTAssertEqual(head.status, 404)
    }
  }

  func testCredentialsInTwoLocationsAreRejected() async throws {
    try await withEachService { client in
      let header = try client.signed(client.request(.get, "a"))
      var both = try presigned(client, .get, "a")
      both.headerFields = header.headerFields
      try await assertRefused(client, both, with: ["InvalidArgument"], "header and URL")
      var twice = header
      twice.headerFields.append(
        HTTPField(name: .authorization, value: try XCTUnwrap(header.headerFields[.authorization])))
      try await assertRefused(client, twice, with: ["InvalidArgument"], "two headers")
    }
  }

  func testUnknownSchemeIsRejected() async throws {
    try await withEachService { client in
      let signed = try client.signed(client.request(.get, "a"))
      let right = try XCTUnwrap(signed.headerFields[.authorization])
      let wrong = [
        right.replacing("HMAC-SHA256", with: "HMAC-SHA256X").replacing("sha1&", with: "sha1x&"),
        "Bearer x", "OSS2 \(right)", "x", "OSS :", "q-sign-algorithm=sha1",
      ]
      for authorization in wrong {
        var request = signed
        request.headerFields[.authorization] = authorization
        try await assertRefused(
          client, request, with: ["InvalidArgument", "AccessDenied", "SignatureDoesNotMatch"], authorization)
      }
    }
  }

  func testForgedOrTruncatedSignatureIsRejected() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      let signed = try client.signed(client.request(.get, "a"))
      let right = try XCTUnwrap(signed.headerFields[.authorization])
      let madeUp = String(repeating: "0", count: client.provider == .oss ? 64 : 40)
      for signature in [madeUp, String(right.suffix(8)), "0"] {
        var request = signed
        let prefix = right.dropLast(madeUp.count)
        request.headerFields[.authorization] = prefix + signature
        try await assertRefused(client, request, with: Self.mismatch, signature)
      }
    }
  }

  // matrix: OSS V4: verify
  // matrix: COS V5: verify
  func testSignatureIsBoundToMethodObjectAndBucket() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      for method in [HTTPRequest.Method.get, .put] {
        let header = try client.signed(client.request(method, "a"))
        let link = try presigned(client, method, "a")
        for signed in [header, link] {
          var other = signed
          other.method = .delete
          try await assertRefused(client, other, with: Self.mismatch, "another method")
          for target in [
            "/\(Self.bucket)/b", "/\(otherBucket)/a", "/\(Self.bucket)/a/", "/\(Self.bucket)//a", "/\(Self.bucket)/./a",
            "/\(Self.bucket)/x/../a", "/\(Self.bucket)/a%2520", "/\(Self.bucket)/a+", "/\(Self.bucket)/A",
          ] {
            other = signed
            let path = try XCTUnwrap(signed.path)
            other.path = path.replacing("/\(Self.bucket)/a", with: target)
            try await assertRefused(client, other, with: Self.mismatch, target)
          }
        }
      }
      var host = try client.signed(client.request(.get, "a"))
      host.path = "/a"
      let moved = try await RawConnection.exchange(
        RawConnection.head(
          ["GET /a HTTP/1.1", "Host: \(otherBucket).localhost"]
            + host.headerFields.map { "\($0.name.rawName): \($0.value)" }),
        with: client.cloud.endpoint(of: client.provider))
      XCTAssertTrue(moved.hasPrefix("HTTP/1.1 403"), moved)
    }
  }

  func testSignedParameterCannotBeChangedRepeatedOrRemoved() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      let name = "response-content-type"
      let plain = try client.request(.get, "a", query: [name: "text/plain"])
      let signed = try client.signed(plain)
      let path = try XCTUnwrap(signed.path)
      let codes: Set<String> = ["SignatureDoesNotMatch", "InvalidArgument"]
      for changed in [
        path.replacing("plain", with: "html"), path + "&\(name)=text%2Fhtml", String(path.prefix { $0 != "?" }),
        path.replacing(name, with: "response-expires"), path + "%00",
      ] {
        var request = signed
        request.path = changed
        try await assertRefused(client, request, with: codes, changed)
      }
    }
  }

  func testSignedHeaderCannotBeChangedRepeatedOrRemoved() async throws {
    try await withEachService { client in
      let name = try XCTUnwrap(HTTPField.Name("\(client.prefix)meta-a"))
      let signed = try client.signed(
        client.request(.put, "a", headers: [name.rawName: "1", "content-type": "text/plain"]))
      let codes: Set<String> = ["SignatureDoesNotMatch", "InvalidArgument"]
      for changed in [name, .contentType] {
        var request = signed
        request.headerFields[changed] = "2"
        try await assertRefused(client, request, body: [1], with: codes, "\(changed) changed")
        request = signed
        request.headerFields[changed] = nil
        try await assertRefused(client, request, body: [1], with: codes, "\(changed) taken away")
      }
      var request = signed
      request.headerFields.append(HTTPField(name: name, value: "1"))
      try await assertRefused(client, request, body: [1], with: codes, "\(name) twice")
      let head = try await client.send(.head, "a")
      XCTAssertEqual(head.status, 404)
    }
  }

  func testResponsesNeverContainTheToken() async throws {
    try await withEachService { client in
      var client = client
      client.key = AccessKey(id: temporary.id, secret: "wrong", sessionToken: "to+ken/=")
      try await assertRefused(client, client.signed(client.request(.get, "a")), with: Self.mismatch, "header")
      try await assertRefused(client, presigned(client, .get, "a"), with: Self.mismatch, "URL")
      let text = try await client.send(client.signed(client.request(.get, "a"))).text
      XCTAssertFalse(text.contains("to%2Bken"))
    }
  }
}
