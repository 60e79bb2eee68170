// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
public import StorageAuthTesting
public import StorageClient
public import SystemPackage

/// A conformance suite for object stores, which checks an implementation against each ``ObjectStoreRule``.
///
/// The suite creates objects below a prefix, and deletes them at its end. So that uploads in parts and listings of
/// several pages are checked too, configure the store with small parts and pages:
///
/// ```swift
/// let configuration = StorageClientConfiguration(multipartThreshold: 200_000, partSize: 100 * 1024, keysPerPage: 10)
/// let client = StorageClient(provider, credentials: key, configuration: configuration)
/// let report = await ObjectStoreConformance(client, in: folder).report()
/// XCTAssertTrue(report.isConforming, "\(report)")
/// ```
public struct ObjectStoreConformance<Store: ObjectStore>: Sendable {
  let store: Store
  let folder: FilePath
  let prefix: String
  let largeSize: Int
  let names: [String]
  let patience: Duration

  /// Creates a suite for an object store.
  ///
  /// - Parameters:
  ///   - store: The store to check.
  ///   - folder: The folder for downloaded files, which must exist.
  ///   - prefix: The prefix of the keys of all objects that the suite creates. No other object may have it.
  ///   - largeSize: The size in bytes of objects that the store should transfer in parts.
  ///   - names: The ends of keys that the store must keep apart. Leave out those that the service does not permit.
  ///   - patience: The time limit for a cancelled operation, measured with the machine's clock.
  public init(
    _ store: Store, in folder: FilePath, below prefix: String = "conformance/", largeSize: Int = 350_000,
    names: [String] = Self.unusualNames, patience: Duration = .seconds(10)
  ) {
    self.store = store
    self.folder = folder
    self.prefix = prefix
    self.largeSize = largeSize
    self.names = names
    self.patience = patience
  }

  /// Names that some implementations store, list or delete as other names.
  public static var unusualNames: [String] {
    [
      "a", "a/", "a/b", "a//b", "a/./b", "a/../b", "a b", "a+b", "a%2Fb", "a%41", "a&b=c", "?a#b", "<a>\"'\\",
      "~!*();:@$,[]", "\u{E9}", "e\u{301}", "\u{212B}", "A\u{30A}", "猫/🐈", "a\u{1}b", "a\tb\nc", "İ", "i",
    ]
  }

  /// Returns a report about the store with one check for each rule, and deletes the objects that the suite created.
  ///
  /// - Parameter rules: The rules to check.
  public func report(_ rules: [ObjectStoreRule] = ObjectStoreRule.allCases) async -> ConformanceReport {
    let report = await ConformanceReport(of: Store.self, rules) { rule in try await check(rule, "\(prefix)\(rule)/") }
    // Objects that remain do not change the result of the checks.
    let createdObjects = try? await list(prefix)
    _ = try? await store.delete(createdObjects?.map(\.name) ?? [])
    return report
  }

  private func check(_ rule: ObjectStoreRule, _ root: String) async throws -> Int {
    switch rule {
    case .roundTrip: try await checkRoundTrip(root)
    case .attributes: try await checkAttributes(root)
    case .emptyObject: try await checkEmptyObject(root)
    case .singleRead: try await checkSingleRead(root)
    case .announcedLength: try await checkAnnouncedLength(root)
    case .sourceFailure: try await checkSourceFailure(root)
    case .overwriting: try await checkOverwriting(root)
    case .ranges: try await checkRanges(root)
    case .exceedingRanges: try await checkExceedingRanges(root)
    case .missing: try await checkMissing(root)
    case .files: try await checkFiles(root)
    case .deletion: try await checkDeletion(root)
    case .names: try await checkNames(root)
    case .order: try await checkOrder(root)
    case .prefixes: try await checkPrefixes(root)
    case .progress: try await checkProgress(root)
    case .cancellation: try await checkCancellation(root)
    case .concurrency: try await checkConcurrency(root)
    }
  }
}

