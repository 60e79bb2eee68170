// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import SystemPackage

/// A file or an object at a location of a synchronization.
struct SyncEntry: Sendable, Hashable {
  /// The path below the folder or the prefix, with slashes.
  let path: String
  let size: Int64
  /// The time of the last change, in whole seconds since 1970 as services report it, or `nil` if it is unknown.
  let modifiedSeconds: Int64?
  /// The identity of a file in its listed state, or `nil` for an object.
  var identity: FileIdentity?

  /// Returns whether the entry was not changed after another entry, in whole seconds.
  func isNotNewer(than other: SyncEntry) -> Bool {
    guard let ownTime = modifiedSeconds, let otherTime = other.modifiedSeconds else { return false }
    return ownTime <= otherTime
  }
}

/// The entries of a location of a synchronization, in the byte order of their paths.
enum SyncEntries {
  case folder(FolderListing)
  case objects(ObjectListing.AsyncIterator, prefix: String)
  case noEntries

  /// The files of a folder that cannot be synchronized, with the reasons.
  var skipped: [SkippedPath] {
    if case .folder(let listing) = self { listing.skipped } else { [] }
  }

  /// Returns the next entry, or `nil` at the end.
  ///
  /// The listing checks that the keys are below the prefix and ascend: the end of one listing must not be taken for
  /// missing objects.
  mutating func next() async throws -> SyncEntry? {
    switch self {
    case .noEntries: return nil
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
    /// The name as UTF-8.
    let text: String
    let status: FileStatus

    /// The part of the path that determines the order: files in a folder come after a slash.
    var sortKey: String { status.kind == .folder ? text + "/" : text }
  }

  private struct OpenFolder {
    /// The path below the root, which is empty or ends with a slash.
    let path: String
    let names: [FilePath.Component]
    var remainingItems: ArraySlice<Item>
  }

  private let root: RootFolder
  /// The open folders, from the root down, with the items that have not been listed.
  private var openFolders: [OpenFolder] = []
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
    while let folder = openFolders.last {
      guard let item = folder.remainingItems.first else {
        openFolders.removeLast()
        continue
      }
      openFolders[openFolders.count - 1].remainingItems.removeFirst()
      let (path, status) = (folder.path + item.text, item.status)
      guard status.kind == .folder else {
        return SyncEntry(
          path: path, size: status.size, modifiedSeconds: status.modifiedSeconds, identity: status.identity)
      }
      try await enter(path + "/", folder.names + [item.name])
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
    items.sort { $0.sortKey.utf8.lexicographicallyPrecedes($1.sortKey.utf8) }
    openFolders.append(OpenFolder(path: path, names: names, remainingItems: items[...]))
  }
}
