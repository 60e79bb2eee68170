// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import StorageCrypto
internal import XCTest

/// Tests multipart uploads.
final class UploadTests: CloudTestCase {
  private func initiate(_ client: TestClient, _ key: String) async throws -> String {
    let reply = try await client.send(
      .post, key, query: ["uploads": nil], headers: ["Content-Type": "text/x", "\(client.prefix)meta-a": "b"])
    XCTAssertEqual(reply.status, 200, reply.text)
    return try XCTUnwrap(reply.document["UploadId"]?.text)
  }

  private func complete(
    _ client: TestClient, _ key: String, _ id: String, _ parts: [(Int, String)]
  ) async throws -> Reply {
    let elements = parts.map {
      XMLNode("Part", children: [XMLNode("PartNumber", String($0.0)), XMLNode("ETag", $0.1)])
    }
    return try await client.send(
      .post, key, query: ["uploadId": id], body: XMLNode("CompleteMultipartUpload", children: elements).serialized())
  }

  func testPartsAreListedAndAssembledInOrder() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      let id = try await initiate(client, "big")
      let parts = [Array("hello ".utf8), Array("wide ".utf8), Array("world".utf8)]
      var tags: [(Int, String)] = []
      for index in [2, 0, 1] {
        let reply = try await client.send(
          .put, "big", query: ["partNumber": String(index + 1), "uploadId": id], body: parts[index])
        XCTAssertEqual(reply.status, 200, reply.text)
        tags.append((index + 1, try XCTUnwrap(reply.header("etag"))))
      }
      tags.sort { $0.0 < $1.0 }
      let listed = try await client.send(.get, "big", query: ["uploadId": id, "max-parts": "2"]).document
      XCTAssertEqual(listed.all("Part").map { $0["PartNumber"]?.text }, ["1", "2"])
      XCTAssertEqual(listed.all("Part").map { $0["ETag"]?.text }, tags.prefix(2).map(\.1))
      XCTAssertEqual(listed["IsTruncated"]?.text, "true")
      XCTAssertEqual(listed["NextPartNumberMarker"]?.text, "2")
      let rest = try await client.send(.get, "big", query: ["uploadId": id, "part-number-marker": "2"]).document
      XCTAssertEqual(rest.all("Part").map { $0["Size"]?.text }, ["5"])
      XCTAssertEqual(rest["IsTruncated"]?.text, "false")

