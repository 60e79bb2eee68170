// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth
public import StorageClient
internal import StorageCrypto
public import SystemPackage

/// An object store in memory for the unit tests of apps, which needs no server, no network and no credentials.
///
/// The store behaves like a bucket as far as `ObjectStore` exposes it: conditions, ranges, metadata,
/// checksums, and listings in the byte order of the keys. Tests can inject failures and inspect the recorded calls:
/// ```swift
/// let store = InMemoryStore()
/// store.fail(.upload, with: InMemoryStore.throttled)
/// await #expect(throws: ServiceError.self) { try await backUp(file, to: store) }
/// #expect(store.calls == [.init(.upload, "2026/11/20/cat.jpg")])
/// ```
public final class InMemoryStore: ObjectStore {
  /// An operation of the in-memory store, for selecting failures and comparing recorded calls.
  public enum Operation: Sendable, Hashable, CaseIterable { case upload, download, open, head, delete, list }

  /// A recorded call of a store operation.
  public struct Call: Sendable, Hashable {
    /// The operation that was called.
    public let operation: Operation
    /// The object key that was passed to the operation, or the prefix of a listing.
    public let key: String

    /// Creates a call, for comparison with recorded calls; the parameters are the properties.
    public init(_ operation: Operation, _ key: String) {
      self.operation = operation
      self.key = key
    }
  }

  /// A stored object: its bytes, and its description in answers.
  private struct Object {
    let bytes: [UInt8]
    let info: ObjectInfo

    var listed: ListedObject {
      ListedObject(
        key: info.key, size: Int64(bytes.count), etag: info.etag, lastModified: info.lastModified,
        storageClass: info.storageClass)
    }
  }

  /// An injected failure: the error of the next operations that it applies to.
  private struct Failure {
    let operation: Operation?
    let key: String?
    var remainingCount: Int
    let error: any Error & Sendable

    func applies(to operation: Operation, _ key: String) -> Bool {
      remainingCount > 0 && (self.operation ?? operation) == operation
        && (self.key ?? key).utf8.elementsEqual(key.utf8)
    }
  }

  private struct State {
    /// The objects by the UTF-8 bytes of their keys, so that keys with different Unicode spellings are different.
    var objects: [[UInt8]: Object] = [:]
    var failures: [Failure] = []
    var calls: [Call] = []
  }

  private let state = Lock(State())
  private let clock: any SigningClock
  private let pageSize: Int
  private let keyByteLimit: Int

  /// Creates an empty store, whose clock provides the modification times of objects.
  ///
  /// `pageSize` is the maximum number of entries on a page of a listing, at least 1. `keyByteLimit` is the maximum length
  /// of a key in UTF-8 bytes: 1,023 for OSS and COS, 1,024 for S3.
  public init(pageSize: Int = 1000, keyByteLimit: Int = 1023, time: any SigningClock = .system) {
    self.pageSize = max(1, pageSize)
    self.keyByteLimit = keyByteLimit
    clock = time
  }

  /// Makes the given number of operations throw an error before they change any state.
  ///
  /// The operations are those of one kind, or of all kinds for `nil`, and those with one key, or with all keys for `nil`.
  /// The errors of several calls are used in order.
  public func fail(
    _ operation: Operation? = nil, key: String? = nil, times count: Int = 1, with error: any Error & Sendable
  ) {
    state.withLock { $0.failures.append(Failure(operation: operation, key: key, remainingCount: count, error: error)) }
  }

  /// The recorded calls of the store's operations, in order.
  public var calls: [Call] { state.withLock { $0.calls } }

  /// The content of an object, or `nil` if the object does not exist.
  ///
  /// Setting `nil` removes the object. Access through the subscript is not recorded as a call.
  public subscript(key: String) -> [UInt8]? {
    get { object(key)?.bytes }
    set {
      let object = newValue.map { Object(bytes: $0, info: info(key, $0, UploadOptions())) }
      state.withLock { $0.objects[Array(key.utf8)] = object }
    }
  }

  /// An error with which a service asks the client to reduce its request rate.
  public static let throttled = ServiceError(
    code: "SlowDown", message: "Reduce your request rate.", status: .serviceUnavailable, subject: "a test")

  // MARK: ObjectStore, whose documentation describes the parameters

