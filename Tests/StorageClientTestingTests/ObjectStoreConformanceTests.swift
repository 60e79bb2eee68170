// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import StorageAuth
import StorageAuthTesting
import StorageClient
import StorageClientTesting
import SystemPackage
import XCTest

/// The suite of object stores: the store in memory conforms, and each broken store is reported.
final class ObjectStoreConformanceTests: XCTestCase {
  private func folder() throws -> FilePath {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("object-store-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    addTeardownBlock { try FileManager.default.removeItem(at: url) }
    return FilePath(url.path)
  }

  /// Asserts that the suite reports a store with a defect for a rule, and reports the same rule as kept without it.
  private func assertBreaks(
    _ rule: ObjectStoreRule, file: StaticString = #filePath, line: UInt = #line, _ twist: (inout TwistedStore) -> Void
  ) async throws {
    let folder = try folder()
    let sound = await ObjectStoreConformance(TwistedStore(), in: folder).report([rule])
    XCTAssertTrue(sound.isConforming, "\(sound)", file: file, line: line)
    var store = TwistedStore()
    twist(&store)
    let report = await ObjectStoreConformance(
      store, in: try self.folder(), patience: .milliseconds(200)
    ).report([rule])
    XCTAssertEqual(report.failures.map(\.rule), [rule.rawValue], "\(report)", file: file, line: line)
  }

  func testStoreInMemoryConformsAndIsEmptyAfterwards() async throws {
    let store = InMemoryStore(pageSize: 10)
    store["other"] = [1]
    let report = await ObjectStoreConformance(store, in: try folder()).report()
    XCTAssertTrue(report.isConforming, "\(report)")
    XCTAssertEqual(report.checks.count, ObjectStoreRule.allCases.count)
    var names: [String] = []
    for try await entry in store.list() { names.append(entry.name) }
    XCTAssertEqual(names, ["other"])
  }

  // MARK: Contents

  func testLostEndOfALargeObjectIsReported() async throws {
    try await assertBreaks(.roundTrip) { store in
      store.uploading = { base, source, key, options, progress in
        let bytes = try await bytes(of: source)
        let object = try await base.upload(
          .bytes(bytes.count > 100_000 ? bytes.dropLast() : bytes), to: key, options: options, progress: progress)
        return UploadedObject(key: key, size: Int64(bytes.count), etag: object.etag, checksum: nil)
      }
    }
  }

  func testLostMetadataAreReported() async throws {
    try await assertBreaks(.attributes) { store in
      store.uploading = { base, source, key, options, progress in
        var options = options
        options.metadata = [:]
        return try await base.upload(source, to: key, options: options, progress: progress)
      }
    }
  }

  func testHiddenEmptyObjectsAreReported() async throws {
    try await assertBreaks(.emptyObject) { store in
      store.listing = { base, prefix, delimiter in
        pages(base, prefix, delimiter) { entries in
          entries.filter { if case .object(let object) = $0 { object.size > 0 } else { true } }
        }
      }
    }
  }

  func testStreamThatIsReadTwiceIsReported() async throws {
    try await assertBreaks(.singleRead) { store in
      store.uploading = { base, source, key, options, progress in
        let bytes = try await source.read { stream, _ in
          // A digest of the body, before the body is sent.
          for try await _ in stream {}
          return try await stream.collected(upTo: .max) ?? []
        }
        return try await base.upload(.bytes(bytes), to: key, options: options, progress: progress)
      }
    }
  }

  func testIgnoredLengthIsReported() async throws {
    try await assertBreaks(.announcedLength) { store in
      store.uploading = { base, source, key, options, progress in
        try await base.upload(.bytes(try await bytes(of: source)), to: key, options: options, progress: progress)
      }
    }
  }

  func testStoredBeginningOfAFailedSourceIsReported() async throws {
    try await assertBreaks(.sourceFailure) { store in
      store.uploading = { base, source, key, options, progress in
        let (bytes, failure) = try await source.read { stream, _ in
          var bytes: [UInt8] = []
          do {
            for try await chunk in stream { bytes += chunk }
            return (bytes, (any Error)?.none)
          } catch {
            return (bytes, error)
          }
        }
        let object = try await base.upload(.bytes(bytes), to: key, options: options, progress: progress)
        if let failure { throw failure }
        return object
      }
    }
  }

  func testWrappedErrorOfASourceIsReported() async throws {
    try await assertBreaks(.sourceFailure) { store in
      store.uploading = { base, source, key, options, progress in
        do {
          return try await base.upload(source, to: key, options: options, progress: progress)
        } catch {
          throw StorageError(.unusableFile, "\(error)", remedy: "None.")
        }
      }
    }
  }

  func testForbiddenOverwritingIsReported() async throws {
    try await assertBreaks(.overwriting) { store in
      store.uploading = { base, source, key, options, progress in
        var options = options
        options.forbidOverwrite = false
        return try await base.upload(source, to: key, options: options, progress: progress)
      }
    }
  }

  func testForbiddenOverwritingByALargeObjectOrAStreamIsReported() async throws {
    try await assertBreaks(.overwriting) { store in
      store.uploading = { base, source, key, options, progress in
        let bytes = try await bytes(of: source)
        var options = options
        if bytes.count > 100_000 { options.forbidOverwrite = false }
        return try await base.upload(.bytes(bytes), to: key, options: options, progress: progress)
      }
    }
    try await assertBreaks(.overwriting) { store in
      store.uploading = { base, source, key, options, progress in
        var options = options
        if case .stream = source.storage { options.forbidOverwrite = false }
        return try await base.upload(source, to: key, options: options, progress: progress)
      }
    }
  }

  func testRefusalToCreateAnObjectWithForbiddenOverwritingIsReported() async throws {
    try await assertBreaks(.overwriting) { store in
      store.uploading = { base, source, key, options, progress in
        if options.forbidOverwrite {
          throw ServiceError(
            code: "FileAlreadyExists", message: "It exists.", status: .conflict, kind: .alreadyExists,
            subject: "PUT \(key)")
        }
        return try await base.upload(source, to: key, options: options, progress: progress)
      }
    }
  }

  func testWrongProgressIsReported() async throws {
    try await assertBreaks(.progress) { store in
      store.uploading = { base, source, key, options, _ in
        try await base.upload(source, to: key, options: options, progress: nil)
      }
    }
    try await assertBreaks(.progress) { store in
      store.uploading = { base, source, key, options, progress in
        progress?(TransferProgress(completed: 1 << 40, total: nil))
        return try await base.upload(source, to: key, options: options, progress: progress)
      }
    }
    try await assertBreaks(.progress) { store in
      store.downloading = { base, key, file, _ in
        try await base.download(key, to: file, options: DownloadOptions(), progress: nil)
      }
    }
  }

  func testIgnoredCancellationIsReported() async throws {
    try await assertBreaks(.cancellation) { store in
      store.uploading = { base, source, key, options, progress in
        try await Task { try await base.upload(source, to: key, options: options, progress: progress) }.value
      }
    }
    // Only a wait for the source is not ended.
    try await assertBreaks(.cancellation) { store in
      store.uploading = { base, source, key, options, progress in
        try Task.checkCancellation()
        return try await Task { try await base.upload(source, to: key, options: options, progress: progress) }.value
      }
    }
    try await assertBreaks(.cancellation) { store in
      store.downloading = { base, key, file, progress in
        try await Task { try await base.download(key, to: file, options: DownloadOptions(), progress: progress) }.value
      }
    }
  }

  func testMixedUploadsAreReported() async throws {
    let keys = Lock<[String]>([])
    let secondUpload = Gate(isClosed: true)
    try await assertBreaks(.concurrency) { store in
      store.uploading = { base, source, key, options, progress in
        let number = keys.withLock { keys in
          keys.append(key)
          return keys.count
        }
        if number == 2 { secondUpload.open() }
        guard number == 1 else { return try await base.upload(source, to: key, options: options, progress: progress) }
        // The first upload takes the key of the second one, which begins meanwhile.
        try await secondUpload.pass()
        return try await base.upload(source, to: keys.withLock { $0[1] }, options: options, progress: progress)
      }
    }
  }

  // MARK: Downloads

  func testIgnoredRangeIsReported() async throws {
    try await assertBreaks(.ranges) { store in
      store.opening = { base, key, _ in try await base.open(key, options: DownloadOptions()) }
    }
  }

  func testRangeWithOneByteMoreIsReported() async throws {
    try await assertBreaks(.ranges) { store in
      store.opening = { base, key, options in
        let size = try await base.head(key, headers: [:]).size ?? 0
        guard let range = options.range?.bytes(of: size), range.upperBound < size else {
          return try await base.open(key, options: options)
        }
        return try await base.open(
          key, options: DownloadOptions(range: ByteRange(range.lowerBound...range.upperBound)))
      }
    }
  }

  /// OSS returns the whole object.
  func testIgnoredExceedingRangeIsReported() async throws {
    try await assertBreaks(.exceedingRanges) { store in
      store.opening = { base, key, options in
        do {
          return try await base.open(key, options: options)
        } catch let error as ServiceError where error.kind == .invalidRange {
          return try await base.open(key, options: DownloadOptions())
        }
      }
    }
  }

  func testMissingObjectWithAnotherMeaningIsReported() async throws {
    try await assertBreaks(.missing) { store in
      store.describing = { base, key in
        do {
          return try await base.head(key, headers: [:])
        } catch {
          throw ServiceError(code: "Denied", message: "No.", status: .forbidden, subject: "HEAD \(key)")
        }
      }
    }
    try await assertBreaks(.missing) { store in
      store.opening = { base, key, options in
        do {
          return try await base.open(key, options: options)
        } catch {
          return DownloadedObject(info: ObjectInfo(key: key, size: 0), contentLength: 0, body: ByteStream([]))
        }
      }
    }
  }

  func testFileThatIsOverwrittenBeforeItsDownloadSucceedsIsReported() async throws {
    try await assertBreaks(.files) { store in
      store.downloading = { base, key, file, progress in
        try Data().write(to: URL(fileURLWithPath: file.string))
        return try await base.download(key, to: file, options: DownloadOptions(), progress: progress)
      }
    }
    // The end of a longer file remains.
    try await assertBreaks(.files) { store in
      store.downloading = { base, key, file, progress in
        let old = (try? Data(contentsOf: URL(fileURLWithPath: file.string))) ?? Data()
        let info = try await base.download(key, to: file, options: DownloadOptions(), progress: progress)
        let new = try Data(contentsOf: URL(fileURLWithPath: file.string))
        try (new + old.dropFirst(new.count)).write(to: URL(fileURLWithPath: file.string))
        return info
      }
    }
  }

  // MARK: Names

  func testDeletionThatFailsForMissingObjectsIsReported() async throws {
    try await assertBreaks(.deletion) { store in
      store.deleting = { base, key in
        _ = try await base.head(key, headers: [:])
        try await base.delete(key)
      }
    }
    try await assertBreaks(.deletion) { store in
      store.reporting = { base, keys in
        let there = keys.filter { base[$0] != nil }
        let report = try await base.delete(there)
        return DeletionReport(deleted: report.deleted, failures: report.failures)
      }
    }
  }

  func testDeletionOfOtherObjectsIsReported() async throws {
    try await assertBreaks(.deletion) { store in
      store.deleting = { base, key in
        for try await entry in base.list(prefix: key) { try await base.delete(entry.name) }
      }
    }
  }

  func testKeysThatBecomeOtherKeysAreReported() async throws {
    let changes: [@Sendable (String) -> String] = [
      { $0.precomposedStringWithCanonicalMapping }, { $0.replacing("//", with: "/") },
      { $0.removingPercentEncoding ?? $0 }, { $0.replacing("+", with: " ") }, { $0.lowercased() },
      { $0.replacing("\u{1}", with: "") },
      { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }, { $0.replacing("/./", with: "/") },
    ]
    for change in changes {
      try await assertBreaks(.names) { store in
        store.uploading = { base, source, key, options, progress in
          try await base.upload(source, to: change(key), options: options, progress: progress)
        }
        store.describing = { base, key in try await base.head(change(key), headers: [:]) }
        store.opening = { base, key, options in try await base.open(change(key), options: options) }
        store.deleting = { base, key in try await base.delete(change(key)) }
        store.reporting = { base, keys in try await base.delete(keys.map(change)) }
      }
    }
  }

  func testIncompleteListingIsReported() async throws {
    // Only the first page.
    try await assertBreaks(.order) { store in
      store.listing = { base, prefix, delimiter in
        pages(base, prefix, delimiter) { Array($0.prefix(10)) }
      }
    }
    // A second iteration continues where the first one ended.
    let iterations = Lock(0)
    try await assertBreaks(.order) { store in
      store.listing = { base, prefix, delimiter in
        pages(base, prefix, delimiter) { entries in
          let isFirst = iterations.withLock { iterations in
            iterations += 1
            return iterations == 1
          }
          return isFirst ? entries : []
        }
      }
    }
    // The order of UTF-16 code units, as in other languages.
    try await assertBreaks(.order) { store in
      store.listing = { base, prefix, delimiter in
        pages(base, prefix, delimiter) { entries in
          entries.sorted { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }
        }
      }
    }
    try await assertBreaks(.order) { store in
      store.listing = { base, prefix, delimiter in
        pages(base, prefix, delimiter) { entries in
          entries.map { .object(ListedObject(key: $0.name, size: 1)) }
        }
      }
    }
  }

  func testPrefixOfCharactersIsReported() async throws {
    try await assertBreaks(.prefixes) { store in
      store.listing = { base, prefix, delimiter in
        guard delimiter == nil else { return base.list(prefix: prefix, delimiter: delimiter) }
        return pages(base, "", nil) { entries in entries.filter { $0.name.hasPrefix(prefix) } }
      }
    }
    try await assertBreaks(.prefixes) { store in
      store.listing = { base, prefix, _ in base.list(prefix: prefix, delimiter: nil) }
    }
  }
}

private func bytes(of source: UploadSource) async throws -> [UInt8] {
  try await source.read { stream, _ in try await stream.collected(upTo: .max) ?? [] }
}

/// Returns a listing with one page, which has the changed entries of the store.
private func pages(
  _ base: InMemoryStore, _ prefix: String, _ delimiter: String?,
  _ change: @escaping @Sendable ([ListEntry]) -> [ListEntry]
) -> ObjectListing {
  ObjectListing { _ in
    var entries: [ListEntry] = []
    for try await entry in base.list(prefix: prefix, delimiter: delimiter) { entries.append(entry) }
    return ListPage(entries: change(entries), continuation: nil)
  }
}
