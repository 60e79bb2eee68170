// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaClient
import ClientTestSupport
import HTTPTypes
import StorageAuth
import StorageClient
import XCTest

/// Tests the deletion of files and folders of a node.
final class AsperaDeletionTests: XCTestCase {
  private let service = NodeService()

  private func client() -> StorageClient<AsperaProvider> { asperaClient(RecordingTransport(service.reply)) }

  func testFileIsDeletedAndAMissingFileIsNoError() async throws {
    service.put([1], at: "/a")
    service.put([1], at: "/b")
    try await client().delete("a")
    try await client().delete("a")
    XCTAssertEqual(service.files.keys.sorted(), ["/b"])
  }

  func testFolderIsNotDeletedAsAnObject() async throws {
    service.put([1], at: "/2026/a")
    await assertThrows(ServiceError.self, { try await client().delete("2026") }) {
      XCTAssertEqual($0.code, "IsFolder")
    }
    let report = try await client().delete(["2026", "2026/b"])
    XCTAssertEqual(report.failures.map(\.key), ["2026"])
    XCTAssertEqual(report.deleted, ["2026/b"])
    XCTAssertEqual(service.files.count, 1)
  }

  func testFileIsNotDeletedAsAFolder() async throws {
    service.put([1], at: "/a")
    let node = IdentifiedNode()
    node.put([1], at: "a")
    let byID = StorageClient(
      .aspera(node: nodeURL), credentials: AsperaNodeAccess.bearer(Secret("eJx1"), accessKey: "ak"),
      configuration: .test, transport: RecordingTransport(node.reply))
    for client in [client(), byID] {
      await assertThrows(ServiceError.self, { try await client.deleteFolder("a") }) {
        XCTAssertEqual($0.code, "NotFolder")
        XCTAssertEqual($0.kind, .conflict)
      }
      try await client.deleteFolder("missing")
    }
    XCTAssertEqual(service.files.count, 1)
    XCTAssertEqual(node.contents.count, 1)
  }

  func testOnlyFoldersAreDeletedWithTheirContent() async throws {
    for key in ["file", "other", "folder/a"] { service.put([1], at: "/" + key) }
    let transport = RecordingTransport(service.reply)
    let client = asperaClient(transport)
    try await client.delete("file")
    _ = try await client.delete(["other"])
    try await client.deleteFolder("folder")
    let flags = try transport.requests.filter { $0.path == "/files/delete" }.map { request in
      try JSONValue(parsing: request.body)["paths"]?[0]?["recursive_delete"]?.bool
    }
    XCTAssertEqual(flags, [false, false, true])
  }

  func testMultipleFilesAreDeletedWithOneRequest() async throws {
    let keys = (0..<30).map { "k\($0)" }
    for key in keys { service.put([], at: "/" + key) }
    let transport = RecordingTransport(service.reply)
    let report = try await asperaClient(transport).delete(keys + ["never there"])
    XCTAssertEqual(Set(report.deleted), Set(keys + ["never there"]))
    XCTAssertEqual(report.failures, [])
    XCTAssertEqual(service.files.count, 0)
    let deletions = transport.requests.filter { $0.path == "/files/delete" }
    XCTAssertEqual(try deletions.map { try JSONValue(parsing: $0.body)["paths"]?.array?.count }, [30])
  }

  func testFileThatCannotBeDeletedIsReported() async throws {
    let transport = RecordingTransport { request throws(TransportError) in
      request.path == "/files/browse"
        ? HTTPStreamingResponse(200, #"{"self":{"type":"file","basename":"a","size":1}}"#)
        : HTTPStreamingResponse(200, #"{"paths":[{"path":"/a","error":{"code":403,"user_message":"Not yours."}}]}"#)
    }
    let report = try await asperaClient(transport).delete(["a"])
    XCTAssertEqual(report.failures, [.init(key: "a", code: "403", message: "Not yours.")])
    await assertThrows(ServiceError.self, { try await asperaClient(transport).delete("a") }) {
      XCTAssertEqual($0.kind, .accessDenied)
      XCTAssertEqual($0.subject, "delete aspera://127.0.0.1:9/a")
    }
  }

  func testFoldersAreCreatedAndDeletedWithTheirContents() async throws {
    try await client().createFolder("2026/11")
    try await client().createFolder("2026/11")
    service.put([1], at: "/2026/11/a")
    try await client().deleteFolder("2026")
    try await client().deleteFolder("2026")
    XCTAssertEqual(service.files.count, 0)
    service.put([1], at: "/file")
    await assertThrows(ServiceError.self, { try await client().createFolder("file") }) {
      XCTAssertEqual($0.kind, .conflict)
    }
  }
}