      let done = try await complete(client, "big", id, tags)
      XCTAssertEqual(done.status, 200, done.text)
      var crc = CRC(.crc64ECMA)
      crc.update(Array("hello wide world".utf8))
      XCTAssertEqual(done.header("\(client.prefix)hash-crc64ecma"), String(crc.checksum))
      let md5s = parts.flatMap {
        client.provider == .oss ? Array(MD5.hash($0).hex.uppercased().utf8) : MD5.hash($0).bytes
      }
      XCTAssertEqual(try done.document["ETag"]?.text, client.tag(MD5.hash(md5s).hex + "-3"))
      let get = try await client.send(.get, "big", headers: ["Range": "bytes=4-12"])
      XCTAssertEqual(get.text, "o wide wo")
      XCTAssertEqual(get.header("\(client.prefix)meta-a"), "b")
      XCTAssertEqual(get.header("content-type"), "text/x")
      XCTAssertEqual(get.header("\(client.prefix)hash-crc64ecma"), String(crc.checksum))
      let again = try await client.send(.get, "big", query: ["uploadId": id])
      XCTAssertEqual(try again.errorCode, "NoSuchUpload")
    }
  }

  func testInvalidPartsAreRejectedAndTheUploadContinues() async throws {
    try await withEachService { client in
      let id = try await initiate(client, "big")
      var tags: [String] = []
      for number in 1...2 {
        let reply = try await client.send(
          .put, "big", query: ["partNumber": String(number), "uploadId": id], body: [UInt8(number)])
        tags.append(try XCTUnwrap(reply.header("etag")))
      }
      let cases: [([(Int, String)], String)] = [
        ([(1, tags[1])], "InvalidPart"), ([(3, tags[0])], "InvalidPart"),
        ([(2, tags[1]), (1, tags[0])], "InvalidPartOrder"), ([(1, tags[0]), (1, tags[0])], "InvalidPartOrder"),
        ([], "MalformedXML"),
      ]
      for (parts, code) in cases {
        let reply = try await complete(client, "big", id, parts)
        XCTAssertEqual(reply.status, 400)
        XCTAssertEqual(try reply.errorCode, code)
      }
      for number in ["0", "10001", "x", ""] {
        let reply = try await client.send(.put, "big", query: ["partNumber": number, "uploadId": id], body: [1])
        XCTAssertEqual(try reply.errorCode, "InvalidArgument", number)
      }
      let elsewhere = try await client.send(.put, "other", query: ["partNumber": "1", "uploadId": id], body: [1])
      XCTAssertEqual(try elsewhere.errorCode, "NoSuchUpload")
      let done = try await complete(client, "big", id, [(1, tags[0]), (2, tags[1])])
      XCTAssertEqual(done.status, 200)
    }
  }

  func testSmallPartsOfCOSAreRejectedExceptTheLast() async throws {
    var configuration = configuration
    configuration.allowsSmallParts = false
    try await withEachService(configuration, of: [.cos]) { client in
      for (size, status) in [((1 << 20) - 1, 400), (1 << 20, 200)] {
        let id = try await initiate(client, "big")
        var tags: [(Int, String)] = []
        for (number, size) in [(1, size), (2, 1)] {
          let body = [UInt8](repeating: 1, count: size)
          let part = try await client.send(
            .put, "big", query: ["partNumber": String(number), "uploadId": id], body: body)
          tags.append((number, try XCTUnwrap(part.header("etag"))))
        }
        let reply = try await complete(client, "big", id, tags)
        XCTAssertEqual(reply.status, status, reply.text)
        if status == 400 { XCTAssertEqual(try reply.errorCode, "EntityTooSmall") }
      }
    }
  }

  func testGapInThePartNumbersIsRejectedByCOS() async throws {
    try await withEachService { client in
      let id = try await initiate(client, "big")
      var tags: [(Int, String)] = []
      for number in [1, 3] {
        let part = try await client.send(
          .put, "big", query: ["partNumber": String(number), "uploadId": id], body: [UInt8(number)])
        tags.append((number, try XCTUnwrap(part.header("etag"))))
      }
      let reply = try await complete(client, "big", id, tags)
      XCTAssertEqual(reply.status, client.provider == .cos ? 400 : 200, reply.text)
      if client.provider == .cos { XCTAssertEqual(try reply.errorCode, "InvalidPart") }
    }
  }

  func testAbortedUploadLeavesNoFile() async throws {
    let root = try makeDirectory()
    var configuration = configuration
    configuration.root = root
    try await withEachService(configuration) { client in
      let id = try await initiate(client, "big")
      _ = try await client.send(.put, "big", query: ["partNumber": "1", "uploadId": id], body: [1, 2, 3])
      let listed = try await client.send(.get, query: ["uploads": nil]).document
      XCTAssertEqual(listed.all("Upload").map { $0["UploadId"]?.text }, [id])
      let aborted = try await client.send(.delete, "big", query: ["uploadId": id])
      XCTAssertEqual(aborted.status, 204)
      let again = try await client.send(.delete, "big", query: ["uploadId": id])
      XCTAssertEqual(again.status, 404)
      let bucket = try await client.send(.delete)
      XCTAssertEqual(bucket.status, 204)
    }
    XCTAssertEqual(try contentFiles(below: root), [])
  }

  func testUploadsAreListedInPages() async throws {
    try await withEachService { client in
      for key in ["a/1", "a/1", "a/2", "b", "c/1", "c/2"] { _ = try await initiate(client, key) }
      var keys: [String] = []
      var markers = ("", "")
      repeat {
        let page = try await client.send(
          .get, query: ["uploads": nil, "max-uploads": "2", "key-marker": markers.0, "upload-id-marker": markers.1]
        ).document
        keys += page.all("Upload").compactMap { $0["Key"]?.text }
        markers = (page["NextKeyMarker"]?.text ?? "", page["NextUploadIdMarker"]?.text ?? "")
        if page["IsTruncated"]?.text == "false" { break }
      } while keys.count < 10
      XCTAssertEqual(keys, ["a/1", "a/1", "a/2", "b", "c/1", "c/2"])
      let grouped = try await client.send(.get, query: ["uploads": nil, "delimiter": "/"]).document
      XCTAssertEqual(grouped.all("Upload").map { $0["Key"]?.text }, ["b"])
      XCTAssertEqual(grouped.all("CommonPrefixes").map { $0["Prefix"]?.text }, ["a/", "c/"])
    }
  }

  func testPageWithoutEntriesIsNotTruncated() async throws {
    try await withEachService(of: [.cos, .s3]) { client in
      _ = try await initiate(client, "a")
      let page = try await client.send(.get, query: ["uploads": nil, "max-uploads": "0"]).document
      XCTAssertEqual(page.all("Upload").count, 0)
      XCTAssertEqual(page["IsTruncated"]?.text, "false")
    }
  }

  func testPartCanBeACopy() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      _ = try await client.send(.put, "source é", body: Array("0123456789".utf8))
      let id = try await initiate(client, "big")
      let place = client.provider == .oss ? "" : "\(client.cloud.cosEndpoint.authority)"
      let source = "\(place)/\(Self.bucket)/source%20%C3%A9"
      var tags: [(Int, String)] = []
      for (number, range) in [(1, "bytes=2-4"), (2, "bytes=0-9")] {
        let reply = try await client.send(
          .put, "big", query: ["partNumber": String(number), "uploadId": id],
          headers: ["\(client.prefix)copy-source": source, "\(client.prefix)copy-source-range": range])
        XCTAssertEqual(reply.status, 200, reply.text)
        tags.append((number, try XCTUnwrap(reply.document["ETag"]?.text)))
      }
      let done = try await complete(client, "big", id, tags)
      XCTAssertEqual(done.status, 200, done.text)
      let get = try await client.send(.get, "big")
      XCTAssertEqual(get.text, "2340123456789")
      var crc = CRC(.crc64ECMA)
      crc.update(get.body)
      XCTAssertEqual(get.header("\(client.prefix)hash-crc64ecma"), String(crc.checksum))
      let beyond = try await client.send(
        .put, "big", query: ["partNumber": "1", "uploadId": id],
        headers: ["\(client.prefix)copy-source": source, "\(client.prefix)copy-source-range": "bytes=5-10"])
      XCTAssertEqual(beyond.status, 404)
    }
  }
}
