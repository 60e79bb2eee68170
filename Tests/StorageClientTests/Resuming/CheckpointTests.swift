// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import Foundation
import LocalCloud
import StorageCrypto
import XCTest

@testable import StorageClient

/// Tests the places of checkpoints, the record of a download, and the list of unfinished uploads.
final class CheckpointTests: XCTestCase {
  private let download = DownloadCheckpoint(
    location: "oss://photos/k", identity: nil, size: 1 << 30, etag: "\"E\"", versionID: nil, partialFile: ".k.part")

  // matrix: Resuming: checkpoint
  func testFileKeepsTheLatestCheckpointForItsOwnerOnly() async throws {
    let directory = try TemporaryDirectory(self)
    let file = CheckpointFile<DownloadCheckpoint>(directory.path("k.download"))
    let none = try await file.load()
    XCTAssertNil(none)
    var checkpoint = download
    for length: Int64 in [5, 9] {
      checkpoint.ranges = [.init(offset: 0, length: length, checksum: ObjectChecksum(.crc64NVME, .max))]
      try await file.save(checkpoint)
      let loaded = try await file.load()
      XCTAssertEqual(loaded, checkpoint)
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path.string)
    XCTAssertEqual((attributes[.posixPermissions] as? NSNumber)?.intValue, 0o600)
    XCTAssertEqual(try directory.names, ["k.download"])
    // What a process leaves that ends while it saves.
    _ = try directory.write([1], to: ".k.download.new")
    try await file.save(checkpoint)
    XCTAssertEqual(try directory.names, ["k.download"])
    _ = try directory.write([1], to: ".k.download.new")
    try await file.remove()
    try await file.remove()
    XCTAssertEqual(try directory.names, [])
  }

  // matrix: Resuming: checkpoint
  func testFileThatIsNoCheckpointIsAnError() async throws {
    let directory = try TemporaryDirectory(self)
    let path = directory.path("k.upload")
    let valid = String(decoding: try JSONEncoder().encode(download), as: UTF8.self)
    for text in ["{", "[]", "{\"location\":5}", valid, String(valid.dropLast(5)), "\u{0}"] {
      try Data(text.utf8).write(to: URL(filePath: path.string))
      await assertThrows(StorageError.self, { _ = try await CheckpointFile<UploadCheckpoint>(path).load() }) { error in
        XCTAssertEqual(error.code, .unusableFile)
        XCTAssertTrue(error.message.contains(path.string), error.message)
      }
    }
    try Data().write(to: URL(filePath: path.string))
    let empty = try await CheckpointFile<UploadCheckpoint>(path).load()
    XCTAssertNil(empty)
    try Data((valid + String(repeating: " ", count: 17 << 20)).utf8).write(to: URL(filePath: path.string))
    await assertThrows(StorageError.self) { _ = try await CheckpointFile<DownloadCheckpoint>(path).load() }
  }

  // matrix: Resuming: checkpoint
  func testPlaceForACheckpointBelowAFileIsAnError() async throws {
    let directory = try TemporaryDirectory(self)
    _ = try directory.write([1], to: "file")
    let checkpoint = CheckpointFile<UploadCheckpoint>(directory.path("file/k.upload"))
    for operation in [{ _ = try await checkpoint.load() }, { try await checkpoint.remove() }] {
      await assertThrows(StorageError.self, operation) { XCTAssertEqual($0.code, .unusableFile) }
    }
  }

  func testChecksumsAreEncodedAsText() throws {
    for checksum in [ObjectChecksum(.crc64, .max), .init(.crc64NVME, 0), .init(.crc32, 7), .init(.crc32C, 9)] {
      let data = try JSONEncoder().encode([checksum])
      XCTAssertEqual(try JSONDecoder().decode([ObjectChecksum].self, from: data), [checksum])
    }
    for text in ["[\"CRC-64\"]", "[\"CRC-65 1\"]", "[\"CRC-64 -1\"]", "[\"CRC-64 18446744073709551616\"]", "[5]"] {
      XCTAssertThrowsError(try JSONDecoder().decode([ObjectChecksum].self, from: Data(text.utf8)), text)
    }
  }

  // matrix: Resuming: download
  func testRecordJoinsAdjacentRangesUpToAFractionOfTheObject() async throws {
    let storage = MemoryCheckpoint<DownloadCheckpoint>()
    let record = DownloadRecord(download, storage, savesAfter: 1 << 20)
    let length: Int64 = 1 << 20
    var generator = SystemRandomNumberGenerator()
    let bytes = [UInt8](repeating: 1, count: 1 << 20)
    for index in (0..<Int64(1024)).shuffled(using: &generator) {
      let range = DownloadCheckpoint.WrittenRange(offset: index * length, length: length, checksum: crc(bytes))
      try await record.update(range, adding: length)
      await record.complete(range)
    }
    let checkpoint = await record.checkpoint
    XCTAssertEqual(checkpoint.missingRanges, [])
    XCTAssertLessThanOrEqual(checkpoint.ranges.count, 256)
    XCTAssertTrue(checkpoint.ranges.allSatisfy { $0.length <= 8 << 20 })
    var whole = CRC(.crc64ECMA)
    for _ in 0..<1024 { whole.update(bytes) }
    let joined = checkpoint.ranges.reduce(ObjectChecksum(.crc64, of: [])) {
      $0.followed(by: $1.checksum, byteCount: $1.length)
    }
    XCTAssertEqual(joined.value, whole.checksum)
    XCTAssertEqual(storage.saves.count, 1024)
  }

