// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

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
  /// The ends of keys that the store must keep apart.
  let distinctNames: [String]
  let cancellationTimeLimit: Duration

  /// Creates a suite for an object store.
  ///
  /// `folder` is for downloaded files, and must exist. `prefix` is that of the keys of all objects that the suite creates;
  /// no other object may have it. `largeSize` is the size in bytes of objects that the store should transfer in parts.
  /// `names` are ends of keys that the store must keep apart; leave out those that the service does not permit.
  /// `patience` is the time limit for a cancelled operation, measured with the machine's clock.
  public init(
    _ store: Store, in folder: FilePath, below prefix: String = "conformance/", largeSize: Int = 350_000,
    names: [String] = Self.unusualNames, patience: Duration = .seconds(10)
  ) {
    self.store = store
    self.folder = folder
    self.prefix = prefix
    self.largeSize = largeSize
    distinctNames = names
    cancellationTimeLimit = patience
  }

  /// Names that some implementations store, list or delete as other names.
  public static var unusualNames: [String] {
    [
      "a", "a/", "a/b", "a//b", "a/./b", "a/../b", "a b", "a+b", "a%2Fb", "a%41", "a&b=c", "?a#b", "<a>\"'\\",
      "~!*();:@$,[]", "\u{E9}", "e\u{301}", "\u{212B}", "A\u{30A}", "猫/🐈", "a\u{1}b", "a\tb\nc", "İ", "i",
    ]
  }

  /// Checks rules, deletes the objects that the suite created, and returns a report with one check for each rule.
  public func report(_ rules: [ObjectStoreRule] = ObjectStoreRule.allCases) async -> ConformanceReport {
    let report = await ConformanceReport(of: Store.self, rules) { rule in
      try await check(rule, below: "\(prefix)\(rule)/")
    }
    // Objects that remain do not change the result of the checks.
    if let createdObjects = try? await listedObjects(below: prefix) {
      _ = try? await store.delete(createdObjects.map(\.key))
    }
    return report
  }

  /// Checks a rule with objects whose keys start with `root`, and throws a `Violation` if the store breaks the rule.
  ///
  /// - Returns: The number of cases in which the store followed the rule, for the report.
  private func check(_ rule: ObjectStoreRule, below root: String) async throws -> Int {
    switch rule {
    case .roundTrip: try await checkRoundTrip(below: root)
    case .attributes: try await checkAttributes(below: root)
    case .emptyObject: try await checkEmptyObject(below: root)
    case .singleRead: try await checkSingleRead(below: root)
    case .announcedLength: try await checkAnnouncedLength(below: root)
    case .sourceFailure: try await checkSourceFailure(below: root)
    case .overwriting: try await checkOverwriting(below: root)
    case .ranges: try await checkRanges(below: root)
    case .exceedingRanges: try await checkExceedingRanges(below: root)
    case .missing: try await checkMissing(below: root)
    case .files: try await checkFiles(below: root)
    case .deletion: try await checkDeletion(below: root)
    case .names: try await checkNames(below: root)
    case .order: try await checkOrder(below: root)
    case .prefixes: try await checkPrefixes(below: root)
    case .progress: try await checkProgress(below: root)
    case .cancellation: try await checkCancellation(below: root)
    case .concurrency: try await checkConcurrency(below: root)
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
  /// Requires that an object has exactly the given bytes, by its description and by its download.
  func requireContent(_ bytes: [UInt8], at key: String, of label: String) async throws {
    let size = try await store.head(key).size.map(String.init) ?? "nil"
    try require(size == "\(bytes.count)", "\(label) has the size \(size) instead of \(bytes.count)")
    let downloaded = try await store.download(key, upTo: bytes.count + 1)
    try require(
      downloaded == bytes, "\(label) has \(downloaded.count) other bytes than the \(bytes.count) that were uploaded")
  }

  /// Requires that an operation throws an error of the service of a kind.
  func requireKind(_ kind: ServiceError.Kind, of label: String, _ operation: () async throws -> Void) async throws {
    let error = await failure(operation)
    try require((error as? ServiceError)?.kind == kind, "\(label) is not of the kind \(kind): \(text(of: error))")
  }

  func failure(_ operation: () async throws -> Void) async -> (any Error)? {
    do { try await operation() } catch { return error }
    return nil
  }

  func text(of error: (any Error)?) -> String { error.map { "\($0)" } ?? "no error" }

  /// Returns the listed objects whose keys start with a prefix.
  func listedObjects(below prefix: String) async throws -> [ListedObject] {
    var objects: [ListedObject] = []
    for try await entry in store.list(prefix: prefix) { if case .object(let object) = entry { objects.append(object) } }
    return objects
  }

  /// Returns random bytes, which are the same for the same count and seed.
  func content(_ byteCount: Int, seed: Int = 0) -> [UInt8] {
    var random = SeededGenerator(seed: UInt64(byteCount) &+ UInt64(seed) << 32)
    return (0..<byteCount).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  /// Returns a stream of chunks that has no bytes in a second iteration, and calls a closure at its end.
  func onceReadableStream(
    _ bytes: [UInt8], atEnd end: @escaping @Sendable () async throws -> Void = {}
  ) -> AsyncThrowingStream<[UInt8], any Error> {
    let offset = Lock(0)
    return AsyncThrowingStream {
      let chunk = offset.withLock { offset in
        // No usual size of a part is a multiple of 9,999, so that chunks and parts end at different bytes.
        let chunk = Array(bytes.dropFirst(offset).prefix(9_999))
        offset += chunk.count
        return chunk
      }
      if chunk.isEmpty { try await end() }
      return chunk.isEmpty ? nil : chunk
    }
  }
}
