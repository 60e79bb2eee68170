// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import Foundation
import HTTPTypes
import StorageAuth
import StorageClientTesting
import SystemPackage
import XCTest

@testable import StorageClient

/// Tests that a synchronization neither deletes what it should keep nor leaves its folders.
final class SyncSafetyTests: SyncTestCase {
  private let error = ServiceError(
    code: "AccessDenied", message: "No.", status: .forbidden, subject: "a test")

  private func keys(_ store: InMemoryStore) async throws -> [String] {
    var keys: [String] = []
    for try await entry in store.list() { keys.append(entry.name) }
    return keys
  }

  // MARK: What must be kept

  // matrix: Synchronization: deletion
  func testMissingSourceDeletesNothing() async throws {
    let (directory, store) = (try TemporaryDirectory(self), store("a", "b"))
    let missing = SyncLocation.folder(directory.path("typo"))
    await assertRefused(.unusableFile, missing, .objects(in: store)) { $0.allowsEmptySource = true }
    await assertThrows(StorageError.self) { _ = try await FolderSync(from: missing, to: .objects(in: store)).preview() }
    let kept = try await keys(store)
    XCTAssertEqual(kept, ["a", "b"])
    XCTAssertEqual(try directory.names, [])
  }

  // matrix: Synchronization: deletion
  func testEmptySourceDeletesNothingUnlessItIsAllowed() async throws {
    let (directory, store) = (try TemporaryDirectory(self), store("a", "p/", "p/b.log"))
    let folder = SyncLocation.folder(directory.path("."))
    await assertRefused(.emptySource, folder, .objects(in: store))
    // An object that stands for a folder is no content of it.
    store["q/"] = []
    _ = try directory.write([1], to: "x")
    await assertRefused(.emptySource, .objects(in: store, below: "q/"), folder)
    await assertRefused(.emptySource, .objects(in: store, below: "nothing/"), .folder(directory.path("new")))
    await assertRefused(.emptySource, folder, .objects(in: store)) { $0.includes = ["*.log"] }
    XCTAssertEqual(try directory.names, ["x"])
    let report = try await sync(.objects(in: store, below: "q/"), folder) { $0.allowsEmptySource = true }
    XCTAssertEqual(report.deleted, 1)
    XCTAssertEqual(try directory.names, [])
    let kept = try await keys(store)
    XCTAssertEqual(kept, ["a", "p/", "p/b.log", "q/"])
    // Without deletions, an empty source is as good as any.
    let harmless = try await sync(folder, .objects(in: store)) { $0.deletes = false }
    XCTAssertTrue(harmless.isComplete)
  }

  // matrix: Synchronization: deletion
  func testWhatTheSourceSkipsIsKeptInTheTarget() async throws {
    let directory = try TemporaryDirectory(self)
    _ = try directory.write([1], to: "file")
    for link in ["link", "é"] {
      try FileManager.default.createSymbolicLink(
        atPath: directory.path(link).string, withDestinationPath: directory.path("file").string)
    }
    XCTAssertEqual(mkfifo(directory.path("pipe").string, 0o600), 0)
    // The name "caf\xE9.txt" is ISO 8859-1.
    let name =
      Array("\(directory.url.path)/caf".utf8CString.dropLast()) + [CChar(bitPattern: 0xE9)] + Array(".txt".utf8CString)
    close(name.withUnsafeBufferPointer { open($0.baseAddress!, O_CREAT | O_WRONLY, 0o600) })
    let kept = ["caf\u{FFFD}.txt", "café.txt", "link", "link/below", "pipe", "é"]
    let store = InMemoryStore()
    for key in kept + ["cafe.text", "cat.txt", "linked", "e\u{301}", "x/caf\u{FFFD}.txt"] { store[key] = [0] }
    let preview = try await FolderSync(
      from: .folder(directory.path(".")), to: .objects(in: store), options: SyncOptions(deletes: true)
    ).preview()
    XCTAssertEqual(Set(preview.kept.map { ByteExactString($0.path) }), Set(kept.map { ByteExactString($0) }))
    let report = try await sync(.folder(directory.path(".")), .objects(in: store))
    XCTAssertEqual(report.deleted, 5)
    XCTAssertEqual(report.skipped.count, 4)
    XCTAssertEqual(report.kept.count, kept.count)
    XCTAssertTrue(report.kept.allSatisfy { $0.reason.contains("skipped") }, "\(report.kept)")
    XCTAssertFalse(report.isComplete)
    let rest = try await keys(store)
    XCTAssertEqual(Set(rest.map { ByteExactString($0) }), Set((kept + ["file"]).map { ByteExactString($0) }))
  }

