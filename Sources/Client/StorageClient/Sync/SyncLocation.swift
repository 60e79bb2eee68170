// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto
public import SystemPackage

/// A location of a synchronization: a folder on this machine, or the objects of a store below a prefix.
public struct SyncLocation: Sendable {
  enum Storage: Sendable {
    case folder(FilePath, any FileSystem)
    case objects(any ObjectStore, prefix: String, bucket: String?)
  }

  let storage: Storage

  /// Returns the location of the regular files in a folder and its subfolders.
  ///
  /// - Parameter path: The path of the folder. As the target, it is created if it does not exist.
  public static func folder(_ path: FilePath) -> SyncLocation { .folder(path, in: .system) }

  /// Returns the location of the objects of a store whose keys start with a prefix.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - prefix: The prefix of the keys, which is usually empty or ends with a slash. The rest of a key is the path.
  ///   - bucket: The name of the bucket if the other location is in the same service with the same credentials. Objects of
  ///     up to 1 GiB are then copied inside the service. If `nil`, objects are downloaded and uploaded.
  public static func objects(
    in store: any ObjectStore, below prefix: String = "", bucket: String? = nil
  ) -> SyncLocation {
    SyncLocation(storage: .objects(store, prefix: prefix, bucket: bucket))
  }

  /// Returns the location of the regular files in a folder of any file system.
  package static func folder(_ path: FilePath, in system: any FileSystem) -> SyncLocation {
    SyncLocation(storage: .folder(path, system))
  }

  /// Opens the folder, or returns the objects as they are.
  func opened() async throws -> OpenLocation {
    switch storage {
    case .objects(let store, let prefix, let bucket): return .objects(store, prefix: prefix, bucket: bucket)
    case .folder(let path, let system):
      return try await RootFolder(path, in: system).map { OpenLocation.folder($0) } ?? .missingFolder
    }
  }

  /// Throws an error if one of two locations is inside the other, so that a synchronization would transfer its own results.
  func requireApart(from other: SyncLocation) throws(StorageError) {
    guard case .objects(let store, let prefix, _) = storage,
      case .objects(let otherStore, let otherPrefix, _) = other.storage,
      store.mayShareObjects(withPrefix: prefix, otherStore, withPrefix: otherPrefix)
    else { return }
    throw StorageError(
      .invalidOption, "One side of the synchronization is inside the other: \"\(prefix)\" and \"\(otherPrefix)\".",
      remedy: "Name prefixes of which neither is the start of the other.")
  }
}

/// A location of a synchronization that is under way.
enum OpenLocation: Sendable {
  case folder(RootFolder)
  case objects(any ObjectStore, prefix: String, bucket: String?)
  /// A folder that does not exist yet.
  case missingFolder

  /// Returns the entries of the location in the byte order of their paths.
  func entries() -> SyncEntries {
    switch self {
    case .folder(let root): .folder(FolderListing(root))
    case .objects(let store, let prefix, _): .objects(store.list(prefix: prefix).makeAsyncIterator(), prefix: prefix)
    case .missingFolder: .noEntries
    }
  }

  /// Returns whether an entry of this location has the same checksum as an entry of another location.
  func hasEqualChecksum(_ entry: SyncEntry, _ otherEntry: SyncEntry, in other: OpenLocation) async throws -> Bool {
    // A service determines the algorithm, so the file is read second.
    if case .folder = self {
      guard let expected = try await other.checksum(otherEntry, .crc64) else { return false }
      return try await checksum(entry, expected.algorithm) == expected
    }
    guard let expected = try await checksum(entry, .crc64) else { return false }
    return try await other.checksum(otherEntry, expected.algorithm) == expected
  }

  /// Returns the checksum of an entry, or `nil` if the service does not report it; a service has its own algorithm.
  private func checksum(_ entry: SyncEntry, _ algorithm: ObjectChecksum.Algorithm) async throws -> ObjectChecksum? {
    switch self {
    case .missingFolder: return nil
    case .objects(let store, let prefix, _): return try await store.head(prefix + entry.path).checksum
    case .folder(let root):
      var checksum = CRC(algorithm.crc)
      let chunks = FilePayload(try await root.open(entry.path)).stream.makeAsyncIterator()
      while let chunk = try await chunks.nextChunk() { chunk.withSpan { checksum.update($0) } }
      return ObjectChecksum(algorithm, checksum.checksum)
    }
  }
}

/// A store that reads and writes files in open folders, as a synchronization needs it.
///
/// A path can lead elsewhere by the time it is used; an open folder cannot.
package protocol OpenFileStore: ObjectStore {
  /// Downloads an object into a file that appears at its location only when it is complete.
  @discardableResult
  func download(
    _ key: String, to location: FileLocation, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo
}

extension OpenFileStore {
  /// Downloads an object into a file that appears at its destination only when the download is complete.
  @concurrent
  package func download(
    _ key: String, to file: FilePath, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try await download(key, to: FileLocation(file), options: options, progress: progress)
  }
}

/// A store that continues transfers of files in open folders.
protocol ResumingFileStore: OpenFileStore {
  @discardableResult
  func upload(
    _ file: FilePayload, to key: String, checkpoint: some CheckpointStorage<UploadCheckpoint>, options: UploadOptions,
    progress: TransferProgress.Handler?
  ) async throws -> UploadedObject

  @discardableResult
  func download(
    _ key: String, to location: FileLocation, checkpoint: some CheckpointStorage<DownloadCheckpoint>,
    options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo
}
