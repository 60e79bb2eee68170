// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import StorageClient
import XCTest

/// Tests listings of objects in pages.
final class ListingTests: XCTestCase {
  func testOSSListingContinuesByToken() async throws {
    let transport = RecordingTransport(replies: [
      HTTPStreamingResponse(
        200,
        listAnswer(
          """
          <Contents><Key>a+b%E7%8C%AB+1%2B</Key><LastModified>2026-11-20T08:00:00.000Z</LastModified><ETag>"E"</ETag>
          <Size>5</Size><StorageClass>IA</StorageClass></Contents>
          """, prefix: "a+b", delimiter: "%2F", next: "t/1=")),
      HTTPStreamingResponse(
        200,
        listAnswer(
          """
          <Contents><Key>a%20b%E7%8C%AB3%0Ad</Key><Size>0</Size></Contents>
          <CommonPrefixes><Prefix>a+b%E7%8C%AB2%2F</Prefix></CommonPrefixes>
          """, prefix: "a+b", delimiter: "/")),
    ])
    var entries: [ListEntry] = []
    for try await entry in ossClient(transport).list(prefix: "a b", delimiter: "/") { entries.append(entry) }
    XCTAssertEqual(
      entries,
      [
        .object(
          ListedObject(
            key: "a b猫 1+", size: 5, etag: "\"E\"", lastModified: Timestamp(iso8601: "2026-11-20T08:00:00Z"),
            storageClass: "IA")),
        .commonPrefix("a b猫2/"), .object(ListedObject(key: "a b猫3\nd", size: 0)),
      ])
    let requests = transport.requests
    XCTAssertEqual(requests.map { $0.parameter("list-type") }, ["2", "2"])
    XCTAssertEqual(requests.map { $0.parameter("continuation-token") }, [nil, "t%2F1%3D"])
    XCTAssertEqual(requests.map { $0.parameter("prefix") }, ["a%20b", "a%20b"])
    XCTAssertEqual(requests.map { $0.parameter("encoding-type") }, ["url", "url"])
    XCTAssertEqual(requests.map { $0.parameter("max-keys") }, ["10", "10"])
  }

  func testCOSListingContinuesByMarker() async throws {
    let transport = RecordingTransport(replies: [
      HTTPStreamingResponse(
        200,
        listAnswer(listed("a%2B"), bucket: cosBucket, next: "a%2B", element: "NextMarker")),
      HTTPStreamingResponse(
        200,
        listAnswer(listed("b+c"), bucket: cosBucket, next: "", element: "NextMarker")),
      HTTPStreamingResponse(200, listAnswer(bucket: cosBucket)),
    ])
    var names: [String] = []
    for try await entry in cosClient(transport).list() { names.append(entry.name) }
    XCTAssertEqual(names, ["a+", "b+c"])
    XCTAssertEqual(transport.requests.map { $0.parameter("marker") }, [nil, "a%2B", "b%2Bc"])
    XCTAssertEqual(transport.requests.map { $0.parameter("list-type") }, [nil, nil, nil])
  }

  func testPagesAreFetchedOnlyWhenTheyAreNeeded() async throws {
    let page = listAnswer(listed("a"), next: "t")
    let transport = RecordingTransport(replies: [HTTPStreamingResponse(200, page), HTTPStreamingResponse(200, page)])
    for try await _ in ossClient(transport).list() { break }
    XCTAssertEqual(transport.requests.count, 1)
  }

  func testListingThatDoesNotAdvanceIsAnError() async throws {
    let page = listAnswer(next: "t")
    let transport = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200, page) }
    await assertThrows(StorageError.self, { for try await _ in ossClient(transport).list() {} }) {
      XCTAssertEqual($0.code, .malformedResponse)
    }
  }

  func testMalformedListingIsAnError() async throws {
    for body in ["", "<html>", listAnswer(listed("%zz"))] {
      let transport = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200, body) }
      await assertThrows(StorageError.self, { for try await _ in ossClient(transport).list() {} }) {
        XCTAssertEqual($0.code, .malformedResponse)
      }
    }
  }
}
