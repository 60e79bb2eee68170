// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import StorageAuth
import StorageClientTesting
import XCTest

@testable import StorageClient

/// Tests that listings ascend, stay inside of what was requested, and do not repeat.
final class ListingOrderTests: XCTestCase {
  private typealias Reply = (objects: [String], prefixes: [String], next: String?)

  private func names(
    _ replies: [Reply], prefix: String = "", delimiter: String? = nil, ofCOS: Bool = false
  ) async throws -> [String] {
    let pages = replies.map { reply in
      let prefixes = reply.prefixes.map { "<CommonPrefixes><Prefix>\($0)</Prefix></CommonPrefixes>" }
      return HTTPStreamingResponse(
        200,
        listAnswer(
          prefixes.joined() + reply.objects.map { listed($0) }.joined(), bucket: ofCOS ? cosBucket : ossBucket,
          prefix: prefix, delimiter: delimiter ?? "", next: reply.next,
          element: ofCOS ? "NextMarker" : "NextContinuationToken"))
    }
    let transport = RecordingTransport(replies: pages)
    let store: any ObjectStore = ofCOS ? cosClient(transport) : ossClient(transport)
    return try await store.list(prefix: prefix, delimiter: delimiter).reduce(into: []) { $0.append($1.name) }
  }

  private func assertFault(
    _ replies: [Reply], prefix: String = "", delimiter: String? = nil, ofCOS: Bool = false, _ words: String = "",
    line: UInt = #line
  ) async {
    await assertThrows(
      StorageError.self,
      { _ = try await names(replies, prefix: prefix, delimiter: delimiter, ofCOS: ofCOS) }, line: line
    ) {
      XCTAssertEqual($0.code, .malformedResponse, line: line)
      XCTAssertTrue(words.isEmpty || $0.message.contains(words), $0.message, line: line)
    }
  }

  func testNamesThatDoNotAscendAreErrors() async throws {
    await assertFault([(["b", "a"], [], nil)], "ascend")
    await assertFault([(["a", "a"], [], nil)], "twice")
    await assertFault([(["b"], [], "t"), (["a"], [], nil)], "ascend")
    await assertFault([(["b"], [], "t"), (["b"], [], nil)], "twice")
    await assertFault([(["b"], [], "t"), ([], [], "u"), (["a"], [], nil)], "ascend")
    await assertFault([(["a", "c"], ["b/"], "t"), (["bb"], [], nil)], delimiter: "/", "ascend")
    await assertFault([([], ["b/", "a/"], nil)], delimiter: "/", "ascend")
    await assertFault([(["b"], ["c/"], "t"), (["bb"], [], nil)], delimiter: "/", "ascend")
    await assertFault([([], ["a/"], "t"), ([], ["a/"], nil)], delimiter: "/", "twice")
    // The order is the one of bytes, not the one of characters, of UTF-16 or of case.
    let ascending = ["B", "a", "e%CC%81", "%C3%A9", "%EF%BF%BD", "%F0%9F%98%80"]
    let names = try await names([(ascending, [], nil)])
    XCTAssertEqual(names.count, ascending.count)
    await assertFault([(["%F0%9F%98%80", "%EF%BF%BD"], [], nil)], "ascend")
    await assertFault([(["%C3%A9", "e%CC%81"], [], nil)], "ascend")
  }

