// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import SystemPackage

/// The folder for incomplete files in a synchronization's target, which one process at a time uses.
///
/// The folder belongs to this user alone, and its files have random names or names with the identity of an object, so
/// that a foreign file is never used.
final class StagingFolder: Sendable {
  /// The name of the folder in the root of the target.
  static let name: FilePath.Component = ".storage-auth-sync"
  private static let lockName: FilePath.Component = "lock"
  private static let itemPrefix = "item-"
  private static let largePrefix = "large-"
  /// The start of the names of folders into which other programs write; see `TemporaryFolder`.
  private static let programPrefix = "storage-auth-"
  /// The maximum number of attempts to create the folder while other processes remove it at their end.
  private static let attemptLimit = 16

  let root: RootFolder
  let folder: Folder
  private let lock: LockFile

  private init(_ root: RootFolder, _ folder: Folder, _ lock: LockFile) {
    self.root = root
    self.folder = folder
    self.lock = lock
  }

  /// Creates the folder, locks it, and removes the files of an earlier process, except for large files.
  static func open(in root: RootFolder) async throws -> StagingFolder {
    let staging = try await root.folder.runBlocking(at: name) { parent in
      for _ in 0..<attemptLimit {
        let folder = try parent.createFolder(name, permissions: .ownerReadWriteExecute)
        guard try folder.isPrivate else {
          throw StorageError(
            .unusableFile, "\(folder.path) belongs to another user, or others can write to it.",
            remedy: "Remove it; it is for files that are being transferred.")
        }
        let lock: LockFile?
        do {
          lock = try LockFile.acquire(FileLocation(lockName, in: folder))
        } catch Errno.noSuchFileOrDirectory {
          // The process that used the folder has just removed it.
          continue
        }
        guard let lock else {
          throw StorageError(
            .unusableFile, "Another synchronization writes to \(parent.path).",
            remedy: "Wait for its end, or choose another destination.")
        }
        return StagingFolder(root, folder, lock)
      }
      throw Errno.noSuchFileOrDirectory
    }
    try await staging.removeFiles(keepsLarge: true)
    return staging
  }

  /// Removes the files that no later synchronization continues, and the folder if it is empty then.
  func finish(isComplete: Bool) async throws {
    // Released explicitly, because the last reference to this folder can end later.
    defer { lock.release() }
    try await removeFiles(keepsLarge: !isComplete)
    try await folder.runBlocking { [root, lock] folder in
      guard try folder.names == [Self.lockName] else { return }
      try lock.remove()
      do { try root.folder.removeFolder(Self.name) } catch .directoryNotEmpty {
        // Another process uses it now.
      }
    }
  }

  /// Returns a new location for an object that is not continued later.
  func newLocation() throws(StorageError) -> FileLocation {
    try location(Self.itemPrefix + (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined())
  }

  func locations(of object: ObjectIdentity) throws(StorageError) -> (file: FileLocation, checkpoint: FileLocation) {
    let name = Self.largePrefix + object.fileName
    return (try location(name), try location(name + ".download"))
  }

  private func location(_ name: String) throws(StorageError) -> FileLocation {
    guard let component = FilePath.Component(name) else { throw StorageError.notRegular(folder.path) }
    return FileLocation(component, in: folder)
  }

  /// Removes the files with names that this type has given, and no others.
  private func removeFiles(keepsLarge: Bool) async throws {
    try await folder.runBlocking { folder in
      for name in try folder.names {
        let text = name.string.removingBytePrefix(".") ?? name.string[...]
        if text.hasBytePrefix(Self.itemPrefix) || !keepsLarge && text.hasBytePrefix(Self.largePrefix) {
          try folder.remove(name)
        } else if text.hasBytePrefix(Self.programPrefix) {
          let programFolder = try folder.folder(name)
          for file in try programFolder.names { try programFolder.remove(file) }
          try folder.removeFolder(name)
        }
      }
    }
  }
}
