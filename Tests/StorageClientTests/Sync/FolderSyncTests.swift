// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import Foundation
import LocalCloud
import StorageClientTesting
import SystemPackage
import XCTest

@testable import StorageClient

/// Tests synchronizations of folders and stores against LocalCloud.
final class FolderSyncTests: XCTestCase {
  private let files: [String: [UInt8]] = [
    "a.txt": [1], "a/b/c.txt": [2, 3], "a-b": [], "ä ö+%": [4], "large.bin": pattern(300_000), "z/..x/.hidden": [5],
  ]

  private func folder(_ files: [String: [UInt8]]) throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory(self)
    for (path, bytes) in files { try write(bytes, path, directory) }
    return directory
  }

  private func write(_ bytes: [UInt8], _ path: String, _ directory: TemporaryDirectory) throws {
    let url = directory.url.appending(path: path)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }

  /// Sets the time of a file, relative to now.
  private func touch(_ path: String, _ directory: TemporaryDirectory, _ seconds: TimeInterval) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date().addingTimeInterval(seconds)], ofItemAtPath: directory.url.appending(path: path).path)
  }

  /// Returns the regular files of a folder with their contents.
  private func content(_ directory: TemporaryDirectory) throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: directory.url.path) {
      let url = directory.url.appending(path: path)
      if try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
        found[path] = [UInt8](try Data(contentsOf: url))
      }
    }
    return found
  }

  private func content(_ store: any ObjectStore, below prefix: String) async throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for try await entry in store.list(prefix: prefix) {
      found[String(entry.name.dropFirst(prefix.count))] = try await store.download(entry.name, upTo: 1 << 20)
    }
    return found
  }

  // matrix: Synchronization: directions
  func testTreesAreEqualAfterEachDirectionAndASecondRunTransfersNothing() async throws {
    let cloud = try await Cloud(self)
    let source = try folder(files)
    for provider in ResumableProvider.allCases {
      let store = provider.store(cloud)
      let objects = SyncLocation.objects(in: store, below: "up \(provider)/")
      let back = try TemporaryDirectory(self)
      for (from, to) in [(SyncLocation.folder(source.path), objects), (objects, SyncLocation.folder(back.path))] {
        let report = try await FolderSync(from: from, to: to).run()
        XCTAssertTrue(report.isComplete, "\(report)")
        XCTAssertEqual(report.created, files.count)
        XCTAssertEqual(report.bytes, 300_005)
        let again = try await FolderSync(from: from, to: to).run()
        XCTAssertEqual(again.unchanged, files.count, "\(provider)")
        XCTAssertEqual(again.created + again.updated + again.deleted, 0)
      }
      let stored = try await content(store, below: "up \(provider)/")
      XCTAssertEqual(stored, files)
      XCTAssertEqual(try content(back), files)
    }
    let copy = SyncLocation.objects(in: cloud.cos(), below: "copy/")
    let between = FolderSync(from: .objects(in: cloud.oss(), below: "up oss/"), to: copy)
    let report = try await between.run()
    XCTAssertEqual(report.created, files.count)
    let copied = try await content(cloud.cos(), below: "copy/")
    XCTAssertEqual(copied, files)
  }

  // matrix: Synchronization: comparison
  func testChangedSizesAndNewerFilesAreTransferred() async throws {
    let cloud = try await Cloud(self)
    let source = try folder(files)
    let sync = FolderSync(from: .folder(source.path), to: .objects(in: cloud.oss(), below: "p/"))
    _ = try await sync.run()
    try write([9, 9], "a.txt", source)
    try touch("a.txt", source, -86_400)
    try write([7, 7], "a/b/c.txt", source)
    try touch("a/b/c.txt", source, 5)
    try touch("ä ö+%", source, -5)
    let preview = try await sync.preview()
    XCTAssertEqual(preview.actions.map(\.path), ["a.txt", "a/b/c.txt"])
    XCTAssertEqual(preview.actions.map(\.kind), [.update, .update])
    XCTAssertEqual(preview.unchanged, 4)
    let report = try await sync.run()
    XCTAssertEqual(report.updated, 2)
    let stored = try await cloud.oss().download("p/a.txt", upTo: 10)
    XCTAssertEqual(stored, [9, 9])
  }

  // matrix: Synchronization: comparison
  func testChecksumsFindWhatSizesAndTimesHide() async throws {
    let cloud = try await Cloud(self)
    for provider in ResumableProvider.allCases {
      let source = try folder(files)
      let store = provider.store(cloud)
      var options = SyncOptions()
      let target = SyncLocation.objects(in: store, below: "p/")
      _ = try await FolderSync(from: .folder(source.path), to: target).run()
      try write([8], "a.txt", source)
      for path in ["a.txt", "large.bin"] { try touch(path, source, path == "a.txt" ? -86_400 : 86_400) }
      options.comparison = .checksum
      let preview = try await FolderSync(from: .folder(source.path), to: target, options: options).preview()
      XCTAssertEqual(preview.actions.map(\.path), ["a.txt"], "\(provider)")
      XCTAssertEqual(preview.unchanged, files.count - 1)
      let report = try await FolderSync(from: .folder(source.path), to: target, options: options).run()
      XCTAssertEqual(report.updated, 1, "\(provider)")
      XCTAssertEqual(report.unchanged, files.count - 1, "\(provider)")
      let back = try folder(["a.txt": [8], "large.bin": pattern(300_000, seed: 3)])
      let down = try await FolderSync(from: target, to: .folder(back.path), options: options).run()
      XCTAssertEqual([down.unchanged, down.updated, down.created], [1, 1, 4], "\(provider)")
      XCTAssertEqual(try content(back)["large.bin"], pattern(300_000))
      options.comparison = .none
      let all = try await FolderSync(from: .folder(source.path), to: target, options: options).run()
      XCTAssertEqual(all.updated, files.count)
    }
  }

  // matrix: Synchronization: deletion
  func testExtraneousFilesAndObjectsAreDeletedOnRequestOnly() async throws {
    let cloud = try await Cloud(self)
    let source = try folder(["keep/a": [1]])
    let target = SyncLocation.objects(in: cloud.oss(), below: "p/")
    for key in ["p/keep/a", "p/old/b", "p/old/c.log", "other"] { try await cloud.oss().upload([0], to: key) }
    _ = try await FolderSync(from: .folder(source.path), to: target).run()
    let kept = try await content(cloud.oss(), below: "p/")
    XCTAssertEqual(kept.keys.sorted(), ["keep/a", "old/b", "old/c.log"])
    let options = SyncOptions(deletes: true, excludes: ["*.log"])
    let report = try await FolderSync(from: .folder(source.path), to: target, options: options).run()
    XCTAssertEqual(report.deleted, 1)
    let rest = try await content(cloud.oss(), below: "")
    XCTAssertEqual(rest.keys.sorted(), ["other", "p/keep/a", "p/old/c.log"])
    let local = try folder(["keep/a": [1], "old/deep/b": [1], "old/c.log": [1], "x": [1]])
    let down = try await FolderSync(from: target, to: .folder(local.path), options: options).run()
    XCTAssertEqual(down.deleted, 2)
    XCTAssertEqual(try content(local).keys.sorted(), ["keep/a", "old/c.log"])
    XCTAssertFalse(FileManager.default.fileExists(atPath: local.url.appending(path: "old/deep").path))
  }

  // matrix: Synchronization: deletion
  func testNothingIsChangedIfASideCannotBeListedToItsEnd() async throws {
    let local = try folder(["a": [1], "b": [2]])
    let page = listAnswer(listed("p%2Fc", size: 0), prefix: "p%2F", next: "t")
    let transport = RecordingTransport { request throws(TransportError) in
      if request.parameter("continuation-token") != nil {
        return HTTPStreamingResponse(403, "<Error><Code>AccessDenied</Code><Message>No.</Message></Error>")
      }
      return HTTPStreamingResponse(200, request.parameter("list-type") == nil ? "" : page)
    }
    let source = SyncLocation.objects(in: ossClient(transport), below: "p/")
    await assertThrows(ServiceError.self) {
      _ = try await FolderSync(from: source, to: .folder(local.path), options: .init(deletes: true)).run()
    } _: {
      XCTAssertEqual($0.kind, .accessDenied)
    }
    XCTAssertEqual(try content(local), ["a": [1], "b": [2]])
    XCTAssertEqual(try local.names, ["a", "b"])
  }

  // matrix: Synchronization: hostile names
  func testKeysThatAreNoPathsFailAndNeverLeaveTheFolder() async throws {
    let cloud = try await Cloud(self)
    let outside = try folder(["victim": [1]])
    let target = try folder([:])
    try FileManager.default.createSymbolicLink(
      at: target.url.appending(path: "link"), withDestinationURL: outside.url)
    let bad = ["../victim", "/victim", "a//b", "a/./b", "link/victim", ".storage-auth-sync/x", "d/"]
      .filter { !NetworkTransport.isURLSession || !NetworkTransport.keysRefusedByURLSession.contains($0) }
    for key in bad + ["good", "f", "f/g"] { try await cloud.oss().upload([2], to: "p/" + key) }
    let report = try await FolderSync(
      from: .objects(in: cloud.oss(), below: "p/"), to: .folder(target.path)
    ).run()
    // A file and a folder cannot have the same name; which of them is created first depends on their transfers.
    let failures = Set(report.transfers.failures.map(\.name))
    XCTAssertEqual(failures.subtracting(["f", "f/g"]), Set(bad))
    XCTAssertEqual(failures.intersection(["f", "f/g"]).count, 1)
    XCTAssertEqual(report.created, 2)
    XCTAssertEqual(try content(outside), ["victim": [1]])
    XCTAssertEqual(try target.read("good"), [2])
    var options = SyncOptions(deletes: true)
    options.excludes = ["p/**"]
    _ = try await FolderSync(
      from: .objects(in: cloud.oss(), below: "p/goo"), to: .folder(target.path), options: options
    ).run()
    XCTAssertEqual(try content(outside), ["victim": [1]])
  }

  // matrix: Synchronization: hostile names
  func testLinksAndSpecialFilesOfTheSourceAreReported() async throws {
    let cloud = try await Cloud(self)
    let source = try folder(["a": [1]])
    try FileManager.default.createSymbolicLink(
      at: source.url.appending(path: "link"), withDestinationURL: source.url.appending(path: "a"))
    XCTAssertEqual(mkfifo(source.url.appending(path: "pipe").path, 0o600), 0)
    let report = try await FolderSync(
      from: .folder(source.path), to: .objects(in: cloud.oss(), below: "p/")
    ).run()
    XCTAssertTrue(report.isComplete)
    XCTAssertEqual(report.skipped.map(\.path).sorted(), ["link", "pipe"])
  }

  // matrix: Synchronization: interruption
  func testInterruptedDownloadsLeaveNoPartialFilesAndLargeOnesContinue() async throws {
    let cloud = try await Cloud(self)
    let bytes = pattern(20_000_000)
    try await cloud.oss().upload(bytes, to: "p/large")
    for index in 0..<20 { try await cloud.oss().upload(pattern(1000), to: "p/small/\(index)") }
    let target = try TemporaryDirectory(self)
    let configuration = StorageClientConfiguration(attempts: 1)
    let first = InterruptedTransport { $0.range?.hasPrefix("bytes=8388608-") == true ? .inBody(1_000_000) : nil }
    let failing = FolderSync(
      from: .objects(in: cloud.oss(configuration: configuration, over: first), below: "p/"), to: .folder(target.path))
    let report = try await failing.run()
    XCTAssertEqual(report.transfers.failures.map(\.name), ["large"])
    XCTAssertEqual(report.created, 20)
    let second = InterruptedTransport()
    let continued = FolderSync(
      from: .objects(in: cloud.oss(configuration: configuration, over: second), below: "p/"), to: .folder(target.path))
    let rest = try await continued.run()
    XCTAssertEqual([rest.created, rest.unchanged], [1, 20])
    XCTAssertLessThan(second.rangeBytes, 12_000_000)
    XCTAssertEqual(try target.read("large"), bytes)
    XCTAssertEqual(try target.names, ["large", "small"])
  }

  // matrix: Synchronization: interruption
  func testInterruptedUploadsAndCopiesOfLargeObjectsContinue() async throws {
    let cloud = try await Cloud(self)
    let state = try TemporaryDirectory(self)
    let source = try folder(["large": pattern(20_000_000)])
    let options = SyncOptions(stateFolder: state.path)
    let configuration = StorageClientConfiguration(attempts: 1)
    let sides: [(SyncLocation, (any HTTPTransport) -> SyncLocation)] = [
      (.folder(source.path), { .objects(in: cloud.oss(configuration: configuration, over: $0), below: "p/") }),
      (
        .objects(in: cloud.oss(), below: "p/"),
        { .objects(in: cloud.cos(configuration: configuration, over: $0), below: "p/") }
      ),
    ]
    for (from, to) in sides {
      let first = InterruptedTransport { $0.part == 2 ? .before : nil }
      let failed = try await FolderSync(from: from, to: to(first), options: options).run()
      XCTAssertEqual(failed.transfers.failedObjects, 1)
      XCTAssertFalse(try state.names.isEmpty)
      let second = InterruptedTransport()
      let report = try await FolderSync(from: from, to: to(second), options: options).run()
      XCTAssertEqual(report.created, 1)
      XCTAssertTrue(Set(first.answeredParts).isDisjoint(with: second.parts))
      XCTAssertEqual(try state.names, [])
    }
    let copied = try await cloud.cos().download("p/large", upTo: 20_000_000)
    XCTAssertEqual(copied, pattern(20_000_000))
  }

  // matrix: Synchronization: comparison
  func testLargeSourcesThatChangeDuringTheirTransfersAreTransferredAgain() async throws {
    let cloud = try await Cloud(self)
    let (old, new) = (pattern(500_000), pattern(500_000, seed: 3))
    let (state, local) = (try TemporaryDirectory(self), try folder(["large": old]))
    try await cloud.oss().upload(old, to: "p/large")
    let file = local.url.appending(path: "large")
    let sides: [(SyncLocation, @Sendable () async throws -> Void)] = [
      (
        .folder(local.path),
        {
          try Data(new).write(to: file)
          // The time is set, because the clock of a file system can stand still between two changes.
          try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: 3600)], ofItemAtPath: file.path)
        }
      ),
      (.objects(in: cloud.oss(), below: "p/"), { try await cloud.oss().upload(new, to: "p/large") }),
    ]
    for (index, (source, change)) in sides.enumerated() {
      let isChanged = Lock(false)
      let transport = InterruptedTransport { sent in
        let changes = sent.part == 1 && !isChanged.withLock { $0 }
        if changes {
          isChanged.withLock { $0 = true }
          do { try await change() } catch { XCTFail("\(error)") }
        }
        return nil
      }
      var options = SyncOptions(stateFolder: state.path)
      options.largeSize = 1
      let target = SyncLocation.objects(in: cloud.cos(over: transport), below: "\(index)/")
      let report = try await FolderSync(from: source, to: target, options: options).run()
      XCTAssertTrue(report.isComplete, "\(report)")
      let stored = try await cloud.cos().download("\(index)/large", upTo: 500_000)
      XCTAssertEqual(stored, new)
      XCTAssertEqual(try state.names, [])
    }
  }

  // matrix: Synchronization: directions
  func testObjectsOfTheSameServiceAreCopiedInsideIt() async throws {
    let cloud = try await Cloud(self)
    try await cloud.oss().upload([1, 2], to: "a/x", contentType: "a/b")
    let transport = InterruptedTransport()
    let store = cloud.oss(over: transport)
    let sync = FolderSync(
      from: .objects(in: store, below: "a/", bucket: Cloud.bucket), to: .objects(in: store, below: "b/"))
    let report = try await sync.run()
    XCTAssertEqual(report.created, 1)
    // Two listings and a copy: the object itself is not downloaded.
    XCTAssertEqual(transport.sent.map(\.method), [.get, .get, .put])
    let head = try await cloud.oss().head("b/x")
    XCTAssertEqual(head.contentType, "a/b")
    await assertThrows(StorageError.self) {
      _ = try await FolderSync(from: .folder("/tmp"), to: .folder("/tmp")).run()
    }
  }

  // matrix: Synchronization: directions
  func testStoreInMemoryIsSynchronized() async throws {
    let store = InMemoryStore()
    let source = try folder(files)
    let sync = FolderSync(from: .folder(source.path), to: .objects(in: store))
    let report = try await sync.run()
    XCTAssertEqual(report.created, files.count)
    let back = try TemporaryDirectory(self)
    _ = try await FolderSync(from: .objects(in: store), to: .folder(back.path)).run()
    XCTAssertEqual(try content(back), files)
  }
}

extension TemporaryDirectory {
  /// The path of the directory.
  fileprivate var path: FilePath { FilePath(url.path) }
}
