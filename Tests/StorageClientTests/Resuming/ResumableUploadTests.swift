// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import Foundation
import LocalCloud
import SystemPackage
import XCTest

@testable import StorageClient

/// Tests uploads that another process continues, against LocalCloud.
final class ResumableUploadTests: XCTestCase {
  private static let size = 1_000_000

  /// Interrupts an upload at a part, and returns the transport.
  private func interrupt(
    at part: Int, _ file: FilePath, _ cloud: Cloud, _ checkpoint: MemoryCheckpoint<UploadCheckpoint>,
    options: UploadOptions = UploadOptions()
  ) async throws -> InterruptedTransport {
    let transport = InterruptedTransport(answersBefore: 3) { $0.part == part ? .before : nil }
    await assertThrows(TransportError.self) {
      try await cloud.oss(over: transport).upload(file, to: "k", checkpoint: checkpoint, options: options)
    }
    return transport
  }

  /// Asserts that two runs sent all ten parts, and that the second one repeated only parts without an answer.
  private func assertNoPartIsSentTwice(
    _ first: InterruptedTransport, _ second: InterruptedTransport, line: UInt = #line
  ) {
    XCTAssertEqual(Set(first.parts + second.parts), Set(1...10), line: line)
    XCTAssertTrue(Set(first.answeredParts).isDisjoint(with: second.parts), line: line)
    XCTAssertGreaterThanOrEqual(first.answeredParts.count, 3, line: line)
  }

  // matrix: Resuming: upload
  func testInterruptedUploadIsContinuedByAnotherClientAndNoPartIsSentTwice() async throws {
    let cloud = try await Cloud(self)
    let directory = try TemporaryDirectory(self)
    let bytes = pattern(Self.size)
    let file = try directory.write(bytes, to: "large.bin")
    for provider in ResumableProvider.allCases {
      let checkpoint = CheckpointFile<UploadCheckpoint>(directory.path("\(provider).upload"))
      let first = InterruptedTransport(answersBefore: 3) { $0.part == 6 ? .before : nil }
      await assertThrows(TransportError.self) {
        try await provider.store(cloud, first).upload(file, to: "\(provider)", checkpoint: checkpoint)
      }
      let saved = try await checkpoint.load()
      XCTAssertEqual(saved?.file.size, Int64(Self.size))
      let second = InterruptedTransport()
      let reported = Collected<TransferProgress>()
      let object = try await provider.store(cloud, second).upload(
        file, to: "\(provider)", checkpoint: checkpoint, metadata: [:], progress: { reported.append($0) })
      XCTAssertEqual(object.size, Int64(Self.size), "\(provider)")
      let stored = try await provider.store(cloud).download("\(provider)", upTo: Self.size)
      XCTAssertEqual(stored, bytes, "\(provider)")
      assertNoPartIsSentTwice(first, second)
      XCTAssertEqual(reported.values.last?.completed, Int64(Self.size), "\(provider)")
      XCTAssertGreaterThan(try XCTUnwrap(reported.values.first).completed, 102_400, "\(provider)")
      XCTAssertEqual(try directory.names, ["large.bin"], "\(provider)")
    }
  }

  // matrix: Resuming: upload
  func testPartsThatTheCheckpointLacksAreRecognizedByTheirMD5() async throws {
    let cloud = try await Cloud(self)
    let file = try TemporaryDirectory(self).write(pattern(Self.size), to: "large.bin")
    let checkpoint = MemoryCheckpoint<UploadCheckpoint>()
    let first = try await interrupt(at: 6, file, cloud, checkpoint)
    checkpoint.value?.parts.removeAll()
    let second = InterruptedTransport()
    let object = try await cloud.oss(over: second).upload(file, to: "k", checkpoint: checkpoint)
    XCTAssertEqual(object.checksum, crc(pattern(Self.size)))
    assertNoPartIsSentTwice(first, second)
  }

  // matrix: Resuming: upload
  func testPartThatDiffersFromTheCheckpointIsSentAgain() async throws {
    let cloud = try await Cloud(self)
    let bytes = pattern(Self.size)
    let file = try TemporaryDirectory(self).write(bytes, to: "large.bin")
    let checkpoint = MemoryCheckpoint<UploadCheckpoint>()
    _ = try await interrupt(at: 9, file, cloud, checkpoint)
    let saved = try XCTUnwrap(checkpoint.value)
    XCTAssertTrue(saved.parts.contains { $0.number == 2 })
    let bucket = BucketClient(sender: cloud.oss().sender)
    let id = try ResponseValue(saved.uploadID, named: "UploadId")
    let upload = MultipartUpload(bucket: bucket, key: "k", id: id, headers: [:])
    let other = BytesPayload(bytes: pattern(102_400, seed: 7))
    _ = try await upload.upload(other, number: 2, progress: ProgressMeter(total: nil, handler: nil))
    let second = InterruptedTransport()
    try await cloud.oss(over: second).upload(file, to: "k", checkpoint: checkpoint)
    XCTAssertTrue(second.parts.contains(2))
    XCTAssertLessThan(second.parts.count, 6)
    let stored = try await cloud.oss().download("k", upTo: Self.size)
    XCTAssertEqual(stored, bytes)
  }