  // matrix: Resuming: download
  func testRequestsWaitWhileTheCheckpointIsSaved() async throws {
    let storage = SlowStorage()
    let record = DownloadRecord(download, storage, savesAfter: 10)
    func range(_ offset: Int64, _ length: Int64) -> DownloadCheckpoint.WrittenRange {
      .init(offset: offset, length: length, checksum: ObjectChecksum(.crc64, 1))
    }
    async let first: Void = record.update(range(0, 10), adding: 10)
    for await _ in storage.reached { break }
    let finished = Collected<Int>()
    let second = Task {
      try await record.update(range(100, 1), adding: 1)
      finished.append(1)
    }
    for _ in 0..<1000 { await Task.yield() }
    XCTAssertEqual(finished.values, [])
    storage.open.finish()
    try await first
    try await second.value
    XCTAssertEqual(finished.values, [1])
    let checkpoint = await record.checkpoint
    XCTAssertEqual(checkpoint.ranges, [range(0, 10), range(100, 1)])
  }

  // matrix: Resuming: unfinished uploads
  func testUnfinishedUploadsAreListedInPagesAndAborted() async throws {
    let cloud = try await Cloud(self)
    for provider in ResumableProvider.allCases {
      let store = provider.store(cloud)
      var started: [String: String] = [:]
      let keys = (0..<12).map { "logs/\($0)" } + ["logs/a b+&%é/ü", "other"]
      for key in keys {
        started[key] = try await provider.begin(cloud, key)
        if key == "logs/3" { started["logs/3 again"] = try await provider.begin(cloud, key) }
      }
      let listed = try await store.unfinishedUploads(prefix: "logs/").reduce(into: []) { $0.append($1) }
      XCTAssertEqual(Set(listed.map(\.key)), Set(keys).subtracting(["other"]), "\(provider)")
      XCTAssertEqual(listed.count, 14, "\(provider)")
      XCTAssertTrue(listed.allSatisfy { $0.started != nil && started.values.contains($0.uploadID) }, "\(provider)")
      for upload in listed { try await store.abort(upload) }
      let rest = try await store.unfinishedUploads().reduce(into: []) { $0.append($1) }
      XCTAssertEqual(rest.map(\.key), ["other"], "\(provider)")
      for upload in rest { try await store.abort(upload) }
    }
  }

  func testPagesThatCannotBeContinuedAreErrors() async throws {
    let pages = [
      uploadsAnswer(end: "<IsTruncated>true</IsTruncated>"),
      uploadsAnswer(end: "<IsTruncated>true</IsTruncated><NextKeyMarker></NextKeyMarker>"),
      uploadsAnswer("<Upload><Key>k</Key></Upload>", end: "<IsTruncated>false</IsTruncated>"),
      uploadsAnswer("<Upload><UploadId>U</UploadId></Upload>", end: "<IsTruncated>false</IsTruncated>"),
      uploadsAnswer(end: "<IsTruncated>true</IsTruncated><NextKeyMarker>k</NextKeyMarker>"),
    ]
    for page in pages {
      let transport = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200, page) }
      await assertThrows(
        StorageError.self, { for try await _ in ossClient(transport).unfinishedUploads() {} }
      ) { XCTAssertEqual($0.code, .malformedResponse) }
      XCTAssertLessThanOrEqual(transport.requests.count, 2)
    }
  }
}

/// A place for checkpoints that answers when the test allows it.
private final class SlowStorage: CheckpointStorage {
  let reached: AsyncStream<Void>
  let open: AsyncStream<Void>.Continuation
  private let signal: AsyncStream<Void>.Continuation
  private let gate: AsyncStream<Void>

  init() {
    (reached, signal) = AsyncStream.makeStream()
    (gate, open) = AsyncStream.makeStream()
  }

  func load() -> DownloadCheckpoint? { nil }

  func save(_ checkpoint: DownloadCheckpoint) async {
    signal.yield()
    for await _ in gate {}
  }

  func remove() {}
}

extension ResumableProvider {
  /// Starts a multipart upload without parts, and returns its ID.
  fileprivate func begin(_ cloud: Cloud, _ key: String) async throws -> String {
    switch self {
    case .oss: try await MultipartUpload.begin(.init(sender: cloud.oss().sender), key: key, headers: [:]).id.text
    case .cos: try await MultipartUpload.begin(.init(sender: cloud.cos().sender), key: key, headers: [:]).id.text
    case .s3: try await MultipartUpload.begin(.init(sender: cloud.s3().sender), key: key, headers: [:]).id.text
    }
  }
}
