// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
public import SystemPackage

/// One side of a synchronization: a folder on this machine, or the objects of a store below a prefix.
public struct SyncLocation: Sendable {
  enum Storage: Sendable {
    case folder(FilePath, any FileSystem)
    case objects(any ObjectStore, prefix: String, bucket: String?)
  }

  let storage: Storage

  /// Returns a side that consists of the regular files in a folder and its subfolders.
  ///
  /// - Parameter path: The path of the folder. As the target, it is created if it does not exist.
  public static func folder(_ path: FilePath) -> SyncLocation { .folder(path, in: .system) }

  /// Returns a side that consists of the objects of a store whose keys start with a prefix.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - prefix: The prefix of the keys, which is usually empty or ends with a slash. The rest of a key is the path.
  ///   - bucket: The name of the bucket if the other side is in the same service with the same credentials. Objects of
  ///     up to 1 GiB are then copied inside the service. If `nil`, objects are downloaded and uploaded.
  public static func objects(
    in store: any ObjectStore, below prefix: String = "", bucket: String? = nil
  ) -> SyncLocation {
    SyncLocation(storage: .objects(store, prefix: prefix, bucket: bucket))
  }

  /// Returns a side that consists of the regular files in a folder of any file system.
  package static func folder(_ path: FilePath, in system: any FileSystem) -> SyncLocation {
    SyncLocation(storage: .folder(path, system))
  }

  func opened() async throws -> OpenSide {
    switch storage {
    case .objects(let store, let prefix, let bucket): return .objects(store, prefix: prefix, bucket: bucket)
    case .folder(let path, let system):
      return try await RootFolder(path, in: system).map { OpenSide.folder($0) } ?? .nothing
    }
  }

  /// Throws an error if one of two sides is inside the other, so that a synchronization would transfer its own results.
  func checkIsApart(from other: SyncLocation) throws(StorageError) {
    guard case .objects(let store, let prefix, _) = storage,
      case .objects(let otherStore, let otherPrefix, _) = other.storage,
      store.hasSameObjects(as: otherStore), prefix.hasBytePrefix(otherPrefix) || otherPrefix.hasBytePrefix(prefix)
    else { return }
    throw StorageError(
      .invalidOption, "One side of the synchronization is inside the other: \"\(prefix)\" and \"\(otherPrefix)\".",
      remedy: "Name prefixes of which neither is the start of the other.")
  }
}

/// One side of a synchronization that is under way.
enum OpenSide: Sendable {
  case folder(RootFolder)
  case objects(any ObjectStore, prefix: String, bucket: String?)
  /// A folder that does not exist yet.
  case nothing

  /// Returns the entries of the side in the byte order of their paths.
  func entries() -> SyncEntries {
    switch self {
    case .folder(let root): .folder(FolderListing(root))
    case .objects(let store, let prefix, _): .objects(store.list(prefix: prefix).makeAsyncIterator(), prefix: prefix)
    case .nothing: .nothing
    }
  }
}

/// A file or an object of one side of a synchronization.
struct SyncEntry: Sendable, Hashable {
  /// The path below the folder or the prefix, with slashes.
  let path: String
  let size: Int64
  /// The time of the last change, in whole seconds since 1970 as services report it, or `nil` if it is unknown.
  let modifiedSeconds: Int64?
  /// The identity of a file in its listed state, or `nil` for an object.
  let identity: FileIdentity?

  init(path: String, size: Int64, modifiedSeconds: Int64?) {
    self.path = path
    self.size = size
    self.modifiedSeconds = modifiedSeconds
    identity = nil
  }

  init(path: String, status: FileStatus) {
    self.path = path
    size = status.size
    modifiedSeconds = status.modifiedSeconds
    identity = status.identity
  }

  /// Returns whether the entry was not changed after another entry, in whole seconds.
  func isNotNewer(than other: SyncEntry) -> Bool {
    guard let ownTime = modifiedSeconds, let otherTime = other.modifiedSeconds else { return false }
    return ownTime <= otherTime
  }
}

