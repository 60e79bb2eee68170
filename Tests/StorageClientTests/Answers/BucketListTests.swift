// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import XCTest

@testable import StorageClient

/// Tests the list of the buckets of an account, with documents of the services.
final class BucketListTests: XCTestCase {
  private static func page(_ buckets: String, _ end: String = "") -> String {
    "<ListAllMyBucketsResult><Buckets>\(buckets)</Buckets>\(end)</ListAllMyBucketsResult>"
  }

  private static let first = """
    <Bucket><Name>photos</Name><Location>oss-cn-hangzhou</Location><Region>cn-hangzhou</Region>\
    <CreationDate>2026-11-20T08:00:00.000Z</CreationDate></Bucket>
    """

  func testPagesFollowTheMarkerOfOSSAndTheTokenOfS3() async throws {
    let last = "<Bucket><Name>videos</Name><BucketRegion>eu-central-1</BucketRegion></Bucket>"
    for (end, parameter) in [
      ("<NextMarker>photos</NextMarker>", "marker=photos"),
      ("<ContinuationToken>photos</ContinuationToken>", "continuation-token=photos"),
    ] {
      let transport = RecordingTransport(
        replies: [Self.page(Self.first, end), Self.page(last)].map { HTTPStreamingResponse(200, $0) })
      let buckets = try await ossClient(transport).buckets()
      XCTAssertEqual(buckets.map(\.name), ["photos", "videos"])
      XCTAssertEqual(buckets.map(\.region), ["cn-hangzhou", "eu-central-1"])
      XCTAssertEqual(buckets.map { $0.created?.iso8601 }, ["2026-11-20T08:00:00Z", nil])
      XCTAssertEqual(transport.requests.map(\.path), ["/", "/?\(parameter)"])
    }
  }

  func testOtherDocumentsAndPagesWithoutAnEndAreErrors() async throws {
    for body in [
      "", "<ListBucketResult/>", Self.page("<Bucket/>"), Self.page(Self.first, "<NextMarker>photos</NextMarker>"),
    ] {
      let client = ossClient(RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200, body) })
      await assertThrows(StorageError.self, { _ = try await client.buckets() }) { error in
        XCTAssertEqual(error.code, .malformedResponse, body)
      }
    }
  }

  func testPagesThatRepeatOrAreEmptyAreErrors() async throws {
    let cycle = ["a", "b"].map { Self.page(Self.first, "<NextMarker>\($0)</NextMarker>") }
    let empty = Self.page("", "<NextMarker>a</NextMarker>")
    for pages in [cycle + cycle, [empty]] {
      let client = ossClient(RecordingTransport(replies: pages.map { HTTPStreamingResponse(200, $0) }))
      await assertThrows(StorageError.self, { _ = try await client.buckets() }) { error in
        XCTAssertEqual(error.code, .malformedResponse)
      }
    }
  }
}