  // matrix: Resuming: changes
  func testChangedFileOrOptionsStartTheUploadAnewAndAbortTheEarlierOne() async throws {
    let cloud = try await Cloud(self)
    let directory = try TemporaryDirectory(self)
    for (index, changesFile) in [true, false].enumerated() {
      let file = try directory.write(pattern(Self.size), to: "\(index).bin")
      let checkpoint = MemoryCheckpoint<UploadCheckpoint>()
      _ = try await interrupt(at: 6, file, cloud, checkpoint)
      let id = checkpoint.value?.uploadID
      let bytes = pattern(Self.size, seed: changesFile ? 2 : 1)
      if changesFile { _ = try directory.write(bytes, to: "\(index).bin") }
      let second = InterruptedTransport()
      try await cloud.oss(over: second).upload(
        file, to: "k", checkpoint: checkpoint, metadata: changesFile ? [:] : ["a": "b"])
      XCTAssertEqual(second.parts, Array(1...10))
      XCTAssertNotEqual(checkpoint.saves.last?.uploadID, id)
      let stored = try await cloud.oss().download("k", upTo: Self.size)
      XCTAssertEqual(stored, bytes)
      let left = try await cloud.oss().unfinishedUploads().reduce(into: []) { $0.append($1) }
      XCTAssertEqual(left, [])
    }
  }

  // matrix: Resuming: changes
  func testFileThatChangesDuringTheUploadIsNoticed() async throws {
    let cloud = try await Cloud(self)
    let directory = try TemporaryDirectory(self)
    let file = try directory.write(pattern(Self.size), to: "large.bin")
    let checkpoint = MemoryCheckpoint<UploadCheckpoint>()
    let path = directory.url.appending(path: "large.bin")
    let transport = InterruptedTransport { sent in
      if sent.part == 8 { try? FileHandle(forWritingTo: path).write(contentsOf: [1]) }
      return nil
    }
    await assertThrows(
      StorageError.self, { try await cloud.oss(over: transport).upload(file, to: "k", checkpoint: checkpoint) }
    ) { XCTAssertEqual($0.code, .sourceChanged) }
    XCTAssertNil(checkpoint.value)
    let left = try await cloud.oss().unfinishedUploads().reduce(into: []) { $0.append($1) }
    XCTAssertEqual(left, [])
    await assertThrows(ServiceError.self, { _ = try await cloud.oss().head("k") }) {
      XCTAssertEqual($0.kind, .noSuchKey)
    }
  }

  // matrix: Resuming: changes
  func testUploadOfAFileWhoseChangeFailsAPartIsAborted() async throws {
    let cloud = try await Cloud(self)
    let file = try TemporaryDirectory(self).write(pattern(Self.size), to: "large.bin")
    let checkpoint = MemoryCheckpoint<UploadCheckpoint>()
    let transport = InterruptedTransport { sent in
      // The first parts have been read, and the others wait for their answers.
      if sent.part != nil { try? FileHandle(forWritingTo: URL(filePath: file.string)).write(contentsOf: [1]) }
      return nil
    }
    let store = try XCTUnwrap(cloud.oss(over: transport).underlyingStore as? any ResumingFileStore)
    let payload = FilePayload(try await LocalFile.reading(file), refusesChanges: true)
    await assertThrows(
      StorageError.self,
      {
        try await store.upload(payload, to: "k", checkpoint: checkpoint, options: UploadOptions(), progress: nil)
      }
    ) { XCTAssertEqual($0.code, .sourceChanged) }
    XCTAssertFalse(transport.parts.contains(10))
    XCTAssertNil(checkpoint.value)
    let left = try await cloud.oss().unfinishedUploads().reduce(into: []) { $0.append($1) }
    XCTAssertEqual(left, [])
  }

