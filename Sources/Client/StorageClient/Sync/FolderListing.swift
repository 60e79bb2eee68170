// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import SystemPackage

/// A listing of the regular files in a folder and its subfolders, in the byte order of their paths.
///
/// Only the names in the current folder and in the folders above it are in memory.
struct FolderListing: Sendable {
  private struct Item: Sendable {
    let name: FilePath.Component
    /// The name as UTF-8.
    let text: String
    let status: FileStatus

    /// The text that determines the order: the paths of the files in a folder continue with a slash.
    var sortKey: String { status.kind == .folder ? text + "/" : text }
  }

  private struct OpenFolder {
    /// The path below the root, which is empty or ends with a slash.
    let path: String
    /// The names of the folders on the path, as the file system has them.
    let components: [FilePath.Component]
    var remainingItems: ArraySlice<Item>
  }

  private let root: RootFolder
  /// The open folders, from the root down, with the items that have not been listed.
  private var openFolders: [OpenFolder] = []
  private var hasStarted = false
  private(set) var skipped: [SkippedPath] = []

  init(_ root: RootFolder) { self.root = root }

  mutating func next() async throws -> SyncEntry? {
    if !hasStarted {
      hasStarted = true
      try await enter(path: "", components: [])
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
      try await enter(path: path + "/", components: folder.components + [item.name])
    }
    return nil
  }

  /// Reads a folder with its components; its path below the root, for the entries, is empty or ends with a slash.
  private mutating func enter(path: String, components: [FilePath.Component]) async throws {
    guard let contents = try await root.contents(of: components) else {
      skipped.append(
        SkippedPath(String(path.utf8.dropLast()) ?? path, because: "It was removed or replaced meanwhile."))
      return
    }
    var items: [Item] = []
    for item in contents {
      guard let text = String(validating: item.name) else {
        skipped.append(SkippedPath(undecodable: item.name, in: path))
        continue
      }
      guard let status = item.status else {
        skipped.append(SkippedPath(path + text, because: "It was removed meanwhile."))
        continue
      }
      switch status.kind {
      case .regular, .folder: items.append(Item(name: item.name, text: text, status: status))
      case .symbolicLink: skipped.append(SkippedPath(path + text, because: "It is a symbolic link."))
      case .special: skipped.append(SkippedPath(path + text, because: "It is not a regular file."))
      }
    }
    items.sort { $0.sortKey.utf8.lexicographicallyPrecedes($1.sortKey.utf8) }
    openFolders.append(OpenFolder(path: path, components: components, remainingItems: items[...]))
  }
}