/// A rule that an implementation of `ObjectStore` must follow.
public enum ObjectStoreRule: String, CaseIterable, Sendable {
  /// The bytes of an object are those that were uploaded.
  case roundTrip = "an object has the bytes and the size with which it was uploaded, from memory and from a file"
  /// The media type and the metadata of an object are those that were uploaded.
  case attributes = "an object has the media type and the metadata with which it was uploaded"
  /// An object can be empty.
  case emptyObject = "an empty object can be uploaded, described, downloaded and listed"
  /// A stream is iterated once.
  case singleRead = "a stream is iterated once, whether or not it is large, and whether or not its length is known"
  /// The announced length of a stream is checked.
  case announcedLength = "a stream with another length than the announced one is an error, and no object is stored"
  /// A source that fails does not damage an object.
  case sourceFailure = "the error of a source is thrown, and the object that was there remains"
  /// An upload replaces an object only if that is permitted.
  case overwriting = "an upload replaces an object, and never one that it must not overwrite"
  /// A range is downloaded exactly.
  case ranges = "a range has exactly its bytes, and the size of the whole object"
  /// A range that does not fit is cut or rejected; OSS returns the whole object instead.
  case exceedingRanges = "a range is cut at the end of the object; one behind it is an error of the kind invalidRange"
  /// A missing object is reported as such.
  case missing = "a missing object is an error of the kind noSuchKey"
  /// A file is replaced as a whole.
  case files = "a download replaces a file as a whole; one that fails leaves the file as it was"
  /// Exactly the given objects are deleted.
  case deletion = "exactly the given objects are deleted, and a missing one counts as deleted"
  /// Keys are sequences of bytes.
  case names = "keys with special characters, empty segments and other Unicode spellings are kept apart"
  /// A listing is complete and ordered.
  case order = "a listing has each object once, with its size, in the order of bytes, in each iteration"
  /// Prefixes and delimiters are compared as bytes.
  case prefixes = "a listing has exactly the names with the prefix, grouped by the delimiter"
  /// The progress of a transfer is correct.
  case progress = "the progress never decreases, and ends with the number of all bytes"
  /// A cancelled task ends the transfer.
  case cancellation = "a cancelled upload or download ends with CancellationError, and no object or file is created"
  /// Concurrent transfers are independent.
  case concurrency = "concurrent uploads do not mix their bytes"
}

extension ObjectStoreConformance {
  // MARK: Contents

  private func checkRoundTrip(_ root: String) async throws -> Int {
    let sizes = [1, 1_000, largeSize]
    for size in sizes {
      let bytes = content(size)
      let file = folder.appending("\(size)")
      try await requireSize(size, of: store.upload(bytes, to: root + "\(size)"))
      try await requireContent(bytes, of: root + "\(size)", "an object from memory")
      try await store.download(root + "\(size)", to: file)
      try await requireSize(size, of: store.upload(file, to: root + "\(size)-file"))
      try await requireContent(bytes, of: root + "\(size)-file", "an object from a file")
    }
    return sizes.count * 2
  }

  private func requireSize(_ size: Int, of object: UploadedObject) throws(Violation) {
    try require(object.size == Int64(size), "the upload of \(size) bytes reports \(object.size)")
  }

  private func checkAttributes(_ root: String) async throws -> Int {
    for size in [10, largeSize] {
      let key = root + "\(size)"
      try await store.upload(content(size), to: key, contentType: "text/x-test", metadata: ["colour": "dark green"])
      let info = try await store.head(key)
      try require(info.contentType == "text/x-test", "the media type of \(size) bytes is \(info.contentType ?? "nil")")
      try require(info.metadata["colour"] == "dark green", "the metadata of \(size) bytes are \(info.metadata)")
    }
    return 2
  }

  private func checkEmptyObject(_ root: String) async throws -> Int {
    let file = folder.appending("empty")
    try await store.upload([], to: root + "memory")
    try await store.download(root + "memory", to: file)
    try await store.upload(file, to: root + "file")
    try await store.upload(onceReadableStream([]), to: root + "stream")
    for key in [root + "file", root + "memory", root + "stream"] {
      try await requireContent([], of: key, "an empty object")
    }
    let listed = try await list(root)
    try require(listed.map(\.size) == [0, 0, 0], "a listing of 3 empty objects has the sizes \(listed.map(\.size))")
    return 3
  }

  private func checkSingleRead(_ root: String) async throws -> Int {
    for size in [1_000, largeSize] {
      for length in [nil, Int64(size)] {
        let name = "a stream of \(size) bytes \(length == nil ? "without" : "with") a length"
        let object = try await store.upload(onceReadableStream(content(size)), length: length, to: root + "a")
        try requireSize(size, of: object)
        try await requireContent(content(size), of: root + "a", name)
      }
    }
    return 4
  }

  private func checkAnnouncedLength(_ root: String) async throws -> Int {
    for size in [1_000, largeSize] {
      for length in [size - 1, size + 1] {
        let error = await failure {
          try await store.upload(onceReadableStream(content(size)), length: Int64(length), to: root + "a")
        }
        try require(error != nil, "\(size) bytes were accepted as \(length)")
        try await requireKind(.noSuchKey, "an object of \(size) bytes instead of \(length)") {
          _ = try await store.head(root + "a")
        }
      }
    }
    return 4
  }

