// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import Foundation
import LocalCloud
import SystemPackage
import XCTest

@testable import StorageClient

/// Tests downloads that another process continues, against LocalCloud.
final class ResumableDownloadTests: XCTestCase {
  private static let size = 1_000_000
  private static let bytes = pattern(size)

  /// Interrupts the fifth request for a range after some of its bytes.
  private func interrupt(
    _ directory: TemporaryDirectory, _ cloud: Cloud, _ checkpoint: MemoryCheckpoint<DownloadCheckpoint>
  ) async throws -> InterruptedTransport {
    try await cloud.oss().upload(Self.bytes, to: "k")
    let transport = InterruptedTransport { $0.range?.hasPrefix("bytes=409600-") == true ? .inBody(50_000) : nil }
    await assertThrows(TransportError.self) {
      try await cloud.oss(configuration: .single, over: transport).download(
        "k", to: directory.path("copy.bin"), checkpoint: checkpoint)
    }
    return transport
  }

  private func finish(
    _ directory: TemporaryDirectory, _ cloud: Cloud, _ checkpoint: MemoryCheckpoint<DownloadCheckpoint>
  ) async throws -> InterruptedTransport {
    let transport = InterruptedTransport()
    try await cloud.oss(over: transport).download("k", to: directory.path("copy.bin"), checkpoint: checkpoint)
    XCTAssertNil(checkpoint.value)
    XCTAssertEqual(try directory.names, ["copy.bin"])
    return transport
  }

  // matrix: Resuming: download
  func testInterruptedDownloadIsContinuedByAnotherClientWithTheMissingBytes() async throws {
    let cloud = try await Cloud(self)
    for provider in ResumableProvider.allCases {
      let directory = try TemporaryDirectory(self)
      let file = directory.path("copy.bin")
      try await provider.store(cloud).upload(Self.bytes, to: "k")
      let checkpoint = CheckpointFile<DownloadCheckpoint>(directory.path("copy.download"))
      let first = InterruptedTransport { $0.range?.hasPrefix("bytes=409600-") == true ? .inBody(50_000) : nil }
      await assertThrows(TransportError.self) {
        try await provider.store(cloud, first, attempts: 1).download("k", to: file, checkpoint: checkpoint)
      }
      XCTAssertEqual(try directory.names.count, 2, "\(provider)")
      let loaded = try await checkpoint.load()
      let saved = try XCTUnwrap(loaded)
      XCTAssertGreaterThan(saved.ranges.reduce(0) { $0 + $1.length }, 300_000, "\(provider)")
      XCTAssertTrue(saved.ranges.contains { $0.length < 102_400 }, "\(provider)")
      let second = InterruptedTransport()
      let reported = Collected<TransferProgress>()
      let info = try await provider.store(cloud, second).download(
        "k", to: file, checkpoint: checkpoint, progress: { reported.append($0) })
      XCTAssertEqual(info.size, Int64(Self.size))
      XCTAssertEqual(try directory.read("copy.bin"), Self.bytes, "\(provider)")
      XCTAssertEqual(try directory.names, ["copy.bin"], "\(provider)")
      let kept = saved.ranges.reduce(0) { $0 + $1.length }
      XCTAssertEqual(second.rangeBytes, Int64(Self.size) - kept, "\(provider)")
      XCTAssertEqual(reported.values.last?.completed, Int64(Self.size), "\(provider)")
    }
  }

  // matrix: Resuming: changes
  func testChangedObjectStartsTheDownloadAnew() async throws {
    let cloud = try await Cloud(self)
    let directory = try TemporaryDirectory(self)
    let checkpoint = MemoryCheckpoint<DownloadCheckpoint>()
    _ = try await interrupt(directory, cloud, checkpoint)
    let other = pattern(Self.size, seed: 5)
    try await cloud.oss().upload(other, to: "k")
    let second = try await finish(directory, cloud, checkpoint)
    XCTAssertEqual(second.rangeBytes, Int64(Self.size))
    XCTAssertEqual(try directory.read("copy.bin"), other)
  }

  // matrix: Resuming: changes
  func testObjectThatChangesDuringTheDownloadIsNoticed() async throws {
    let cloud = try await Cloud(self)
    let directory = try TemporaryDirectory(self)
    let checkpoint = MemoryCheckpoint<DownloadCheckpoint>()
    try await cloud.oss().upload(Self.bytes, to: "k")
    let other = pattern(Self.size, seed: 5)
    let transport = InterruptedTransport { sent in
      if sent.range?.hasPrefix("bytes=614400-") == true { _ = try? await cloud.oss().upload(other, to: "k") }
      return nil
    }
    await assertThrows(
      ServiceError.self,
      {
        try await cloud.oss(over: transport).download("k", to: directory.path("copy.bin"), checkpoint: checkpoint)
      }
    ) { XCTAssertEqual($0.kind, .preconditionFailed) }
    _ = try await finish(directory, cloud, checkpoint)
    XCTAssertEqual(try directory.read("copy.bin"), other)
  }

