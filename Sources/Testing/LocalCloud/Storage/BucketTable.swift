// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import SystemPackage
internal import _NIOFileSystem

/// The buckets and objects of one storage service, stored in one directory.
///
/// An object consists of a content file and a record file, both with random names. The index from object keys to files
/// is in memory; it is rebuilt from the records, without pending uploads, when the directory is opened again.
final class BucketTable: Sendable {
  let blobs: BlobStore
  let journal: Journal
  private let locks: [DirectoryLock]
  private let buckets: Lock<[String: Bucket]>

  /// The turns of the operations on a bucket itself, by its name, and of those on an object, by bucket and key.
  ///
  /// While a new record replaces an old one, the folder has both. If another operation could complete in the meantime,
  /// and the process ended then, the index would not be rebuilt with that last operation.
  private let turns = TurnTable()

  private init(blobs: BlobStore, journal: Journal, buckets: [String: Bucket], locks: [DirectoryLock]) {
    (self.blobs, self.journal, self.locks) = (blobs, journal, locks)
    self.buckets = Lock(buckets)
  }

  /// Opens the directory of a storage service and rebuilds the index; creates the directory if necessary.
  static func open(_ directory: FilePath) async throws -> BucketTable {
    let content = directory.appending("content")
    try await FileSystem.shared.createDirectory(at: content, withIntermediateDirectories: true)
    // Although the root is locked, a folder in it may be a link to a folder of another server.
    let locks = [try await DirectoryLock(directory), try await DirectoryLock(content)]
    let blobs = BlobStore(directory: content)
    let journal = Journal(directory: directory.appending("buckets"))
    let buckets = try await journal.load(blobs.collector)
    blobs.collector.start()
    try await blobs.collectUnreferenced(keeping: buckets.values)
    return BucketTable(blobs: blobs, journal: journal, buckets: buckets, locks: locks)
  }

  deinit { blobs.collector.stop() }

  /// Waits until all unreferenced files are deleted; afterwards, the store must not be used.
  func close() async {
    await blobs.collector.finish()
    for lock in locks { lock.release() }
  }

  var bucketsByName: [Bucket] { buckets.withLock { $0.values.sorted { $0.name < $1.name } } }

  /// Reads a bucket atomically, or throws `NoSuchBucket` if it does not exist.
  func read<Result: Sendable>(_ name: String, _ body: (Bucket) throws -> Result) throws -> Result {
    try buckets.withLock { buckets in
      guard let bucket = buckets[name] else { throw ErrorResponse.noSuchBucket(name) }
      return try body(bucket)
    }
  }

  func change<Result: Sendable>(_ name: String, _ body: (inout Bucket) throws -> Result) throws -> Result {
    try buckets.withLock { buckets in
      guard let index = buckets.index(forKey: name) else { throw ErrorResponse.noSuchBucket(name) }
      return try body(&buckets.values[index])
    }
  }

  // MARK: Buckets

  /// Changes the settings of a bucket atomically, unless the closure throws; with a date, a missing bucket is created.
  func configure(
    _ name: String, creatingAt date: Timestamp? = nil, _ change: (inout BucketSettings) throws -> Void
  ) async throws {
    try await turns.withTurn(of: name) {
      let old = buckets.withLock { $0[name] }
      guard var bucket = old ?? date.map({ Bucket(name: name, created: $0, access: .private) }) else {
        throw ErrorResponse.noSuchBucket(name)
      }
      try change(&bucket.settings)
      if let old, old.settings == bucket.settings { return }
      // A process that ended while it deleted the bucket may have left records.
      if old == nil { try await journal.remove(bucket: name) }
      try await journal.write(bucket)
      buckets.withLock { $0[name, default: bucket].settings = bucket.settings }
    }
  }