  func testNamesOutsideOfTheRequestAreErrors() async throws {
    await assertFault([(["b"], [], nil)], prefix: "a", "prefix")
    await assertFault([(["a"], [], nil)], prefix: "a/", "prefix")
    await assertFault([([], ["b/"], nil)], prefix: "a", delimiter: "/", "prefix")
    await assertFault([(["a/b"], [], nil)], delimiter: "/", "delimiter")
    await assertFault([([], ["a"], nil)], delimiter: "/", "delimiter")
    await assertFault([([], ["a/b/"], nil)], delimiter: "/", "delimiter")
    await assertFault([([], ["a/"], nil)], prefix: "a/", delimiter: "/", "delimiter")
    await assertFault([([], ["a/"], nil)], "delimiter")
    // "é" in the other spelling does not start with the prefix.
    await assertFault([(["%C3%A9"], [], nil)], prefix: "e%CC%81", "prefix")
    let ordered = try await names([(["a/", "a/c"], ["a/b/"], nil)], prefix: "a/", delimiter: "/")
    XCTAssertEqual(ordered, ["a/", "a/b/", "a/c"])
    let long = try await names([(["a-"], ["a--"], nil)], delimiter: "--")
    XCTAssertEqual(long, ["a-", "a--"])
  }

  func testMarkersThatDoNotAdvanceAreErrors() async throws {
    await assertFault([(["b"], [], "b"), ([], [], "b")], ofCOS: true, "twice")
    await assertFault([(["b"], [], "b"), ([], [], "a")], ofCOS: true, "ascend")
    await assertFault([(["b"], [], "c"), (["bb"], [], nil)], ofCOS: true, "ascend")
    await assertFault([([], [], "")], ofCOS: true)
    let names = try await names([(["a"], [], "e%CC%81"), ([], [], "%C3%A9"), (["%C3%AA"], [], nil)], ofCOS: true)
    XCTAssertEqual(names.count, 2)
    let inside = try await self.names([(["a"], [], "b/x"), ([], ["b/"], nil)], delimiter: "/", ofCOS: true)
    XCTAssertEqual(inside, ["a", "b/"])
  }

  func testEndlessPagesAreErrors() async throws {
    for cycle in [["t"], ["t", "u"], ["t", "u", "v", "w"]] {
      let number = Lock(0)
      let transport = RecordingTransport { _ throws(TransportError) in
        let next = number.withLock { number in
          number += 1
          return cycle[number % cycle.count]
        }
        return HTTPStreamingResponse(200, listAnswer(next: next))
      }
      await assertThrows(StorageError.self, { for try await _ in ossClient(transport).list() {} }) {
        XCTAssertTrue($0.message.contains("never ends"), $0.message)
      }
      XCTAssertEqual(transport.requests.count, cycle.count + 1)
    }
    let number = Lock(0)
    let fresh = RecordingTransport { _ throws(TransportError) in
      let next = number.withLock { number in
        number += 1
        return "t\(number)"
      }
      return HTTPStreamingResponse(200, listAnswer(next: next))
    }
    await assertThrows(StorageError.self, { for try await _ in ossClient(fresh).list() {} }) {
      XCTAssertTrue($0.message.contains("empty"), $0.message)
    }
    XCTAssertEqual(fresh.requests.count, ListingOrder.emptyPageLimit + 1)
  }

  func testLimitOfEmptyPagesDoesNotCountThePageBeforeThem() throws {
    var order = ListingOrder(nil)
    let first = ListPage(entries: [.object(ListedObject(key: "a", size: 1))], continuation: "t")
    try order.advance(over: first)
    for number in 1...ListingOrder.emptyPageLimit {
      try order.advance(over: ListPage(entries: [], continuation: "t\(number)"))
    }
    XCTAssertThrowsError(try order.advance(over: ListPage(entries: [], continuation: "u"))) { error in
      XCTAssertEqual((error as? StorageError)?.message.contains("empty"), true, "\(error)")
    }
  }

  /// Returns a page of versions of one key.
  private func versions(ofPage page: Int, count: Int) -> [(key: String, id: String)] {
    (1...count).map { (key: "a", id: "\(page)-\($0)") }
  }

  func testKeyHasAnyNumberOfVersions() throws {
    var order = RepeatedKeyOrder(of: "version", prefix: nil)
    for page in 1...101 {
      try order.advance(over: versions(ofPage: page, count: 1_000), next: (key: "a", id: "\(page)"))
    }
  }