  // matrix: Resuming: changes
  func testDamagedOrMissingIncompleteFileIsDownloadedAgain() async throws {
    let cloud = try await Cloud(self)
    for isMissing in [false, true] {
      let directory = try TemporaryDirectory(self)
      let checkpoint = MemoryCheckpoint<DownloadCheckpoint>()
      _ = try await interrupt(directory, cloud, checkpoint)
      let saved = try XCTUnwrap(checkpoint.value)
      let partial = directory.url.appending(path: saved.partialFile)
      if isMissing {
        try FileManager.default.removeItem(at: partial)
      } else {
        let handle = try FileHandle(forUpdating: partial)
        let byte = try XCTUnwrap(handle.read(upToCount: 1)?.first)
        try handle.seek(toOffset: 0)
        try handle.write(contentsOf: [byte ^ 1])
        try handle.close()
      }
      let second = try await finish(directory, cloud, checkpoint)
      XCTAssertEqual(try directory.read("copy.bin"), Self.bytes)
      let kept = saved.ranges.reduce(0) { $0 + $1.length }
      let first = try XCTUnwrap(saved.ranges.first)
      XCTAssertEqual(second.rangeBytes, Int64(Self.size) - (isMissing ? 0 : kept - first.length))
    }
  }

  // matrix: Resuming: download
  func testFileThatWasMovedToItsDestinationIsRecognized() async throws {
    let cloud = try await Cloud(self)
    let directory = try TemporaryDirectory(self)
    let checkpoint = MemoryCheckpoint<DownloadCheckpoint>()
    try await cloud.oss().upload(Self.bytes, to: "k")
    try await cloud.oss().download("k", to: directory.path("copy.bin"), checkpoint: checkpoint)
    let last = try XCTUnwrap(checkpoint.saves.last)
    XCTAssertTrue(last.missingRanges.isEmpty)
    checkpoint.value = last
    let second = try await finish(directory, cloud, checkpoint)
    XCTAssertEqual(second.sent.map(\.method), [.head])
    checkpoint.value = last
    _ = try directory.write(pattern(Self.size, seed: 3), to: "copy.bin")
    let third = try await finish(directory, cloud, checkpoint)
    XCTAssertEqual(third.rangeBytes, Int64(Self.size))
    XCTAssertEqual(try directory.read("copy.bin"), Self.bytes)
  }

  // matrix: Resuming: download
  func testSecondTransferToTheSameFileIsRejected() async throws {
    let cloud = try await Cloud(self)
    let directory = try TemporaryDirectory(self)
    let checkpoint = MemoryCheckpoint<DownloadCheckpoint>()
    _ = try await interrupt(directory, cloud, checkpoint)
    let partial = directory.path(try XCTUnwrap(checkpoint.value).partialFile)
    let place = try await FileLocation(partial)
    let opened = try await LocalFile.updating(place.name, in: place.folder)
    let other = try XCTUnwrap(opened)
    let value = checkpoint.value
    await assertThrows(
      StorageError.self,
      { try await cloud.oss().download("k", to: directory.path("copy.bin"), checkpoint: checkpoint) }
    ) { error in
      XCTAssertEqual(error.code, .unusableFile)
      XCTAssertTrue(error.message.contains("another transfer"), error.message)
    }
    XCTAssertEqual(checkpoint.value, value)
    try await other.close()
    _ = try await finish(directory, cloud, checkpoint)
  }

  // matrix: Resuming: checkpoint
  func testMalformedCheckpointStartsTheDownloadAnew() async throws {
    let cloud = try await Cloud(self)
    let directory = try TemporaryDirectory(self)
    let checkpoint = MemoryCheckpoint<DownloadCheckpoint>()
    _ = try await interrupt(directory, cloud, checkpoint)
    let saved = try XCTUnwrap(checkpoint.value)
    let one = try XCTUnwrap(saved.ranges.first)
    typealias Range = DownloadCheckpoint.WrittenRange
    let wrong: [[Range]] = [
      [one, one], [Range(offset: -1, length: 5, checksum: one.checksum)],
      [Range(offset: 0, length: .max, checksum: one.checksum)], [Range(offset: 5, length: 0, checksum: one.checksum)],
      [Range(offset: 0, length: 5, checksum: ObjectChecksum(.crc32, 1))],
    ]
    for ranges in wrong {
      var value = saved
      value.ranges = ranges
      checkpoint.value = value
      let second = try await finish(directory, cloud, checkpoint)
      XCTAssertEqual(second.rangeBytes, Int64(Self.size))
      XCTAssertEqual(try directory.read("copy.bin"), Self.bytes)
      try FileManager.default.removeItem(at: directory.url.appending(path: "copy.bin"))
    }
  }

