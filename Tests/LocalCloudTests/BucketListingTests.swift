// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import XCTest

@testable internal import LocalCloud

/// Tests listings without a network, with as many keys as a bucket may have.
final class BucketListingTests: XCTestCase {
  private func bucket(_ keys: [String]) -> Bucket {
    var bucket = Bucket(name: "photos", created: Timestamp(unixSeconds: 0), access: .private)
    let content = Content(extents: [], entityTag: "", crc64: 0)
    for key in keys.shuffled() {
      bucket.objects[ObjectKey(key)] = StoredObject(
        id: .random(), key: ObjectKey(key), content: content, description: ObjectDescription(),
        modified: Timestamp(unixSeconds: 0), isMultipart: false)
    }
    return bucket
  }

  /// Returns all pages of a listing with at most `limit` entries each.
  private func walk(
    _ bucket: Bucket, prefix: String = "", delimiter: String = "", limit: Int
  ) -> (keys: [String], groups: [String], pages: Int) {
    var result = (keys: [String](), groups: [String](), pages: 0)
    var after: String? = ""
    while let start = after, result.pages < 10_000 {
      let page = bucket.objectPage(ListQuery(prefix: prefix, delimiter: delimiter, after: start, limit: limit))
      XCTAssertLessThanOrEqual(page.entries.count + page.groups.count, limit)
      result.keys += page.entries.map(\.key.string)
      result.groups += page.groups
      result.pages += 1
      after = page.next
    }
    return result
  }

  func testTwentyThousandKeysAreListedInByteOrder() {
    let keys = (0..<20_000).map { "d\($0 % 25)/\($0)" } + ["z", "\u{FFFF}", "\u{10000}", "Z"]
    let bucket = bucket(keys)
    let sorted = keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let all = walk(bucket, limit: 1000)
    XCTAssertEqual(all.keys, sorted)
    XCTAssertEqual(all.pages, 21)
    let grouped = walk(bucket, delimiter: "/", limit: 4)
    XCTAssertEqual(grouped.groups, (0..<25).map { "d\($0)/" }.sorted())
    XCTAssertEqual(grouped.keys, ["Z", "z", "\u{FFFF}", "\u{10000}"])
    XCTAssertEqual(grouped.pages, 8)
    XCTAssertEqual(walk(bucket, prefix: "d7/", limit: 100).keys.count, 800)
  }

  func testCommonPrefixIsListedOnceForEveryPageSize() {
    let bucket = bucket(["a", "a/", "a/b", "a/c/d", "a0", "b//c", "b//d", "b/e", "c/"])
    for limit in 1...10 {
      let all = walk(bucket, delimiter: "/", limit: limit)
      XCTAssertEqual(all.groups, ["a/", "b/", "c/"], "\(limit)")
      XCTAssertEqual(all.keys, ["a", "a0"], "\(limit)")
      let below = walk(bucket, prefix: "b/", delimiter: "/", limit: limit)
      XCTAssertEqual(below.groups, ["b//"])
      XCTAssertEqual(below.keys, ["b/e"])
      let long = walk(bucket, delimiter: "/c", limit: limit)
      XCTAssertEqual(long.groups, ["a/c", "b//c"])
      XCTAssertEqual(long.keys, ["a", "a/", "a/b", "a0", "b//d", "b/e", "c/"])
    }
  }

  func testMarkerInsideACommonPrefixShowsItsRemainder() {
    let bucket = bucket(["a/b", "a/c", "d"])
    let page = bucket.objectPage(ListQuery(prefix: "", delimiter: "/", after: "a/b", limit: 10))
    XCTAssertEqual(page.groups, ["a/"])
    let past = bucket.objectPage(ListQuery(prefix: "", delimiter: "/", after: "a/", limit: 10))
    XCTAssertEqual(past.groups, [])
    XCTAssertEqual(past.entries.map(\.key.string), ["d"])
  }

  func testRangesAreParsedAsHTTPDefinesThem() {
    func bytes(_ header: String, of count: Int64) -> Range<Int64>? { RequestedRange(header)?.bytes(of: count) }
    XCTAssertEqual(bytes("bytes=0-0", of: 1), 0..<1)
    XCTAssertEqual(bytes("bytes=0-9223372036854775807", of: 10), 0..<10)
    XCTAssertEqual(bytes("bytes=-20", of: 10), 0..<10)
    XCTAssertNil(bytes("bytes=0-", of: 0))
    XCTAssertNil(bytes("bytes=-1", of: 0))
    for bad in ["bytes=", "bytes=1", "bytes=+1-2", "bytes=1-2-3", "bytes=9223372036854775808-", "octets=1-2"] {
      XCTAssertNil(RequestedRange(bad), bad)
    }
  }
}
