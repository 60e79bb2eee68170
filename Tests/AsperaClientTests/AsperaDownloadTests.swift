// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import AsperaTransfer
import ClientTestSupport
import Foundation
import StorageAuth
import StorageClient
import XCTest

/// Tests downloads from a node into files, memory and streams.
final class AsperaDownloadTests: XCTestCase {
  private let service = NodeService()

  private func client(_ engine: FileEngine? = nil) -> StorageClient<AsperaProvider> {
    asperaClient(RecordingTransport(service.reply), engine: engine ?? FileEngine(service))
  }

  func testFileAppearsWhenItIsComplete() async throws {
    let directory = try TemporaryDirectory(self)
    let bytes = pattern(5000)
    service.put(bytes, at: "/2026/cat.jpg")
    let engine = FileEngine(
      service, after: { _, _ in XCTAssertFalse(FileManager.default.fileExists(atPath: directory.path("cat").string)) })
    let info = try await client(engine).download("2026/cat.jpg", to: directory.path("cat"))
    XCTAssertEqual(info.size, 5000)
    XCTAssertEqual(try directory.read("cat"), bytes)
    XCTAssertEqual(try directory.names, ["cat"])
    let spec = try XCTUnwrap(engine.attempts.first)
    XCTAssertEqual(spec.direction, .receive)
    XCTAssertEqual(spec.paths.map(\.source), ["/2026/cat.jpg"])
    XCTAssertEqual(spec.destinationRoot?.hasPrefix(directory.url.path), true, "must share the directory")
  }

