// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import ClientTestSupport
import HTTPTypes
import StorageAuth
import StorageClient
import XCTest

/// Tests that a response which is not what was asked for is an error, and never an empty or a shorter result.
final class AsperaFaultyNodeTests: XCTestCase {
  private static let folder: JSONValue = ["type": "directory", "path": "/"]

  private func file(_ name: String, path: String? = nil) -> JSONValue {
    ["type": "file", "basename": .string(name), "size": 1, "path": .string(path ?? "/\(name)")]
  }

  /// A client of a node that sends the given documents in their order, and the last one again.
  private func client(_ documents: [JSONValue]) -> StorageClient<AsperaProvider> {
    let rest = Lock(documents)
    return asperaClient(
      RecordingTransport { _ throws(TransportError) in
        let document = rest.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? .null }
        return HTTPStreamingResponse(200, document.serialized, [:])
      })
  }

  private func assertMalformed(
    _ what: String, _ body: () async throws -> Void, file: StaticString = #filePath, line: UInt = #line
  ) async {
    await assertThrows(StorageError.self, body, file: file, line: line) {
      XCTAssertEqual($0.code, .malformedResponse, what, file: file, line: line)
    }
  }

  func testDocumentThatIsNoListingIsNeverAnEmptyFolder() async throws {
    let documents: [JSONValue] = [
      [:], [], "text", 5, .null, ["self": Self.folder], ["items": [], "total_count": 0],
      ["self": Self.folder, "items": [:], "total_count": 0], ["self": Self.folder, "items": "", "total_count": 0],
      ["self": Self.folder, "items": []], ["self": Self.folder, "items": [], "total_count": "0"],
      ["self": Self.folder, "items": [], "total_count": -1], ["self": [:], "items": [], "total_count": 0],
      ["self": ["type": "directory", "path": "/other"], "items": [], "total_count": 0],
      ["paths": [["path": "/"]]],
    ]
    for document in documents {
      let text = String(decoding: document.serialized, as: UTF8.self)
      await assertMalformed(text) { _ = try await client([document]).list().names }
    }
    let page = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200, "<html></html>") }
    await assertMalformed("page") { _ = try await asperaClient(page).list().names }
    let error: JSONValue = ["self": Self.folder, "items": [], "total_count": 0, "error": ["code": 500]]
    await assertThrows(ServiceError.self, { _ = try await client([error]).list().names }) {
      XCTAssertEqual($0.status.code, 500)
    }
  }

  func testEntriesOfOtherFoldersAreRejected() async throws {
    for path in ["/other/a", "/a/b", "a", "//a", "/A"] {
      let answer: JSONValue = ["self": Self.folder, "items": [file("a", path: path)], "total_count": 1]
      await assertMalformed(path) { _ = try await client([answer]).list().names }
    }
    await assertMalformed("no size") {
      let answer: JSONValue = [
        "self": Self.folder, "items": [["type": "file", "basename": "a", "path": "/a"]], "total_count": 1,
      ]
      _ = try await client([answer]).list().names
    }
  }

  func testDescriptionOfAnotherFileIsRejected() async throws {
    let answer: JSONValue = ["self": file("b"), "items": [], "total_count": 0]
    await assertMalformed("head") { _ = try await client([answer]).head("a") }
    let info = try await client([["self": file("a"), "items": [], "total_count": 0]]).head("a")
    XCTAssertEqual(info.size, 1)
  }

  func testPositionsThatComeBackOrDoNotAdvanceAreRejected() async throws {
    let page: JSONValue = ["self": Self.folder, "items": [file("a"), file("b")], "total_count": 4]
    await assertMalformed("the same page") { _ = try await client([page]).list().names }
    let twice: JSONValue = ["self": Self.folder, "items": [file("a"), file("a")], "total_count": 2]
    await assertMalformed("a name twice") { _ = try await client([twice]).list().names }
    let empty: JSONValue = ["self": Self.folder, "items": [], "total_count": 4]
    await assertMalformed("a page without entries") { _ = try await client([page, empty]).list().names }
    let tooMany: JSONValue = ["self": Self.folder, "items": [file("a"), file("b")], "total_count": 1]
    await assertMalformed("more than all") { _ = try await client([tooMany]).list().names }
    // Two spellings of a name are two names.
    let spellings: JSONValue = [
      "self": Self.folder, "items": [file("\u{e9}"), file("e\u{301}")], "total_count": 2,
    ]
    let names = try await client([spellings]).list().names
    XCTAssertEqual(names.map { Array($0.utf8) }, [Array("e\u{301}".utf8), Array("\u{e9}".utf8)])
  }

  func testIterationTokensThatAlternateAreRejected() async throws {
    let number = Lock(0)
    let transport = RecordingTransport { request throws(TransportError) in
      if request.path == "/self" { return HTTPStreamingResponse(200, #"{"id":"ak","root_file_id":"1"}"#) }
      let page = number.withLock { number in
        number += 1
        return number
      }
      return HTTPStreamingResponse(
        200, Array("[]".utf8), ["X-Aspera-Next-Iteration-Token": page.isMultiple(of: 2) ? "even" : "odd"])
    }
    await assertMalformed("tokens") { _ = try await self.bearerClient(transport).list().names }
    XCTAssertEqual(number.withLock { $0 }, 3)
  }

  func testEntryOnTwoPagesWithDifferentTokensIsRejected() async throws {
    let number = Lock(0)
    let transport = RecordingTransport { request throws(TransportError) in
      if request.path == "/self" { return HTTPStreamingResponse(200, #"{"id":"ak","root_file_id":"1"}"#) }
      let page = number.withLock { number in
        number += 1
        return number
      }
      return HTTPStreamingResponse(
        200, Array(#"[{"id":"7","name":"a","type":"file","size":1}]"#.utf8),
        ["X-Aspera-Next-Iteration-Token": "page-\(page)"])
    }
    await assertMalformed("entry") { _ = try await self.bearerClient(transport).list().names }
    XCTAssertEqual(number.withLock { $0 }, 2)
  }

  func testFolderThatContainsItselfByItsIDIsRejected() async throws {
    let transport = RecordingTransport { request throws(TransportError) in
      if request.path == "/self" { return HTTPStreamingResponse(200, #"{"id":"ak","root_file_id":"1"}"#) }
      return HTTPStreamingResponse(
        200, #"[{"id":"7","name":"a","type":"folder"},{"id":"8","name":"b","type":"folder"}]"#)
    }
    await assertMalformed("cycle") { _ = try await self.bearerClient(transport).list().names }
    XCTAssertLessThan(transport.requests.count, 10)
  }

  func testChangeWithoutItsResultsIsAnError() async throws {
    let a: JSONValue = ["self": ["type": "directory", "path": "/a"]]
    for document in [[:], ["paths": []], ["paths": "x"], []] as [JSONValue] {
      let text = String(decoding: document.serialized, as: UTF8.self)
      await assertMalformed("create \(text)") { try await client([document]).createFolder("a") }
      await assertMalformed("rename \(text)") { try await client([document]).rename("a", to: "b") }
      await assertMalformed("delete \(text)") { try await client([a, document]).deleteFolder("a") }
    }
    let answers: [JSONValue] = [a, ["paths": [["path": "/b"]]]]
    await assertMalformed("another path") { try await client(answers).deleteFolder("a") }
  }

  func testSpellingsOfANameAreSeparateFilesOfANode() async throws {
    let node = IdentifiedNode()
    let (composed, decomposed) = ("\u{e9}", "e\u{301}")
    let client = bearerClient(RecordingTransport(node.reply))
    node.put([1], at: "x/\(composed)")
    let report = try await client.delete(["x/\(decomposed)", "x/\(composed)"])
    XCTAssertEqual(report.deleted.count, 2)
    XCTAssertEqual(node.contents, [:], "only the composed name existed")
  }

  func testSlashBeforeACombiningMarkSeparatesNames() async throws {
    for mark in ["\u{301}", "\u{fe0f}", "\u{200d}", "\u{20e3}"] {
      let transport = RecordingTransport { request throws(TransportError) in
        let elements = (try? JSONValue(parsing: request.body))?["paths"]?.array ?? []
        let results = elements.map { element -> JSONValue in ["path": element["path"] ?? .null] }
        return HTTPStreamingResponse(200, (["paths": .array(results)] as JSONValue).serialized, [:])
      }
      try await asperaClient(transport).createFolder("a/\(mark)b")
      let body = try JSONValue(parsing: try XCTUnwrap(transport.requests.first).body)
      XCTAssertEqual(
        body["paths"]?.array?.compactMap { $0["path"]?.string }.map { Array($0.utf8) },
        ["/a", "/a/\(mark)b"].map { Array($0.utf8) })
      for key in ["../\(mark)x", "a/../\(mark)x", "a/\u{600}/../x", "\u{600}/..", "/\(mark)a", "a/\(mark)/../b"] {
        await assertThrows(StorageError.self, { try await asperaClient(transport).createFolder(key) }) {
          XCTAssertEqual($0.code, .invalidKey, key)
        }
      }
      let names = try await client([
        [
          "self": ["type": "directory", "path": "/"], "items": [file("\(mark)x", path: "/\(mark)x")], "total_count": 1,
        ]
      ]).list().names
      XCTAssertEqual(names.map { Array($0.utf8) }, [Array("\(mark)x".utf8)])
    }
  }

  func testFolderWhoseNameEndsInAPrependedMarkIsListed() async throws {
    let folder = "a\u{600}"
    let transport = RecordingTransport { request throws(TransportError) in
      let path = (try? JSONValue(parsing: request.body))?["path"]?.string ?? ""
      let items: [JSONValue] =
        path == "/"
        ? [["type": "directory", "basename": .string(folder), "path": .string("/" + folder)]]
        : [["type": "file", "size": 1, "basename": "x", "path": .string("/" + folder + "/x")]]
      let answer: JSONValue = [
        "self": ["type": "directory", "path": .string(path)], "items": .array(items), "total_count": 1,
      ]
      return HTTPStreamingResponse(200, answer.serialized, [:])
    }
    let names = try await asperaClient(transport).list().names
    XCTAssertEqual(names.map { Array($0.utf8) }, [Array("\(folder)/x".utf8)])
  }

  private func bearerClient(_ transport: any HTTPTransport) -> StorageClient<AsperaProvider> {
    StorageClient(
      .aspera(node: nodeURL), credentials: AsperaNodeAccess.bearer(Secret("eJx1"), accessKey: "ak"),
      configuration: .test, transport: transport)
  }
}