  // matrix: Synchronization: deletion
  func testUndecodableNameMatchesItsTranscodedForms() throws {
    // The second byte of a character can be ASCII in Big5 (功), Shift JIS (表), GBK (镕) and GB 18030 (㐀).
    for (bytes, name) in [
      ([0xA5, 0x5C], "功"), ([0x95, 0x5C], "表"), ([0xE9, 0x46], "镕"), ([0x81, 0x39, 0xEE, 0x39], "㐀"),
    ] as [([UInt8], String)] {
      let undecodable = try XCTUnwrap(
        FilePath.Component(
          platformString: (Array("a".utf8) + bytes + Array(".txt".utf8)).map { CChar(bitPattern: $0) } + [0]))
      let skipped = SkippedPaths([SkippedPath(undecodable: undecodable, in: "")])
      XCTAssertNotNil(skipped.skipped(at: "a\(name).txt"), name)
      for other in ["\(name).txt", "a\(name).text", "b\(name).txt"] { XCTAssertNil(skipped.skipped(at: other), other) }
    }
  }

  // matrix: Synchronization: deletion
  func testManyUndecodableNamesKeepAllOfTheirFolder() {
    let names: [[UInt8]] = (0..<40).map { [0xFF, UInt8(ascii: "a"), 0x80 + $0] }
    let skipped = SkippedPaths(
      names.compactMap { name in
        FilePath.Component(platformString: name.map { CChar(bitPattern: $0) } + [0]).map {
          SkippedPath(undecodable: $0, in: "d/")
        }
      })
    XCTAssertNotNil(skipped.skipped(at: "d/unrelated"))
    XCTAssertNotNil(skipped.skipped(at: "d/unrelated/below"))
    XCTAssertNil(skipped.skipped(at: "unrelated"))
    XCTAssertNil(skipped.skipped(at: "e/d/unrelated"))
  }

  // matrix: Synchronization: deletion
  func testFailedTransferKeepsWhatWouldBeDeleted() async throws {
    let (directory, store) = (try TemporaryDirectory(self), store("old"))
    _ = try directory.write([1], to: "new")
    let source = SyncLocation.folder(directory.path("."))
    store.fail(.upload, key: "new", times: 2, with: error)
    let report = try await sync(source, .objects(in: store))
    XCTAssertEqual([report.deleted, report.kept.count, report.transfers.failedObjects], [0, 1, 1])
    XCTAssertNotNil(store["old"])
    let forced = try await sync(source, .objects(in: store)) { $0.deletesAfterFailures = true }
    XCTAssertEqual([forced.deleted, forced.kept.count], [1, 0])
    XCTAssertNil(store["old"])
  }

  // matrix: Synchronization: deletion
  func testFileThatWasChangedSinceItWasListedIsNotDeleted() async throws {
    let (directory, store) = (try TemporaryDirectory(self), store("a"))
    _ = try directory.write([1], to: "mine")
    let report = try await FolderSync(
      from: .objects(in: store), to: .folder(directory.path(".")), options: SyncOptions(deletes: true)
    ).run(didFinish: { _ in try? Data([1, 2]).write(to: directory.url.appending(path: "mine")) })
    XCTAssertEqual(report.deleted, 0)
    XCTAssertEqual(report.failedDeletions.map(\.name), ["mine"])
    XCTAssertEqual(try directory.read("mine"), [1, 2])
  }