  /// Stores an object, and reports the progress as its bytes are read.
  ///
  /// - Returns: The description of the stored object.
  /// - Throws: A `ServiceError` if `forbidOverwrite` or `ifMatch` is not fulfilled, a `StorageError` if the key, the
  ///   options or the announced length are invalid, an injected failure, the source's error, or a `CancellationError` if
  ///   the task is cancelled.
  @discardableResult public func upload(
    _ source: UploadSource, to key: String, options: UploadOptions, progress: TransferProgress.Handler?
  ) async throws -> UploadedObject {
    try recordCall(.upload, key)
    try checkKeyLength(key)
    guard !options.forbidOverwrite || options.ifMatch == nil else {
      throw StorageError(
        .invalidOption, "The options ifMatch and forbidOverwrite contradict each other.", remedy: "Leave one out.")
    }
    let bytes = try await source.read { stream, byteCount in
      var bytes: [UInt8] = []
      for try await chunk in stream {
        bytes += chunk
        progress?(TransferProgress(completed: Int64(bytes.count), total: byteCount))
      }
      guard byteCount ?? Int64(bytes.count) == Int64(bytes.count) else {
        throw StorageError(
          .sourceChanged, "The length of the source of \(key) differs from the announced length.",
          remedy: "Pass the actual length, or `nil`.")
      }
      return bytes
    }
    let object = Object(bytes: bytes, info: info(key, bytes, options))
    try state.withLock { state in
      let replaced = state.objects[Array(key.utf8)]
      if options.forbidOverwrite, replaced != nil {
        throw ServiceError(
          code: "FileAlreadyExists", message: "The object exists already.", status: .conflict, kind: .alreadyExists,
          subject: "PUT \(key)")
      }
      if let etag = options.ifMatch {
        guard let replaced else { throw ServiceError.missing(subject: "PUT \(key)") }
        if etag != replaced.info.etag { throw ServiceError.otherTag(subject: "PUT \(key)") }
      }
      state.objects[Array(key.utf8)] = object
    }
    return UploadedObject(key: key, size: Int64(bytes.count), etag: object.info.etag, checksum: object.info.checksum)
  }

  /// Writes an object to a file, which replaces an existing one, and reports the progress once, at the end.
  ///
  /// - Returns: The description of the object.
  /// - Throws: The errors of ``open(_:options:)``, and a `StorageError` if the file cannot be written.
  @discardableResult public func download(
    _ key: String, to file: FilePath, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try recordCall(.download, key)
    let (object, range) = try requestedContent(of: key, options)
    try await FileReplacement.write(file) { try await $0.write(Array(object.bytes[range]), at: 0) }
    progress?(TransferProgress(completed: Int64(range.count), total: Int64(range.count)))
    return object.info
  }

  /// Returns the bytes of an object, or a range of its bytes.
  ///
  /// - Throws: A `ServiceError` if the object or its version does not exist, a condition is not fulfilled or the range
  ///   lies outside the object; an injected failure; a `CancellationError` if the task is cancelled.
  public func open(_ key: String, options: DownloadOptions) async throws -> DownloadedObject {
    try recordCall(.open, key)
    let (object, range) = try requestedContent(of: key, options)
    return DownloadedObject(
      info: object.info, contentLength: Int64(range.count), body: ByteStream(Array(object.bytes[range])))
  }

  /// Returns the description of an object, and ignores the additional headers.
  ///
  /// - Throws: A `ServiceError` if the object does not exist; an injected failure; a
  ///   `CancellationError` if the task is cancelled.
  public func head(_ key: String, headers: HTTPFields) async throws -> ObjectInfo {
    try recordCall(.head, key)
    return try requestedContent(of: key, DownloadOptions(), method: "HEAD").object.info
  }

  /// Removes an object, and succeeds if the object does not exist.
  ///
  /// - Throws: An injected failure, or a `CancellationError` if the task is cancelled.
  public func delete(_ key: String) async throws {
    try recordCall(.delete, key)
    state.withLock { $0.objects[Array(key.utf8)] = nil }
  }

  /// Removes objects, and succeeds for keys that do not exist.
  ///
  /// Keys whose removal fails with an injected `ServiceError` are part of the report.
  ///
  /// - Returns: The removed keys, and the keys that could not be removed with the reasons.
  /// - Throws: An injected failure of another type, or a `CancellationError` if the task is cancelled.
  @discardableResult public func delete(_ keys: [String]) async throws -> DeletionReport {
    var deleted: [String] = []
    var failures: [DeletionReport.Failure] = []
    for key in keys {
      do {
        try await delete(key)
        deleted.append(key)
      } catch let error as ServiceError {
        failures.append(.init(key, error))
      }
    }
    return DeletionReport(deleted: deleted, failures: failures)
  }

  /// Lists objects in the byte order of their keys; each page reflects the store at the time of its request.
  ///
  /// An empty prefix lists all keys. Keys that contain the delimiter after the prefix are grouped into common prefixes,
  /// which end with the delimiter; without one, every key is listed.
  ///
  /// - Returns: An asynchronous sequence of objects and common prefixes.
  public func list(prefix: String, delimiter: String?) -> ObjectListing {
    ObjectListing { [self] continuation in
      try recordCall(.list, prefix)
      let entries = entries(below: Array(prefix.utf8), delimiter: delimiter.map { Array($0.utf8) } ?? [])
      // The continuation is the last name of the page before.
      let remainingEntries = entries.drop { entry in
        continuation.map { !$0.utf8.lexicographicallyPrecedes(entry.name.utf8) } ?? false
      }
      let page = remainingEntries.prefix(pageSize)
      return ListPage(entries: Array(page), continuation: page.count < remainingEntries.count ? page.last?.name : nil)
    }
  }

