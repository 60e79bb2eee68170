// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import StorageAuth
import StorageClient
import StorageCrypto
import XCTest

/// Tests the deletion of multiple objects, server-side copies and the creation of buckets.
final class DeletionAndCopyTests: XCTestCase {
  func testManyObjectsAreDeletedInBatchesOfAThousand() async throws {
    let transport = RecordingTransport { _ throws(TransportError) in
      HTTPStreamingResponse(200, "", ["x-oss-request-id": "R"])
    }
    let keys = (0..<2500).map { "k\($0)" }
    let report = try await ossClient(transport).delete(keys)
    XCTAssertEqual(report.deleted, keys)
    XCTAssertEqual(transport.requests.count, 3)
    for request in transport.requests {
      XCTAssertEqual(request.method, .post)
      XCTAssertEqual(request.parameter("delete"), "")
      XCTAssertEqual(
        request.headers[try XCTUnwrap(HTTPField.Name("Content-MD5"))], MD5.hash(request.body).base64)
    }
    let counts = try transport.requests.map { try XMLNode.parse($0.body).all("Object").count }
    XCTAssertEqual(counts, [1000, 1000, 500])
  }

  func testObjectsThatCouldNotBeDeletedAreReported() async throws {
    let answer =
      "<DeleteResult><Error><Key>b&amp;</Key><Code>AccessDenied</Code><Message>No.</Message></Error></DeleteResult>"
    let transport = RecordingTransport(replies: [HTTPStreamingResponse(200, answer)])
    let report = try await cosClient(transport).delete(["a", "b&"])
    XCTAssertEqual(report.deleted, ["a"])
    XCTAssertEqual(report.failures.map(\.key), ["b&"])
    XCTAssertEqual(report.failures.map(\.code), ["AccessDenied"])
  }

  func testKeysThatXMLCannotRepresentAreDeletedOneByOne() async throws {
    let transport = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(204) }
    let report = try await ossClient(transport).delete(["a\u{1}b", "c", "d\r\n"])
    XCTAssertEqual(Set(report.deleted), ["a\u{1}b", "c", "d\r\n"])
    XCTAssertEqual(
      transport.requests.map { "\($0.method) \($0.path)" },
      ["POST /photos/?delete", "DELETE /photos/a%01b", "DELETE /photos/d%0D%0A"])
  }

  func testCopySourceIsEncodedAsTheServiceRequires() async throws {
    let answer =
      "<CopyObjectResult><ETag>\"E\"</ETag><LastModified>2026-11-20T08:00:00Z</LastModified></CopyObjectResult>"
    let transport = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200, answer) }
    let copy = try await ossClient(transport).copy(from: "a b/+", to: "c")
    XCTAssertEqual(copy.etag, "\"E\"")
    XCTAssertEqual(copy.lastModified, Timestamp(iso8601: "2026-11-20T08:00:00Z"))
    try await cosClient(transport).copy(
      CopySource(bucket: "other-1", key: "a", region: "ap-beijing", versionID: "v/1"), to: "c")
    let oss = try XCTUnwrap(HTTPField.Name("x-oss-copy-source"))
    let cos = try XCTUnwrap(HTTPField.Name("x-cos-copy-source"))
    XCTAssertEqual(transport.requests.first?.headers[oss], "/photos/a%20b/%2B")
    XCTAssertEqual(transport.requests.last?.headers[cos], "other-1.cos.ap-beijing.myqcloud.com/a?versionId=v%2F1")
    XCTAssertEqual(transport.requests.first?.headers[.contentType], nil)
  }

  func testVersionsAreNamedInTheRequest() async throws {
    let transport = RecordingTransport { request throws(TransportError) in
      HTTPStreamingResponse(
        request.method == .delete ? 204 : 200, "", ["x-oss-version-id": "v/1", "x-cos-version-id": "v/1"])
    }
    let info = try await ossClient(transport).head("a b", versionID: "v/1")
    XCTAssertEqual(info.versionID, "v/1")
    try await ossClient(transport).delete("a b", versionID: "v/1")
    try await cosClient(transport).delete("a", versionID: "v+1")
    XCTAssertEqual(
      transport.requests.map { "\($0.method) \($0.path)" },
      [
        "HEAD /photos/a%20b?versionId=v%2F1", "DELETE /photos/a%20b?versionId=v%2F1",
        "DELETE /photos-1250000000/a?versionId=v%2B1",
      ])
  }

  func testHeadersThatDoNotApplyToVersionsAreRejected() async throws {
    let transport = RecordingTransport(replies: [])
    await assertThrows(
      StorageError.self,
      { _ = try await ossClient(transport).head("a", versionID: "v", headers: [.contentType: "text/plain"]) }
    ) { XCTAssertEqual($0.code, .invalidOption) }
    XCTAssertEqual(transport.requests.count, 0)
  }

  func testCopyCanReplaceAttributes() async throws {
    let transport = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200, copyAnswer) }
    try await ossClient(transport).copy(
      from: "a", to: "b.txt",
      options: CopyOptions(attributes: UploadOptions(metadata: ["x": "y"]), forbidOverwrite: true))
    let headers = try XCTUnwrap(transport.requests.first).headers
    XCTAssertEqual(headers[try XCTUnwrap(HTTPField.Name("x-oss-metadata-directive"))], "REPLACE")
    XCTAssertEqual(headers[try XCTUnwrap(HTTPField.Name("x-oss-meta-x"))], "y")
    XCTAssertEqual(headers[.contentType], "text/plain")
    XCTAssertEqual(headers[try XCTUnwrap(HTTPField.Name("x-oss-forbid-overwrite"))], "true")
  }

  func testBucketWhoseFirstAnswerWasLostIsCreatedAndDeleted() async throws {
    let calls: [(status: Int, code: String, call: @Sendable (StorageClient<COSProvider>) async throws -> Void)] = [
      (409, "BucketAlreadyOwnedByYou", { try await $0.createBucket() }),
      (404, "NoSuchBucket", { try await $0.deleteBucket() }),
    ]
    for (status, code, call) in calls {
      for isLost in [true, false] {
        let sentCount = Lock(isLost ? 0 : 1)
        let transport = RecordingTransport { _ throws(TransportError) in
          let isFirst = sentCount.withLock { count in
            count += 1
            return count == 1
          }
          if isFirst { throw TransportError(.connectionLost, "Lost.", remedy: "None.") }
          return HTTPStreamingResponse(status, "<Error><Code>\(code)</Code><Message>No.</Message></Error>")
        }
        let client = cosClient(transport)
        if isLost {
          try await call(client)
        } else {
          await assertThrows(ServiceError.self, { try await call(client) }) { XCTAssertEqual($0.code, code) }
        }
        XCTAssertEqual(transport.requests.count, isLost ? 2 : 1)
      }
    }
  }

  func testMissingBucketIsNotAnError() async throws {
    let missing = "<Error><Code>NoSuchBucket</Code><Message>No.</Message></Error>"
    let transport = RecordingTransport(replies: [
      HTTPStreamingResponse(404, missing), HTTPStreamingResponse(200, listAnswer()),
      HTTPStreamingResponse(200, "", ["Location": "/photos"]),
    ])
    let client = ossClient(transport)
    let before = try await client.bucketExists()
    let after = try await client.bucketExists()
    XCTAssertFalse(before)
    XCTAssertTrue(after)
    try await client.createBucket()
    XCTAssertEqual(transport.requests.last.map { "\($0.method) \($0.path)" }, "PUT /photos/")
  }
}
