// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import SystemPackage

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A listing of the regular files in a folder and its subfolders, in the byte order of their paths.
///
/// Only the names in the folders above the current file are in memory.
struct FolderListing: Sendable {
  /// The name of the folder that a synchronization creates in its target for files that are not complete.
  static let stagingName = ".storage-auth-sync"

  private struct Item: Sendable {
    let name: String
    let isFolder: Bool
    let size: Int64
    let modifiedSeconds: Int64

    /// The part of the path that determines the order: files in a folder come after a slash.
    var sortedName: String { isFolder ? name + "/" : name }
  }

  private let root: FilePath
  /// The open folders, from the root down, with the items that have not been listed.
  private var open: [(prefix: String, items: ArraySlice<Item>)] = []
  private var hasStarted = false
  /// The files that are not regular or whose names are not UTF-8.
  private(set) var skipped: [SyncReport.Skipped] = []

  init(_ root: FilePath) {
    self.root = root
  }

  /// Returns the next file, or `nil` at the end.
  ///
  /// - Throws: ``StorageError/Code/unusableFile`` if a folder cannot be read. A root that does not exist has no files.
  mutating func next() async throws -> SyncEntry? {
    if !hasStarted {
      hasStarted = true
      guard try await OpenFile.status(at: root) != nil else { return nil }
      try await enter("")
    }
    while let (prefix, items) = open.last {
      guard let item = items.first else {
        open.removeLast()
        continue
      }
      open[open.count - 1].items.removeFirst()
      let path = prefix + item.name
      guard item.isFolder else {
        return SyncEntry(path: path, size: item.size, modifiedSeconds: item.modifiedSeconds)
      }
      try await enter(path + "/")
    }
    return nil
  }

  /// Reads the folder with a path below the root, which is empty or ends with a slash.
  private mutating func enter(_ prefix: String) async throws {
    let folder = prefix.isEmpty ? root : root.appending(prefix)
    let (items, skipped) = try await FileThreads.run { [isRoot = prefix.isEmpty] in
      try Self.read(folder, prefix, isRoot: isRoot)
    }
    self.skipped += skipped
    open.append((prefix, items[...]))
  }

  private static func read(
    _ folder: FilePath, _ prefix: String, isRoot: Bool
  ) throws(StorageError) -> ([Item], [SyncReport.Skipped]) {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder.string)
    } catch {
      throw StorageError(
        .unusableFile, "The folder \(folder) cannot be read.", remedy: "Check that it exists, and its permissions.")
    }
    var items: [Item] = []
    var skipped: [SyncReport.Skipped] = []
    for name in names where !isRoot || name != stagingName {
      guard let status = try? folder.appending(name).stat(followTargetSymlink: false) else {
        skipped.append(.init(path: prefix + name, reason: "It was removed meanwhile, or its name is not UTF-8."))
        continue
      }
      let identity = FileIdentity(status)
      switch status.type {
      case .regular, .directory:
        items.append(
          Item(
            name: name, isFolder: status.type == .directory, size: identity.size,
            modifiedSeconds: identity.modifiedSeconds))
      case .symbolicLink: skipped.append(.init(path: prefix + name, reason: "It is a symbolic link."))
      default: skipped.append(.init(path: prefix + name, reason: "It is not a regular file."))
      }
    }
    return (items.sorted { $0.sortedName.utf8.lexicographicallyPrecedes($1.sortedName.utf8) }, skipped)
  }
}
