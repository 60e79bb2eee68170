// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import StorageClient
import XCTest

/// A service whose documents are JSON gets listings, multipart uploads, copies and deletions from the shared store.
final class JSONDocumentTests: XCTestCase {
  func testListingsFollowTheirPages() async throws {
    let service = JSONService()
    let client = service.client()
    // JSON can represent names that XML cannot, so that the client does not ask for an encoding.
    let keys = (10..<35).map { "a/\($0)\u{1} %41+猫" } + ["b/1", "b/2", "c"]
    for key in keys { try await client.upload(Array(key.utf8), to: key) }
    let listed = try await client.list().names
    XCTAssertEqual(listed, keys)
    let grouped = try await client.list(prefix: "", delimiter: "/").names
    XCTAssertEqual(grouped, ["a/", "b/", "c"])
    let pages = service.requests.filter { $0.hasPrefix("GET") }
    XCTAssertEqual(pages.count, 4)
    XCTAssertEqual(pages.filter { $0.contains("marker=") }.count, 2)
    XCTAssertFalse(pages.contains { $0.contains("encoding-type") }, "\(pages)")
  }

  func testLargeObjectIsUploadedInParts() async throws {
    let service = JSONService()
    let client = service.client()
    let bytes = pattern(350_000)
    let uploaded = try await client.upload(bytes, to: "film.mov", metadata: ["a": "b"])
    XCTAssertEqual(uploaded.size, 350_000)
    let downloaded = try await client.download("film.mov", upTo: 1 << 20)
    XCTAssertEqual(downloaded, bytes)
    let info = try await client.head("film.mov")
    XCTAssertEqual(info.etag, uploaded.etag)
    XCTAssertEqual(info.metadata, ["a": "b"])
    XCTAssertEqual(service.requests.filter { $0.contains("partNumber=") }.count, 4)
    let document = try JSONValue(parsing: XCTUnwrap(service.documents.first).utf8)
    XCTAssertEqual(document["parts"]?.array?.compactMap { $0["number"]?.integer }, [1, 2, 3, 4])
  }

  func testObjectsAreCopied() async throws {
    let client = JSONService().client()
    try await client.upload([1, 2, 3], to: "a b/1")
    let copy = try await client.copy(from: "a b/1", to: "c")
    let head = try await client.head("c")
    XCTAssertEqual(copy.etag, head.etag)
    XCTAssertNotNil(copy.etag)
    let bytes = try await client.download("c", upTo: 10)
    XCTAssertEqual(bytes, [1, 2, 3])
    await assertThrows(ServiceError.self, { try await client.copy(from: "missing", to: "d") }) {
      XCTAssertEqual($0.kind, .noSuchKey)
    }
  }

  func testManyObjectsAreDeletedInOneRequest() async throws {
    let service = JSONService()
    let client = service.client()
    for key in ["a\u{1}", "b", "locked"] { try await client.upload([1], to: key) }
    let report = try await client.delete(["a\u{1}", "b", "locked", "missing"])
    XCTAssertEqual(report.deleted, ["a\u{1}", "b", "missing"])
    XCTAssertEqual(report.failures, [.init(key: "locked", code: "Locked", message: "It is locked.")])
    XCTAssertEqual(service.requests.filter { !$0.hasPrefix("PUT") }, ["POST /photos/?delete"])
    let rest = try await client.list().names
    XCTAssertEqual(rest, ["locked"])
  }

  func testErrorsHaveTheMeaningThatTheFormatGivesThem() async throws {
    let client = JSONService().client()
    await assertThrows(ServiceError.self, { _ = try await client.open("missing") }) { error in
      XCTAssertEqual(error.code, "Gone")
      XCTAssertEqual(error.kind, .noSuchKey)
      XCTAssertEqual(error.message, "It is refused.")
      XCTAssertEqual(error.requestID, "R")
    }
    // A response without a document is described by its status.
    await assertThrows(ServiceError.self, { _ = try await client.head("missing") }) {
      XCTAssertEqual($0.kind, .noSuchKey)
    }
  }

  func testThrottledRequestIsRepeated() async throws {
    let busy = Collected<Int>()
    let service = JSONService { method, _ in
      guard method == .put, busy.values.count < 2 else { return nil }
      busy.append(1)
      return HTTPStreamingResponse(400, #"{"error":{"code":"Busy"}}"#)
    }
    try await service.client().upload([1], to: "a")
    XCTAssertEqual(busy.values.count, 2)
    XCTAssertEqual(service.requests.count, 1)
  }

  /// Calls each operation that reads a document.
  private func operations(_ client: StorageClient<JSONBucket>) -> [(name: String, call: () async throws -> Void)] {
    [
      ("list", { for try await _ in client.list() {} }), ("copy", { try await client.copy(from: "a", to: "b") }),
      ("upload", { try await client.upload(pattern(350_000), to: "a") }),
      ("delete", { try await client.delete(["a", "b"]) }), ("exists", { _ = try await client.bucketExists() }),
    ]
  }

  func testErrorInsideASuccessIsTheServicesError() async throws {
    let body = #"{"error":{"code":"Busy","message":"Later."},"bucket":"photos","items":[],"groups":[],"failed":[]}"#
    let service = JSONService { _, _ in HTTPStreamingResponse(200, body) }
    for (name, call) in operations(service.client()) {
      await assertThrows(ServiceError.self, call) {
        XCTAssertEqual($0.kind, .throttled, name)
        XCTAssertEqual($0.message, "Later.", name)
      }
    }
  }

  func testForeignBodiesAreErrors() async throws {
    for body in ["<html></html>", "{}", "[]", #"{"items":[]}"#, #"{"bucket":"other","items":[],"groups":[]}"#] {
      let service = JSONService { _, _ in HTTPStreamingResponse(200, body) }
      for (name, call) in operations(service.client()) {
        await assertThrows(StorageError.self, call) { XCTAssertEqual($0.code, .malformedResponse, "\(name): \(body)") }
      }
    }
  }

  /// The client checks what the format has read.
  func testContradictionsAreErrors() async throws {
    func page(_ names: [String], next: String? = nil) -> String {
      let items = names.map { #"{"name":"\#($0)","bytes":1}"# }.joined(separator: ",")
      let end = next.map { #","next":"\#($0)""# } ?? ""
      return #"{"bucket":"photos","items":[\#(items)],"groups":[]\#(end)}"#
    }
    let pages = [
      page(["ab", "aa"]), page(["a", "a"]), page(["b"]), page(["a"], next: "a"), page([], next: "a"),
      page([String(repeating: "a", count: 5000)]),
    ]
    for body in pages {
      let service = JSONService { _, _ in HTTPStreamingResponse(200, body) }
      await assertThrows(StorageError.self, { for try await _ in service.client().list(prefix: "a") {} }) {
        XCTAssertEqual($0.code, .malformedResponse, body)
      }
    }
    let report = #"{"failed":[{"name":"other","code":"Locked"}]}"#
    let service = JSONService { _, _ in HTTPStreamingResponse(200, report) }
    await assertThrows(StorageError.self, { try await service.client().delete(["a"]) }) {
      XCTAssertEqual($0.code, .malformedResponse)
    }
  }

  func testDocumentsThatTheFormatDoesNotReadAreUnsupported() async throws {
    let client = JSONService { _, _ in HTTPStreamingResponse(200, "{}") }.client()
    for call: () async throws -> Void in [
      { _ = try await client.bucketVersioning() }, { for try await _ in client.unfinishedUploads() {} },
    ] {
      await assertThrows(StorageError.self, call) { XCTAssertEqual($0.code, .unsupported) }
    }
  }
}
