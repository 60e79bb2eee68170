// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import SystemPackage
internal import _NIOFileSystem

/// The data directory of a local server, with a bucket table for each storage service.
struct Storage: Sendable {
  let root: FilePath
  private let isTemporary: Bool
  private let lock: DirectoryLock
  private let stores: [LocalCloud.Provider: BucketTable]
  /// The table with the files and folders of the Aspera node.
  let node: BucketTable

  /// Opens and locks the data directory at a path, or creates a temporary directory if the path is `nil`.
  static func open(_ path: String?) async throws -> Storage {
    if let path { return try await open(FilePath(path), isTemporary: false) }
    let root = try await makeTemporaryDirectory()
    do { return try await open(root, isTemporary: true) } catch {
      await remove(root)
      throw error
    }
  }

  private static func open(_ root: FilePath, isTemporary: Bool) async throws -> Storage {
    try await describingErrors(in: root) {
      let lock = try await DirectoryLock(root)
      var stores: [LocalCloud.Provider: BucketTable] = [:]
      for provider in LocalCloud.Provider.allCases {
        stores[provider] = try await BucketTable.open(root.appending(provider.rawValue))
      }
      return Storage(
        root: root, isTemporary: isTemporary, lock: lock, stores: stores,
        node: try await BucketTable.open(root.appending("aspera")))
    }
  }

  /// Runs a closure, and replaces an error of the system by one that names the directory.
  private static func describingErrors<Result>(
    in directory: FilePath, _ body: () async throws -> Result
  ) async throws -> Result {
    do { return try await body() } catch let error as FileSystemError {
      guard let reason = (error.cause as? FileSystemError.SystemCallError)?.errno else { throw error }
      throw LocalCloudError("The directory \(directory) cannot be used: \(reason). Choose a writable one.")
    }
  }

  /// Removes a directory, even if the task is cancelled.
  private static func remove(_ directory: FilePath) async {
    await Task { _ = try? await FileSystem.shared.removeItem(at: directory) }.value
  }

  /// Creates a temporary directory that only its owner can access; an existing directory is an error.
  private static func makeTemporaryDirectory() async throws -> FilePath {
    let location = try await FileSystem.shared.temporaryDirectory
    let name = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    let directory = location.appending("localcloud-\(name)")
    try await describingErrors(in: directory) {
      try await FileSystem.shared.createDirectory(
        at: directory, withIntermediateDirectories: false, permissions: .ownerReadWriteExecute)
    }
    return directory
  }

  func store(of provider: LocalCloud.Provider) throws -> BucketTable {
    guard let store = stores[provider] else { throw LocalCloudError("There is no store for \(provider.rawValue).") }
    return store
  }

  func createBuckets(_ names: [String], at date: Timestamp) async throws {
    for store in stores.values { for name in names { try await store.configure(name, creatingAt: date) { _ in } } }
    try await node.configure(FileTree.bucket, creatingAt: date) { _ in }
  }

  /// Waits until unreferenced files are deleted, removes the folder if it is temporary, and unlocks it.
  func close() async {
    for store in stores.values { await store.close() }
    await node.close()
    if isTemporary { await Self.remove(root) }
    lock.release()
  }
}