  // matrix: Resuming: upload
  func testUploadThatTheServiceCompletedIsRecognized() async throws {
    let cloud = try await Cloud(self)
    let file = try TemporaryDirectory(self).write(pattern(Self.size), to: "large.bin")
    for provider in ResumableProvider.allCases {
      let checkpoint = MemoryCheckpoint<UploadCheckpoint>()
      let first = InterruptedTransport { $0.completes ? .after : nil }
      await assertThrows(TransportError.self) {
        try await provider.store(cloud, first, attempts: 1).upload(file, to: "\(provider)", checkpoint: checkpoint)
      }
      XCTAssertEqual(checkpoint.value?.parts.count, 10)
      let second = InterruptedTransport()
      let object = try await provider.store(cloud, second).upload(file, to: "\(provider)", checkpoint: checkpoint)
      XCTAssertEqual(object.size, Int64(Self.size))
      XCTAssertEqual(second.sent.map(\.method), [.get, .head], "\(provider)")
      XCTAssertNil(checkpoint.value)
    }
  }

  // matrix: Resuming: unfinished uploads
  func testAbortedUploadStartsAnew() async throws {
    let cloud = try await Cloud(self)
    let file = try TemporaryDirectory(self).write(pattern(Self.size), to: "large.bin")
    let checkpoint = MemoryCheckpoint<UploadCheckpoint>()
    _ = try await interrupt(at: 6, file, cloud, checkpoint)
    let id = try XCTUnwrap(checkpoint.value?.uploadID)
    let unfinished = try await cloud.oss().unfinishedUploads().reduce(into: []) { $0.append($1) }
    XCTAssertEqual(unfinished.map(\.uploadID), [id])
    for _ in 0..<2 { try await cloud.oss().abort(UnfinishedUpload(key: "k", uploadID: id)) }
    let second = InterruptedTransport()
    try await cloud.oss(over: second).upload(file, to: "k", checkpoint: checkpoint)
    XCTAssertEqual(second.parts, Array(1...10))
  }

  // matrix: Resuming: upload
  func testCancelledUploadRemainsAndIsContinued() async throws {
    let cloud = try await Cloud(self)
    let file = try TemporaryDirectory(self).write(pattern(Self.size), to: "large.bin")
    let checkpoint = MemoryCheckpoint<UploadCheckpoint>()
    let (reached, signal) = AsyncStream<Void>.makeStream()
    let first = InterruptedTransport { sent in
      guard sent.part == 6 else { return nil }
      signal.yield()
      try? await Task.sleep(for: .seconds(3600))
      return .before
    }
    let upload = Task { try await cloud.oss(over: first).upload(file, to: "k", checkpoint: checkpoint) }
    for await _ in reached { break }
    upload.cancel()
    await assertThrows(CancellationError.self) { _ = try await upload.value }
    let second = InterruptedTransport()
    try await cloud.oss(over: second).upload(file, to: "k", checkpoint: checkpoint)
    XCTAssertLessThan(second.parts.count, 10)
    XCTAssertNil(checkpoint.value)
  }

  // matrix: Resuming: checkpoint
  func testCheckpointOfAnotherTransferIsRejectedAndKept() async throws {
    let cloud = try await Cloud(self)
    let directory = try TemporaryDirectory(self)
    let file = try directory.write(pattern(Self.size), to: "large.bin")
    let small = try directory.write([1], to: "small.bin")
    let checkpoint = MemoryCheckpoint<UploadCheckpoint>()
    _ = try await interrupt(at: 6, file, cloud, checkpoint)
    let saved = checkpoint.value
    for file in [file, small] {
      await assertThrows(
        StorageError.self, { try await cloud.oss().upload(file, to: "other", checkpoint: checkpoint) }
      ) { error in
        XCTAssertEqual(error.code, .invalidOption)
        XCTAssertTrue(error.message.contains("oss://\(Cloud.bucket)/k"), error.message)
      }
    }
    XCTAssertEqual(checkpoint.value, saved)
  }

  // matrix: Resuming: checkpoint
  func testFileThatBecameSmallReplacesTheUnfinishedUpload() async throws {
    let cloud = try await Cloud(self)
    let directory = try TemporaryDirectory(self)
    let file = try directory.write(pattern(Self.size), to: "large.bin")
    let checkpoint = MemoryCheckpoint<UploadCheckpoint>()
    _ = try await interrupt(at: 6, file, cloud, checkpoint)
    _ = try directory.write([1, 2], to: "large.bin")
    try await cloud.oss().upload(file, to: "k", checkpoint: checkpoint)
    XCTAssertNil(checkpoint.value)
    let left = try await cloud.oss().unfinishedUploads().reduce(into: []) { $0.append($1) }
    XCTAssertEqual(left, [])
    let stored = try await cloud.oss().download("k", upTo: 10)
    XCTAssertEqual(stored, [1, 2])
  }

