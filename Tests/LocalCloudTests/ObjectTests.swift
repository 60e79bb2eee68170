// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import StorageCrypto
internal import XCTest

/// Tests objects: metadata, ranges, conditions, checksums, keys and overwriting.
final class ObjectTests: CloudTestCase {
  private let text = Array("123456789".utf8)
  private let md5 = "25f9e794323b453885f5181f1b624d0b"
  private let crc64 = "11051210869376104954"

  func testObjectIsReturnedWithAllItsMetadata() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      let put = try await client.send(
        .put, "a b/c+d.txt",
        headers: [
          "Content-Type": "text/plain", "Cache-Control": "no-cache", "Content-Disposition": "inline",
          "Content-Encoding": "identity", "Expires": "Fri, 20 Nov 2026 09:00:00 GMT",
          "\(client.prefix)meta-Author": "me",
        ], body: text)
      XCTAssertEqual(put.status, 200, put.text)
      XCTAssertEqual(put.header("etag"), client.tag(md5))
      XCTAssertEqual(put.header("\(client.prefix)hash-crc64ecma"), crc64)
      XCTAssertNotNil(put.header("\(client.prefix)request-id"))
      let get = try await client.send(.get, "a b/c+d.txt")
      XCTAssertEqual(get.status, 200)
      XCTAssertEqual(get.body, text)
      let head = try await client.send(.head, "a b/c+d.txt")
      XCTAssertEqual(head.body, [])
      for reply in [get, head] {
        XCTAssertEqual(reply.header("content-length"), "9")
        XCTAssertEqual(reply.header("content-type"), "text/plain")
        XCTAssertEqual(reply.header("cache-control"), "no-cache")
        XCTAssertEqual(reply.header("content-disposition"), "inline")
        XCTAssertEqual(reply.header("content-encoding"), "identity")
        XCTAssertEqual(reply.header("expires"), "Fri, 20 Nov 2026 09:00:00 GMT")
        XCTAssertEqual(reply.header("\(client.prefix)meta-author"), "me")
        XCTAssertEqual(reply.header("etag"), client.tag(md5))
        XCTAssertEqual(reply.header("\(client.prefix)hash-crc64ecma"), crc64)
        XCTAssertEqual(reply.header("last-modified"), clock.now.httpDate)
        XCTAssertEqual(reply.header("date"), clock.now.httpDate)
      }
    }
  }

  func testEmptyObjectIsStored() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      let put = try await client.send(.put, "empty", body: [])
      XCTAssertEqual(put.header("etag"), client.tag("d41d8cd98f00b204e9800998ecf8427e"))
      XCTAssertEqual(put.header("\(client.prefix)hash-crc64ecma"), "0")
      let get = try await client.send(.get, "empty")
      XCTAssertEqual(get.status, 200)
      XCTAssertEqual(get.body, [])
      XCTAssertEqual(get.header("content-length"), "0")
    }
  }

  func testDeletedObjectIsNotFoundAndRepeatedDeletionSucceeds() async throws {
    try await withEachService { client in
      _ = try await client.send(.put, "a", body: text)
      for _ in 0..<2 {
        let deleted = try await client.send(.delete, "a")
        XCTAssertEqual(deleted.status, 204)
      }
      let get = try await client.send(.get, "a")
      XCTAssertEqual(get.status, 404)
      XCTAssertEqual(try get.errorCode, "NoSuchKey")
    }
  }

  func testRangeReturnsItsBytes() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      _ = try await client.send(.put, "a", body: text)
      let cases = [
        ("bytes=2-4", "345", "bytes 2-4/9"), ("bytes=7-", "89", "bytes 7-8/9"), ("bytes=-3", "789", "bytes 6-8/9"),
      ]
      for (range, bytes, contentRange) in cases {
        let reply = try await client.send(.get, "a", headers: ["Range": range])
        XCTAssertEqual(reply.status, 206, range)
        XCTAssertEqual(reply.text, bytes)
        XCTAssertEqual(reply.header("content-range"), contentRange)
        XCTAssertNil(reply.header("content-md5"))
        XCTAssertEqual(reply.header("\(client.prefix)hash-crc64ecma"), crc64)
      }
      for range in ["bytes=4-2", "bytes=a-b", "lines=1-2", "bytes=0-1,3-4", "bytes=-"] {
        let reply = try await client.send(.get, "a", headers: ["Range": range])
        XCTAssertEqual(reply.status, 200, range)
        XCTAssertEqual(reply.body, text)
      }
    }
  }

  func testRangeBeyondTheEndFollowsTheService() async throws {
    try await withEachService { client in
      _ = try await client.send(.put, "a", body: text)
      let standard = client.provider == .oss ? ["x-oss-range-behavior": "standard"] : [:]
      for range in ["bytes=9-", "bytes=9-12", "bytes=-0"] {
        let reply = try await client.send(.get, "a", headers: standard.merging(["Range": range]) { $1 })
        XCTAssertEqual(reply.status, 416, range)
        XCTAssertEqual(try reply.errorCode, "InvalidRange")
      }
      let cut = try await client.send(.get, "a", headers: standard.merging(["Range": "bytes=5-100"]) { $1 })
      XCTAssertEqual(cut.status, 206)
      XCTAssertEqual(cut.text, "6789")
      let byDefault = try await client.send(.get, "a", headers: ["Range": "bytes=9-"])
      XCTAssertEqual(byDefault.status, client.provider == .oss ? 200 : 416)
    }
  }

  func testQueryParametersReplaceResponseHeaders() async throws {
    try await withEachService { client in
      _ = try await client.send(.put, "a", headers: ["Content-Type": "text/plain"], body: text)
      let reply = try await client.send(
        .get, "a",
        query: [
          "response-content-type": "image/png", "response-content-disposition": "attachment; filename=\"x\"",
        ])
      XCTAssertEqual(reply.header("content-type"), "image/png")
      XCTAssertEqual(reply.header("content-disposition"), "attachment; filename=\"x\"")
      let split = try await client.send(.get, "a", query: ["response-expires": "x\r\nSet-Cookie: a=b"])
      XCTAssertEqual(split.status, 400)
    }
  }

  func testConditionsDecideWhetherAnObjectIsReturned() async throws {
    try await withEachService { client in
      _ = try await client.send(.put, "a", body: text)
      let before = clock.now.advanced(by: .seconds(-10)).httpDate
      let after = clock.now.advanced(by: .seconds(10)).httpDate
      let cases: [([String: String], Int)] = [
        (["If-Match": client.tag(md5)], 200), (["If-Match": "\"x\", \(client.tag(md5))"], 200),
        (["If-Match": "*"], 200),
        (["If-Match": "\"x\""], 412), (["If-None-Match": client.tag(md5)], 304), (["If-None-Match": "\"x\""], 200),
        (["If-Modified-Since": before], 200), (["If-Modified-Since": clock.now.httpDate], 304),
        (["If-Unmodified-Since": before], 412), (["If-Unmodified-Since": after], 200),
        (["If-Match": client.tag(md5), "If-Unmodified-Since": before], 200),
      ]
      for (headers, status) in cases {
        for method in [.get, .head] as [HTTPRequest.Method] {
          let reply = try await client.send(method, "a", headers: headers)
          XCTAssertEqual(reply.status, status, "\(method) \(headers)")
          if status == 304 { XCTAssertEqual(reply.header("etag"), client.tag(md5)) }
        }
      }
    }
  }

  func testContentMD5IsVerified() async throws {
    try await withEachService { client in
      let right = try await client.send(.put, "a", headers: ["Content-MD5": "JfnnlDI7RTiF9RgfG2JNCw=="], body: text)
      XCTAssertEqual(right.status, 200)
      let wrong = try await client.send(.put, "b", headers: ["Content-MD5": "1B2M2Y8AsgTpgAmY7PhCfg=="], body: text)
      XCTAssertEqual(wrong.status, 400)
      XCTAssertEqual(try wrong.errorCode, client.provider == .oss ? "InvalidDigest" : "BadDigest")
      let malformed = try await client.send(.put, "b", headers: ["Content-MD5": "abc"], body: text)
      XCTAssertEqual(try malformed.errorCode, "InvalidDigest")
      let get = try await client.send(.head, "b")
      XCTAssertEqual(get.status, 404)
    }
  }

  func testOverwritingCanBeForbidden() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      let headers = ["\(client.prefix)forbid-overwrite": "true"]
      let first = try await client.send(.put, "a", headers: headers, body: text)
      XCTAssertEqual(first.status, 200)
      let second = try await client.send(.put, "a", headers: headers, body: [1])
      XCTAssertEqual(second.status, 409)
      XCTAssertEqual(try second.errorCode, "FileAlreadyExists")
      let get = try await client.send(.get, "a")
      XCTAssertEqual(get.body, text)
    }
  }

  func testUnknownSubresourceDoesNotChangeTheObject() async throws {
    try await withEachService { client in
      _ = try await client.send(.put, "a", body: text)
      let retention = try await client.send(.put, "a", query: ["retention": nil], body: [1])
      XCTAssertEqual(retention.status, 501)
      XCTAssertEqual(try retention.errorCode, "NotImplemented")
      let get = try await client.send(.get, "a")
      XCTAssertEqual(get.body, text)
      let post = try await client.send(.post, "a", body: [1])
      XCTAssertEqual(try post.errorCode, "MethodNotAllowed")
    }
  }

  func testSimilarKeysAreDifferentObjects() async throws {
    try await withEachService { client in
      let keys = [
        "\u{E9}", "e\u{301}", "a//b", "a/b", "a/./b", "a/../b", "a%2Fb", "a+b", "a b", ".", "x/..", "é/?#&=%",
      ]
      for (index, key) in keys.enumerated() {
        let put = try await client.send(.put, key, body: [UInt8(index)])
        XCTAssertEqual(put.status, 200, key)
      }
      for (index, key) in keys.enumerated() {
        let get = try await client.send(.get, key)
        XCTAssertEqual(get.body, [UInt8(index)], key)
      }
    }
  }

  func testReaderOfAnOverwrittenObjectReceivesTheOldBytes() async throws {
    try await withEachService { client in
      let old = [UInt8](repeating: 1, count: 8 * 1024 * 1024)
      _ = try await client.send(.put, "a", body: old)
      async let first = client.send(.get, "a")
      async let second = client.send(.put, "a", body: [2])
      let (get, put) = try await (first, second)
      XCTAssertEqual(put.status, 200)
      XCTAssertTrue(get.body == old || get.body == [2])
      let again = try await client.send(.get, "a")
      XCTAssertEqual(again.body, [2])
    }
  }
}
