// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import Synchronization
internal import SystemPackage

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The target folder of a synchronization, in which no path can lead outside.
final class FolderTree: Sendable {
  private let root: FilePath
  /// The folders below the root that exist and are not symbolic links.
  private let known = Mutex<Set<String>>([])

  init(_ root: FilePath) {
    self.root = root
  }

  /// The folder for files that are not complete, in the same file system as the root.
  private var staging: FilePath { root.appending(FolderListing.stagingName) }

  /// Creates the root and the folder for incomplete files, and removes what an earlier process left there, except for
  /// large files that can be continued.
  func prepare() async throws {
    try await call(root) { [root, staging] in
      try FileCalls.makeFolder(root)
      try FileCalls.makeFolder(staging)
    }
    try await clean(except: Self.isContinued)
  }

  /// Removes the folder for incomplete files, unless it has large files that can be continued.
  func finish(isComplete: Bool) async throws {
    try await clean { name in !isComplete && Self.isContinued(name) }
    _ = try? await FileThreads.run { [staging] in try FileCalls.removeFolder(staging) }
  }

  private static let largePrefix = "large-"
  private static let checkpointSuffix = ".download"

  /// Returns whether a file belongs to a large download that can be continued.
  @Sendable
  private static func isContinued(_ name: String) -> Bool {
    name.hasSuffix(checkpointSuffix) || name.hasPrefix(".\(largePrefix)")
  }

  private func clean(except isKept: @escaping @Sendable (String) -> Bool) async throws {
    try await call(root) { [staging] in
      for name in try FileManager.default.contentsOfDirectory(atPath: staging.string) where !isKept(name) {
        try FileCalls.remove(staging.appending(name))
      }
    }
  }

  /// Downloads an object and moves it to its path when it is complete.
  ///
  /// - Parameters:
  ///   - entry: The entry of the object.
  ///   - isLarge: Whether the download can be continued by another process.
  ///   - number: A number that no concurrent download has.
  ///   - download: A closure that downloads the object into a file, with a place for its checkpoint if it is large.
  func receive(
    _ entry: SyncEntry, isLarge: Bool, number: Int,
    _ download: (FilePath, CheckpointFile<DownloadCheckpoint>?) async throws -> Void
  ) async throws {
    let components = try Self.components(of: entry.path)
    let file: FilePath
    var checkpoint: CheckpointFile<DownloadCheckpoint>?
    if isLarge {
      let name = Self.largePrefix + String(ObjectChecksum(.crc64, of: Array(entry.path.utf8)).value, radix: 16)
      file = staging.appending(name)
      checkpoint = CheckpointFile(staging.appending(name + Self.checkpointSuffix))
    } else {
      file = staging.appending("\(number)")
    }
    try await download(file, checkpoint)
    let destination = try await makeFolders(for: components)
    try await call(destination) {
      if let seconds = entry.modifiedSeconds { try FileCalls.setModified(seconds, of: file) }
      try FileCalls.rename(file, to: destination)
    }
  }

  /// Deletes a file, and the folders that are empty then.
  func delete(_ path: String) async throws {
    let components = try Self.components(of: path)
    try await checkFolders(components.dropLast())
    try await call(root) { [root] in
      var current = components
      try FileCalls.remove(Self.path(root, current[...]))
      current.removeLast()
      // A folder that is not empty remains, and so do those above it.
      while !current.isEmpty, (try? FileCalls.removeFolder(Self.path(root, current[...]))) != nil {
        current.removeLast()
      }
    }
    known.withLock { $0.removeAll() }
  }

  // MARK: Paths

  /// Returns the components of a path that stays below the root.
  private static func components(of path: String) throws(StorageError) -> [String] {
    let components = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard components.allSatisfy({ !["", ".", ".."].contains($0) && !$0.contains("\0") }),
      components.first != FolderListing.stagingName
    else {
      throw StorageError(
        .invalidKey, "\"\(path)\" cannot be the path of a file.",
        remedy: "Exclude it, or download it to a name of your choice.")
    }
    return components
  }

  private static func path(_ root: FilePath, _ components: ArraySlice<String>) -> FilePath {
    components.reduce(root) { $0.appending($1) }
  }

  /// Creates the folders above a file, and returns the path of the file.
  private func makeFolders(for components: [String]) async throws -> FilePath {
    try await checkFolders(components.dropLast())
    return Self.path(root, components[...])
  }

  /// Creates folders below the root that do not exist, and refuses those that are symbolic links or files.
  private func checkFolders(_ components: ArraySlice<String>) async throws {
    let name = components.joined(separator: "/")
    if components.isEmpty || known.withLock({ $0.contains(name) }) { return }
    try await FileThreads.run { [root] in
      var folder = root
      for component in components {
        folder.append(component)
        do {
          try FileCalls.makeFolder(folder)
          guard try folder.stat(followTargetSymlink: false).type == .directory else { throw Errno.notDirectory }
        } catch {
          throw StorageError(
            .unusableFile, "\(folder) cannot be used as a folder.",
            remedy: "Remove the file or the symbolic link of this name, or check the permissions.")
        }
      }
    }
    known.withLock { _ = $0.insert(name) }
  }

  private func call(_ path: FilePath, _ body: @escaping @Sendable () throws -> Void) async throws {
    do {
      try await FileThreads.run(body)
    } catch let error as Errno {
      throw StorageError(error, at: path)
    }
  }
}