  func testPageOfVersionsThatComesBackIsAnError() throws {
    for (cycle, count) in [(1, 1), (1, 3), (2, 1), (2, 3), (5, 3)] {
      var order = RepeatedKeyOrder(of: "version", prefix: nil)
      for page in 1...cycle {
        try order.advance(over: versions(ofPage: page, count: count), next: (key: "a", id: "m\(page)"))
      }
      XCTAssertThrowsError(
        try order.advance(over: versions(ofPage: 1, count: count), next: (key: "a", id: "m")), "\(cycle) \(count)"
      ) { error in
        XCTAssertEqual((error as? StorageError)?.message.contains("twice"), true, "\(error)")
      }
    }
    // The marker comes back, although its page has new versions.
    var order = RepeatedKeyOrder(of: "version", prefix: nil)
    try order.advance(over: versions(ofPage: 1, count: 3), next: (key: "a", id: "m"))
    XCTAssertThrowsError(try order.advance(over: versions(ofPage: 2, count: 3), next: (key: "a", id: "m"))) { error in
      XCTAssertEqual((error as? StorageError)?.message.contains("never ends"), true, "\(error)")
    }
  }

  func testListingsOfOtherStoresAscendToo() async throws {
    let page = ListPage(
      entries: ["b", "a"].map { .object(ListedObject(key: $0, size: 1)) }, continuation: nil)
    await assertThrows(StorageError.self) { for try await _ in ObjectListing(page: { _ in page }) {} }
    let memory = InMemoryStore()
    for key in ["e\u{301}/a", "\u{E9}/a", "\u{E9}/b"] { try await memory.upload([1], to: key) }
    let names = try await memory.list(prefix: "", delimiter: "/").reduce(into: []) { $0.append(Array($1.name.utf8)) }
    XCTAssertEqual(names, [Array("e\u{301}/".utf8), Array("\u{E9}/".utf8)])
  }

  private func uploads(_ pages: [(keys: [String], next: String?)], prefix: String = "") async throws -> [String] {
    let replies = pages.map { keys, next in
      let items = keys.map { key in
        let parts = key.split(separator: "#")
        return "<Upload><Key>\(parts[0])</Key><UploadId>\(parts[1])</UploadId></Upload>"
      }
      let marker = next.map { next in
        let parts = next.split(separator: "#")
        return "<NextKeyMarker>\(parts[0])</NextKeyMarker><NextUploadIdMarker>\(parts[1])</NextUploadIdMarker>"
      }
      return HTTPStreamingResponse(
        200,
        uploadsAnswer(
          items.joined() + (marker ?? ""), prefix: prefix, end: "<IsTruncated>\(next != nil)</IsTruncated>"))
    }
    return try await ossClient(RecordingTransport(replies: replies)).unfinishedUploads(prefix: prefix)
      .reduce(into: []) { $0.append("\($1.key)#\($1.uploadID)") }
  }

  func testUnfinishedUploadsAscendAndEnd() async throws {
    let right = try await uploads([(["a#2", "a#1"], "a#1"), ([], "b#0"), (["a#3", "b#1"], nil)])
    XCTAssertEqual(right, ["a#2", "a#1", "a#3", "b#1"])
    let wrong: [[(keys: [String], next: String?)]] = [
      [(["b#1", "a#1"], nil)], [(["a#1", "a#1"], nil)], [(["a#1", "a#2"], "a#2"), (["a#1"], nil)],
      [(["b#1"], "b#1"), (["a#1"], nil)], [([], "b#1"), ([], "b#2"), ([], "b#1")],
    ]
    for pages in wrong {
      await assertThrows(StorageError.self, { _ = try await uploads(pages) }) {
        XCTAssertEqual($0.code, .malformedResponse, "\(pages)")
      }
    }
    await assertThrows(StorageError.self, { _ = try await uploads([(["a#1"], nil)], prefix: "b") }) {
      XCTAssertTrue($0.message.contains("prefix"), $0.message)
    }
  }
}