  private func checkSourceFailure(_ root: String) async throws -> Int {
    let originalContent = content(10)
    try await store.upload(originalContent, to: root + "a")
    for size in [0, 1_000, largeSize] {
      let error = await failure {
        try await store.upload(onceReadableStream(content(size)) { throw SourceFailure() }, to: root + "a")
      }
      try require(
        error is SourceFailure, "the source failed after \(size) bytes, and the upload threw \(text(of: error))")
      try await requireContent(originalContent, of: root + "a", "the object before the failed upload")
    }
    return 3
  }

  private func checkOverwriting(_ root: String) async throws -> Int {
    for (first, second) in [(1_000, 10), (10, largeSize)] {
      try await store.upload(content(first), to: root + "a")
      try await store.upload(content(second), to: root + "a")
      try await requireContent(content(second), of: root + "a", "the second of two objects")
      let error = await failure {
        try await store.upload([1, 2, 3], to: root + "a", options: UploadOptions(forbidOverwrite: true))
      }
      // A service that cannot forbid overwriting rejects the option.
      let isRefused = (error as? ServiceError)?.kind == .alreadyExists || error is StorageError
      try require(isRefused, "an upload that must not overwrite threw \(text(of: error))")
      try await requireContent(content(second), of: root + "a", "an object that must not be overwritten")
    }
    return 2
  }

  private func checkProgress(_ root: String) async throws -> Int {
    let reports = Lock<[TransferProgress]>([])
    let bytes = content(largeSize)
    try await store.upload(bytes, to: root + "a") { report in reports.withLock { $0.append(report) } }
    try requireProgress(reports.withLock { $0 }, "an upload")
    reports.withLock { $0 = [] }
    try await store.download(root + "a", to: folder.appending("progress")) { report in
      reports.withLock { $0.append(report) }
    }
    try requireProgress(reports.withLock { $0 }, "a download")
    return 2
  }

  private func requireProgress(_ reports: [TransferProgress], _ label: String) throws(Violation) {
    let (completed, size) = (reports.map(\.completed), Int64(largeSize))
    try require(completed.last == size, "the progress of \(label) of \(size) bytes ends with \(completed.suffix(1))")
    try require(completed == completed.sorted(), "the progress of \(label) decreases: \(completed)")
    try require(reports.allSatisfy { $0.total ?? size == size }, "the progress of \(label) has another total")
  }

  private func checkCancellation(_ root: String) async throws -> Int {
    try await store.upload(content(1_000), to: root + "there")
    let (store, bytes) = (store, content(1_000))
    let file = folder.appending("cancelled")
    try await requireCancellation("an upload that was cancelled before it started") {
      try await store.upload(bytes, to: root + "a")
    }
    try await requireCancellation("a download that was cancelled before it started") {
      try await store.download(root + "there", to: file)
    }
    let isReading = Gate(isClosed: true)
    let stream = onceReadableStream(bytes) {
      isReading.open()
      try await Task.sleep(for: .seconds(3_600))
    }
    try await requireCancellation("an upload that was cancelled while it read its source", after: isReading) {
      try await store.upload(stream, to: root + "a")
    }
    try await requireKind(.noSuchKey, "the object of a cancelled upload") { _ = try await store.head(root + "a") }
    let error = await failure { _ = try await fileContent(file) }
    try require(error != nil, "the cancelled download created a file")
    return 3
  }

  private func requireCancellation(
    _ label: String, after start: Gate? = nil, _ operation: @escaping @Sendable () async throws -> Void
  ) async throws {
    let task = Task {
      if start == nil { while !Task.isCancelled { await Task.yield() } }
      try await operation()
    }
    if let start, await answered(within: patience, { try? await start.pass() }) == nil {
      task.cancel()
      throw Violation("\(label) did not read its source within \(patience)")
    }
    task.cancel()
    guard let result = await answered(within: patience, { await task.result }) else {
      throw Violation("\(label) did not end within \(patience)")
    }
    switch result {
    case .success: throw Violation("\(label) succeeded")
    case .failure(let error): try require(error is CancellationError, "\(label) threw \(error)")
    }
  }

