// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import StorageClient
import XCTest

/// Tests listings of objects in pages.
final class ListingTests: XCTestCase {
  func testOSSListingContinuesByToken() async throws {
    let transport = ScriptedTransport(replies: [
      HTTPStreamingResponse(
        200,
        """
        <ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t/1=</NextContinuationToken>
        <Contents><Key>a%2F%E7%8C%AB+1%2B</Key><LastModified>2026-11-20T08:00:00.000Z</LastModified><ETag>"E"</ETag>
        <Size>5</Size><StorageClass>IA</StorageClass></Contents></ListBucketResult>
        """),
      HTTPStreamingResponse(
        200,
        """
        <ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>c%0Ad</Key><Size>0</Size></Contents>
        <CommonPrefixes><Prefix>b%2F</Prefix></CommonPrefixes></ListBucketResult>
        """),
    ])
    var entries: [ListEntry] = []
    for try await entry in ossClient(transport).list(prefix: "a b", delimiter: "/") { entries.append(entry) }
    XCTAssertEqual(
      entries,
      [
        .object(
          ListedObject(
            key: "a/猫 1+", size: 5, etag: "\"E\"", lastModified: Timestamp(iso8601: "2026-11-20T08:00:00Z"),
            storageClass: "IA")),
        .commonPrefix("b/"), .object(ListedObject(key: "c\nd", size: 0)),
      ])
    let requests = transport.requests
    XCTAssertEqual(requests.map { $0.parameter("list-type") }, ["2", "2"])
    XCTAssertEqual(requests.map { $0.parameter("continuation-token") }, [nil, "t%2F1%3D"])
    XCTAssertEqual(requests.map { $0.parameter("prefix") }, ["a%20b", "a%20b"])
    XCTAssertEqual(requests.map { $0.parameter("encoding-type") }, ["url", "url"])
    XCTAssertEqual(requests.map { $0.parameter("max-keys") }, ["10", "10"])
  }

  func testCOSListingContinuesByMarker() async throws {
    let transport = ScriptedTransport(replies: [
      HTTPStreamingResponse(
        200,
        """
        <ListBucketResult><IsTruncated>true</IsTruncated><NextMarker>a%2B</NextMarker>
        <Contents><Key>a%2B</Key><Size>1</Size></Contents></ListBucketResult>
        """),
      HTTPStreamingResponse(
        200,
        """
        <ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>b+c</Key><Size>1</Size></Contents>
        </ListBucketResult>
        """),
      HTTPStreamingResponse(200, "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>"),
    ])
    var names: [String] = []
    for try await entry in cosClient(transport).list() { names.append(entry.name) }
    XCTAssertEqual(names, ["a+", "b+c"])
    XCTAssertEqual(transport.requests.map { $0.parameter("marker") }, [nil, "a%2B", "b%2Bc"])
    XCTAssertEqual(transport.requests.map { $0.parameter("list-type") }, [nil, nil, nil])
  }

  func testPagesAreFetchedOnlyWhenTheyAreNeeded() async throws {
    let page = """
      <L><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>
      <Contents><Key>a</Key><Size>1</Size></Contents></L>
      """
    let transport = ScriptedTransport(replies: [HTTPStreamingResponse(200, page), HTTPStreamingResponse(200, page)])
    for try await _ in ossClient(transport).list() { break }
    XCTAssertEqual(transport.requests.count, 1)
  }

  func testListingThatDoesNotAdvanceIsAnError() async throws {
    let page = "<L><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken></L>"
    let transport = ScriptedTransport { _ throws(TransportError) in HTTPStreamingResponse(200, page) }
    await assertThrows(StorageError.self, { for try await _ in ossClient(transport).list() {} }) {
      XCTAssertEqual($0.code, .malformedAnswer)
    }
  }

  func testMalformedListingIsAnError() async throws {
    for body in ["", "<html>", "<L><Contents><Key>%zz</Key><Size>1</Size></Contents></L>"] {
      let transport = ScriptedTransport { _ throws(TransportError) in HTTPStreamingResponse(200, body) }
      await assertThrows(StorageError.self, { for try await _ in ossClient(transport).list() {} }) {
        XCTAssertEqual($0.code, .malformedAnswer)
      }
    }
  }
}