  // matrix: Synchronization: deletion
  func testFileThatWasChangedSinceItWasListedIsNotReplaced() async throws {
    let (directory, store) = (try TemporaryDirectory(self), store("a", "changed", "created"))
    _ = try directory.write([1], to: "changed")
    let names = ["changed", "created"]
    let (source, target) = (SyncLocation.objects(in: store), SyncLocation.folder(directory.path(".")))
    let report = try await FolderSync(from: source, to: target, options: SyncOptions(transfersInFlight: 1)).run(
      didFinish: { action in
        guard action.path == "a" else { return }
        for name in names { try? Data([1, 2]).write(to: directory.url.appending(path: name)) }
      })
    XCTAssertEqual(report.transfers.failures.map(\.name).sorted(), names)
    for failure in report.transfers.failures {
      XCTAssertEqual((failure.error as? StorageError)?.code, .sourceChanged, "\(failure)")
    }
    for name in names { XCTAssertEqual(try directory.read(name), [1, 2], name) }
    XCTAssertEqual(try directory.read("a"), Array("a".utf8))
    let again = try await sync(source, target)
    XCTAssertTrue(again.isComplete, "\(again)")
    for name in names { XCTAssertEqual(try directory.read(name), Array(name.utf8), name) }
  }

  // matrix: Synchronization: comparison
  func testFileThatChangesDuringItsUploadIsNotStored() async throws {
    let (directory, store) = (try TemporaryDirectory(self), store())
    let old = pattern(3 * Int(fileReadSize))
    store["a"] = old
    let url = directory.url.appending(path: "a")
    _ = try directory.write(pattern(old.count, seed: 3), to: "a")
    let changes = Lock(0)
    // The time is set, because the clock of a file system can stand still between two changes.
    let change: @Sendable () throws -> Void = {
      let number = changes.withLock { count in
        count += 1
        return count
      }
      let handle = try FileHandle(forWritingTo: url)
      try handle.write(contentsOf: Data([UInt8(number)]))
      try handle.close()
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: Double(3600 + 10 * number))], ofItemAtPath: url.path)
    }
    try change()
    let sync = FolderSync(from: .folder(directory.path(".")), to: .objects(in: store))
    let report = try await sync.run { _ in try? change() }
    XCTAssertEqual(report.transfers.failures.map(\.name), ["a"])
    XCTAssertEqual((report.transfers.failures.first?.error as? StorageError)?.code, .sourceChanged, "\(report)")
    XCTAssertEqual(store["a"], old)
    XCTAssertEqual(store.calls.filter { $0.operation == .upload }.count, 3)
    let again = try await sync.run()
    XCTAssertEqual(again.updated, 1)
    XCTAssertEqual(store["a"], try directory.read("a"))
  }

  // matrix: Synchronization: comparison
  func testObjectThatIsReplacedDuringItsCopyIsCopiedAgain() async throws {
    let replacements: [(content: @Sendable (Int) -> [UInt8]?, attempts: Int, result: [UInt8])] = [
      ({ _ in [9] }, 2, [9]), ({ [UInt8($0)] }, 3, [1]), ({ _ in nil }, 1, Array("a".utf8)),
    ]
    for (content, attempts, result) in replacements {
      let (source, target) = (store("a"), store())
      let report = try await FolderSync(from: .objects(in: source), to: .objects(in: target)).run { progress in
        // The object has been read, and the upload has not ended.
        let attempt = target.calls.filter { $0.operation == .upload }.count
        guard progress.completedBytes > 0, source["a"] != content(attempt) else { return }
        source["a"] = content(attempt)
      }
      XCTAssertEqual(source.calls.filter { $0.operation == .open }.count, attempts)
      XCTAssertEqual(source.calls.filter { $0.operation == .head }.count, attempts)
      XCTAssertEqual(report.isComplete, attempts < 3, "\(report)")
      if attempts < 3 { XCTAssertEqual(target["a"], result) }
    }
  }

  // matrix: Synchronization: comparison
  func testFailedCheckOfTheSourceAfterACopyDoesNotFailTheCopy() async throws {
    let errors: [any Error & Sendable] = [
      error, ServiceError(code: "InternalError", message: "No.", status: .internalServerError, subject: "a test"),
      TransportError(.connectionLost, "Lost.", remedy: "None."),
    ]
    for error in errors {
      let (source, target) = (store("a"), store("old"))
      source.fail(.head, key: "a", with: error)
      let report = try await sync(.objects(in: source), .objects(in: target))
      XCTAssertTrue(report.isComplete, "\(report)")
      XCTAssertEqual([report.created, report.deleted], [1, 1])
      XCTAssertEqual(source.calls.filter { $0.operation == .head }.count, 1)
      XCTAssertEqual(target["a"], Array("a".utf8))
    }
  }

  // matrix: Synchronization: comparison
  func testFileThatIsReplacedDuringItsUploadIsUploadedAgain() async throws {
    for isReplaced in [true, false] {
      let (directory, store) = (try TemporaryDirectory(self), store())
      let (file, other) = (try directory.write([1], to: "a"), directory.path("other"))
      let folder = try TemporaryDirectory(self)
      let replacement = try folder.write([2], to: "a")
      let report = try await FolderSync(from: .folder(directory.path(".")), to: .objects(in: store)).run { progress in
        // The bytes have been read, and the upload has not ended.
        guard progress.completedBytes > 0 else { return }
        _ = isReplaced ? rename(replacement.string, file.string) : rename(file.string, other.string)
      }
      XCTAssertTrue(report.isComplete, "\(report)")
      XCTAssertEqual(store["a"], [isReplaced ? 2 : 1])
      XCTAssertEqual(store.calls.filter { $0.operation == .upload }.count, isReplaced ? 2 : 1)
    }
  }

  // matrix: Synchronization: deletion
  func testFolderAndFileOfOneNameReplaceEachOther() async throws {
    let (directory, store) = (try TemporaryDirectory(self), store("a", "b/c"))
    try FileManager.default.createDirectory(at: directory.url.appending(path: "a/x"), withIntermediateDirectories: true)
    for path in ["a/x/y", "b"] { _ = try directory.write([1], to: path) }
    let report = try await sync(.objects(in: store), .folder(directory.path(".")))
    XCTAssertTrue(report.isComplete, "\(report)")
    XCTAssertEqual([report.created, report.deleted], [2, 2])
    XCTAssertEqual(try directory.read("a"), Array("a".utf8))
    XCTAssertEqual(try directory.read("b/c"), Array("b/c".utf8))
    XCTAssertEqual(try directory.names, ["a", "b"])
  }

  // matrix: Synchronization: deletion
  func testFolderWithoutFilesIsReplacedByAFileOnlyIfDeletionsAreAskedFor() async throws {
    let (directory, store) = (try TemporaryDirectory(self), store("a"))
    try FileManager.default.createDirectory(at: directory.url.appending(path: "a/b"), withIntermediateDirectories: true)
    let kept = try await sync(.objects(in: store), .folder(directory.path("."))) { $0.deletes = false }
    XCTAssertEqual(kept.transfers.failures.map(\.name), ["a"])
    let report = try await sync(.objects(in: store), .folder(directory.path(".")))
    XCTAssertTrue(report.isComplete, "\(report)")
    XCTAssertEqual(try directory.read("a"), Array("a".utf8))
  }

  // matrix: Synchronization: deletion
  func testFolderWithAFileThatAppearedMeanwhileIsNotReplaced() async throws {
    let directory = try TemporaryDirectory(self)
    try FileManager.default.createDirectory(at: directory.url.appending(path: "a/b"), withIntermediateDirectories: true)
    for path in ["a/b/c", "complete"] { _ = try directory.write([1], to: path) }
    let folder = try await RootFolder(directory.path("."), in: .system)
    let root = try XCTUnwrap(folder)
    let file = try await FileLocation(directory.path("complete"))
    await assertThrows(StorageError.self) {
      try await root.moveFile(file, to: "a", replacing: [], modifiedSeconds: nil, replacesFolder: true)
    } _: {
      XCTAssertTrue("\($0)".contains("not empty"), "\($0)")
    }
    XCTAssertEqual(try directory.read("a/b/c"), [1])
    XCTAssertEqual(try directory.read("complete"), [1])
  }

  // matrix: Synchronization: hostile names
  func testListingsThatAreNoListingsChangeNothing() async throws {
    let directory = try TemporaryDirectory(self)
    _ = try directory.write([1], to: "b")
    for names in [["p/b", "p/a"], ["p/a", "p/a"], ["p/a", "q/b"], ["p/é", "p/e\u{301}"]] {
      let listed = ListingStore(names)
      for (source, target) in [
        (SyncLocation.objects(in: listed, below: "p/"), SyncLocation.folder(directory.path("."))),
        (.folder(directory.path(".")), .objects(in: listed, below: "p/")),
      ] {
        await assertRefused(.malformedResponse, source, target) { $0.comparison = .none }
      }
      XCTAssertEqual(try directory.names, ["b"], "\(names)")
      XCTAssertEqual(try directory.read("b"), [1])
      XCTAssertEqual(listed.changes, 0)
    }
  }

  // matrix: Synchronization: directions
  func testSidesThatContainEachOtherAreRefused() async throws {
    func side(_ prefix: String, _ endpoint: String = "http://127.0.0.1:9", bucket: String = "photos") -> SyncLocation {
      let transport = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(404) }
      let client = StorageClient(
        .oss(bucket: bucket, region: "cn-hangzhou", endpoint: endpoint), credentials: key, configuration: .test,
        transport: transport)
      return .objects(in: client, below: prefix)
    }
    let inside = [
      (side(""), side("x/")), (side("x/"), side("")), (side("x/"), side("x/")), (side("x/"), side("x/y/")),
      (side(""), side("x/", "http://localhost:9")),
      (side("", "https://oss-cn-hangzhou.aliyuncs.com"), side("x/", "https://oss-cn-hangzhou-internal.aliyuncs.com")),
    ]
    for (source, target) in inside { await assertRefused(.invalidOption, source, target) }
    let apart = [
      (side("x/"), side("y/")), (side(""), side("", bucket: "photos2")), (side(""), side("x/", "http://127.0.0.1:10")),
    ]
    for (source, target) in apart {
      await assertThrows(ServiceError.self) { _ = try await sync(source, target) }
    }
    let memory = InMemoryStore()
    await assertRefused(.invalidOption, .objects(in: memory), .objects(in: memory, below: "x/"))
  }

  // MARK: Outside of the root

  // matrix: Synchronization: hostile names
  func testKeysAreSplitAtTheByteOfASlash() async throws {
    let parent = try TemporaryDirectory(self)
    let outside = try TemporaryDirectory(self)
    let root = parent.path("root")
    try FileManager.default.createDirectory(atPath: root.string, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: root.appending("link").string, withDestinationPath: outside.url.path)
    let marks = ["\u{301}", "\u{FE0F}", "\u{200D}", "\u{20E3}", "\u{1F3FB}"]
    let bad =
      marks.flatMap { ["../\($0)x", "link/\($0)x", "a/../\($0)x"] } + [
        "\u{600}/../../x", "..", "\u{600}/..", ".", "a/",
      ]
    let good = marks.map { "d/\($0)x" } + ["\u{600}/y"]
    let store = InMemoryStore()
    for key in bad + good { store[key] = Array(key.utf8) }
    let report = try await sync(.objects(in: store), .folder(root)) { $0.deletes = false }
    XCTAssertEqual(
      Set(report.transfers.failures.map { ByteExactString($0.name) }), Set(bad.map { ByteExactString($0) }))
    XCTAssertEqual(report.created, good.count)
    XCTAssertEqual(try parent.names, ["root"])
    XCTAssertEqual(try outside.names, [])
    XCTAssertEqual(Set(try FileManager.default.contentsOfDirectory(atPath: root.string)), ["d", "link", "\u{600}"])
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: root.appending("d").string).count, marks.count)
  }

  // matrix: Synchronization: hostile names
  func testTwoSpellingsOfOneNameAreTwoNames() async throws {
    let (directory, outside) = (try TemporaryDirectory(self), try TemporaryDirectory(self))
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    let store = InMemoryStore()
    for name in [composed, decomposed] { store["\(name)/x"] = Array(name.utf8) }
    let both = try await sync(.objects(in: store), .folder(directory.path(".")))
    XCTAssertTrue(both.isComplete, "\(both)")
    XCTAssertEqual(try directory.names.count, 2)
    let again = try await sync(.objects(in: store), .folder(directory.path(".")))
    XCTAssertEqual([again.unchanged, again.created, again.updated, again.deleted], [2, 0, 0, 0])
    for name in [composed, decomposed] {
      XCTAssertEqual([UInt8](try Data(contentsOf: directory.url.appending(path: "\(name)/x"))), Array(name.utf8))
    }
    // A link in one spelling is not the folder of the other.
    try FileManager.default.removeItem(atPath: directory.path(composed).string)
    try FileManager.default.createSymbolicLink(
      atPath: directory.path(composed).string, withDestinationPath: outside.url.path)
    let linked = try await sync(.objects(in: store), .folder(directory.path("."))) { $0.comparison = .none }
    XCTAssertEqual(linked.transfers.failures.map { ByteExactString($0.name) }, [ByteExactString("\(composed)/x")])
    XCTAssertEqual(try outside.names, [])
  }

  // matrix: Synchronization: hostile names
  func testPatternsComparePartsOfBytes() {
    XCTAssertTrue(PathPattern("x").matches("d/x"))
    XCTAssertTrue(PathPattern("\u{301}x").matches("d/\u{301}x"))
    XCTAssertTrue(PathPattern("secret/").matches("secret/\u{301}x"))
    XCTAssertTrue(PathPattern("*/\u{301}x").matches("secret/\u{301}x"))
    XCTAssertFalse(PathPattern("\u{E9}").matches("e\u{301}"))
    XCTAssertTrue(PathPattern("/\u{301}x").matches("\u{301}x"))
  }

  // matrix: Synchronization: hostile names
  func testFileThatBecameALinkIsNotUploaded() async throws {
    let (directory, outside) = (try TemporaryDirectory(self), try TemporaryDirectory(self))
    let secret = try outside.write(Array("secret".utf8), to: "secret")
    _ = try outside.write(Array("secret".utf8), to: "f")
    for name in ["a", "b"] { _ = try directory.write([1], to: name) }
    try FileManager.default.createDirectory(at: directory.url.appending(path: "d"), withIntermediateDirectories: true)
    _ = try directory.write([1], to: "d/f")
    let store = InMemoryStore()
    // The first upload gives the time in which the others are exchanged.
    let report = try await FolderSync(
      from: .folder(directory.path(".")), to: .objects(in: store), options: SyncOptions(transfersInFlight: 1)
    ).run(didFinish: { action in
      guard action.path == "a" else { return }
      for (name, target) in [("b", secret.string), ("d", outside.url.path)] {
        try? FileManager.default.removeItem(atPath: directory.path(name).string)
        try? FileManager.default.createSymbolicLink(atPath: directory.path(name).string, withDestinationPath: target)
      }
    })
    XCTAssertEqual(Set(report.transfers.failures.map(\.name)), ["b", "d/f"])
    let stored = try await keys(store)
    XCTAssertEqual(stored, ["a"])
  }
}

