// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import SystemPackage

/// The folder on one side of a synchronization, in which no path leads outside.
///
/// The folder stays open, and each part of a path below it is opened by its name, never through a symbolic link. It is
/// the only place where paths below the folder are used, so that a link that appears after a listing leads nowhere.
struct RootFolder: Sendable {
  /// A name in a folder, with the status of its file or folder, or `nil` if it was removed meanwhile.
  typealias Item = (name: FilePath.Component, status: FileStatus?)

  let folder: Folder

  /// Opens the folder at a path of the caller, or returns `nil` if it does not exist.
  init?(_ path: FilePath, in system: any FileSystem) async throws {
    do {
      folder = try await system.run { try Folder.open(path, in: system) }
    } catch Errno.noSuchFileOrDirectory {
      return nil
    } catch let error as Errno {
      throw StorageError(error, at: path)
    }
  }

  /// Creates a folder at a path of the caller at which there is none.
  init(creating path: FilePath, in system: any FileSystem) async throws {
    let location = try await FileLocation(path, in: system)
    folder = try await location.folder.call(location.name) { parent in
      try system.makeFolder(location.name, in: parent.descriptor, permissions: .newFolder)
      return try parent.folder(location.name)
    }
  }

  /// Returns the contents of a folder, or of the root, in any order, or `nil` if no folder has the path any more.
  func contents(of path: [FilePath.Component]) async throws -> [Item]? {
    do {
      return try await folder.system.run {
        let folder = try self.folder(path[...])
        return try folder.names.map { ($0, try folder.status(of: $0)) }
      }
    } catch let error as Errno {
      if !path.isEmpty, error.isMissingFolder { return nil }
      throw StorageError(error, at: path.reduce(folder.path) { $0.appending($1) })
    }
  }

  /// Opens a regular file for reading, which no link leads to.
  func open(_ path: String) async throws -> LocalFile {
    let names = try Self.components(of: path)
    return try await call(path) {
      let file = try LocalFile(names.last, in: self.folder(names.parents), .reading(followsLink: false))
      guard file.status.kind == .regular else { throw StorageError.notRegular(file.path) }
      return file
    }
  }

  /// Moves a complete file to a path, and creates the folders above it.
  ///
  /// A file that it replaces passes its permissions on. Without a time of the last change, it is the time of the call.
  /// A folder that has the path is removed if it may be replaced and there are no files in it.
  func put(_ file: FileLocation, at path: String, modifiedSeconds: Int64?, replacesFolder: Bool) async throws {
    let names = try Self.components(of: path)
    try await call(path) {
      let folder = try self.folder(names.parents, creates: true)
      let existing = try folder.status(of: names.last)
      let complete = try LocalFile(file.name, in: file.folder, .updating)
      let replaced = existing?.kind == .regular ? existing : nil
      try complete.set(replaced?.permissions, modifiedSeconds: modifiedSeconds)
      if replaced != nil { try complete.synchronizeNow() }
      if replacesFolder, existing?.kind == .folder { try folder.removeEmptyFolders(names.last) }
      try file.folder.rename(file.name, to: names.last, in: folder)
    }
  }

  /// Deletes a file that a listing found and that has not changed since, and the folders that are empty then.
  func delete(_ entry: SyncEntry) async throws {
    let names = try Self.components(of: entry.path)
    try await call(entry.path) {
      var folders = [self.folder]
      do {
        for name in names.parents { folders.append(try folders[folders.count - 1].folder(name)) }
      } catch .noSuchFileOrDirectory {
        return
      }
      guard let parent = folders.last, let status = try parent.status(of: names.last) else { return }
      guard status.kind == .regular, status.identity == entry.identity else {
        throw StorageError(
          .sourceChanged, "\(entry.path) was changed since it was listed, and is not deleted.",
          remedy: "Synchronize again.")
      }
      try parent.remove(names.last)
      for (folder, name) in zip(folders, names.parents).reversed() {
        // A folder that is not empty remains, and so do those above it.
        do { try folder.removeFolder(name) } catch { return }
      }
    }
  }

