// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import LocalCloud
import StorageClient
import XCTest

/// Tests that objects are unchanged after upload and download with every provider.
final class RoundTripTests: XCTestCase {
  /// Uploads and downloads a file with code that is the same for every provider.
  private func roundTrip(_ file: FilePath, through store: some ObjectStore, to copy: FilePath) async throws {
    try await store.upload(file, to: "2026/11/20/cat.jpg", metadata: ["author": "Mia 猫"])
    try await store.download("2026/11/20/cat.jpg", to: copy)
  }

  func testTheSameFilesWorkWithEveryProvider() async throws {
    let cloud = try await Cloud(self)
    for (name, store) in cloud.stores() + cloud.stores(key: temporaryKey) {
      for count in [0, 1, 100_000, 450_000] {
        let directory = try TemporaryDirectory(self)
        let bytes = pattern(count, seed: UInt64(count))
        try await roundTrip(try directory.write(bytes, to: "in"), through: store, to: directory.path("out"))
        XCTAssertEqual(try directory.read("out"), bytes, "\(name), \(count) bytes")
        let info = try await store.head("2026/11/20/cat.jpg")
        XCTAssertEqual(info.size, Int64(count), name)
        XCTAssertEqual(info.checksum, ObjectChecksum(name == "S3 V4" ? .crc64NVME : .crc64, of: bytes), name)
        XCTAssertEqual(info.metadata, ["author": "Mia 猫"], name)
        XCTAssertEqual(info.contentType, "image/jpeg", name)
        XCTAssertNotNil(info.lastModified, name)
        XCTAssertNotNil(info.etag, name)
      }
    }
    let statistics = cloud.server.statistics
    XCTAssertTrue(statistics.refused.isEmpty || Set(statistics.refused.keys) == ["InvalidRange"])
    XCTAssertEqual(statistics.verified.count, 4)
  }

  func testBytesAndStreamsAreUnchanged() async throws {
    let cloud = try await Cloud(self)
    let bytes = pattern(350_000)
    for (name, store) in cloud.stores() {
      try await store.upload(bytes, to: "bytes")
      let chunks = AsyncStream<[UInt8]> { continuation in
        for start in stride(from: 0, to: bytes.count, by: 9_999) {
          continuation.yield(Array(bytes[start..<min(start + 9_999, bytes.count)]))
        }
        continuation.finish()
      }
      try await store.upload(chunks, to: "stream")
      for key in ["bytes", "stream"] {
        let back = try await store.download(key, upTo: 1 << 20)
        XCTAssertEqual(back, bytes, "\(name), \(key)")
      }
      let range = try await store.download("bytes", upTo: 100, options: DownloadOptions(range: ByteRange(1000..<1100)))
      XCTAssertEqual(range, Array(bytes[1000..<1100]), name)
    }
  }

  func testUnusualKeysAreUploadedListedAndDeleted() async throws {
    let cloud = try await Cloud(self)
    let keys = [
      "a//b", "a/../b", "a/./b", "a%2Fb", "a+b", "a b", "a&b=c", "<a>\"'", "猫/🐈‍⬛", "a\tb\nc\rd", "a\u{1}b",
      "~!*'();:@$,[]",
      "?a#b", "..", String(repeating: "k", count: 1023), String(repeating: "猫", count: 341),
    ]
    .filter { !NetworkTransport.isURLSession || !NetworkTransport.keysRefusedByURLSession.contains($0) }
    .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    for (name, store) in cloud.stores() {
      for key in keys { try await store.upload(Array(key.utf8), to: key) }
      var listed: [String] = []
      for try await entry in store.list() { listed.append(entry.name) }
      XCTAssertEqual(listed, keys, name)
      for key in keys {
        let bytes = try await store.download(key, upTo: 2000)
        XCTAssertEqual(bytes, Array(key.utf8), name)
      }
      try await store.copy(from: "a%2Fb", to: "copy of a+b")
      let copy = try await store.download("copy of a+b", upTo: 100)
      XCTAssertEqual(copy, Array("a%2Fb".utf8), name)
      let report = try await store.delete(keys + ["copy of a+b", "never there"])
      XCTAssertEqual(report.failures, [], name)
      for try await entry in store.list() { XCTFail("\(name): \(entry.name) is still there") }
    }
  }

  func testListingFoldsAndPages() async throws {
    let cloud = try await Cloud(self)
    for (name, store) in cloud.stores() {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<25 { group.addTask { _ = try await store.upload([], to: "many/\(index)") } }
        try await group.waitForAll()
      }
      try await store.upload([1], to: "a/1")
      try await store.upload([1], to: "top")
      var names: [String] = []
      for try await entry in store.list(prefix: "", delimiter: "/") { names.append(entry.name) }
      XCTAssertEqual(names, ["a/", "many/", "top"], name)
      var count = 0
      for try await _ in store.list(prefix: "many/") { count += 1 }
      XCTAssertEqual(count, 25, name)
      try await store.delete((0..<25).map { "many/\($0)" })
      try await store.delete(["a/1", "top"])
    }
  }

  func testOverwritingCanBeForbidden() async throws {
    let cloud = try await Cloud(self)
    for (name, store) in cloud.stores() {
      let key = "once-\(name)"
      for count in [10, 300_000] {
        try? await store.delete(key)
        try await store.upload(pattern(count), to: key, options: UploadOptions(forbidOverwrite: true))
        await assertThrows(
          ServiceError.self,
          { try await store.upload([1], to: key, options: UploadOptions(forbidOverwrite: true)) }
        ) { XCTAssertEqual($0.kind, .alreadyExists, name) }
      }
    }
  }

  func testBucketsAreCreatedAndFound() async throws {
    let cloud = try await Cloud(self)
    let oss = cloud.oss(bucket: "new-bucket")
    let cos = cloud.cos(bucket: "new-bucket-1250000000")
    for (exists, create) in [
      (oss.bucketExists, oss.createBucket), (cos.bucketExists, cos.createBucket),
    ] {
      let before = try await exists()
      XCTAssertFalse(before)
      try await create()
      let after = try await exists()
      XCTAssertTrue(after)
    }
  }
}