  private func checkConcurrency(_ root: String) async throws -> Int {
    let contents = (1...12).map { content($0 == 1 ? largeSize : 10_000 + $0, seed: $0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for bytes in contents {
        group.addTask {
          try await store.upload(bytes, to: root + "\(bytes.count)")
          try await store.upload(bytes, to: root + "same")
        }
      }
      try await group.waitForAll()
    }
    for bytes in contents {
      try await requireContent(bytes, of: root + "\(bytes.count)", "one of several concurrent objects")
    }
    let sharedContent = try await store.download(root + "same", upTo: max(largeSize, 10_012))
    try require(
      contents.contains(sharedContent), "an object to which several uploads wrote at once has the bytes of none")
    return contents.count * 2
  }

  // MARK: Downloads

  private func checkRanges(_ root: String) async throws -> Int {
    try await checkRanges(
      root, [ByteRange(0..<1), ByteRange(10..<500), ByteRange(999...), ByteRange(500...), .last(1)])
  }

  private func checkExceedingRanges(_ root: String) async throws -> Int {
    let tries = try await checkRanges(root, [ByteRange(990..<5_000), .last(5_000)])
    try await requireKind(.invalidRange, "a range behind the object") {
      _ = try await store.open(root + "a", options: DownloadOptions(range: ByteRange(1_000...)))
    }
    return tries + 1
  }

  private func checkRanges(_ root: String, _ ranges: [ByteRange]) async throws -> Int {
    let bytes = content(1_000)
    try await store.upload(bytes, to: root + "a")
    for range in ranges {
      guard let offsets = range.bytes(of: 1_000) else { throw Violation("\(range) is not a range of 1000 bytes") }
      let object = try await store.open(root + "a", options: DownloadOptions(range: range))
      let received = try await object.body.collected(upTo: 1_000) ?? []
      let name = "the range \(offsets) of 1000 bytes"
      let expected = Array(bytes[Int(offsets.lowerBound)..<Int(offsets.upperBound)])
      try require(received == expected, "\(name) has other bytes")
      try require(object.contentLength ?? Int64(received.count) == received.count, "\(name) has another contentLength")
      try require(object.info.size ?? 1_000 == 1_000, "\(name) has the size \(object.info.size ?? 0)")
    }
    return ranges.count
  }

  private func checkMissing(_ root: String) async throws -> Int {
    try await store.upload(content(10), to: root + "there/a")
    for key in [root + "missing", root + "there", root + "there/"] {
      try await requireKind(.noSuchKey, "the description of a missing object") { _ = try await store.head(key) }
      try await requireKind(.noSuchKey, "the download of a missing object") {
        _ = try await store.open(key).body.collected(upTo: 1_000)
      }
      try await requireKind(.noSuchKey, "the download of a missing object into a file") {
        try await store.download(key, to: folder.appending("missing"))
      }
    }
    return 9
  }

  private func checkFiles(_ root: String) async throws -> Int {
    let file = folder.appending("file")
    for size in [largeSize, 10] {
      try await store.upload(content(size), to: root + "a")
      try await store.download(root + "a", to: file)
      try require(
        try await fileContent(file) == content(size), "the file of an object of \(size) bytes has other bytes")
    }
    _ = await failure { try await store.download(root + "missing", to: file) }
    try require(try await fileContent(file) == content(10), "a download that failed changed the file")
    return 3
  }

  private func fileContent(_ file: FilePath) async throws -> [UInt8] {
    try await UploadSource.file(file).read { stream, _ in try await stream.collected(upTo: .max) ?? [] }
  }

  // MARK: Names

  private func checkDeletion(_ root: String) async throws -> Int {
    let names = ["a", "ab", "a/b", "b", "c", "d"]
    for name in names { try await store.upload([1], to: root + name) }
    try await store.delete(root + "a")
    try await store.delete(root + "missing")
    let keys = ["b", "never there", "c"].map { root + $0 }
    let report = try await store.delete(keys)
    try require(Set(report.deleted) == Set(keys), "the report has the keys \(report.deleted) instead of \(keys)")
    try require(report.failures.isEmpty, "the report has the failures \(report.failures)")
    try require(try await store.delete([]) == DeletionReport(), "the deletion of no objects has a result")
    try await requireNames(["a/b", "ab", "d"], below: root, "after the deletion of a, b and c")
    return 4
  }

  private func checkNames(_ root: String) async throws -> Int {
    for name in names { try await store.upload(Array(name.utf8), to: root + name) }
    for name in names {
      try await requireContent(Array(name.utf8), of: root + name, "the object \(name.debugDescription)")
    }
    try await requireNames(names, below: root, "with unusual names")
    guard let first = names.first else { return 0 }
    try await store.delete(root + first)
    try await requireNames(Array(names.dropFirst()), below: root, "after the deletion of \(first.debugDescription)")
    try await store.delete(names.map { root + $0 })
    try await requireNames([], below: root, "after the deletion of all")
    return names.count
  }

  private func checkOrder(_ root: String) async throws -> Int {
    // Neither letter case, nor locale, nor UTF-16 determines the order.
    let names = (1...25).map { "n\($0)" } + ["B", "a", "_", "é", "\u{FFFD}", "😀"]
    for name in names { try await store.upload(content(name.utf8.count), to: root + name) }
    try await requireNames(names, below: root, "of several pages")
    let listed = try await list(root)
    try require(
      listed.allSatisfy { $0.size == Int64($0.name.utf8.count - root.utf8.count) }, "a listing has other sizes")
    return names.count
  }

  private func checkPrefixes(_ root: String) async throws -> Int {
    for name in ["a", "a/1", "a/2", "ab", "b/c/d", "b/d", "e\u{301}x"] { try await store.upload([1], to: root + name) }
    let expected: [(prefix: String, delimiter: String?, names: [String])] = [
      ("a", nil, ["a", "a/1", "a/2", "ab"]), ("", "/", ["a", "a/", "ab", "b/", "e\u{301}x"]),
      ("b/", "/", ["b/c/", "b/d"]), ("a/", nil, ["a/1", "a/2"]), ("c", nil, []), ("A", nil, []),
      // The same character in another spelling is another name, and a prefix can end within a character.
      ("\u{E9}", nil, []), ("e", nil, ["e\u{301}x"]),
    ]
    for (prefix, delimiter, names) in expected {
      try await requireNames(names, below: root, "with the prefix \"\(prefix)\"", prefix: prefix, delimiter: delimiter)
    }
    return expected.count
  }

  /// Requires that a listing has the given names in the order of their bytes, in two iterations.
  private func requireNames(
    _ names: [String], below root: String, _ label: String, prefix: String = "", delimiter: String? = nil
  ) async throws {
    let listing = store.list(prefix: root + prefix, delimiter: delimiter)
    let expectedNames = names.map { Array((root + $0).utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    for iteration in ["first", "second"] {
      var listedNames: [[UInt8]] = []
      for try await entry in listing { listedNames.append(Array(entry.name.utf8)) }
      let texts = listedNames.map { String(decoding: $0, as: UTF8.self) }
      try require(listedNames == expectedNames, "the \(iteration) iteration of a listing \(label) has \(texts)")
    }
  }

  private func list(_ prefix: String) async throws -> [(name: String, size: Int64)] {
    var objects: [(name: String, size: Int64)] = []
    for try await entry in store.list(prefix: prefix) {
      if case .object(let object) = entry { objects.append((object.key, object.size)) }
    }
    return objects
  }

  // MARK: Parts of checks

  private func content(_ count: Int, seed: Int = 0) -> [UInt8] {
    var random = SeededGenerator(seed: UInt64(count) &+ UInt64(seed) << 32)
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  /// Returns a stream of chunks that has no bytes in a second iteration, and calls a closure at its end.
  private func onceReadableStream(
    _ bytes: [UInt8], end: @escaping @Sendable () async throws -> Void = {}
  ) -> AsyncThrowingStream<[UInt8], any Error> {
    let offset = Lock(0)
    return AsyncThrowingStream {
      let chunk = offset.withLock { offset in
        // No size of a part is a multiple of this one.
        let chunk = Array(bytes.dropFirst(offset).prefix(9_999))
        offset += chunk.count
        return chunk
      }
      if chunk.isEmpty { try await end() }
      return chunk.isEmpty ? nil : chunk
    }
  }

  private func requireContent(_ bytes: [UInt8], of key: String, _ label: String) async throws {
    let size = try await store.head(key).size
    try require(size == Int64(bytes.count), "\(label) has the size \(size ?? -1) instead of \(bytes.count)")
    let downloaded = try await store.download(key, upTo: bytes.count + 1)
    try require(
      downloaded == bytes, "\(label) has \(downloaded.count) other bytes than the \(bytes.count) that were uploaded")
  }

  private func requireKind(
    _ kind: ServiceError.Kind, _ label: String, _ operation: () async throws -> Void
  ) async throws {
    let error = await failure(operation)
    try require((error as? ServiceError)?.kind == kind, "\(label) is not of the kind \(kind): \(text(of: error))")
  }

  private func failure(_ operation: () async throws -> Void) async -> (any Error)? {
    do { try await operation() } catch { return error }
    return nil
  }

  private func text(of error: (any Error)?) -> String { error.map { "\($0)" } ?? "no error" }
}

private struct SourceFailure: Error {}
