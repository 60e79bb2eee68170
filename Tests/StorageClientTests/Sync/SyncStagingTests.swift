// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import Foundation
import StorageClientTesting
import SystemPackage
import XCTest

@testable import StorageClient

/// Tests the folder for incomplete files and the state of large transfers.
final class SyncStagingTests: SyncTestCase {
  private let staging = ".storage-auth-sync"

  // matrix: Synchronization: interruption
  func testStagingFolderThatIsALinkOrOpenToOthersIsRefused() async throws {
    let (directory, outside) = (try TemporaryDirectory(self), try TemporaryDirectory(self))
    _ = try outside.write([1], to: "1")
    _ = try outside.write([1], to: "item-1")
    try FileManager.default.createSymbolicLink(
      atPath: directory.path(staging).string, withDestinationPath: outside.url.path)
    await assertRefused(.unusableFile, .objects(in: store("a")), .folder(directory.path(".")))
    XCTAssertEqual(try outside.names, ["1", "item-1"])
    try FileManager.default.removeItem(atPath: directory.path(staging).string)
    try FileManager.default.createDirectory(
      atPath: directory.path(staging).string, withIntermediateDirectories: false)
    XCTAssertEqual(chmod(directory.path(staging).string, 0o777), 0)
    await assertRefused(.unusableFile, .objects(in: store("a")), .folder(directory.path(".")))
    XCTAssertEqual(try directory.names, [staging])
  }

