// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests listings of objects and the deletion of multiple objects.
final class ListTests: CloudTestCase {
  /// 120 keys in 40 folders of three, and five keys at the top level.
  private static let keys =
    (0..<120).map { "photos/\($0 / 3 + 10)/\($0 % 3).jpg" } + (1...5).map { "top-\($0)" }

  private func putKeys(_ client: TestClient) async throws {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for (index, key) in Self.keys.enumerated() {
        if index >= 16 { _ = try await group.next() }
        group.addTask { try await client.send(.put, key, body: []).status }
      }
      for try await status in group { XCTAssertEqual(status, 200) }
    }
  }

  /// Requests all pages of a listing.
  private func pages(
    _ client: TestClient, _ parameters: [(String, String)], isV2: Bool = false
  ) async throws -> [XMLNode] {
    var pages: [XMLNode] = []
    var next: String?
    repeat {
      var request = try client.request(.get)
      var query = parameters
      if isV2 { query.append(("list-type", "2")) }
      if let next { query.append((isV2 ? "continuation-token" : "marker", next)) }
      let escaped = query.map { name, value in
        "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
      }
      request.path = "/\(Self.bucket)/?\(escaped.joined(separator: "&"))"
      let reply = try await client.send(client.signed(request))
      XCTAssertEqual(reply.status, 200, reply.text)
      let page = try reply.document
      pages.append(page)
      next = page[isV2 ? "NextContinuationToken" : "NextMarker"]?.text
      XCTAssertEqual(page["IsTruncated"]?.text, next == nil ? "false" : "true")
    } while next != nil && pages.count < 3_000
    return pages
  }

  private func keys(_ pages: [XMLNode]) -> [String] {
    pages.flatMap { $0.all("Contents").compactMap { $0["Key"]?.text } }
  }

  private func groups(_ pages: [XMLNode]) -> [String] {
    pages.flatMap { $0.all("CommonPrefixes").compactMap { $0["Prefix"]?.text } }
  }

  func testListingPagesThroughKeysAndCommonPrefixes() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      try await putKeys(client)
      let sorted = Self.keys.sorted()
      for isV2 in [false, true] {
        let all = try await pages(client, [("max-keys", "50")], isV2: isV2)
        XCTAssertEqual(all.map { $0.all("Contents").count }, [50, 50, 25])
        XCTAssertEqual(keys(all), sorted)
        let grouped = try await pages(
          client, [("max-keys", "7"), ("prefix", "photos/"), ("delimiter", "/")], isV2: isV2)
        XCTAssertEqual(groups(grouped), (10..<50).map { "photos/\($0)/" })
        XCTAssertEqual(keys(grouped), [])
        XCTAssertEqual(grouped.count, 6)
        let top = try await pages(client, [("max-keys", "2"), ("delimiter", "/")], isV2: isV2)
        XCTAssertEqual(groups(top), ["photos/"])
        XCTAssertEqual(keys(top), ["top-1", "top-2", "top-3", "top-4", "top-5"])
        XCTAssertEqual(top.count, 3)
      }
      let byDefault = try await client.send(.get).document
      XCTAssertEqual(byDefault.all("Contents").count, client.provider == .oss ? 100 : 125)
      let middle = try await pages(client, [("list-type", "2"), ("start-after", "photos/49/2.jpg")])
      XCTAssertEqual(keys(middle), ["top-1", "top-2", "top-3", "top-4", "top-5"])
    }
  }

  func testNamesAreEncodedWhenTheClientRequestsIt() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      let names = ["a b/1", "a b/é+", "c&<\u{1}>"]
      for key in names { _ = try await client.send(.put, key, body: []) }
      let all = try await pages(client, [("encoding-type", "url")])
      XCTAssertEqual(keys(all).map { $0.removingPercentEncoding }, names)
      XCTAssertEqual(keys(all)[1], "a%20b%2F%C3%A9%2B")
      XCTAssertEqual(all[0]["EncodingType"]?.text, "url")
      let grouped = try await pages(client, [("encoding-type", "url"), ("prefix", "a b/"), ("delimiter", "/")])
      XCTAssertEqual(grouped[0]["Prefix"]?.text, "a%20b%2F")
      let plain = try await pages(client, [("prefix", "a b/")])
      XCTAssertEqual(keys(plain), ["a b/1", "a b/é+"])
    }
  }

  func testEntriesContainTheElementsThatTheSDKsRead() async throws {
    try await withEachService { client in
      clock.advance(by: .milliseconds(250))
      _ = try await client.send(.put, "a", body: [1, 2, 3])
      let list = try await client.send(.get).document
      let entry = try XCTUnwrap(list["Contents"])
      XCTAssertEqual(entry["Key"]?.text, "a")
      XCTAssertEqual(entry["Size"]?.text, "3")
      XCTAssertEqual(entry["ETag"]?.text, client.tag("5289df737df57326fcdd22597afb1fac"))
      XCTAssertEqual(entry["LastModified"]?.text, clock.now.iso8601.dropLast() + ".000Z")
      XCTAssertNotNil(entry["Owner"]?["ID"])
      XCTAssertNotNil(entry["StorageClass"])
    }
  }

  func testInvalidPagingParametersAreRejected() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      for query in [["max-keys": "x"], ["max-keys": "1001"], ["max-keys": "-1"], ["encoding-type": "x"]] {
        let name = try XCTUnwrap(query.keys.first)
        let reply = try await client.send(.get, query: [name: query[name] ?? ""])
        XCTAssertEqual(reply.status, 400, name)
        XCTAssertEqual(try reply.errorCode, "InvalidArgument")
      }
      let token = try await client.send(.get, query: ["list-type": "2", "continuation-token": "zz"])
      XCTAssertEqual(token.status, 400)
      let none = try await client.send(.get, query: ["max-keys": "0"]).document
      XCTAssertEqual(none["IsTruncated"]?.text, "false")
    }
  }

  func testMultipleObjectsAreDeletedAtOnce() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      for key in ["a", "b&c", "d/e"] { _ = try await client.send(.put, key, body: []) }
      func body(_ keys: [String], quiet: Bool) -> [UInt8] {
        let objects = keys.map { XMLNode("Object", children: [XMLNode("Key", $0)]) }
        return XMLNode("Delete", children: [XMLNode("Quiet", String(quiet))] + objects).serialized()
      }
      let reply = try await client.send(.post, query: ["delete": nil], body: body(["a", "b&c", "none"], quiet: false))
      XCTAssertEqual(reply.status, 200, reply.text)
      XCTAssertEqual(try reply.document.all("Deleted").map { $0["Key"]?.text }, ["a", "b&c", "none"])
      let quiet = try await client.send(.post, query: ["delete": nil], body: body(["x"], quiet: true))
      XCTAssertEqual(try quiet.document, XMLNode("DeleteResult"))
      let left = try await pages(client, [])
      XCTAssertEqual(keys(left), ["d/e"])
      for bad in [Array("<Delete>".utf8), Array("<A/>".utf8), body([], quiet: true), body([""], quiet: true)] {
        let reply = try await client.send(.post, query: ["delete": nil], body: bad)
        XCTAssertEqual(try reply.errorCode, "MalformedXML")
      }
      let wrong = try await client.send(
        .post, query: ["delete": nil], headers: ["Content-MD5": "1B2M2Y8AsgTpgAmY7PhCfg=="],
        body: body(["d/e"], quiet: true))
      XCTAssertEqual(try wrong.errorCode, client.provider == .oss ? "InvalidDigest" : "BadDigest")
      let head = try await client.send(.head, "d/e")
      XCTAssertEqual(head.status, 200)
    }
  }
}
