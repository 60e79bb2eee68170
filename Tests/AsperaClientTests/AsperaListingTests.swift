// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import ClientTestSupport
import HTTPTypes
import StorageAuth
import StorageClient
import XCTest

/// Tests listings of a node's folders as object keys.
final class AsperaListingTests: XCTestCase {
  private let service = NodeService()

  private func client(root: String = "/") -> StorageClient<AsperaProvider> {
    asperaClient(RecordingTransport(service.reply), root: root)
  }

  private func put(_ keys: String...) {
    for key in keys { service.put([1, 2], at: "/" + key) }
  }

  func testFlatListingIsInTheByteOrderOfKeys() async throws {
    let keys = ["a", "a b", "a.txt", "a/1", "a/b/2", "a0", "b/猫", "b/é", "z"]
    put("a.txt", "a0", "a b", "a-folder/x", "a-folder/y/z", "b/猫", "b/é", "z")
    let listed = try await client().list().names
    XCTAssertEqual(listed, listed.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    XCTAssertEqual(listed.count, 8)
    XCTAssertEqual(Set(keys).intersection(listed), ["a b", "a.txt", "a0", "b/猫", "b/é", "z"])
  }

  func testDelimiterFoldsFolders() async throws {
    put("top", "2026/1", "2026/2/3", "many/1")
    service.makeFolder("/empty")
    let top = try await client().list(prefix: "", delimiter: "/").names
    XCTAssertEqual(top, ["2026/", "empty/", "many/", "top"])
    let inside = try await client().list(prefix: "2026/", delimiter: "/").names
    XCTAssertEqual(inside, ["2026/1", "2026/2/"])
    let part = try await client().list(prefix: "20", delimiter: "/").names
    XCTAssertEqual(part, ["2026/"])
  }

  func testOtherDelimitersFoldToo() async throws {
    put("a-1", "a-2/b", "b", "c/d-1", "c/d-2")
    let names = try await client().list(prefix: "", delimiter: "-").names
    XCTAssertEqual(names, ["a-", "b", "c/d-"])
  }

  func testPrefixMayEndInsideAName() async throws {
    put("cat.jpg", "catalogue/1", "cow", "dog")
    let names = try await client().list(prefix: "cat").names
    XCTAssertEqual(names, ["cat.jpg", "catalogue/1"])
  }

  func testLargeFolderIsFetchedInPages() async throws {
    for number in 0..<25 { service.put([], at: "/many/\(number)") }
    let transport = RecordingTransport(service.reply)
    let names = try await asperaClient(transport).list(prefix: "many/").names
    XCTAssertEqual(names, (0..<25).map { "many/\($0)" }.sorted())
    let skips = try transport.requests.map { try JSONValue(parsing: $0.body)["skip"]?.integer }
    XCTAssertEqual(skips, [0, 10, 20])
  }

  func testKeysAreRelativeToTheRoot() async throws {
    put("photos/a/1", "other/2")
    let names = try await client(root: "/photos/").list().names
    XCTAssertEqual(names, ["a/1"])
  }

  func testEachIterationRequestsTheFoldersAgain() async throws {
    put("a", "b/c")
    let listing = client().list()
    let first = try await listing.names
    put("d")
    let second = try await listing.names
    XCTAssertEqual(first, ["a", "b/c"])
    XCTAssertEqual(second, ["a", "b/c", "d"])
  }

  func testMissingFolderIsEmptyUnlessItIsTheRoot() async throws {
    put("file")
    for prefix in ["missing/", "file/", "../", "a//b", "/", "./"] {
      let names = try await client().list(prefix: prefix).names
      XCTAssertEqual(names, [], prefix)
    }
    await assertThrows(ServiceError.self, { _ = try await client(root: "/gone").list().names }) {
      XCTAssertEqual($0.kind, .noSuchKey)
    }
  }

  func testNamesThatLeaveTheFolderAreRejected() async throws {
    for name in ["..", "a/b", "."] {
      let answer: JSONValue = [
        "self": ["type": "directory", "basename": "/"],
        "items": [["type": "file", "basename": .string(name), "size": 1]], "total_count": 1,
      ]
      let transport = RecordingTransport { _ throws(TransportError) in
        HTTPStreamingResponse(200, answer.serialized, [:])
      }
      await assertThrows(StorageError.self, { _ = try await asperaClient(transport).list().names }) {
        XCTAssertEqual($0.code, .malformedResponse)
      }
    }
  }

  func testFolderThatContainsItselfEndsInAnError() async throws {
    let answer: JSONValue = [
      "self": ["type": "directory", "basename": "x"], "items": [["type": "directory", "basename": "x"]],
      "total_count": 1,
    ]
    let transport = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200, answer.serialized, [:])
    }
    await assertThrows(StorageError.self, { _ = try await asperaClient(transport).list().names }) {
      XCTAssertEqual($0.code, .tooLarge)
    }
  }

  func testSymbolicLinkIsAFile() async throws {
    let answer: JSONValue = [
      "self": ["type": "directory", "basename": "/"], "items": [["type": "symbolic_link", "basename": "link"]],
      "total_count": 1,
    ]
    let transport = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200, answer.serialized, [:])
    }
    let names = try await asperaClient(transport).list().names
    XCTAssertEqual(names, ["link"])
  }
}