  /// Deletes an empty bucket; with `withUploads`, it may still have pending uploads.
  func deleteBucket(_ name: String, withUploads: Bool) async throws {
    try await turns.withTurn(of: name) {
      try buckets.withLock { buckets in
        guard let bucket = buckets[name] else { throw ErrorResponse.noSuchBucket(name) }
        guard bucket.objects.isEmpty, bucket.otherVersions.isEmpty, withUploads || bucket.uploads.isEmpty else {
          throw ErrorResponse(
            .conflict, "BucketNotEmpty", "The bucket holds objects or uploads; delete them first.",
            details: ["BucketName": name])
        }
        buckets[name] = nil
      }
      try await journal.remove(bucket: name)
    }
  }

  // MARK: Objects

  func object(_ key: ObjectKey, in bucket: String, version: String? = nil) throws -> StoredObject {
    try read(bucket) { try $0.object(key, version: version) }
  }

  /// Creates or replaces an object atomically, unless the closure, which is part of the atomic step, throws.
  ///
  /// The object takes the place of `old`. Without `old`, it becomes a new version if versioning is enabled, or else
  /// replaces the version without an ID. The closure runs twice: first, before the record is written, on a copy.
  @discardableResult func put(
    _ object: StoredObject, in bucket: String, inPlaceOf old: StoredObject? = nil,
    after prepare: (inout Bucket) throws -> Void = { _ in }
  ) async throws -> StoredObject {
    try await turns.withTurn(of: "\(bucket)/\(object.key.string)") {
      let (state, order) = try change(bucket) { bucket in
        var copy = bucket
        try prepare(&copy)
        bucket.lastOrder += 1
        return (bucket.settings.versioning, bucket.lastOrder)
      }
      let version = old.map(\.version) ?? (state == .enabled ? nil : StoredObject.nullVersion)
      let object = object.stored(as: version, old?.order ?? order)
      do { try await journal.write(object, in: bucket) } catch {
        // If the bucket was deleted concurrently, together with its directory, the missing bucket is the error.
        try read(bucket) { _ in }
        throw error
      }
      let replaced: StoredObject?
      do {
        replaced = try change(bucket) { bucket in
          // A bucket that was deleted and created again in the meantime has lower numbers.
          guard bucket.lastOrder >= order, old != nil || bucket.settings.versioning == state else {
            throw ErrorResponse.operationAborted
          }
          try prepare(&bucket)
          return bucket.add(object)
        }
      } catch {
        try? await journal.remove(object, in: bucket)
        throw error
      }
      if let replaced { try await journal.remove(replaced, in: bucket) }
      return object
    }
  }

  /// Deletes a version of an object atomically, unless the closure throws, and returns it if it existed.
  @discardableResult func delete(
    _ key: ObjectKey, in bucket: String, version: String = StoredObject.nullVersion,
    after check: (StoredObject?) throws -> Void = { _ in }
  ) async throws -> StoredObject? {
    try await turns.withTurn(of: "\(bucket)/\(key.string)") {
      let deleted = try read(bucket) { bucket in
        try check(bucket.objects[key])
        return bucket.versions(of: key).first { $0.version == version }
      }
      guard let deleted else { return nil }
      try await journal.remove(deleted, in: bucket)
      try change(bucket) { $0.remove(version, of: key) }
      return deleted
    }
  }
}

/// A table of names, each of which is used by one operation at a time, in the order of their requests.
///
/// Unlike a lock, a turn can be held while files are written.
final class TurnTable: Sendable {
  private let waiting = Lock<[String: [CheckedContinuation<Void, Never>]]>([:])

  func withTurn<Result>(of name: String, _ body: () async throws -> Result) async rethrows -> Result {
    await withCheckedContinuation { continuation in
      let isFree = waiting.withLock { waiting in
        let isFree = waiting[name] == nil
        waiting[name, default: []] += isFree ? [] : [continuation]
        return isFree
      }
      if isFree { continuation.resume() }
    }
    defer { end(name) }
    return try await body()
  }

  private func end(_ name: String) {
    let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
      if waiting[name]?.isEmpty == true { waiting[name] = nil }
      return waiting[name]?.removeFirst()
    }
    next?.resume()
  }
}