/// The entries of one side of a synchronization, in the byte order of their paths.
enum SyncEntries {
  case folder(FolderListing)
  case objects(ObjectListing.AsyncIterator, prefix: String)
  case nothing

  /// The files of a folder that cannot be synchronized, with the reasons.
  var skipped: [SkippedPath] {
    if case .folder(let listing) = self { listing.skipped } else { [] }
  }

  /// Returns the next entry, or `nil` at the end.
  ///
  /// The listing checks that the keys are below the prefix and ascend: the end of one side must not be taken for
  /// missing objects.
  mutating func next() async throws -> SyncEntry? {
    switch self {
    case .nothing: return nil
    case .folder(var listing):
      defer { self = .folder(listing) }
      return try await listing.next()
    case .objects(var listing, let prefix):
      defer { self = .objects(listing, prefix: prefix) }
      while let entry = try await listing.next() {
        guard case .object(let object) = entry else { continue }
        guard let path = object.key.removingBytePrefix(prefix) else {
          throw StorageError.malformedResponse("it lists \"\(object.key)\", which is not below \"\(prefix)\"")
        }
        // Consoles of services create empty objects that stand for folders.
        if path.isEmpty || path.hasByteSuffix("/") && object.size == 0 { continue }
        return SyncEntry(path: String(path), size: object.size, modifiedSeconds: object.lastModified?.unixSeconds)
      }
      return nil
    }
  }
}

/// A listing of the regular files in a folder and its subfolders, in the byte order of their paths.
///
/// Only the names in the folders above the current file are in memory.
struct FolderListing: Sendable {
  private struct Item: Sendable {
    let name: FilePath.Component
    let text: String
    let status: FileStatus

    /// The part of the path that determines the order: files in a folder come after a slash.
    var sortedName: String { status.kind == .folder ? text + "/" : text }
  }

  private struct Level {
    let path: String
    let names: [FilePath.Component]
    var items: ArraySlice<Item>
  }

  private let root: RootFolder
  /// The open folders, from the root down, with the items that have not been listed.
  private var levels: [Level] = []
  private var hasStarted = false
  private(set) var skipped: [SkippedPath] = []

  init(_ root: RootFolder) {
    self.root = root
  }

  mutating func next() async throws -> SyncEntry? {
    if !hasStarted {
      hasStarted = true
      try await enter("", [])
    }
    while let level = levels.last {
      guard let item = level.items.first else {
        levels.removeLast()
        continue
      }
      levels[levels.count - 1].items.removeFirst()
      let path = level.path + item.text
      guard item.status.kind == .folder else { return SyncEntry(path: path, status: item.status) }
      try await enter(path + "/", level.names + [item.name])
    }
    return nil
  }

  /// Reads the folder with a path below the root, which is empty or ends with a slash.
  private mutating func enter(_ path: String, _ names: [FilePath.Component]) async throws {
    guard let contents = try await root.contents(of: names) else {
      skipped.append(SkippedPath(String(path.utf8.dropLast()) ?? path, "It was removed or replaced meanwhile."))
      return
    }
    var items: [Item] = []
    for item in contents where !names.isEmpty || item.name != StagingFolder.name {
      guard let text = String(validating: item.name) else {
        skipped.append(SkippedPath(undecodable: item.name, in: path))
        continue
      }
      switch item.status?.kind {
      case .regular?, .folder?:
        if let status = item.status { items.append(Item(name: item.name, text: text, status: status)) }
      case .symbolicLink?: skipped.append(SkippedPath(path + text, "It is a symbolic link."))
      case .special?: skipped.append(SkippedPath(path + text, "It is not a regular file."))
      case nil: skipped.append(SkippedPath(path + text, "It was removed meanwhile."))
      }
    }
    items.sort { $0.sortedName.utf8.lexicographicallyPrecedes($1.sortedName.utf8) }
    levels.append(Level(path: path, names: names, items: items[...]))
  }
}