  // matrix: Resuming: checkpoint
  func testNameOfTheIncompleteFileCannotLeaveTheDirectory() async throws {
    let cloud = try await Cloud(self)
    let directory = try TemporaryDirectory(self)
    let outside = try TemporaryDirectory(self)
    let victim = try outside.write([1, 2, 3], to: "victim")
    let checkpoint = MemoryCheckpoint<DownloadCheckpoint>()
    _ = try await interrupt(directory, cloud, checkpoint)
    let saved = try XCTUnwrap(checkpoint.value)
    try FileManager.default.removeItem(at: directory.url.appending(path: saved.partialFile))
    for name in ["../\(outside.url.lastPathComponent)/victim", "..", "", victim.string] {
      checkpoint.value = DownloadCheckpoint(
        location: saved.location, identity: saved.identity, size: saved.size, etag: "\"other\"", versionID: nil,
        partialFile: name)
      _ = try await finish(directory, cloud, checkpoint)
      XCTAssertEqual(try outside.read("victim"), [1, 2, 3], name)
    }
  }

  // matrix: Resuming: checkpoint
  func testCheckpointOfAnotherObjectIsRejected() async throws {
    let cloud = try await Cloud(self)
    let directory = try TemporaryDirectory(self)
    let checkpoint = MemoryCheckpoint<DownloadCheckpoint>()
    _ = try await interrupt(directory, cloud, checkpoint)
    try await cloud.oss().upload([1], to: "other")
    await assertThrows(
      StorageError.self,
      { try await cloud.oss().download("other", to: directory.path("copy.bin"), checkpoint: checkpoint) }
    ) { XCTAssertEqual($0.code, .invalidOption) }
    _ = try await finish(directory, cloud, checkpoint)
  }

  // matrix: Resuming: checkpoint
  func testCheckpointOfAnotherServerIsRejected() async throws {
    let (cloud, other) = (try await Cloud(self), try await Cloud(self))
    let directory = try TemporaryDirectory(self)
    let checkpoint = MemoryCheckpoint<DownloadCheckpoint>()
    _ = try await interrupt(directory, cloud, checkpoint)
    let saved = try XCTUnwrap(checkpoint.value)
    try await other.oss().upload(Self.bytes, to: "k")
    await assertThrows(
      StorageError.self,
      { try await other.oss().download("k", to: directory.path("copy.bin"), checkpoint: checkpoint) }
    ) { error in
      XCTAssertEqual(error.code, .invalidOption)
      XCTAssertTrue(error.message.contains(other.server.ossEndpoint.authority.replacing(":", with: "%3A")), "\(error)")
    }
    XCTAssertEqual(checkpoint.value, saved)
    let old = DownloadCheckpoint(
      location: saved.location, identity: nil, size: saved.size, etag: saved.etag, versionID: saved.versionID,
      partialFile: saved.partialFile)
    checkpoint.value = old
    await assertThrows(StorageError.self) {
      try await cloud.oss().download("k", to: directory.path("copy.bin"), checkpoint: checkpoint)
    }
    checkpoint.value = saved
    _ = try await finish(directory, cloud, checkpoint)
    XCTAssertEqual(try directory.read("copy.bin"), Self.bytes)
  }

  // matrix: Resuming: changes
  func testFileWithAnotherChecksumIsRemoved() async throws {
    let directory = try TemporaryDirectory(self)
    let checkpoint = MemoryCheckpoint<DownloadCheckpoint>()
    let transport = RecordingTransport { request throws(TransportError) in
      HTTPStreamingResponse(
        request.method == .head ? 200 : 206, request.method == .head ? [] : [1, 2, 3],
        [
          "Content-Length": "3", "Content-Range": "bytes 0-2/3", "ETag": "\"E\"", "x-oss-hash-crc64ecma": "5",
        ])
    }
    await assertThrows(
      StorageError.self,
      { try await ossClient(transport).download("k", to: directory.path("copy.bin"), checkpoint: checkpoint) }
    ) { XCTAssertEqual($0.code, .checksumMismatch) }
    XCTAssertNil(checkpoint.value)
    XCTAssertEqual(try directory.names, [])
  }

