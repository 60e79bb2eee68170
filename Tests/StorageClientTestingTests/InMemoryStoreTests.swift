// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StorageAuth
import StorageAuthTesting
import StorageClient
import StorageClientTesting
import SystemPackage
import XCTest

/// Tests that the in-memory store for apps' unit tests behaves like a bucket.
final class InMemoryStoreTests: XCTestCase {
  private let date = Timestamp(unixSeconds: 1_795_161_600)

  private func makeStore(pageSize: Int = 1000) -> InMemoryStore {
    InMemoryStore(pageSize: pageSize, time: ManualClock(now: date))
  }

  private func kind(_ act: () async throws -> Void) async -> ServiceError.Kind? {
    do {
      try await act()
      return nil
    } catch {
      return (error as? ServiceError)?.kind
    }
  }

  func testLongestKeyIsConfigurable() async throws {
    for (store, limit) in [(InMemoryStore(), 1023), (InMemoryStore(keyByteLimit: 1024), 1024)] {
      let longest = String(repeating: "k", count: limit)
      try await store.upload(.bytes([1]), to: longest, options: UploadOptions(), progress: nil)
      do {
        try await store.upload(.bytes([1]), to: longest + "k", options: UploadOptions(), progress: nil)
        XCTFail("no error was thrown")
      } catch let error as StorageError {
        XCTAssertEqual(error.code, .invalidKey)
        XCTAssertEqual(error.remedy, "Use a key of 1 to \(limit) bytes.")
      }
    }
  }

  func testObjectIsReturnedAsStored() async throws {
    let store = makeStore()
    let uploaded = try await store.upload(
      .bytes(Array("hello".utf8)), to: "a/b",
      options: UploadOptions(contentType: "text/plain", metadata: ["Owner": "me"], storageClass: "IA"), progress: nil)
    // The MD5 and the CRC-64/XZ of "hello", from hashlib and from the polynomial of ECMA-182 in Python.
    XCTAssertEqual(uploaded.etag, "\"5D41402ABC4B2A76B9719D911017C592\"")
    XCTAssertEqual(uploaded.checksum, ObjectChecksum(.crc64, 0x9B1E_DAE5_DBB9_37B1))
    let info = try await store.head("a/b", headers: [:])
    XCTAssertEqual(info.size, 5)
    XCTAssertEqual(info.contentType, "text/plain")
    XCTAssertEqual(info.metadata, ["owner": "me"])
    XCTAssertEqual(info.storageClass, "IA")
    XCTAssertEqual(info.lastModified, date)
    XCTAssertEqual(store["a/b"], Array("hello".utf8))
  }