  /// Returns whether the folder with a path of the caller is this folder or below it.
  func contains(_ path: FilePath) async throws -> Bool {
    try await folder.call { root in
      let status = try root.status
      var above = try Folder.open(path, in: root.system)
      while true {
        let here = try above.status
        if here.isSameFile(as: status) { return true }
        above = try above.parent
        if try above.status.isSameFile(as: here) { return false }
      }
    }
  }

  private func folder(_ path: ArraySlice<FilePath.Component>, creates: Bool = false) throws(Errno) -> Folder {
    var folder = folder
    for name in path {
      folder = creates ? try folder.makeFolder(name, permissions: .newFolder) : try folder.folder(name)
    }
    return folder
  }

  private func call<Result: Sendable>(_ path: String, _ body: @escaping @Sendable () throws -> Result) async throws
    -> Result
  {
    do {
      return try await folder.system.run(body)
    } catch let error as Errno {
      guard error.isMissingFolder, error != .noSuchFileOrDirectory else {
        throw StorageError(error, at: folder.path.appending(path))
      }
      throw StorageError(
        .unusableFile, "\(folder.path.appending(path)) leads through a file or a symbolic link.",
        remedy: "Remove the file or the link of this name, or exclude the path.")
    }
  }

  // MARK: Paths

  /// The names of a path: those of the folders, and the last one.
  typealias Names = (parents: ArraySlice<FilePath.Component>, last: FilePath.Component)

  /// Returns the names of a path that stays below the root and can be that of a file.
  ///
  /// The path is split at the byte of a slash, as the system does it: for Swift, a slash that is followed by a
  /// combining character is another character.
  static func components(of path: String) throws(StorageError) -> Names {
    let parts = path.parts(between: "/")
    let names = parts.compactMap { part in
      part.utf8.contains(0) ? nil : FilePath.Component(String(part)).flatMap { $0.kind == .regular ? $0 : nil }
    }
    guard names.count == parts.count, let last = names.last, names.first != StagingFolder.name else {
      throw StorageError(
        .invalidKey, "\"\(path)\" cannot be the path of a file.",
        remedy: "Exclude it, or download it to a name of your choice.")
    }
    return (names.dropLast(), last)
  }
}

extension FilePermissions {
  /// The permissions of new folders, which the process's mask restricts.
  fileprivate static let newFolder = FilePermissions(rawValue: 0o777)
}

extension Errno {
  /// Whether a part of a path is missing, or is something other than a folder.
  fileprivate var isMissingFolder: Bool {
    [.noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels].contains(self)
  }
}

/// The folder in a synchronization's target in which files are incomplete, and which one process at a time uses.
///
/// The folder belongs to this user alone. Its files have random names, or names that are derived from the identity of an
/// object, so that another process's file is never taken for one's own.
final class StagingFolder: Sendable {
  /// The name of the folder in the root of the target.
  static let name: FilePath.Component = ".storage-auth-sync"

  /// The number of attempts to create the folder while other processes remove theirs.
  private static let attempts = 16

  let root: RootFolder
  let folder: Folder
  private let lock: LockFile

  private init(_ root: RootFolder, _ folder: Folder, _ lock: LockFile) {
    self.root = root
    self.folder = folder
    self.lock = lock
  }

