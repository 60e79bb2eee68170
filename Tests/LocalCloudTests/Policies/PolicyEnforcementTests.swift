// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import OSSAuth
internal import S3Auth
internal import StorageAuth
internal import XCTest

/// Tests over the wire that a key for one folder is limited to it.
final class PolicyEnforcementTests: PolicyTestCase {
  private func uploads(_ keys: [String], _ owner: TestClient) async throws -> [String: String] {
    var ids: [String: String] = [:]
    for key in keys {
      let reply = try await owner.send(.post, key, query: ["uploads": nil])
      ids[key] = try reply.document["UploadId"]?.text
    }
    return ids
  }

  private func send(
    _ test: PolicyRequest, _ scoped: TestClient, _ ids: [String: String]
  ) async throws -> Reply {
    var headers = test.headers
    if let copied = test.copied {
      headers["\(scoped.prefix)copy-source"] =
        scoped.provider == .cos
        ? "\(Self.bucket).cos.ap-guangzhou.myqcloud.com/\(copied)" : "/\(Self.bucket)/\(copied)"
    }
    if test.method == .put, test.query.contains(where: { $0.key == "acl" }) {
      headers["\(scoped.prefix)acl"] = "private"
    }
    if scoped.provider == .s3, let body = test.body, test.query.contains(where: { $0.key == "delete" }) {
      headers["x-amz-checksum-crc32"] = TestClient.sum(body, .crc32)
    }
    var query = test.query.map { ($0.key, $0.value) }
    if let upload = test.upload { query.append(("uploadId", ids[upload])) }
    let request = try scoped.cloud.endpoint(of: scoped.provider).request(
      test.method, bucket: test.bucket, key: test.key,
      parameters: query.map { RequestTarget.Parameter(name: $0.0, value: $0.1) },
      headers: HTTPFields(
        headers.compactMap { name, value in HTTPField.Name(name).map { HTTPField(name: $0, value: value) } }))
    return try await scoped.send(scoped.signed(request), body: test.body)
  }

  func testKeyForAFolderIsRejectedOutsideOfIt() async throws {
    let tests = PolicyRequest.others + PolicyRequest.objects
    XCTAssertGreaterThanOrEqual(tests.count, 40)
    try await withEachScope(Self.alice, of: LocalCloud.Provider.allCases) { scoped, owner in
      for key in [PolicyRequest.alice, PolicyRequest.bob] {
        for bucket in [Self.bucket, Self.otherBucket] {
          let put = try await owner.send(.put, key, bucket: bucket, body: PolicyRequest.body)
          XCTAssertEqual(put.status, 200, put.text)
        }
      }
      let access = scoped.provider == .oss ? "x-oss-object-acl" : "\(scoped.prefix)acl"
      _ = try await owner.send(.put, "uploads/bob/public", headers: [access: "public-read"], body: [1])
      let ids = try await uploads([PolicyRequest.alice, PolicyRequest.bob, "uploads/alice/other"], owner)
      for test in tests {
        let reply = try await send(test, scoped, ids)
        let name = "\(scoped.provider.rawValue): \(test.name): \(reply.text)"
        if test.allowed.contains(scoped.provider) {
          XCTAssertTrue((200..<300).contains(reply.status), name)
        } else {
          XCTAssertEqual(reply.status, 403, name)
          if test.method != .head { XCTAssertEqual(try reply.errorCode, "AccessDenied", name) }
        }
      }
      for key in [PolicyRequest.alice, PolicyRequest.bob] {
        let rest = try await owner.send(.get, key)
        XCTAssertEqual(rest.body, PolicyRequest.body, key)
      }
      let list = try await owner.send(.get, query: ["prefix": "uploads/alice/"])
      XCTAssertEqual(
        try list.document.all("Contents").compactMap { $0["Key"]?.text },
        ["uploads/alice/..x/new", PolicyRequest.alice])
      let parts = try await owner.send(.get, PolicyRequest.bob, query: ["uploadId": ids[PolicyRequest.bob]])
      XCTAssertEqual(parts.status, 200, "the upload outside of the folder was aborted or completed")
    }
  }