  func testFilesAndStreamsAreUploadedAndDownloaded() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (source, copy) = (folder.appending(path: "source"), folder.appending(path: "copy"))
    try Data("contents".utf8).write(to: source)
    let store = makeStore()
    try await store.upload(.file(FilePath(source.path)), to: "file", options: UploadOptions(), progress: nil)
    try await store.download("file", to: FilePath(copy.path), options: DownloadOptions(), progress: nil)
    XCTAssertEqual(try Data(contentsOf: copy), Data("contents".utf8))
    let chunks = AsyncStream<[UInt8]> { continuation in
      for byte in UInt8(1)...3 { continuation.yield([byte]) }
      continuation.finish()
    }
    try await store.upload(.stream(chunks), to: "stream", options: UploadOptions(), progress: nil)
    XCTAssertEqual(store["stream"], [1, 2, 3])
  }

  func testConditionsAndRangesBehaveAsForABucket() async throws {
    let store = makeStore()
    store["k"] = Array(0..<10)
    let etag = try await store.head("k", headers: [:]).etag
    let opened = try await store.open("k", options: DownloadOptions(range: ByteRange(2..<5)))
    var bytes: [UInt8] = []
    for try await chunk in opened.body { bytes += chunk }
    XCTAssertEqual(bytes, [2, 3, 4])
    XCTAssertEqual(opened.info.size, 10)
    XCTAssertEqual(opened.contentLength, 3)
    let cases: [(DownloadOptions, ServiceError.Kind?)] = [
      (DownloadOptions(ifMatch: etag), nil), (DownloadOptions(ifMatch: "\"x\""), .preconditionFailed),
      (DownloadOptions(ifNoneMatch: etag), .notModified), (DownloadOptions(ifNoneMatch: "\"x\""), nil),
      (DownloadOptions(ifModifiedSince: date), .notModified),
      // With an entity tag, the date does not count.
      (DownloadOptions(ifNoneMatch: "\"x\"", ifModifiedSince: date), nil),
      (DownloadOptions(ifModifiedSince: date.advanced(by: .seconds(-1))), nil),
      (DownloadOptions(range: ByteRange(10...)), .invalidRange), (DownloadOptions(range: .last(3)), nil),
    ]
    for (options, expected) in cases {
      let found = await kind { _ = try await store.open("k", options: options) }
      XCTAssertEqual(found, expected, "\(options)")
    }
    let overwriting = await kind {
      try await store.upload(.bytes([]), to: "k", options: UploadOptions(forbidOverwrite: true), progress: nil)
    }
    XCTAssertEqual(overwriting, .alreadyExists)
    XCTAssertEqual(store["k"]?.count, 10)
    do {
      _ = try await store.head("K", headers: [:])
      XCTFail("a missing object has a description")
    } catch let error as ServiceError {
      XCTAssertEqual(error.kind, .noSuchKey)
      XCTAssertEqual(error.subject, "HEAD K")
    }
  }

  func testReplacementNeedsTheEntityTagOfTheObject() async throws {
    let store = makeStore()
    store["k"] = [1]
    let etag = try await store.head("k", headers: [:]).etag
    let cases: [(key: String, etag: String?, kind: ServiceError.Kind?)] = [
      ("k", "\"x\"", .preconditionFailed), ("missing", etag, .noSuchKey), ("k", etag, nil),
      // The object has another tag since its replacement.
      ("k", etag, .preconditionFailed),
    ]
    for (key, etag, expected) in cases {
      let found = await kind {
        try await store.upload(.bytes([2]), to: key, options: UploadOptions(ifMatch: etag), progress: nil)
      }
      XCTAssertEqual(found, expected, key)
    }
    XCTAssertEqual(store["k"], [2])
    XCTAssertNil(store["missing"])
    do {
      try await store.upload(
        .bytes([3]), to: "k", options: UploadOptions(forbidOverwrite: true, ifMatch: etag), progress: nil)
      XCTFail("contradictory options were accepted")
    } catch let error as StorageError {
      XCTAssertEqual(error.code, .invalidOption)
    }
  }

  func testContentHeadersAreReturned() async throws {
    let store = makeStore()
    let options = UploadOptions(cacheControl: "no-cache", contentDisposition: "attachment", contentEncoding: "gzip")
    try await store.upload(.bytes([1]), to: "k", options: options, progress: nil)
    let expected: HTTPFields = [
      .cacheControl: "no-cache", .contentDisposition: "attachment", .contentEncoding: "gzip",
    ]
    let described = try await store.head("k", headers: [:]).headers
    XCTAssertEqual(described, expected)
    let opened = try await store.open("k", options: DownloadOptions()).info.headers
    XCTAssertEqual(opened, expected)
  }

  func testOnlyVersionIsNull() async throws {
    let store = makeStore()
    store["k"] = [1]
    _ = try await store.open("k", options: DownloadOptions(versionID: "null"))
    do {
      _ = try await store.open("k", options: DownloadOptions(versionID: "v1"))
      XCTFail("an unknown version has bytes")
    } catch let error as ServiceError {
      XCTAssertEqual(error.code, "NoSuchVersion")
      XCTAssertEqual(error.status, .notFound)
    }
  }

  func testListingsAreInByteOrderAndInPages() async throws {
    let store = makeStore(pageSize: 2)
    for key in ["a/1", "a/2", "b", "é", "e\u{301}", "Z", "c/1", "c/2"] { store[key] = [] }
    var names: [String] = []
    for try await entry in store.list(prefix: "", delimiter: "/") { names.append(entry.name) }
    XCTAssertEqual(names.map { Array($0.utf8) }, ["Z", "a/", "b", "c/", "e\u{301}", "é"].map { Array($0.utf8) })
    names = []
    for try await entry in store.list(prefix: "a/", delimiter: nil) { names.append(entry.name) }
    XCTAssertEqual(names, ["a/1", "a/2"])
    let report = try await store.delete(["a/1", "a/9"])
    XCTAssertEqual(report.deleted, ["a/1", "a/9"])
    XCTAssertNil(store["a/1"])
    XCTAssertNotNil(store["a/2"])
  }

  func testFailuresCanBeInjectedAndCallsAreRecorded() async throws {
    let store = makeStore()
    store["k"] = [1]
    store.fail(.upload, times: 2, with: InMemoryStore.throttled)
    store.fail(key: "other", with: CancellationError())
    for _ in 0..<2 {
      let failed = await kind {
        try await store.upload(.bytes([2]), to: "k", options: UploadOptions(), progress: nil)
      }
      XCTAssertEqual(failed, .throttled)
    }
    XCTAssertEqual(store["k"], [1])
    try await store.upload(.bytes([2]), to: "k", options: UploadOptions(), progress: nil)
    XCTAssertEqual(store["k"], [2])
    do {
      _ = try await store.head("other", headers: [:])
      XCTFail("the injected failure was not thrown")
    } catch {
      XCTAssertTrue(error is CancellationError)
    }
    XCTAssertEqual(
      store.calls, [.init(.upload, "k"), .init(.upload, "k"), .init(.upload, "k"), .init(.head, "other")])
  }
}
