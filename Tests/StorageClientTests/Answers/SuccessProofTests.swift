// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import StorageAuth
import XCTest

@testable import StorageAuthTesting
@testable import StorageClient

/// Tests that a page with status 200 is no success, and that a body without a certain end is not whole.
final class SuccessProofTests: XCTestCase {
  private static let page = "<html><body>Please sign in.</body></html>"

  private func client(
    _ status: Int = 200, _ body: String = page, _ headers: [String: String] = ["ETag": ""]
  ) -> StorageClient<OSSProvider> {
    ossClient(RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(status, body, headers) })
  }

  func testPagesAreNoSuccess() async throws {
    let directory = try TemporaryDirectory(self)
    let file = try directory.write([1, 2, 3], to: "file")
    let portal = client()
    let upload = MultipartUpload(
      bucket: BucketClient(sender: portal.sender), key: "k", id: try ResponseValue("U", named: "UploadId"), headers: [:]
    )
    let operations: [(String, () async throws -> Void)] = [
      ("put", { try await portal.upload([1], to: "k") }), ("put of a file", { try await portal.upload(file, to: "k") }),
      (
        "part",
        { _ = try await upload.upload(BytesPayload(bytes: [1]), number: 1, progress: .init(total: 1, handler: nil)) }
      ),
      ("get", { _ = try await portal.download("k", upTo: 1000) }), ("open", { _ = try await portal.open("k") }),
      ("get of a file", { try await portal.download("k", to: directory.path("copy")) }),
      ("range", { _ = try await portal.open("k", options: DownloadOptions(range: ByteRange(0..<5))) }),
      ("head", { _ = try await portal.head("k") }),
      ("head of a version", { _ = try await portal.head("k", versionID: "V") }),
      ("delete", { try await portal.delete("k") }),
      ("delete of a version", { try await portal.delete("k", versionID: "V") }),
      ("abort", { try await upload.requestAbort() }), ("create", { try await portal.createBucket() }),
      ("delete of the bucket", { try await portal.deleteBucket() }),
    ]
    for (name, call) in operations {
      await assertThrows(StorageError.self, call) { error in
        XCTAssertEqual(error.code, .malformedResponse, name)
        XCTAssertTrue(error.message.contains("captive portal"), "\(name): \(error)")
      }
    }
    XCTAssertEqual(try directory.names, ["file"])
  }

  func testSuccessOfTheServicesIsAccepted() async throws {
    try await client(204, "").delete("k")
    try await client(200, "", ["ETag": "", "x-oss-request-id": "R"]).delete("k")
    try await client(200, "", ["ETag": "", "Location": "/photos"]).createBucket()
    try await client(200, "", ["ETag": "", "x-oss-request-id": "R"]).createBucket()
    let deleted = try await client(200, "", ["ETag": "", "x-oss-request-id": "R"]).delete(["a"])
    XCTAssertEqual(deleted.deleted, ["a"])
    await assertThrows(StorageError.self) { try await client(200, "").delete(["a"]) }
    let processed = try await client(200, "image").download(
      "k", upTo: 10, options: DownloadOptions(parameters: [.init("x-oss-process", "image/info")]))
    XCTAssertEqual(processed, Array("image".utf8))
    await assertThrows(StorageError.self) { try await client(200, "", ["ETag": ""]).upload([1], to: "k") }
  }

  func testPresignedTransfersNeedTheProofToo() async throws {
    let portal = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200, Self.page, ["ETag": ""]) }
    let client = ossClient(portal)
    let put = try await client.presign(.put, "k", validFor: .seconds(60))
    await assertThrows(StorageError.self, { try await put.upload(.bytes([1]), transport: portal) }) {
      XCTAssertEqual($0.code, .malformedResponse)
      XCTAssertTrue($0.remedy.contains("A server of your own must send the ETag."), "\($0)")
    }
    let get = try await client.presign(.get, "k", validFor: .seconds(60))
    await assertThrows(StorageError.self, { _ = try await get.open(transport: portal) }) {
      XCTAssertEqual($0.code, .malformedResponse)
    }
  }

  /// Returns the bytes of a download from a server that sends one response and closes the connection.
  private func download(_ answer: String, presigned: Bool = false) async throws -> [UInt8]? {
    let server = try LoopbackServer(patience: .seconds(10)) { connection in
      _ = try connection.readHead()
      try connection.send(answer)
    }
    defer { server.stop() }
    let transport = NetworkTransport.make()
    let client = ossClient(transport, endpoint: "http://127.0.0.1:\(server.port)")
    guard presigned else { return try await client.download("k", upTo: 1000) }
    let get = try await client.presign(.get, "k", validFor: .seconds(60))
    return try await get.open(transport: transport).body.collected(upTo: 1000)
  }

  func testBodyThatEndsWithItsConnectionNeedsALengthOrAChecksum() async throws {
    let head = "HTTP/1.1 200 OK\r\nETag: \"E\"\r\n"
    for presigned in [false, true] {
      for answer in [
        "\(head)\r\nhalf", "HTTP/1.0 200 OK\r\nETag: \"E\"\r\n\r\nhalf", "\(head)Connection: close\r\n\r\nhalf",
      ] {
        await assertThrows(StorageError.self, { _ = try await download(answer, presigned: presigned) }) { error in
          XCTAssertEqual(error.code, .truncated)
          XCTAssertTrue(error.message.contains("ended with its connection"), "\(error)")
        }
      }
      let checksum = "x-oss-hash-crc64ecma: \(crc(Array("whole".utf8)).value)\r\nx-oss-request-id: R\r\n"
      for answer in [
        "\(head)Content-Length: 5\r\n\r\nwhole", "\(head)\(checksum)\r\nwhole",
        "\(head)Transfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n0\r\n\r\n",
      ] {
        let bytes = try await download(answer, presigned: presigned)
        XCTAssertEqual(bytes, Array("whole".utf8), answer)
      }
    }
  }
}