  // matrix: Resuming: download
  func testObjectsThatCannotBeContinuedAreRejected() async throws {
    let directory = try TemporaryDirectory(self)
    let checkpoint = MemoryCheckpoint<DownloadCheckpoint>()
    for etag in ["W/\"E\"", ""] {
      let transport = RecordingTransport { _ throws(TransportError) in
        HTTPStreamingResponse(200, "", ["Content-Length": "3", "ETag": etag])
      }
      await assertThrows(
        StorageError.self,
        { try await ossClient(transport).download("k", to: directory.path("copy.bin"), checkpoint: checkpoint) }
      ) { XCTAssertEqual($0.code, etag.isEmpty ? .malformedResponse : .unsupported) }
    }
    let none = RecordingTransport(replies: [])
    for options in [
      DownloadOptions(range: ByteRange(0..<5)), DownloadOptions(parameters: [.init(name: "x-oss-process", value: "a")]),
    ] {
      await assertThrows(
        StorageError.self,
        {
          try await ossClient(none).download(
            "k", to: directory.path("copy.bin"), checkpoint: checkpoint, options: options, progress: nil)
        }
      ) { XCTAssertEqual($0.code, .invalidOption) }
    }
    XCTAssertEqual(none.requests.count, 0)
  }

  // matrix: Resuming: download
  func testEmptyObjectAndReplacedFileKeepTheirPermissions() async throws {
    let cloud = try await Cloud(self)
    let directory = try TemporaryDirectory(self)
    _ = try directory.write([9], to: "copy.bin")
    let path = directory.url.appending(path: "copy.bin").path
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    try await cloud.oss().upload([], to: "k")
    _ = try await finish(directory, cloud, MemoryCheckpoint())
    XCTAssertEqual(try directory.read("copy.bin"), [])
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    XCTAssertEqual((attributes[.posixPermissions] as? NSNumber)?.intValue, 0o640)
  }

  // matrix: Resuming: download
  func testReadOnlyFileIsContinuedAndKeepsItsPermissions() async throws {
    let cloud = try await Cloud(self)
    for permissions: FilePermissions in [[.ownerRead, .groupRead, .otherRead], [.ownerRead]] {
      let directory = try TemporaryDirectory(self)
      let file = try directory.write([9], to: "copy.bin")
      XCTAssertEqual(chmod(file.string, 0o444), 0)
      let checkpoint = MemoryCheckpoint<DownloadCheckpoint>()
      _ = try await interrupt(directory, cloud, checkpoint)
      let partial = directory.path(try XCTUnwrap(checkpoint.value).partialFile)
      // Root can also open a read-only file, and the owner only this one.
      XCTAssertEqual(try partial.stat().permissions, [.ownerReadWrite, .groupRead, .otherRead])
      XCTAssertEqual(chmod(file.string, permissions.rawValue), 0)
      _ = try await finish(directory, cloud, checkpoint)
      XCTAssertEqual(try directory.read("copy.bin"), Self.bytes)
      XCTAssertEqual(try file.stat().permissions, permissions)
    }
  }

  // matrix: Resuming: download
  func testFileThatReplacesAReadOnlyOneIsWritableUntilItIsSynchronized() async throws {
    let cloud = try await Cloud(self)
    let (directory, files) = (try TemporaryDirectory(self), RecordingFiles())
    let file = try directory.write([9], to: "copy.bin")
    XCTAssertEqual(chmod(file.string, 0o444), 0)
    try await cloud.oss().upload([1], to: "k")
    let store = try XCTUnwrap(cloud.oss().underlyingStore as? any ResumingFileStore)
    let location = try await FileLocation(file, in: files)
    try await store.download(
      "k", to: location, checkpoint: MemoryCheckpoint<DownloadCheckpoint>(), options: DownloadOptions(), progress: nil)
    XCTAssertEqual(files.synchronizedPermissions.values, [[.ownerReadWrite, .groupRead, .otherRead]])
    XCTAssertEqual(try file.stat().permissions, [.ownerRead, .groupRead, .otherRead])
    XCTAssertEqual(try directory.read("copy.bin"), [1])
  }

  // matrix: Resuming: download
  func testNewFileIsSynchronizedBeforeTheRename() async throws {
    let cloud = try await Cloud(self)
    let (directory, files) = (try TemporaryDirectory(self), RecordingFiles())
    try await cloud.oss().upload([1], to: "k")
    let store = try XCTUnwrap(cloud.oss().underlyingStore as? any ResumingFileStore)
    let location = try await FileLocation(directory.path("copy.bin"), in: files)
    try await store.download(
      "k", to: location, checkpoint: MemoryCheckpoint<DownloadCheckpoint>(), options: DownloadOptions(), progress: nil)
    XCTAssertEqual(files.calls.values, ["synchronize", "rename"])
    XCTAssertEqual(try directory.read("copy.bin"), [1])
  }
}

extension StorageClientConfiguration {
  /// The test's configuration with one attempt per request.
  fileprivate static var single: StorageClientConfiguration {
    var configuration = test
    configuration.attempts = 1
    return configuration
  }
}
