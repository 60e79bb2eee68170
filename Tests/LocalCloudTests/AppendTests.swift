// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import StorageCrypto
internal import XCTest

/// Tests objects that are appended to, symbolic links, and the numbers of a bucket.
final class AppendTests: CloudTestCase {
  private let text = Array("123456789".utf8)

  private func append(_ position: Int, _ bytes: [UInt8], _ client: TestClient) async throws -> Reply {
    try await client.send(
      .post, "log", query: ["append": nil, "position": "\(position)"], headers: ["Content-Type": "text/x-log"],
      body: bytes)
  }

  func testBytesAreAppendedAtTheEnd() async throws {
    var configuration = configuration
    configuration.root = try makeDirectory()
    try await withEachService(configuration, of: [.oss, .cos]) { client in
      let next = "\(client.prefix)next-append-position"
      let first = try await append(0, text, client)
      XCTAssertEqual(first.status, 200, first.text)
      XCTAssertEqual(first.header(next), "9")
      // The check value of CRC-64/XZ for these nine bytes.
      XCTAssertEqual(first.header("\(client.prefix)hash-crc64ecma"), "11051210869376104954")
      for position in [0, 8, 10] {
        let wrong = try await append(position, [1], client)
        XCTAssertEqual(wrong.status, 409)
        XCTAssertEqual(try wrong.errorCode, "PositionNotEqualToLength")
        XCTAssertEqual(wrong.header(next), "9")
      }
    }
    try await withEachService(configuration, of: [.oss, .cos]) { client in
      let second = try await append(9, text, client)
      XCTAssertEqual(second.header("\(client.prefix)next-append-position"), "18")
      var sum = CRC(.crc64ECMA)
      sum.update(text + text)
      XCTAssertEqual(second.header("\(client.prefix)hash-crc64ecma"), "\(sum.checksum)")
      let get = try await client.send(.get, "log")
      XCTAssertEqual(get.body, text + text)
      XCTAssertEqual(get.header("content-type"), "text/x-log")
      XCTAssertNil(get.header("content-md5"))
      let head = try await client.send(.head, "log")
      XCTAssertEqual(head.header("\(client.prefix)next-append-position"), "18")
      if client.provider == .oss { XCTAssertEqual(head.header("x-oss-object-type"), "Appendable") }
      _ = try await client.send(.put, "log", body: text)
      let normal = try await append(9, text, client)
      XCTAssertEqual(try normal.errorCode, "ObjectNotAppendable")
    }
  }

  func testAppendingIsNoNewVersion() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      _ = try await client.send(
        .put, query: ["versioning": nil],
        body: Array("<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>".utf8))
      let first = try await append(0, text, client)
      let second = try await append(9, text, client)
      let id = try XCTUnwrap(first.header("\(client.prefix)version-id"))
      XCTAssertEqual(second.header("\(client.prefix)version-id"), id)
      let versions = try await client.send(.get, query: ["versions": nil]).document.all("Version")
      XCTAssertEqual(versions.map { $0["Size"]?.text }, ["18"])
    }
  }

  func testSymbolicLinkHasTheContentOfItsTarget() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      let header = "\(client.prefix)symlink-target"
      _ = try await client.send(.put, "a é", body: text)
      let put = try await client.send(
        .put, "link", query: ["symlink": nil], headers: [header: "a%20%C3%A9", "\(client.prefix)meta-color": "red"])
      XCTAssertEqual(put.status, 200, put.text)
      let read = try await client.send(.get, "link", query: ["symlink": nil])
      XCTAssertEqual(read.header(header), "a%20%C3%A9")
      let get = try await client.send(.get, "link")
      XCTAssertEqual(get.body, text)
      XCTAssertEqual(get.header("\(client.prefix)meta-color"), "red")
      let head = try await client.send(.head, "link")
      let target = try await client.send(.head, "a é")
      XCTAssertEqual(head.header("content-length"), "9")
      XCTAssertEqual(head.header("etag"), target.header("etag"))
      if client.provider == .oss { XCTAssertEqual(head.header("x-oss-object-type"), "Symlink") }
      let plain = try await client.send(.get, "a é", query: ["symlink": nil])
      XCTAssertEqual(plain.status, 400)
      XCTAssertEqual(try plain.errorCode, "NotSymlink")
      _ = try await client.send(.put, "second", query: ["symlink": nil], headers: [header: "link"])
      let second = try await client.send(.get, "second")
      XCTAssertEqual(try second.errorCode, "InvalidTargetType")
      _ = try await client.send(.delete, "a é")
      let dangling = try await client.send(.get, "link")
      XCTAssertEqual(dangling.status, 404)
      XCTAssertEqual(try dangling.errorCode, "SymlinkTargetNotExist")
      let without = try await client.send(.put, "link", query: ["symlink": nil])
      XCTAssertEqual(without.status, 400)
    }
  }

  func testUnsignedReadThroughALinkNeedsTheTargetsAccess() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      let access = client.provider == .oss ? "x-oss-object-acl" : "x-cos-acl"
      _ = try await client.send(.put, "secret", headers: [access: "private"], body: text)
      _ = try await client.send(
        .put, "link", query: ["symlink": nil],
        headers: ["\(client.prefix)symlink-target": "secret", access: "public-read"])
      let closed = try await client.send(client.request(.get, "link"))
      XCTAssertEqual(closed.status, 403)
      _ = try await client.send(.put, "secret", query: ["acl": nil], headers: [access: "public-read"])
      let open = try await client.send(client.request(.get, "link"))
      XCTAssertEqual(open.body, text)
    }
  }

  func testNumbersOfABucketAreThoseOfItsObjects() async throws {
    try await withEachService(of: [.oss]) { client in
      _ = try await client.send(.put, "a", body: text)
      _ = try await client.send(.put, "b", headers: ["x-oss-storage-class": "IA"], body: text + text)
      _ = try await client.send(.post, "c", query: ["uploads": nil])
      let stat = try await client.send(.get, query: ["stat": nil]).document
      XCTAssertEqual(stat.name, "BucketStat")
      for (name, value) in [
        ("Storage", "27"), ("ObjectCount", "2"), ("MultipartUploadCount", "1"), ("StandardStorage", "9"),
        ("InfrequentAccessStorage", "18"), ("InfrequentAccessObjectCount", "1"), ("ArchiveStorage", "0"),
      ] {
        XCTAssertEqual(stat[name]?.text, value, name)
      }
    }
  }
}
