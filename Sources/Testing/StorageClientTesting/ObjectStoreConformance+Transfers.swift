// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageAuthTesting
internal import StorageClient
internal import SystemPackage

/// The checks of downloads, and of the progress and the cancellation of both directions.
extension ObjectStoreConformance {
  func checkRanges(below root: String) async throws -> Int {
    let ranges = [ByteRange(0..<1), ByteRange(10..<500), ByteRange(999...), ByteRange(500...), .last(1)]
    return try await requireBytes(of: ranges, below: root)
  }

  func checkExceedingRanges(below root: String) async throws -> Int {
    let tries = try await requireBytes(of: [ByteRange(990..<5_000), .last(5_000)], below: root)
    try await requireKind(.invalidRange, of: "a range behind the object") {
      _ = try await store.open(root + "a", options: DownloadOptions(range: ByteRange(1_000...)))
    }
    return tries + 1
  }

  /// Requires that ranges of an object of 1000 bytes have the right bytes, and returns the number of ranges.
  private func requireBytes(of ranges: [ByteRange], below root: String) async throws -> Int {
    let bytes = content(1_000)
    try await store.upload(bytes, to: root + "a")
    return try await ranges.tryEach { range in
      guard let offsets = range.bytes(of: 1_000) else { throw Violation("\(range) is not a range of 1000 bytes") }
      let object = try await store.open(root + "a", options: DownloadOptions(range: range))
      let received = try await object.body.collected(upTo: 1_000) ?? []
      let description = "the range \(offsets) of 1000 bytes"
      let expected = Array(bytes[Int(offsets.lowerBound)..<Int(offsets.upperBound)])
      try require(received == expected, "\(description) has other bytes")
      let length = object.contentLength ?? Int64(received.count)
      try require(length == received.count, "\(description) has the length \(length)")
      let wholeSize = object.info.size ?? 1_000
      try require(wholeSize == 1_000, "\(description) is reported as one of \(wholeSize) bytes")
    }
  }

  func checkMissing(below root: String) async throws -> Int {
    try await store.upload(content(10), to: root + "folder/a")
    // The beginning of an existing key is no key.
    let keys = [root + "missing", root + "folder", root + "folder/"]
    for key in keys {
      try await requireKind(.noSuchKey, of: "the description of a missing object") { _ = try await store.head(key) }
      try await requireKind(.noSuchKey, of: "the download of a missing object") {
        _ = try await store.open(key).body.collected(upTo: 1_000)
      }
      try await requireKind(.noSuchKey, of: "the download of a missing object into a file") {
        try await store.download(key, to: folder.appending("missing"))
      }
    }
    return keys.count * 3
  }

  func checkFiles(below root: String) async throws -> Int {
    let file = folder.appending("file")
    // The second object is shorter, so that no end of the first one may remain.
    let sizes = [largeSize, 10]
    for size in sizes {
      try await store.upload(content(size), to: root + "a")
      try await store.download(root + "a", to: file)
      try require(
        try await fileContent(file) == content(size), "the file of an object of \(size) bytes has other bytes")
    }
    _ = await failure { try await store.download(root + "missing", to: file) }
    try require(try await fileContent(file) == content(10), "a download that failed changed the file")
    return sizes.count + 1
  }

  private func fileContent(_ file: FilePath) async throws -> [UInt8] {
    try await UploadSource.file(file).read { stream, _ in try await stream.collected(upTo: .max) ?? [] }
  }

  func checkProgress(below root: String) async throws -> Int {
    let reports = Lock<[TransferProgress]>([])
    let bytes = content(largeSize)
    try await store.upload(bytes, to: root + "a") { report in reports.withLock { $0.append(report) } }
    try requireProgress(reports.withLock { $0 }, of: "an upload")
    reports.withLock { $0 = [] }
    try await store.download(root + "a", to: folder.appending("progress")) { report in
      reports.withLock { $0.append(report) }
    }
    try requireProgress(reports.withLock { $0 }, of: "a download")
    // An upload and a download.
    return 2
  }

  private func requireProgress(_ reports: [TransferProgress], of transfer: String) throws(Violation) {
    let completed = reports.map(\.completed)
    let size = Int64(largeSize)
    try require(completed.last == size, "the progress of \(transfer) of \(size) bytes ends with \(completed.suffix(1))")
    try require(completed == completed.sorted(), "the progress of \(transfer) decreases: \(completed)")
    try require(reports.allSatisfy { $0.total ?? size == size }, "the progress of \(transfer) has another total")
  }

  func checkCancellation(below root: String) async throws -> Int {
    try await store.upload(content(1_000), to: root + "existing")
    let store = store
    let bytes = content(1_000)
    let file = folder.appending("cancelled")
    try await requireCancellation(of: "an upload that was cancelled before it started") {
      try await store.upload(bytes, to: root + "a")
    }
    try await requireCancellation(of: "a download that was cancelled before it started") {
      try await store.download(root + "existing", to: file)
    }
    let isReading = Gate(isClosed: true)
    let stream = onceReadableStream(bytes) {
      isReading.open()
      try await Task.sleep(for: .seconds(3_600))
    }
    try await requireCancellation(of: "an upload that was cancelled while it read its source", after: isReading) {
      try await store.upload(stream, to: root + "a")
    }
    // None of the three has left a trace.
    try await requireKind(.noSuchKey, of: "the object of a cancelled upload") { _ = try await store.head(root + "a") }
    let readFailure = await failure { _ = try await fileContent(file) }
    try require(readFailure != nil, "the cancelled download created a file")
    return 3
  }

  /// Requires that an operation ends with `CancellationError` when its task is cancelled.
  ///
  /// The task is cancelled before the operation starts or, with a gate, as soon as the operation has opened the gate.
  private func requireCancellation(
    of label: String, after isReading: Gate? = nil, _ operation: @escaping @Sendable () async throws -> Void
  ) async throws {
    let task = Task {
      if isReading == nil { while !Task.isCancelled { await Task.yield() } }
      try await operation()
    }
    if let isReading, await answered(within: cancellationTimeLimit, { try? await isReading.pass() }) == nil {
      task.cancel()
      throw Violation("\(label) did not read its source within \(cancellationTimeLimit)")
    }
    task.cancel()
    guard let result = await answered(within: cancellationTimeLimit, { await task.result }) else {
      throw Violation("\(label) did not end within \(cancellationTimeLimit)")
    }
    switch result {
    case .success: throw Violation("\(label) succeeded")
    case .failure(let error): try require(error is CancellationError, "\(label) threw \(error)")
    }
  }
}
