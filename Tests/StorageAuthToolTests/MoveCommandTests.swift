// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ClientTestSupport
import Foundation
import LocalCloud
import StorageClient
import XCTest

@testable import storage_auth

/// Tests that `storage-auth mv` deletes a source only if its copy is complete and safe.
final class MoveCommandTests: XCTestCase {
  private typealias Cloud = ClientTestSupport.Cloud

  private static let location = "oss://\(Cloud.bucket)/k"

  /// Moves a file to the location, with delays between the attempts that are short and many.
  private static func move(_ file: FilePath, _ cloud: Cloud) async throws -> Programs.Outcome {
    try await Programs.storageAuth(
      ["mv", file.string, Self.location, "--endpoint", "http://\(cloud.server.ossEndpoint.authority)"],
      [
        "OSS_ACCESS_KEY_ID": key.id.string, "OSS_ACCESS_KEY_SECRET": key.secret.reveal(),
        "STORAGE_AUTH_CLIENT_ATTEMPTS": "20", "STORAGE_AUTH_CLIENT_RETRY_DELAY": "20ms",
      ])
  }

  private func append(_ bytes: [UInt8], to file: FilePath) throws {
    let handle = try XCTUnwrap(FileHandle(forWritingAtPath: file.string))
    defer { try? handle.close() }
    try handle.seekToEnd()
    try handle.write(contentsOf: bytes)
  }

  // matrix: Pipeline: command line
  func testFileThatChangesDuringItsUploadIsKept() async throws {
    let cloud = try await Cloud(self)
    let directory = try TemporaryDirectory(self)
    for name in ["appended", "replaced"] {
      let file = try directory.write([1], to: name)
      cloud.server.faults[.oss] = [.serverError()]
      var requests = cloud.server.requests().makeAsyncIterator()
      async let outcome = Self.move(file, cloud)
      // The file is open after the first request, and the upload ends only without the fault.
      while let request = await requests.next(), request.method != "PUT" {}
      if name == "appended" {
        try append([2, 3], to: file)
      } else {
        try Data([1, 2, 3]).write(to: directory.url.appending(path: name), options: .atomic)
      }
      cloud.server.faults[.oss] = []
      let moved = try await outcome
      XCTAssertEqual(moved.status, 1, name)
      XCTAssertTrue(moved.errors.contains("\(name) was changed while it was copied, and is kept."), moved.errors)
      XCTAssertEqual(try directory.read(name), [1, 2, 3])
      let copied = try await cloud.oss().download("k", upTo: 9)
      XCTAssertEqual(copied, [1], name)
    }
  }

  // matrix: Pipeline: command line
  func testSymbolicLinkIsMovedAndItsFileRemains() async throws {
    let cloud = try await Cloud(self)
    let directory = try TemporaryDirectory(self)
    let (file, link) = (try directory.write([1], to: "file"), directory.path("link"))
    try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: file.string)
    let moved = try await Self.move(link, cloud)
    XCTAssertEqual(moved.status, 0, moved.errors)
    XCTAssertEqual(try directory.names, ["file"])

    try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: file.string)
    let state = await FileState(link)
    try append([2], to: file)
    await assertThrows(StorageError.self) { try await LocalFiles.remove(link.string, unlessChangedFrom: state) }
    XCTAssertEqual(try directory.names, ["file", "link"])
  }

  // matrix: Pipeline: command line
  func testObjectIsDeletedOnlyAfterItsCopyIsOnTheDisk() async throws {
    let store = try await Cloud(self).oss()
    let directory = try TemporaryDirectory(self)
    try await store.upload([1], to: "k")
    let (source, copy) = (try Location(Self.location), ObjectTransfer("k") { _ in })
    await assertThrows(StorageError.self) {
      try await copy.deletingSource(source, of: store, after: directory.path("missing")).run()
    }
    let info = try await store.head("k")
    XCTAssertEqual(info.size, 1)
    try await copy.deletingSource(source, of: store, after: directory.write([1], to: "file")).run()
    let names = try await store.list().reduce(into: []) { $0.append($1.name) }
    XCTAssertEqual(names, [])
  }

  // matrix: Pipeline: command line
  func testObjectThatChangesDuringItsCopyIsKept() async throws {
    let store = try await Cloud(self).oss()
    let source = try Location(Self.location)
    try await store.upload([1], to: "k")
    let replacing = ObjectTransfer("k") { _ in _ = try await store.upload([2], to: "k") }
    await assertThrows(
      StorageError.self, { try await replacing.deletingSource(source, of: store, after: nil).run() }
    ) {
      XCTAssertEqual($0.code, .sourceChanged)
      XCTAssertEqual($0.message, "k was changed while it was copied, and is kept.")
    }
    let bytes = try await store.download("k", upTo: 9)
    XCTAssertEqual(bytes, [2])
    let deleting = ObjectTransfer("k") { _ in try await store.delete("k") }
    try await deleting.deletingSource(source, of: store, after: nil).run()
  }

  // matrix: Pipeline: command line
  func testNamesThatAFileSystemCanEquateAreNotMovedIntoOneFolder() throws {
    let folder = try TemporaryDirectory(self).url.path
    var plan = CopyPlan(options: try StoreOptions.parse(["--endpoint", "http://127.0.0.1:1"]))
    for (first, second) in [("A.txt", "a.txt"), ("caf\u{E9}", "cafe\u{301}"), ("Stra\u{DF}e", "STRASSE")] {
      let sources = ["oss://photos/x/\(first)", "oss://photos/y/\(second)"]
      plan.moves = false
      XCTAssertNoThrow(try plan.validate(sources + [folder]), first)
      plan.moves = true
      XCTAssertNoThrow(try plan.validate(sources + ["oss://copies/"]), first)
      XCTAssertThrowsError(try plan.validate(sources + [folder]), first) {
        XCTAssertTrue("\($0)".contains("Several sources need names that differ"), "\($0)")
      }
    }
  }

  // matrix: Pipeline: command line
  func testAsperaOptionsNeedOneAsperaLocation() throws {
    let folder = try TemporaryDirectory(self).url.path
    let options = try StoreOptions.parse(["--endpoint", "http://127.0.0.1:1", "--node", "https://127.0.0.1:1"])
    let plan = CopyPlan(options: options, aspera: try AsperaOptions.parse(["--rate", "5"]))
    XCTAssertNoThrow(try plan.validate(["aspera://node/a", "oss://photos/b", folder]))
    XCTAssertThrowsError(try plan.validate(["oss://photos/a", "oss://photos/b", folder]))
  }
}
