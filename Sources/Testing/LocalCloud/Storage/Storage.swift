// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth
internal import Synchronization
internal import SystemPackage
internal import _NIOFileSystem

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#else
  internal import Glibc
#endif

/// The data directory of a local server, with a bucket table for each storage service.
struct Storage: Sendable {
  let root: FilePath
  private let isTemporary: Bool
  private let lock: DirectoryLock
  private let stores: [LocalCloud.Provider: BucketTable]

  /// The files and folders of the simulated Aspera node.
  let node: BucketTable

  /// Opens and locks the data directory at a path, or creates a temporary directory if the path is `nil`.
  static func open(_ path: String?) async throws -> Storage {
    let root = if let path { FilePath(path) } else { try await makeTemporaryDirectory() }
    do {
      let lock = try await DirectoryLock(root)
      var stores: [LocalCloud.Provider: BucketTable] = [:]
      for provider in LocalCloud.Provider.allCases {
        stores[provider] = try await BucketTable.open(root.appending(provider.rawValue))
      }
      return Storage(
        root: root, isTemporary: path == nil, lock: lock, stores: stores,
        node: try await BucketTable.open(root.appending("aspera")))
    } catch {
      if path == nil { _ = try? await FileSystem.shared.removeItem(at: root) }
      guard let reason = ((error as? FileSystemError)?.cause as? FileSystemError.SystemCallError)?.errno else {
        throw error
      }
      throw LocalCloudError("The directory \(root) cannot be used: \(reason). Choose a writable one.")
    }
  }

  /// Creates a temporary directory that only its owner can access.
  ///
  /// The function fails if the directory already exists, so that another user's directory is never used.
  private static func makeTemporaryDirectory() async throws -> FilePath {
    let location = try await FileSystem.shared.temporaryDirectory
    let name = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    let directory = location.appending("localcloud-\(name)")
    try await FileSystem.shared.createDirectory(
      at: directory, withIntermediateDirectories: false, permissions: .ownerReadWriteExecute)
    return directory
  }

  func store(of provider: LocalCloud.Provider) throws -> BucketTable {
    guard let store = stores[provider] else { throw LocalCloudError("There is no store for \(provider.rawValue).") }
    return store
  }

  func createBuckets(_ names: [String], at date: Timestamp) async throws {
    for store in stores.values {
      for name in names { try await store.createBucket(name, access: nil, at: date) }
    }
    try await node.createBucket(FileTree.bucket, access: nil, at: date)
  }

  /// Waits until all unreferenced files are deleted, and removes the data directory if it is temporary.
  func close() async {
    for store in stores.values { await store.close() }
    await node.close()
    if isTemporary { _ = try? await FileSystem.shared.removeItem(at: root) }
    lock.release()
  }
}

/// The buckets and objects of one storage service, stored in one directory.
///
/// An object consists of a content file and a record file, both with random names. The index from object keys to files
/// is in memory, and is rebuilt from the records when the directory is opened again. Pending multipart uploads are not
/// preserved.
final class BucketTable: Sendable {
  let blobs: BlobStore
  let journal: Journal
  private let locks: [DirectoryLock]
  private let buckets: Mutex<[String: Bucket]>

  private init(blobs: BlobStore, journal: Journal, buckets: [String: Bucket], locks: [DirectoryLock]) {
    self.blobs = blobs
    self.locks = locks
    self.journal = journal
    self.buckets = Mutex(buckets)
  }

  /// Opens the directory of a storage service and rebuilds the index; creates the directory if necessary.
  static func open(_ directory: FilePath) async throws -> BucketTable {
    let content = directory.appending("content")
    try await FileSystem.shared.createDirectory(at: content, withIntermediateDirectories: true)
    // The root may be locked while a folder in it is a link to another server's.
    let locks = [try await DirectoryLock(directory), try await DirectoryLock(content)]
    let blobs = BlobStore(directory: content)
    let journal = Journal(directory: directory.appending("buckets"))
    let buckets = try await journal.load(blobs.collector)
    blobs.collector.start()
    try await blobs.collectAll(except: buckets.values)
    return BucketTable(blobs: blobs, journal: journal, buckets: buckets, locks: locks)
  }

  deinit {
    blobs.collector.stop()
  }

  /// Waits until all unreferenced files are deleted, after which the store must not be used.
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

  /// Modifies a bucket atomically, or throws `NoSuchBucket` if it does not exist.
  func change<Result: Sendable>(_ name: String, _ body: (inout Bucket) throws -> Result) throws -> Result {
    try buckets.withLock { buckets in
      guard let index = buckets.index(forKey: name) else { throw ErrorResponse.noSuchBucket(name) }
      return try body(&buckets.values[index])
    }
  }

  // MARK: Buckets

  /// Creates a bucket, private by default, or sets the access control of an existing bucket unless it is `nil`.
  func createBucket(_ name: String, access: AccessControl?, at date: Timestamp) async throws {
    let bucket = buckets.withLock { buckets in
      var bucket = buckets[name] ?? Bucket(name: name, created: date, access: .private)
      if let access { bucket.access = access }
      return bucket
    }
    try await journal.write(bucket)
    buckets.withLock { buckets in
      var current = buckets.removeValue(forKey: name) ?? bucket
      current.access = bucket.access
      buckets[name] = current
    }
  }