  /// Creates the folder, locks it, and removes what an earlier process left, except for large files.
  static func open(in root: RootFolder) async throws -> StagingFolder {
    let staging = try await root.folder.call(name) { parent in
      for _ in 0..<attempts {
        let folder = try parent.makeFolder(name, permissions: .ownerReadWriteExecute)
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
    try await staging.clean(keepsLarge: true)
    return staging
  }

  /// Removes what no later process continues, everything if the synchronization is complete, and then the empty folder.
  func finish(isComplete: Bool) async throws {
    // A synchronization that follows must not depend on when the last reference to this folder is released.
    defer { lock.release() }
    try await clean(keepsLarge: !isComplete)
    try await folder.call { [root, lock] folder in
      guard try folder.names == [Self.lockName] else { return }
      try lock.remove()
      do {
        try root.folder.removeFolder(Self.name)
      } catch .directoryNotEmpty {
        // Another process uses it now.
      }
    }
  }

  // MARK: Names

  private static let lockName: FilePath.Component = "lock"
  private static let itemPrefix = "item-"
  private static let largePrefix = "large-"

  func location() throws(StorageError) -> FileLocation {
    try location(Self.itemPrefix + (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined())
  }

  /// Returns the place for a large object, and the place for the state of its download.
  func locations(of object: ObjectIdentity) throws(StorageError) -> (file: FileLocation, checkpoint: FileLocation) {
    let name = Self.largePrefix + object.fileName
    return (try location(name), try location(name + ".download"))
  }

  private func location(_ name: String) throws(StorageError) -> FileLocation {
    guard let component = FilePath.Component(name) else { throw StorageError.notRegular(folder.path) }
    return FileLocation(component, in: folder)
  }

  /// Removes the files whose names this type has given, and no others.
  private func clean(keepsLarge: Bool) async throws {
    try await folder.call { folder in
      for name in try folder.names {
        let text = name.string.removingBytePrefix(".") ?? name.string[...]
        if text.hasBytePrefix(Self.itemPrefix) || !keepsLarge && text.hasBytePrefix(Self.largePrefix) {
          try folder.remove(name)
        } else if text.hasBytePrefix(Self.programPrefix) {
          let inner = try folder.folder(name)
          for file in try inner.names { try inner.remove(file) }
          try folder.removeFolder(name)
        }
      }
    }
  }

  /// The start of the names of folders into which other programs write; see `TemporaryFolder`.
  private static let programPrefix = "storage-auth-"
}

/// The folder in which the state of large transfers is kept, so that another process can continue them.
struct StateFolder: Sendable {
  /// The files with the state of one transfer, which this process has locked.
  struct Item: Sendable {
    fileprivate let name: String
    fileprivate let folder: Folder

    var upload: StoredCheckpoint<UploadCheckpoint> { get throws { StoredCheckpoint(try location(".upload")) } }

    /// The state of the download into ``content``.
    var download: StoredCheckpoint<DownloadCheckpoint> { get throws { StoredCheckpoint(try location(".download")) } }

    /// The copy of an object on its way from one service to another.
    var content: FileLocation { get throws { try location(".copy") } }

    fileprivate func location(_ suffix: String) throws(StorageError) -> FileLocation {
      guard let name = FilePath.Component(name + suffix) else { throw StorageError.notRegular(folder.path) }
      return FileLocation(name, in: folder)
    }
  }

  private let folder: Folder

  /// Opens a folder of the caller, to which no other user can write.
  init(_ path: FilePath, in system: any FileSystem) async throws {
    folder = try await system.run(at: path) { try Folder.open(path, in: system) }
    let isPrivate = try await folder.call { try $0.isPrivate }
    guard isPrivate else {
      throw StorageError(
        .unusableFile,
        "The folder \(path) for the state of transfers belongs to another user, or others can write to it.",
        remedy: "Name a folder that only you can write to.")
    }
  }

  /// Runs a closure with the state of one transfer, which no other process may carry out.
  func run(_ source: String, _ target: ObjectIdentity, _ body: (Item) async throws -> Void) async throws {
    let item = Item(name: target.fileName(with: source), folder: folder)
    let location = try item.location(".lock")
    guard let lock = try await folder.call(location.name, { _ in try LockFile.acquire(location) }) else {
      throw StorageError(
        .unusableFile, "Another synchronization transfers the same file or object.", remedy: "Wait for its end.")
    }
    do {
      try await body(item)
    } catch {
      try? await folder.call { _ in try lock.remove() }
      throw error
    }
    try await folder.call { _ in try lock.remove() }
  }
}