  // matrix: Resuming: checkpoint
  func testMalformedCheckpointStartsTheUploadAnew() async throws {
    let cloud = try await Cloud(self)
    let file = try TemporaryDirectory(self).write(pattern(Self.size), to: "large.bin")
    let checkpoint = MemoryCheckpoint<UploadCheckpoint>()
    _ = try await interrupt(at: 9, file, cloud, checkpoint)
    let saved = try XCTUnwrap(checkpoint.value)
    let part = try XCTUnwrap(saved.parts.first)
    func changed(_ number: Int, _ length: Int64) -> UploadCheckpoint.Part {
      .init(number: number, length: length, etag: part.etag, checksum: part.checksum)
    }
    let wrong = [
      [part, part], [changed(0, part.length)], [changed(11, part.length)], [changed(1, 5)], [changed(.min, .min)],
    ]
    for parts in wrong {
      checkpoint.value = saved
      checkpoint.value?.parts = parts
      let second = InterruptedTransport()
      try await cloud.oss(over: second).upload(file, to: "k", checkpoint: checkpoint)
      XCTAssertEqual(second.parts, Array(1...10))
    }
  }

  // matrix: Resuming: checkpoint
  func testCheckpointsAreSavedInWorkThatIsLinearInTheNumberOfParts() async throws {
    let count = 600
    let directory = try TemporaryDirectory(self)
    let file = try directory.write([UInt8](repeating: 1, count: count * 102_400), to: "large.bin")
    let service = MultipartService()
    let checkpoint = MemoryCheckpoint<UploadCheckpoint>()
    try await ossClient(RecordingTransport(service.answer)).upload(file, to: "k", checkpoint: checkpoint)
    let entries = checkpoint.saves.reduce(0) { $0 + $1.parts.count }
    XCTAssertEqual(checkpoint.saves.last?.parts.count, count)
    XCTAssertLessThan(entries, 130 * count)
    for (first, second) in zip(checkpoint.saves, checkpoint.saves.dropFirst()) {
      XCTAssertLessThanOrEqual(second.parts.count - first.parts.count, 1 + first.parts.count / 100)
    }
  }

  // matrix: Resuming: checkpoint
  func testCheckpointContainsNoCredentialAndNoHeader() async throws {
    let cloud = try await Cloud(self)
    let file = try TemporaryDirectory(self).write(pattern(Self.size), to: "large.bin")
    let checkpoint = MemoryCheckpoint<UploadCheckpoint>()
    let transport = InterruptedTransport { $0.part == 6 ? .before : nil }
    let options = UploadOptions(metadata: ["owner": "my-private-name"])
    await assertThrows(TransportError.self) {
      try await cloud.oss(key: temporaryKey, over: transport).upload(
        file, to: "k", checkpoint: checkpoint, options: options)
    }
    let saved = try XCTUnwrap(checkpoint.value)
    let text = String(decoding: try JSONEncoder().encode(saved), as: UTF8.self) + "\(saved)"
    for secret in ["not-a-secret", "token+/=", temporaryKey.id.string, "my-private-name", "owner"] {
      XCTAssertFalse(text.contains(secret), text)
    }
    XCTAssertTrue(text.contains(saved.uploadID))
  }

  // matrix: Resuming: checkpoint
  func testFailureToSaveTheCheckpointFailsTheUpload() async throws {
    struct Full: Error {}
    struct FullDisk: CheckpointStorage {
      func load() -> UploadCheckpoint? { nil }
      func save(_ checkpoint: UploadCheckpoint) throws { throw Full() }
      func remove() {}
    }
    let cloud = try await Cloud(self)
    let file = try TemporaryDirectory(self).write(pattern(Self.size), to: "large.bin")
    await assertThrows(Full.self) { try await cloud.oss().upload(file, to: "k", checkpoint: FullDisk()) }
    let left = try await cloud.oss().unfinishedUploads().reduce(into: []) { $0.append($1) }
    XCTAssertEqual(left, [])
  }
}

/// The services whose uploads and downloads can be continued.
enum ResumableProvider: CaseIterable {
  case oss, cos, s3

  func store(
    _ cloud: Cloud, _ transport: any HTTPTransport = NetworkTransport.shared, attempts: Int = 3
  ) -> any BucketStore {
    var configuration = StorageClientConfiguration.test
    configuration.attempts = attempts
    return switch self {
    case .oss: cloud.oss(configuration: configuration, over: transport)
    case .cos: cloud.cos(configuration: configuration, over: transport)
    case .s3: cloud.s3(configuration: configuration, over: transport)
    }
  }
}
