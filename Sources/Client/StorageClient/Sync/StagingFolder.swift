// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import SystemPackage

/// The folder for incomplete files in a synchronization's target, which one process at a time uses.
///
/// The folder belongs to this user alone, and its files have random names or names with the identity of an object, so
/// that a foreign file is never used. Resumable files are the incomplete files of large objects, and the checkpoints.
final class StagingFolder: Sendable {
  static let name: FilePath.Component = ".storage-auth-sync"
  private static let lockName: FilePath.Component = "lock"
  private static let itemPrefix = "item-"
  private static let resumablePrefix = "large-"
  /// The start of the names of folders into which other programs, such as ascp, write; see `TemporaryFolder`.
  private static let temporaryFolderPrefix = "storage-auth-"
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

  /// Creates the folder, locks it, and removes the files of an earlier process, except for resumable files.
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
        do { lock = try LockFile.acquire(FileLocation(lockName, in: folder)) } catch Errno.noSuchFileOrDirectory {
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
    try await staging.removeLeftovers(keepsResumable: true)
    return staging
  }

  /// Removes the files that no later synchronization continues, and the folder if it is empty then.
  func finish(isComplete: Bool) async throws {
    // Released explicitly, because the last reference to this folder can end later.
    defer { lock.release() }
    try await removeLeftovers(keepsResumable: !isComplete)
    try await folder.runBlocking { [root, lock] folder in
      guard try folder.names == [Self.lockName] else { return }
      try lock.remove()
      do { try root.folder.removeFolder(Self.name) } catch .directoryNotEmpty {
        // Another process uses it now.
      }
    }
  }

  /// Returns a new location, with a random name, for an object whose download is not continued later.
  func newLocation() throws(StorageError) -> FileLocation {
    func randomText() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }
    return try folder.location(named: Self.itemPrefix + randomText() + randomText())
  }

  /// Returns the locations of the resumable files of an object, which are the same in every process.
  func locations(of object: ObjectIdentity) throws(StorageError) -> (file: FileLocation, checkpoint: FileLocation) {
    let name = Self.resumablePrefix + object.fileName
    return (try folder.location(named: name), try folder.location(named: name + ".download"))
  }

  /// Removes the staged files and the temporary folders that an earlier process left; all other names are kept.
  private func removeLeftovers(keepsResumable: Bool) async throws {
    try await folder.runBlocking { folder in
      for name in try folder.names {
        // A file that is being written has a temporary name, which is the file's name between a dot and a suffix.
        let baseName = name.string.removingBytePrefix(".") ?? name.string[...]
        let isFolder = try folder.status(of: name)?.kind == .folder
        if isFolder {
          if baseName.hasBytePrefix(Self.temporaryFolderPrefix) { try Self.removeTemporaryFolder(name, in: folder) }
        } else if baseName.hasBytePrefix(Self.itemPrefix)
          || (baseName.hasBytePrefix(Self.resumablePrefix) && !keepsResumable)
        {
          try folder.remove(name)
        }
      }
    }
  }

  /// Removes the files in a temporary folder, and then the folder, unless it contains a folder of a foreign program.
  private static func removeTemporaryFolder(_ name: FilePath.Component, in parent: Folder) throws(Errno) {
    let temporaryFolder = try parent.folder(name)
    for file in try temporaryFolder.names {
      guard try temporaryFolder.status(of: file)?.kind != .folder else { continue }
      try temporaryFolder.remove(file)
    }
    do { try parent.removeFolder(name) } catch .directoryNotEmpty { return }
  }
}
