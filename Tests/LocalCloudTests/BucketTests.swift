// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests buckets: creation, listing, deletion, access control, location and persistence.
final class BucketTests: CloudTestCase {
  private let other = "other-1250000000"

  func testBucketsAreCreatedListedAndDeletedWhenEmpty() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      let made = try await client.send(.put, bucket: other)
      XCTAssertEqual(made.status, 200, made.text)
      let again = try await client.send(.put, bucket: other)
      XCTAssertEqual(again.status, client.provider == .oss ? 200 : 409)
      let list = try await client.send(.get, bucket: nil).document
      XCTAssertEqual(list["Buckets"]?.all("Bucket").map { $0["Name"]?.text }, [other, Self.bucket])
      let head = try await client.send(.head, bucket: other)
      XCTAssertEqual(head.status, 200)
      _ = try await client.send(.put, "a", bucket: other, body: [1])
      let full = try await client.send(.delete, bucket: other)
      XCTAssertEqual(full.status, 409)
      XCTAssertEqual(try full.errorCode, "BucketNotEmpty")
      _ = try await client.send(.delete, "a", bucket: other)
      let deleted = try await client.send(.delete, bucket: other)
      XCTAssertEqual(deleted.status, 204)
      let gone = try await client.send(.get, bucket: other)
      XCTAssertEqual(gone.status, 404)
      XCTAssertEqual(try gone.errorCode, "NoSuchBucket")
      let put = try await client.send(.put, "a", bucket: other, body: [1])
      XCTAssertEqual(try put.errorCode, "NoSuchBucket")
      let headGone = try await client.send(.head, bucket: other)
      XCTAssertEqual(headGone.status, 404)
    }
  }

  func testPublicObjectIsReadWithoutASignature() async throws {
    try await withEachService { client in
      _ = try await client.send(.put, bucket: other, headers: ["\(client.prefix)acl": "public-read"])
      _ = try await client.send(.put, "a", bucket: other, headers: [client.objectAccess: "public-read"], body: [1, 2])
      _ = try await client.send(.put, "a", body: [3])
      for method in [.get, .head] as [HTTPRequest.Method] {
        let open = try await client.send(client.request(method, "a", bucket: other))
        XCTAssertEqual(open.status, 200)
        let closed = try await client.send(client.request(method, "a"))
        XCTAssertEqual(closed.status, 403)
      }
      let refused: [(HTTPRequest.Method, String?, KeyValuePairs<String, String?>)] = [
        (.put, "a", [:]), (.delete, "a", [:]), (.get, nil, ["acl": nil]), (.get, "a", ["acl": nil]), (.put, nil, [:]),
        (.post, "a", ["uploads": nil]), (.delete, nil, [:]),
      ]
      for (method, key, query) in refused {
        let reply = try await client.send(client.request(method, key, bucket: other, query: query), body: [])
        XCTAssertEqual(reply.status, 403, "\(method) \(query)")
        XCTAssertEqual(try reply.errorCode, "AccessDenied")
      }
      let changed = try await client.send(
        client.request(.get, "a", bucket: other, query: ["response-content-type": "text/html"]))
      XCTAssertEqual(changed.status, 400)
      XCTAssertGreaterThan(client.cloud.statistics.anonymous, 0)
    }
  }

  /// Expects that a public bucket opens its list in S3, its objects in OSS, and both in COS.
  func testPublicBucketOpensWhatItOpensAtTheService() async throws {
    try await withEachService { client in
      _ = try await client.send(.put, bucket: other, headers: ["\(client.prefix)acl": "public-read"])
      _ = try await client.send(.put, "a", bucket: other, body: [1])
      _ = try await client.send(.put, "closed", bucket: other, headers: [client.objectAccess: "private"], body: [2])
      func status(
        _ method: HTTPRequest.Method, _ key: String? = nil, in bucket: String,
        _ query: KeyValuePairs<String, String?> = [:]
      ) async throws -> Int {
        try await client.send(client.request(method, key, bucket: bucket, query: query)).status
      }
      let (object, list) = (client.provider == .s3 ? 403 : 200, client.provider == .oss ? 403 : 200)
      for method in [.get, .head] as [HTTPRequest.Method] {
        let (inherited, closed, missing, bucket) = (
          try await status(method, "a", in: other), try await status(method, "closed", in: other),
          try await status(method, "missing", in: other), try await status(method, in: other)
        )
        XCTAssertEqual([inherited, closed, missing, bucket], [object, 403, 404, list], "\(client.provider) \(method)")
        let (privateBucket, ofPrivate) = (
          try await status(method, in: Self.bucket), try await status(method, "missing", in: Self.bucket)
        )
        XCTAssertEqual([privateBucket, ofPrivate], [403, 403], "\(client.provider) \(method)")
      }
      for query in [["list-type": "2"], ["uploads": nil]] as [KeyValuePairs<String, String?>] {
        let seen = try await status(.get, in: other, query)
        XCTAssertEqual(seen, list, "\(client.provider) \(query)")
      }
    }
  }

  func testAccessOfABucketAndOfAnObjectCanBeChanged() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      let objectHeader = client.provider == .oss ? "x-oss-object-acl" : "x-cos-acl"
      _ = try await client.send(.put, "a", body: [1])
      func status() async throws -> Int { try await client.send(client.request(.get, "a")).status }
      var seen = [try await status()]
      let open = try await client.send(.put, query: ["acl": nil], headers: ["\(client.prefix)acl": "public-read"])
      XCTAssertEqual(open.status, 200, open.text)
      seen.append(try await status())
      let closed = try await client.send(.put, "a", query: ["acl": nil], headers: [objectHeader: "private"])
      XCTAssertEqual(closed.status, 200, closed.text)
      seen.append(try await status())
      XCTAssertEqual(seen, [403, 200, 403])
      let bucket = try await client.send(.get, query: ["acl": nil])
      let object = try await client.send(.get, "a", query: ["acl": nil])
      if client.provider == .oss {
        XCTAssertEqual(try bucket.document["AccessControlList"]?["Grant"]?.text, "public-read")
        XCTAssertEqual(try object.document["AccessControlList"]?["Grant"]?.text, "private")
      } else {
        XCTAssertEqual(try bucket.document["AccessControlList"]?.all("Grant").count, 2)
        XCTAssertEqual(try object.document["AccessControlList"]?.all("Grant").count, 1)
      }
      let bad = try await client.send(.put, query: ["acl": nil], headers: ["\(client.prefix)acl": "everybody"])
      XCTAssertEqual(try bad.errorCode, "InvalidArgument")
    }
  }

  func testBucketLocationIsReturned() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      let reply = try await client.send(.get, query: ["location": nil])
      XCTAssertEqual(try reply.document.text, client.provider == .oss ? "oss-cn-hangzhou" : "ap-guangzhou")
      guard client.provider == .oss else { return }
      let info = try await client.send(.get, query: ["bucketInfo": nil])
      XCTAssertEqual(try info.document["Bucket"]?["Name"]?.text, Self.bucket)
    }
  }

  func testDirectoryCanBeReopened() async throws {
    var configuration = configuration
    configuration.root = try makeDirectory()
    try await withEachService(configuration) { client in
      _ = try await client.send(.put, "a é", headers: ["\(client.prefix)meta-x": "1"], body: Array("old".utf8))
      _ = try await client.send(.put, "a é", headers: ["\(client.prefix)meta-x": "2"], body: Array("new".utf8))
      _ = try await client.send(.put, "b", body: [1])
      _ = try await client.send(.delete, "b")
      _ = try await client.send(.put, query: ["acl": nil], headers: ["\(client.prefix)acl": "public-read"])
    }
    XCTAssertEqual(try contentFiles(below: configuration.root ?? "").count, 3)
    try await withEachService(configuration) { client in
      let list = try await client.send(.get).document
      XCTAssertEqual(list.all("Contents").map { $0["Key"]?.text }, ["a é"])
      let open = try await client.send(client.request(.get, client.provider == .s3 ? nil : "a é"))
      XCTAssertEqual(open.status, 200)
      let get = try await client.send(.get, "a é")
      XCTAssertEqual(get.text, "new")
      XCTAssertEqual(get.header("\(client.prefix)meta-x"), "2")
    }
  }

  func testDamagedDirectoryIsRejectedAndUnchanged() async throws {
    var configuration = configuration
    let root = try makeDirectory()
    configuration.root = root
    try await withEachService(configuration, of: [.oss, .cos]) { client in
      _ = try await client.send(.put, "a", body: [1])
    }
    let name = "\(root)/oss/buckets/\(Self.bucket)/bucket.json"
    try Data("{".utf8).write(to: URL(fileURLWithPath: name))
    do {
      let cloud = try await LocalCloud.start(configuration)
      await cloud.stop()
      XCTFail("A damaged directory was opened.")
    } catch let error as LocalCloudError {
      XCTAssertTrue(error.description.contains("bucket.json"), error.description)
    }
    XCTAssertEqual(try contentFiles(below: root).count, 2)
  }
}
