// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import Foundation
import StorageAuth
import StorageClientTesting
import StorageCrypto
import XCTest

@testable import StorageClient

/// Tests that the identity of an object contains everything that selects its bytes.
final class ObjectIdentityTests: XCTestCase {
  private func identity(
    _ url: String, _ style: AddressingStyle? = nil, bucket: String = "photos", key: String = "k"
  ) -> ObjectIdentity? {
    StorageClient(
      .oss(bucket: bucket, region: "cn-hangzhou", endpoint: url, style: style),
      credentials: AccessKey(id: "i", secret: "s"), transport: RecordingTransport(replies: [])
    ).identity(of: key)
  }

  func testIdentitiesDifferInEveryPart() throws {
    let distinct = [
      identity("https://a.example"), identity("http://a.example"), identity("https://b.example"),
      identity("https://a.example:8443"), identity("https://a.example", .path),
      identity("https://a.example", .customDomain), identity("https://a.example", bucket: "photos2"),
      identity("https://a.example", key: "k/"), identity("https://a.example", key: "k%2F"),
      identity("https://a.example", key: "\u{E9}"), identity("https://a.example", key: "e\u{301}"),
      identity("https://a.example")?.at(versionID: "1", etag: nil, size: nil),
      identity("https://a.example")?.at(versionID: nil, etag: "1", size: nil),
      identity("https://a.example")?.at(versionID: nil, etag: nil, size: 1),
      identity("https://a.example")?.at(versionID: "1", etag: "2", size: nil),
      identity("https://a.example")?.at(versionID: "1/etag=2", etag: nil, size: nil),
      identity("https://a.example", key: "k?version=1"),
    ]
    let known = distinct.compactMap { $0 }
    XCTAssertEqual(known.count, distinct.count)
    XCTAssertEqual(Set(known).count, known.count)
    XCTAssertEqual(Set(known.map(\.text)).count, known.count)
    XCTAssertEqual(Set(known.map(\.fileName)).count, known.count)
    XCTAssertTrue(known.allSatisfy { $0.fileName.utf8.count == 64 && $0.text.utf8.allSatisfy { $0 < 0x80 } })
    XCTAssertEqual(identity("https://A.example:443/"), identity("https://a.example"))
    XCTAssertEqual(known[0].fileName, SHA256.hash(Array(known[0].text.utf8)).hex)
    XCTAssertEqual(known[0].text, "oss/https/a.example/virtualHosted/photos/k")
  }

  func testIdentityIsTheSameAfterARedirectionAndInACheckpoint() async throws {
    let client = StorageClient(
      .s3(bucket: "photos", region: "us-east-1"), credentials: AccessKey(id: "i", secret: "s"), configuration: .test,
      transport: RecordingTransport(replies: [
        HTTPStreamingResponse(301, "", ["x-amz-bucket-region": "eu-west-1"]), HTTPStreamingResponse(200),
      ]))
    let before = try XCTUnwrap(client.identity(of: "k"))
    _ = try await client.head("k")
    XCTAssertEqual(client.provider.region, "eu-west-1")
    XCTAssertEqual(client.identity(of: "k"), before)
    let decoded = try JSONDecoder().decode(ObjectIdentity.self, from: JSONEncoder().encode(before))
    XCTAssertEqual(decoded, before)
    XCTAssertThrowsError(try JSONDecoder().decode(ObjectIdentity.self, from: Data(#""é""#.utf8)))
  }

  func testOtherStoresHaveNoIdentity() {
    XCTAssertNil((InMemoryStore() as any ObjectStore).identity(of: "k"))
    XCTAssertNil(identity("https://not a host"))
  }
}