  // matrix: Synchronization: interruption
  func testOnlyOwnFilesAreRemovedFromTheStagingFolder() async throws {
    let directory = try TemporaryDirectory(self)
    try FileManager.default.createDirectory(atPath: directory.path(staging).string, withIntermediateDirectories: false)
    for name in ["item-left", ".item-left.abc.part", "large-left", "precious", "1"] {
      _ = try directory.write([1], to: "\(staging)/\(name)")
    }
    let report = try await sync(.objects(in: store("a")), .folder(directory.path(".")))
    XCTAssertTrue(report.isComplete)
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path(staging).string)
    XCTAssertEqual(Set(names), ["1", "precious", "lock"])
  }

  // matrix: Synchronization: interruption
  func testUnexpectedFileTypesInTheStagingFolderAreKept() async throws {
    let directory = try TemporaryDirectory(self)
    for path in ["storage-auth-left", "storage-auth-nested/folder", "item-folder"] {
      try FileManager.default.createDirectory(
        atPath: directory.path("\(staging)/\(path)").string, withIntermediateDirectories: true)
    }
    XCTAssertEqual(chmod(directory.path(staging).string, 0o700), 0)
    for name in ["storage-auth-file", "storage-auth-left/content", "storage-auth-nested/content"] {
      _ = try directory.write([1], to: "\(staging)/\(name)")
    }
    let report = try await sync(.objects(in: store("a")), .folder(directory.path(".")))
    XCTAssertTrue(report.isComplete)
    let paths = try FileManager.default.subpathsOfDirectory(atPath: directory.path(staging).string)
    XCTAssertEqual(
      Set(paths), ["storage-auth-file", "storage-auth-nested", "storage-auth-nested/folder", "item-folder", "lock"])
  }

  // matrix: Synchronization: interruption
  func testSecondSynchronizationIntoAFolderEndsWithAnError() async throws {
    let directory = try TemporaryDirectory(self)
    let store = store("a")
    let root = try await RootFolder(directory.path("."), in: .system)
    let other = try await StagingFolder.open(in: XCTUnwrap(root))
    await assertThrows(StorageError.self) {
      _ = try await sync(.objects(in: store), .folder(directory.path(".")))
    } _: {
      XCTAssertTrue($0.message.contains("Another synchronization"), $0.message)
    }
    try await other.finish(isComplete: true)
    XCTAssertEqual(try directory.names, [])
    let report = try await sync(.objects(in: store), .folder(directory.path(".")))
    XCTAssertTrue(report.isComplete)
    XCTAssertEqual(try directory.names, ["a"])
  }

  // matrix: Synchronization: interruption
  func testSynchronizationThatFailedUnlocksTheFolderAtItsEnd() async throws {
    let directory = try TemporaryDirectory(self)
    let root = try await RootFolder(directory.path("."), in: .system)
    let other = try await StagingFolder.open(in: XCTUnwrap(root))
    // The folder and its lock remain, because the next synchronization can continue the file.
    _ = try directory.write([1], to: "\(staging)/large-left")
    try await other.finish(isComplete: false)
    let report = try await sync(.objects(in: store("a")), .folder(directory.path(".")))
    XCTAssertTrue(report.isComplete)
    withExtendedLifetime(other) {}
  }

  // matrix: Synchronization: comparison
  func testReplacedFileKeepsItsPermissions() async throws {
    let (directory, store) = (try TemporaryDirectory(self), store("a", "b"))
    _ = try directory.write([1, 2], to: "a")
    XCTAssertEqual(chmod(directory.path("a").string, 0o600), 0)
    _ = try await sync(.objects(in: store), .folder(directory.path(".")))
    let modes = try ["a", "b"].map { try directory.path($0).stat().permissions }
    XCTAssertEqual(modes[0], .ownerReadWrite)
    XCTAssertNotEqual(modes[1], .ownerReadWrite)
    XCTAssertEqual(try directory.read("a"), Array("a".utf8))
  }

  // matrix: Synchronization: comparison
  func testReplacedFileGivesNoRightsOfItsOwnerToTheNewContent() async throws {
    let directory = try TemporaryDirectory(self)
    _ = try directory.write([1, 2], to: "a")
    XCTAssertEqual(chmod(directory.path("a").string, 0o4600), 0)
    let report = try await sync(.objects(in: store("a")), .folder(directory.path(".")))
    XCTAssertEqual(report.updated, 1)
    XCTAssertEqual(try directory.path("a").stat().permissions, .ownerReadWrite)
  }

  // matrix: Synchronization: directions
  func testFoldersOnOtherFileSystemsGetCopies() async throws {
    let (directory, store) = (try TemporaryDirectory(self), store("a", "d/b"))
    let files = RecordingFiles(separatesFolders: true)
    let target = SyncLocation.folder(directory.path("."), in: files)
    _ = try directory.write([1, 2], to: "a")
    XCTAssertEqual(chmod(directory.path("a").string, 0o640), 0)
    let report = try await sync(.objects(in: store), target)
    XCTAssertTrue(report.isComplete, "\(report)")
    XCTAssertTrue(files.calls.values.contains("synchronize"))
    XCTAssertEqual(try directory.names, ["a", "d"])
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: directory.path("d").string), ["b"])
    for path in ["a", "d/b"] { XCTAssertEqual(try directory.read(path), Array(path.utf8)) }
    XCTAssertEqual(try directory.path("a").stat().permissions, [.ownerReadWrite, .groupRead])
    let again = try await sync(.objects(in: store), target)
    XCTAssertEqual(again.unchanged, 2)
  }

  // matrix: Synchronization: hostile names
  func testFileThatIsListedInAnotherSpellingIsReplacedByOneKey() async throws {
    let directory = try TemporaryDirectory(self)
    // The file system finds this name in any letter case.
    let target = SyncLocation.folder(directory.path("."), in: RecordingFiles(stagingName: ".Storage-Auth-Sync"))
    try FileManager.default.createDirectory(atPath: directory.path("d").string, withIntermediateDirectories: false)
    _ = try directory.write([1], to: "d/.Storage-Auth-Sync")
    let (first, second) = ("d/.STORAGE-AUTH-SYNC", "d/.storage-auth-sync")
    let report = try await sync(.objects(in: store(first, second)), target) {
      $0.deletes = false
      $0.transfersInFlight = 1
    }
    XCTAssertEqual(report.created, 1)
    XCTAssertEqual(report.transfers.failures.map(\.name), [second], "\(report)")
    XCTAssertEqual((report.transfers.failures.first?.error as? StorageError)?.code, .sourceChanged)
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: directory.path("d").string).count, 1)
    XCTAssertEqual(try directory.read("d/.Storage-Auth-Sync"), Array(first.utf8))
  }

  // matrix: Synchronization: hostile names
  func testStagingFolderIsRecognizedInAnotherLetterCase() async throws {
    let directory = try TemporaryDirectory(self)
    let target = SyncLocation.folder(directory.path("."), in: RecordingFiles(stagingName: ".Storage-Auth-Sync"))
    try FileManager.default.createDirectory(
      atPath: directory.path(".Storage-Auth-Sync").string, withIntermediateDirectories: false)
    _ = try directory.write([1], to: ".Storage-Auth-Sync/precious")
    let bad = [".STORAGE-AUTH-SYNC", ".STORAGE-AUTH-SYNC/lock", ".Storage-Auth-Sync/x/y"]
    let store = store("a")
    for key in bad { store[key] = [1] }
    let report = try await sync(.objects(in: store), target)
    XCTAssertEqual(report.transfers.failures.map(\.name).sorted(), bad.sorted())
    for failure in report.transfers.failures {
      XCTAssertEqual((failure.error as? StorageError)?.code, .invalidKey, "\(failure)")
    }
    XCTAssertEqual(try directory.names, [".Storage-Auth-Sync", "a"])
    // The content of the folder is none of the target's.
    for key in bad { store[key] = nil }
    let again = try await sync(.objects(in: store), target)
    XCTAssertTrue(again.isComplete, "\(again)")
    XCTAssertEqual([again.unchanged, again.deleted], [1, 0])
    XCTAssertEqual(try directory.read(".Storage-Auth-Sync/precious"), [1])
  }

  // MARK: The state of large transfers

  // matrix: Resuming: download
  func testCheckpointCannotNameAnotherFile() async throws {
    let directory = try TemporaryDirectory(self)
    let place = try await FileLocation(directory.path("copy.bin"))
    for name in ["precious", "copy.bin", ".copy.bin.part", ".other.abc.part", ".copy.bin.a/b.part", ".copy.bin..part"] {
      XCTAssertNil(place.temporaryName(parsing: name), name)
    }
    let name = place.temporaryName()
    XCTAssertEqual(place.temporaryName(parsing: name.string), name)
    // A second name of another file, under the name of an incomplete one.
    _ = try directory.write([1], to: "precious")
    XCTAssertEqual(link(directory.path("precious").string, directory.path(name.string).string), 0)
    let file = try await LocalFile.updating(name, in: place.folder)
    XCTAssertNil(file)
  }

  // matrix: Synchronization: interruption
  func testStateFolderInsideOfASideIsRefused() async throws {
    let directory = try TemporaryDirectory(self)
    _ = try directory.write([1], to: "a")
    try FileManager.default.createDirectory(atPath: directory.path("state").string, withIntermediateDirectories: false)
    await assertRefused(.invalidOption, .folder(directory.path(".")), .objects(in: store())) {
      $0.stateFolder = directory.path("state")
    }
  }
}
