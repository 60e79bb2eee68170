// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import SystemPackage

/// A location of a synchronization: a folder on this machine, or the objects of a store below a prefix.
public struct SyncLocation: Sendable {
  enum Storage: Sendable {
    case folder(FilePath, any FileSystem)
    case objects(StoreObjects)
  }

  let storage: Storage

  /// Returns the location of the regular files in a folder and its subfolders; a target folder is created if necessary.
  public static func folder(_ path: FilePath) -> SyncLocation { .folder(path, in: .system) }

  /// Returns the location of the objects of a store whose keys start with a prefix.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - prefix: The prefix of the keys, which is usually empty or ends with a slash. The rest of a key is the path.
  ///   - bucket: The name of the bucket if the other location is in the same service with the same credentials. Objects
  ///     of up to 1 GiB are then copied inside the service. If `nil`, objects are downloaded and uploaded.
  public static func objects(
    in store: any ObjectStore, below prefix: String = "", bucket: String? = nil
  ) -> SyncLocation { SyncLocation(storage: .objects(StoreObjects(store: store, prefix: prefix, bucket: bucket))) }

  package static func folder(_ path: FilePath, in system: any FileSystem) -> SyncLocation {
    SyncLocation(storage: .folder(path, system))
  }

  /// Returns the location with its folder opened, if it is one.
  func opened() async throws -> OpenLocation {
    switch storage {
    case .objects(let objects): return .objects(objects)
    case .folder(let path, let system):
      return try await RootFolder(path, in: system).map { OpenLocation.folder($0) } ?? .missingFolder
    }
  }

  /// Throws an error if one of two locations is inside the other, because a synchronization would transfer its results.
  func requireDisjoint(from other: SyncLocation) throws(StorageError) {
    guard case .objects(let objects) = storage, case .objects(let otherObjects) = other.storage,
      objects.store.mayShareObjects(withPrefix: objects.prefix, otherObjects.store, withPrefix: otherObjects.prefix)
    else { return }
    throw StorageError(
      .invalidOption,
      "One side of the synchronization is inside the other: \"\(objects.prefix)\" and \"\(otherObjects.prefix)\".",
      remedy: "Name prefixes of which neither is the start of the other.")
  }
}

/// The objects of a store whose keys start with a prefix.
struct StoreObjects: Sendable {
  let store: any ObjectStore
  let prefix: String
  /// The name of the bucket if the other location is in the same service, or else `nil`.
  let bucket: String?

  func object(at path: String) -> ObjectInStore { (store, prefix + path) }
}

/// An object of a store, which need not exist.
typealias ObjectInStore = (store: any ObjectStore, key: String)

/// A location of a synchronization whose folder has been opened, so that it stays the same during the synchronization.
enum OpenLocation: Sendable {
  case folder(RootFolder)
  case objects(StoreObjects)
  case missingFolder

  /// Returns the entries of the location, which are listed as they are read.
  func entries() -> SyncEntries {
    switch self {
    case .folder(let root): .folder(FolderListing(root))
    case .objects(let objects):
      .objects(objects.store.list(prefix: objects.prefix).makeAsyncIterator(), prefix: objects.prefix)
    case .missingFolder: .noEntries
    }
  }

  /// Returns whether two entries have checksums of the same kind, and these are equal.
  func hasEqualChecksum(_ entry: SyncEntry, _ otherEntry: SyncEntry, in other: OpenLocation) async throws -> Bool {
    // A file is read second, because the service of the other location determines the algorithm.
    if case .folder = self, case .objects = other {
      return try await other.hasEqualChecksum(otherEntry, entry, in: self)
    }
    guard let expected = try await checksum(entry, .crc64) else { return false }
    return try await other.checksum(otherEntry, expected.algorithm) == expected
  }

  /// Returns the checksum of an entry, or `nil` if the service does not report it; a service ignores the algorithm.
  private func checksum(_ entry: SyncEntry, _ algorithm: ObjectChecksum.Algorithm) async throws -> ObjectChecksum? {
    switch self {
    case .missingFolder: return nil
    case .objects(let objects): return try await objects.store.head(objects.prefix + entry.path).checksum
    case .folder(let root):
      return try await BodyDigest.of(FilePayload(root.open(entry.path)), .checksum, algorithm).checksum
    }
  }
}

/// A store that writes files in open folders, because a path can lead elsewhere by the time it is used.
package protocol OpenFileStore: ObjectStore {
  @discardableResult func download(
    _ key: String, to location: FileLocation, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo
}

extension OpenFileStore {
  @concurrent package func download(
    _ key: String, to file: FilePath, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try await download(key, to: FileLocation(file), options: options, progress: progress)
  }
}

/// A store that continues transfers of files in open folders.
protocol ResumingFileStore: OpenFileStore {
  @discardableResult func upload(
    _ file: FilePayload, to key: String, checkpoint: some CheckpointStorage<UploadCheckpoint>, options: UploadOptions,
    progress: TransferProgress.Handler?
  ) async throws -> UploadedObject

  @discardableResult func download(
    _ key: String, to location: FileLocation, checkpoint: some CheckpointStorage<DownloadCheckpoint>,
    options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo
}
