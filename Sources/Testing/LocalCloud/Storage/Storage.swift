// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth
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

/// A lock on a data directory, so that no two servers use it at once.
///
/// A server deletes files that no record of its own names, which another server may be writing. The lock is bound to an
/// open file: it also excludes a second server in the same process, and it ends with the process at the latest.
final class DirectoryLock: Sendable {
  private let file: Lock<FileDescriptor?>

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
      self.file = Lock(file)
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
        name: $0.name, created: $0.created, objectCount: $0.objects.count, isPublic: $0.access.isPublic)
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