  func deleteBucket(_ name: String) async throws {
    try buckets.withLock { buckets in
      guard let bucket = buckets[name] else { throw ErrorResponse.noSuchBucket(name) }
      guard bucket.objects.isEmpty, bucket.uploads.isEmpty else { throw ErrorResponse.bucketNotEmpty(name) }
      buckets[name] = nil
    }
    try await journal.remove(bucket: name)
  }

  // MARK: Objects

  func object(_ key: ObjectKey, in bucket: String) throws -> StoredObject {
    try read(bucket) { bucket in
      guard let object = bucket.objects[key] else { throw ErrorResponse.noSuchKey(key.text) }
      return object
    }
  }

  /// Creates or replaces an object atomically, unless the closure, which is part of the atomic step, throws.
  func put(
    _ object: StoredObject, in bucket: String, after prepare: (inout Bucket) throws -> Void = { _ in }
  ) async throws {
    try read(bucket) { _ in }
    do {
      try await journal.write(object, in: bucket)
    } catch {
      // A concurrent deletion of the bucket also removes its directory. Report the missing bucket in that case.
      try read(bucket) { _ in }
      throw error
    }
    let replaced: StoredObject?
    do {
      replaced = try change(bucket) { bucket in
        try prepare(&bucket)
        let existing = bucket.objects[object.key]
        bucket.objects[object.key] = object
        return existing
      }
    } catch {
      try? await journal.remove(object, in: bucket)
      throw error
    }
    if let replaced { try await journal.remove(replaced, in: bucket) }
  }

  /// Deletes an object atomically, unless the closure throws, and returns whether the object existed.
  @discardableResult
  func delete(
    _ key: ObjectKey, in bucket: String, after check: (StoredObject?) throws -> Void = { _ in }
  ) async throws -> Bool {
    let deleted = try change(bucket) { bucket in
      let existing = bucket.objects[key]
      try check(existing)
      bucket.objects[key] = nil
      return existing
    }
    guard let deleted else { return false }
    try await journal.remove(deleted, in: bucket)
    return true
  }
}

/// A lock on a data directory, so that no two servers use it at once.
///
/// A server deletes files that no record of its own names, which another server may be writing. The lock is bound to an
/// open file: it also excludes a second server in the same process, and it ends with the process at the latest.
final class DirectoryLock: Sendable {
  private let file: Mutex<FileDescriptor?>

  /// Creates the directory if necessary and locks it, or throws a ``LocalCloudError`` if a server uses it.
  init(_ root: FilePath) async throws {
    try await FileSystem.shared.createDirectory(at: root, withIntermediateDirectories: true)
    do {
      let file = try FileDescriptor.open(
        root.appending(".lock"), .readWrite, options: [.create, .closeOnExec, .noFollow], permissions: .ownerReadWrite)
      do {
        try Self.lock(file)
      } catch {
        try? file.close()
        throw error
      }
      self.file = Mutex(file)
    } catch Errno.wouldBlock {
      throw LocalCloudError(
        "The directory \(root) is in use by another server. Stop that server, or choose another directory.")
    } catch let error as Errno {
      throw LocalCloudError("The directory \(root) cannot be locked: \(error). Choose a writable one.")
    }
  }

  private static func lock(_ file: FileDescriptor) throws(Errno) {
    guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else { throw Errno(rawValue: errno) }
  }

  func release() {
    let file = file.withLock { file in
      defer { file = nil }
      return file
    }
    try? file?.close()
  }

  deinit {
    release()
  }
}

extension LocalCloud {
  package struct BucketSummary: Sendable, Hashable {
    package let name: String
    package let created: Timestamp
    package let objectCount: Int
    /// A Boolean value that indicates whether unsigned requests can read the objects of the bucket.
    package let isPublic: Bool
  }

  package struct ObjectSummary: Sendable, Hashable {
    package let key: String
    package let byteCount: Int64
    package let modified: Timestamp
  }

  package struct ObjectPage: Sendable, Hashable {
    package let objects: [ObjectSummary]
    /// The common prefixes of the keys that contain another slash after the prefix of the page.
    package let folders: [String]
    /// The key or folder after which the next page starts, or `nil` on the last page.
    package let next: String?
  }

  /// Returns the buckets of a storage service, ordered by name.
  package func buckets(of provider: Provider) -> [BucketSummary] {
    guard let store = try? storage.store(of: provider) else { return [] }
    return store.bucketsByName.map {
      BucketSummary(
        name: $0.name, created: $0.created, objectCount: $0.objects.count, isPublic: $0.access == .publicRead)
    }
  }

  /// Returns a page of a bucket's objects and folders, ordered by key, or `nil` if the bucket does not exist.
  package func objects(
    in bucket: String, of provider: Provider, prefix: String, after: String, limit: Int
  ) -> ObjectPage? {
    let query = ListQuery(prefix: prefix, delimiter: "/", after: after, limit: limit)
    guard let page = try? storage.store(of: provider).read(bucket, { $0.page(query) }) else { return nil }
    return ObjectPage(
      objects: page.objects.map {
        ObjectSummary(key: $0.key.text, byteCount: $0.content.byteCount, modified: $0.modified)
      },
      folders: page.groups, next: page.next)
  }
}