  func testReplacedFileKeepsItsPermissions() async throws {
    let directory = try TemporaryDirectory(self)
    service.put([4, 5, 6], at: "/k")
    let file = try directory.write([1], to: "k")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.string)
    try await client().download("k", to: file)
    XCTAssertEqual(try directory.read("k"), [4, 5, 6])
    let attributes = try FileManager.default.attributesOfItem(atPath: file.string)
    XCTAssertEqual(attributes[.posixPermissions] as? NSNumber, 0o640)
  }

  // matrix: Aspera transfer (issuer): atomicity
  func testFailureLeavesTheExistingFileUnchanged() async throws {
    let directory = try TemporaryDirectory(self)
    service.put(pattern(100), at: "/k")
    let failure = TransferFailure(.account, code: 19, "No.", remedy: "Look.")
    let file = try directory.write([1], to: "k")
    let engine = FileEngine(service, after: { _, _ throws(TransferFailure) in throw failure })
    await assertThrows(TransferFailure.self, { try await client(engine).download("k", to: file) }) {
      XCTAssertEqual($0.kind, .account)
      XCTAssertEqual($0.code, 19)
    }
    XCTAssertEqual(try directory.read("k"), [1])
    XCTAssertEqual(try directory.names, ["k"])
    XCTAssertEqual(engine.attempts.count, 1)
  }

  func testFileThatShrankIsRejected() async throws {
    let directory = try TemporaryDirectory(self)
    service.put(pattern(100), at: "/k")
    let engine = FileEngine(service, before: { [service] _, _ in service.put(pattern(50), at: "/k") })
    await assertThrows(StorageError.self, { try await client(engine).download("k", to: directory.path("k")) }) {
      XCTAssertEqual($0.code, .truncated)
    }
    XCTAssertEqual(try directory.names, [])
  }

  func testFileThatCannotBeOpenedIsReportedWithItsCause() async throws {
    let directory = try TemporaryDirectory(self)
    service.put(pattern(100), at: "/k")
    let engine = FileEngine(
      service,
      after: { spec, _ throws(TransferFailure) in
        try? FileManager.default.removeItem(atPath: Self.contentPath(spec))
      })
    await assertThrows(StorageError.self, { try await client(engine).download("k", to: directory.path("k")) }) {
      XCTAssertEqual($0.code, .unusableFile)
      XCTAssertTrue($0.message.contains("content"), $0.message)
    }
    XCTAssertEqual(try directory.names, [])
  }

  func testFileThatShrinksWhileItIsReadIsTruncated() async throws {
    service.put(pattern(100), at: "/k")
    let engine = FileEngine(service)
    let object = try await client(engine).open("k")
    let spec = try XCTUnwrap(engine.attempts.last)
    let file = try XCTUnwrap(FileHandle(forWritingAtPath: Self.contentPath(spec)))
    try file.truncate(atOffset: 0)
    await assertThrows(StorageError.self, { for try await _ in object.body {} }) {
      XCTAssertEqual($0.code, .truncated)
    }
  }

  /// Returns the path of the temporary file into which an engine downloads.
  private static func contentPath(_ spec: TransferSpec) -> String {
    "\(spec.destinationRoot ?? "")/\(spec.paths.first?.destination ?? "")"
  }

  func testMissingFilesAndFoldersAreNotDownloaded() async throws {
    let directory = try TemporaryDirectory(self)
    service.makeFolder("/folder")
    let engine = FileEngine(service)
    for key in ["missing", "folder"] {
      await assertThrows(ServiceError.self, { try await client(engine).download(key, to: directory.path("k")) }) {
        XCTAssertEqual($0.kind, .noSuchKey)
      }
    }
    service.put([1], at: "/k")
    await assertThrows(StorageError.self, { try await client(engine).download("k", to: directory.path("")) }) {
      XCTAssertEqual($0.code, .unusableFile)
    }
    XCTAssertEqual(engine.attempts.count, 0)
  }

  func testBytesAreReadFromATemporaryFileThatIsRemoved() async throws {
    let bytes = pattern(700_000)
    service.put(bytes, at: "/k")
    let engine = FileEngine(service)
    let read = try await client(engine).download("k", upTo: 1_000_000)
    XCTAssertEqual(read, bytes)
    var object: DownloadedObject? = try await client(engine).open("k")
    XCTAssertEqual(object?.contentLength, 700_000)
    for try await _ in try XCTUnwrap(object).body { break }
    object = nil
    for folder in engine.attempts.compactMap(\.destinationRoot) {
      XCTAssertFalse(FileManager.default.fileExists(atPath: folder), folder)
    }
  }

  func testRangeIsReadFromTheWholeFile() async throws {
    let directory = try TemporaryDirectory(self)
    let bytes = pattern(1000)
    service.put(bytes, at: "/k")
    let ranges: [(ByteRange, Range<Int>)] = [
      (ByteRange(Int64(10)..<20), 10..<20), (ByteRange(Int64(990)...2000), 990..<1000),
      (ByteRange(Int64(500)...), 500..<1000), (.last(7), 993..<1000), (.last(5000), 0..<1000),
    ]
    for (range, expected) in ranges {
      let read = try await client().download("k", upTo: 1000, options: DownloadOptions(range: range))
      XCTAssertEqual(read, Array(bytes[expected]))
      try await client().download("k", to: directory.path("k"), options: DownloadOptions(range: range), progress: nil)
      XCTAssertEqual(try directory.read("k"), Array(bytes[expected]))
    }
    await assertThrows(
      ServiceError.self,
      { _ = try await client().open("k", options: DownloadOptions(range: ByteRange(Int64(1000)...))) }
    ) { XCTAssertEqual($0.kind, .invalidRange) }
  }

  func testConditionsAndVersionsAreRejectedByName() async throws {
    let directory = try TemporaryDirectory(self)
    let transport = RecordingTransport(service.reply)
    let client = asperaClient(transport, engine: FileEngine(service))
    let refused: [(String, DownloadOptions)] = [
      ("versionID", DownloadOptions(versionID: "1")), ("ifMatch", DownloadOptions(ifMatch: "e")),
      ("ifNoneMatch", DownloadOptions(ifNoneMatch: "e")),
      ("ifModifiedSince", DownloadOptions(ifModifiedSince: Timestamp(unixSeconds: 1))),
      ("parameters", DownloadOptions(parameters: [.init(name: "a", value: "b")])),
      ("headers", DownloadOptions(headers: [.accept: "x"])),
    ]
    for (name, options) in refused {
      for operation in [
        { _ = try await client.open("k", options: options) },
        { _ = try await client.download("k", to: directory.path("k"), options: options, progress: nil) },
      ] {
        await assertThrows(StorageError.self, operation) {
          XCTAssertEqual($0.code, .unsupported)
          XCTAssertTrue($0.message.contains(name), $0.message)
        }
      }
    }
    XCTAssertEqual(transport.requests.count, 0)
  }
}