/// A store whose listing is a list of names, in whatever order.
private final class ListingStore: ObjectStore {
  private let names: [String]
  private let count = Lock(0)

  init(_ names: [String]) {
    self.names = names
  }

  /// The number of calls that would have changed the store.
  var changes: Int { count.withLock { $0 } }

  func upload(
    _ source: UploadSource, to key: String, options: UploadOptions, progress: TransferProgress.Handler?
  ) async throws -> UploadedObject {
    count.withLock { $0 += 1 }
    return UploadedObject(key: key, size: 0, etag: nil, checksum: nil)
  }

  func download(
    _ key: String, to file: FilePath, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo { try await head(key) }

  func open(_ key: String, options: DownloadOptions) async throws -> DownloadedObject {
    DownloadedObject(info: try await head(key), contentLength: 0, body: ByteStream([]))
  }

  func head(_ key: String, headers: HTTPFields) async throws -> ObjectInfo { ObjectInfo(key: key, size: 0) }

  func delete(_ key: String) async throws { count.withLock { $0 += 1 } }

  func delete(_ keys: [String]) async throws -> DeletionReport {
    count.withLock { $0 += 1 }
    return DeletionReport(deleted: keys)
  }

  func list(prefix: String, delimiter: String?) -> ObjectListing {
    ObjectListing { [names] _ in
      ListPage(entries: names.map { .object(ListedObject(key: $0, size: 0)) }, continuation: nil)
    }
  }
}
