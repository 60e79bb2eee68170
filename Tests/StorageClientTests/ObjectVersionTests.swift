// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import LocalCloud
import StorageClient
import XCTest

/// Tests the versions of objects: listing, reading, restoring and deleting them.
final class ObjectVersionTests: XCTestCase {
  /// Enables versioning by a request for which the client has no method.
  private func enable(_ client: StorageClient<some BucketProvider>) async throws {
    let request = try client.provider.endpoint.request(
      .put, bucket: client.provider.bucket, parameters: [.init(name: "versioning", value: nil)])
    let body = Array("<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>".utf8)
    for try await _ in try await client.send(request, body: .bytes(body)).body {}
  }

  private func check(_ client: StorageClient<some BucketProvider>) async throws {
    try await client.upload(Array("0".utf8), to: "a b")
    try await enable(client)
    let state = try await client.bucketVersioning()
    XCTAssertEqual(state, .enabled)
    var ids = ["null"]
    for text in ["1", "2"] {
      let uploaded = try await client.upload(Array(text.utf8), to: "a b")
      ids.append(try XCTUnwrap(uploaded.versionID))
    }
    try await client.upload([9], to: "a b/c")
    try await client.delete("a b")
    var versions = try await client.versions(of: "a b").reduce(into: []) { $0.append($1) }
    XCTAssertEqual(versions.map(\.key), ["a b", "a b", "a b", "a b"])
    XCTAssertEqual(versions.map(\.isDeleteMarker), [true, false, false, false])
    XCTAssertEqual(versions.map(\.isLatest), [true, false, false, false])
    XCTAssertEqual(versions.dropFirst().map(\.versionID), ids.reversed())
    XCTAssertEqual(versions.map(\.size), [nil, 1, 1, 1])
    for (text, id) in zip(["0", "1", "2"], ids) {
      let bytes = try await client.download("a b", upTo: 10, options: DownloadOptions(versionID: id))
      XCTAssertEqual(String(decoding: bytes, as: UTF8.self), text)
    }
    await assertThrows(ServiceError.self, { _ = try await client.head("a b") }) { XCTAssertEqual($0.kind, .noSuchKey) }
    let restored = try await client.restore("a b", versionID: ids[1])
    let current = try await client.open("a b")
    XCTAssertEqual(current.info.versionID, restored.versionID)
    let text = try await client.download("a b", upTo: 10)
    XCTAssertEqual(text, Array("1".utf8))
    let all = try await client.versions().reduce(into: []) { $0.append($1) }
    XCTAssertEqual(all.count, 6, "A restored version is a new one, and no other is deleted.")
    for version in all { try await client.delete(version.key, versionID: version.versionID) }
    versions = try await client.versions().reduce(into: []) { $0.append($1) }
    XCTAssertEqual(versions, [])
  }

  func testVersionsAreListedReadRestoredAndDeleted() async throws {
    let cloud = try await Cloud(self)
    // One version a page.
    var configuration = StorageClientConfiguration.test
    configuration.keysPerPage = 1
    try await check(cloud.oss(configuration: configuration))
    try await check(cloud.cos(configuration: configuration))
    try await check(cloud.s3(configuration: configuration))
    // The bucket of the first client, with the other signature.
    let v1 = cloud.oss(.v1)
    try await v1.upload([1], to: "x")
    let versions = try await v1.versions(of: "x").reduce(into: []) { $0.append($1) }
    XCTAssertEqual(versions.count, 1)
  }

  private func listing(
    _ items: String, end: String = "<IsTruncated>false</IsTruncated>"
  ) -> StorageClient<OSSProvider> {
    let document = "<ListVersionsResult><Name>photos</Name><Prefix>a</Prefix>\(items)\(end)</ListVersionsResult>"
    return StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou"), credentials: key, configuration: .test,
      transport: RecordingTransport { _ in HTTPStreamingResponse(200, document) })
  }

  private func version(_ key: String, _ id: String?, size: String? = "1") -> String {
    let id = id.map { "<VersionId>\($0)</VersionId>" } ?? ""
    let size = size.map { "<Size>\($0)</Size>" } ?? ""
    return "<Version><Key>\(key)</Key>\(id)<IsLatest>true</IsLatest>\(size)</Version>"
  }

  func testListingsThatContradictThemselvesAreErrors() async throws {
    let right = try await listing(version("a", "1") + version("a", "2") + version("ab", "1")).versions(prefix: "a")
      .reduce(into: []) { $0.append("\($1.key) \($1.versionID)") }
    XCTAssertEqual(right, ["a 1", "a 2", "ab 1"])
    let marker = "<NextKeyMarker>a</NextKeyMarker><NextVersionIdMarker>1</NextVersionIdMarker>"
    for (items, end) in [
      (version("ab", "1") + version("a", "1"), nil), (version("a", "1") + version("a", "1"), nil),
      (version("b", "1"), nil), (version("a", nil), nil), (version("a", "1", size: nil), nil),
      (version("a", "1", size: "-1"), nil), ("", ""), ("", "<IsTruncated>true</IsTruncated>"),
      ("", "<IsTruncated>true</IsTruncated>\(marker)"),
      (version("a", String(repeating: "1", count: 5_000)), nil),
    ] as [(String, String?)] {
      let client = end.map { listing(items, end: $0) } ?? listing(items)
      await assertThrows(StorageError.self, { for try await _ in client.versions(prefix: "a") {} }) {
        XCTAssertEqual($0.code, .malformedResponse, items)
      }
    }
  }
}