  func testDenialsHaveTheFormatOfTheService() async throws {
    try await withEachScope(Self.alice) { scoped, _ in
      let reply = try await scoped.send(.get, PolicyRequest.bob)
      let document = try reply.document
      switch scoped.provider {
      case .oss:
        XCTAssertEqual(document["Message"]?.text, "Access denied by authorizer's policy.")
        XCTAssertEqual(document["EC"]?.text, "0003-00000301")
        XCTAssertEqual(reply.header("x-oss-ec"), "0003-00000301")
      case .cos, .s3:
        XCTAssertEqual(document["Message"]?.text, "Access Denied.")
        XCTAssertEqual(document["ServerTime"]?.text, clock.now.iso8601)
        XCTAssertTrue(document["Resource"]?.text.hasSuffix("uploads/bob/dog.jpg") ?? false)
      }
      XCTAssertEqual(scoped.cloud.statistics[scoped.provider == .oss ? .oss : .cos].refused["AccessDenied"], 1)
    }
  }

  func testPresignedURLIsLimitedByThePolicy() async throws {
    try await withEachScope(Self.alice, of: LocalCloud.Provider.allCases) { scoped, owner in
      for (key, status) in [(PolicyRequest.alice, 200), (PolicyRequest.bob, 403)] {
        _ = try await owner.send(.put, key, body: PolicyRequest.body)
        var request = try scoped.request(.get, key)
        let link = try scoped.presigned(request, validFor: .seconds(60))
        request.headerFields = link.headers
        request.path = String(link.url.dropFirst("http://\(request.authority ?? "")".count))
        let reply = try await scoped.send(request)
        XCTAssertEqual(reply.status, status, reply.text)
      }
    }
  }

  func testCOSParameterNamesInPresignedURLsAreCaseInsensitive() async throws {
    try await withEachScope(Self.alice, of: [.cos]) { _, owner in
      for key in [PolicyRequest.alice, PolicyRequest.bob] {
        _ = try await owner.send(.put, key, body: PolicyRequest.body)
      }
      func send(
        _ method: HTTPRequest.Method, _ key: String?, _ parameter: RequestTarget.Parameter, as spelt: String
      ) async throws -> Reply {
        var request = try owner.cloud.endpoint(of: .cos).request(
          method, bucket: Self.bucket, key: key, parameters: [parameter])
        let link = try owner.presigned(request, validFor: .seconds(60))
        request.headerFields = link.headers
        request.path = String(link.url.dropFirst("http://\(request.authority ?? "")".count))
          .replacing("?\(parameter.name)", with: "?\(spelt)").replacing("&\(parameter.name)", with: "&\(spelt)")
        return try await owner.send(request, body: method == .put ? [1] : nil)
      }
      let list = try await send(.get, nil, .init(name: "prefix", value: "uploads/alice/"), as: "PREFIX")
      XCTAssertEqual(
        try list.document.all("Contents").compactMap { $0["Key"]?.text }, [PolicyRequest.alice], list.text)
      let access = try await send(.get, PolicyRequest.bob, .init(name: "acl", value: nil), as: "ACL")
      XCTAssertEqual(access.status, 200)
      XCTAssertNotEqual(access.body, PolicyRequest.body, "the object's content was returned")
      let tags = try await send(.put, PolicyRequest.bob, .init(name: "tagging", value: nil), as: "Tagging")
      XCTAssertEqual(try tags.errorCode, "MalformedXML", "the body is no document with tags")
      let rest = try await owner.send(.get, PolicyRequest.bob)
      XCTAssertEqual(rest.body, PolicyRequest.body, "the object was overwritten")
    }
  }

  func testKeyWithoutAPolicyHasTheAccountsPermissions() async throws {
    try await withServices { services in
      let issued = try await services.send(
        services.acs3(["RoleArn": Self.alibabaRole, "RoleSessionName": "alice"])
      ).alibabaKey
      let client = storage(.oss, of: services, with: try XCTUnwrap(issued))
      let reply = try await client.send(.put, "anywhere", body: [1])
      XCTAssertEqual(reply.status, 200, reply.text)
      let buckets = try await client.send(.get, bucket: nil)
      XCTAssertEqual(buckets.status, 200, buckets.text)
    }
  }
}
