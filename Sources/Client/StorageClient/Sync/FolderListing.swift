// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import SystemPackage

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