  /// Records a call of an operation, and throws the next injected failure that applies to the call.
  private func recordCall(_ operation: Operation, _ key: String) throws {
    try Task.checkCancellation()
    try state.withLock { state in
      state.calls.append(Call(operation, key))
      guard let index = state.failures.firstIndex(where: { $0.applies(to: operation, key) }) else { return }
      state.failures[index].remainingCount -= 1
      throw state.failures[index].error
    }
  }

  private func object(_ key: String) -> Object? { state.withLock { $0.objects[Array(key.utf8)] } }

  /// Returns an object and the requested range of its bytes, after the checks of a service in their order.
  private func requestedContent(
    of key: String, _ options: DownloadOptions, method: String = "GET"
  ) throws(ServiceError) -> (object: Object, range: Range<Int>) {
    let subject = "\(method) \(key)"
    // The versions of a bucket without versioning are named `null`.
    if let version = options.versionID, !version.isIdentical(to: "null") {
      throw ServiceError(
        code: "NoSuchVersion", message: "The version does not exist.", status: .notFound, subject: subject)
    }
    guard let object = object(key) else { throw .missing(subject: subject) }
    if let etag = options.ifMatch, etag != object.info.etag { throw .otherTag(subject: subject) }
    // With an entity tag, the date does not count (RFC 9110, section 13.1.3).
    let isKnown =
      if let etag = options.ifNoneMatch { etag == object.info.etag } else {
        options.ifModifiedSince.flatMap { date in object.info.lastModified.map { $0 <= date } } ?? false
      }
    if isKnown {
      throw ServiceError(
        code: "NotModified", message: "The object is the same.", status: .notModified, subject: subject)
    }
    guard let range = options.range else { return (object, object.bytes.indices) }
    guard let offsets = range.bytes(of: Int64(object.bytes.count)) else {
      throw ServiceError(
        code: "InvalidRange", message: "The range lies outside of the object.", status: .rangeNotSatisfiable,
        subject: subject)
    }
    return (object, Int(offsets.lowerBound)..<Int(offsets.upperBound))
  }

  private func info(_ key: String, _ bytes: [UInt8], _ options: UploadOptions) -> ObjectInfo {
    var headers = HTTPFields()
    headers[.cacheControl] = options.cacheControl
    headers[.contentDisposition] = options.contentDisposition
    headers[.contentEncoding] = options.contentEncoding
    return ObjectInfo(
      key: key, size: Int64(bytes.count), etag: "\"\(MD5.hash(bytes).hex.uppercased())\"",
      contentType: options.contentType, lastModified: clock.now,
      metadata: Dictionary(options.metadata.map { ($0.key.lowercased(), $0.value) }) { $1 },
      checksum: ObjectChecksum(.crc64, of: bytes), storageClass: options.storageClass,
      headers: headers)
  }

  /// Returns the entries of a whole listing; an empty delimiter groups no keys.
  private func entries(below prefix: [UInt8], delimiter: [UInt8]) -> [ListEntry] {
    let objects = state.withLock { $0.objects }.filter { $0.key.starts(with: prefix) }
    var entries: [ListEntry] = []
    for (key, object) in objects.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      guard !delimiter.isEmpty, let end = key.dropFirst(prefix.count).firstRange(of: delimiter)?.upperBound else {
        entries.append(.object(object.listed))
        continue
      }
      let commonPrefix = String(decoding: key[..<end], as: UTF8.self)
      let isNew = entries.last?.name.utf8.elementsEqual(commonPrefix.utf8) != true
      if isNew { entries.append(.commonPrefix(commonPrefix)) }
    }
    return entries
  }

  private func checkKeyLength(_ key: String) throws(StorageError) {
    guard !key.isEmpty, key.utf8.count <= keyByteLimit else {
      throw StorageError(
        .invalidKey, "The key is empty or longer than \(keyByteLimit) bytes.",
        remedy: "Use a key of 1 to \(keyByteLimit) bytes.")
    }
  }
}

extension ServiceError {
  fileprivate static func missing(subject: String) -> ServiceError {
    ServiceError(code: "NoSuchKey", message: "The object does not exist.", status: .notFound, subject: subject)
  }

  fileprivate static func otherTag(subject: String) -> ServiceError {
    ServiceError(code: "PreconditionFailed", message: "If-Match.", status: .preconditionFailed, subject: subject)
  }
}
