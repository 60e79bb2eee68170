// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import StorageClient
import XCTest

/// Tests requests of the services' APIs for which the client has no method, sent as MigratingFromVendorSDKs.md does.
final class FurtherCallTests: XCTestCase {
  func testAccessListOfAnObjectIsChangedAndRead() async throws {
    let cloud = try await Cloud(self)
    try await checkAccessList(cloud.oss(.v4), "x-oss-object-acl")
    try await checkAccessList(cloud.oss(.v1), "x-oss-object-acl")
    try await checkAccessList(cloud.cos(), "x-cos-acl")
  }

  private func checkAccessList(_ client: StorageClient<some BucketProvider>, _ header: String) async throws {
    try await client.upload([1, 2, 3], to: "cat.jpg")
    let name = try XCTUnwrap(HTTPField.Name(header))
    _ = try await call(client, .put, "cat.jpg", ["acl": nil], headers: [name: "public-read"])
    let list = String(decoding: try await call(client, .get, "cat.jpg", ["acl": nil]), as: UTF8.self)
    XCTAssert(list.contains("public-read") || list.contains("<Permission>READ"), list)
  }

  func testUnfinishedUploadsAreListedAndAborted() async throws {
    let cloud = try await Cloud(self)
    try await checkUploads(cloud.oss(.v4))
    try await checkUploads(cloud.oss(.v1))
    try await checkUploads(cloud.cos())
  }

  private func checkUploads(_ client: StorageClient<some BucketProvider>) async throws {
    let answer = String(decoding: try await call(client, .post, "film.mov", ["uploads": nil]), as: UTF8.self)
    let id = try XCTUnwrap(answer.firstMatch(of: /<UploadId>(.+)<\/UploadId>/)?.1)
    func list() async throws -> String {
      String(decoding: try await call(client, .get, nil, ["uploads": nil, "prefix": "film"]), as: UTF8.self)
    }
    let before = try await list()
    XCTAssert(before.contains(id), before)
    _ = try await call(client, .get, "film.mov", ["uploadId": String(id)])
    _ = try await call(client, .delete, "film.mov", ["uploadId": String(id)])
    let after = try await list()
    XCTAssertFalse(after.contains(id), after)
  }

  /// Sends a request that the client has no method for, and returns the body of the answer.
  private func call(
    _ client: StorageClient<some BucketProvider>, _ method: HTTPRequest.Method, _ key: String? = nil,
    _ query: [String: String?], headers: HTTPFields = [:]
  ) async throws -> [UInt8] {
    let request = try client.provider.endpoint.request(
      method, bucket: client.provider.bucket, key: key,
      parameters: query.map { RequestTarget.Parameter(name: $0.key, value: $0.value) }, headers: headers)
    var content: [UInt8] = []
    for try await chunk in try await client.send(request, key: key).body { content += chunk }
    return content
  }
}
