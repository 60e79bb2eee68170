// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import SystemPackage

/// The folder at a location of a synchronization, whose paths cannot lead outside.
///
/// The folder stays open, and each component of a path below it is opened by its name, never through a symbolic link.
/// Paths below the folder are used only here, so that a link that appears after a listing has no effect.
struct RootFolder: Sendable {
  /// A name in a folder, with the status of its file or folder, or `nil` if the file was removed after the listing.
  typealias Item = (name: FilePath.Component, status: FileStatus?)
  typealias Components = (parents: ArraySlice<FilePath.Component>, last: FilePath.Component)

  let folder: Folder

  /// Opens the folder at a path of the caller, or returns `nil` if it does not exist.
  init?(_ path: FilePath, in system: any FileSystem) async throws {
    do {
      folder = try await system.runBlocking { try Folder.open(path, in: system) }
    } catch Errno.noSuchFileOrDirectory {
      return nil
    } catch let error as Errno { throw StorageError(error, at: path) }
  }

  /// Creates the folder at a path of the caller, which must not exist.
  init(creating path: FilePath, in system: any FileSystem) async throws {
    let location = try await FileLocation(path, in: system)
    folder = try await location.folder.runBlocking(at: location.name) { parent in
      try system.createFolder(location.name, in: parent.descriptor, permissions: .newFolder)
      return try parent.folder(location.name)
    }
  }

  /// Returns the contents of a folder in any order, or `nil` if a folder below the root no longer exists.
  func contents(of path: [FilePath.Component]) async throws -> [Item]? {
    do {
      return try await folder.system.runBlocking {
        let folder = try self.folder(path[...])
        // The root may be the target of another synchronization, whose incomplete files do not belong to its content.
        return try folder.names.map { ($0, try folder.status(of: $0)) }.filter { item in
          guard path.isEmpty else { return true }
          return try item.name != StagingFolder.name && !self.isStagingFolder(item.status)
        }
      }
    } catch let error as Errno {
      if !path.isEmpty, error.isMissingFolder { return nil }
      throw StorageError(error, at: path.reduce(folder.path) { $0.appending($1) })
    }
  }

  func open(_ path: String) async throws -> LocalFile {
    let components = try Self.components(of: path)
    return try await convertingErrors(at: path) {
      let file = try LocalFile(components.last, in: self.folder(components.parents), .reading(followsLink: false))
      guard file.status.kind == .regular else { throw StorageError.notRegular(file.path) }
      return file
    }
  }

  /// Returns whether a path leads to the file with a status, which has not changed since, or to none.
  func hasNoOther(_ status: FileStatus, at path: String) async throws -> Bool {
    let components = try Self.components(of: path)
    return try await convertingErrors(at: path) {
      do {
        guard let current = try self.folder(components.parents).status(of: components.last) else { return true }
        return current.isSameFile(as: status) && current.identity == status.identity
      } catch Errno.noSuchFileOrDirectory { return true }
    }
  }

  /// Moves a complete file to a path, and creates the folders above the path.
  ///
  /// The file gets the permissions of a file that it replaces, whose identity must be a listed one. It can replace a
  /// folder without files if so requested.
  func moveFile(
    _ file: FileLocation, to path: String, replacing listed: Set<FileIdentity>, modifiedSeconds: Int64?,
    replacesFolder: Bool
  ) async throws {
    let components = try Self.components(of: path)
    let unmoved: (file: LocalFile, location: FileLocation)? = try await convertingErrors(at: path) {
      try self.requireOutsideStagingFolder(components, of: path)
      let folder = try self.folder(components.parents, isCreated: true)
      let existing = try folder.status(of: components.last)
      let replaced = existing?.kind == .regular ? existing : nil
      if let replaced, !listed.contains(replaced.identity) {
        throw StorageError(
          .sourceChanged,
          "\(path) was changed since it was listed, or is the file of another key as well, and is not replaced.",
          remedy: "Synchronize again.")
      }
      // Opened for reading, because the file may already have the permissions of a read-only file.
      let complete = try LocalFile(file.name, in: file.folder, .reading(followsLink: false))
      try complete.setAttributes(replaced?.permissionsOfReplacement, modifiedSeconds: modifiedSeconds)
      if replaced != nil { try complete.synchronizeNow() }
      if replacesFolder, existing?.kind == .folder { try folder.removeEmptyFolders(components.last) }
      do { try file.folder.rename(file.name, to: components.last, in: folder) } catch .improperLink {
        guard try !file.folder.status.isSameFile(as: folder.status) else { throw Errno.improperLink }
        return (complete, FileLocation(components.last, in: folder))
      }
      return nil
    }
    guard let unmoved else { return }
    // The folder is on another file system, such as a mounted one, so that a copy in the folder is moved.
    let copy = FileLocation(unmoved.location.temporaryName(), in: unmoved.location.folder)
    try await FileReplacement.write(copy, synchronizes: true) { replacement in
      _ = try await replacement.write(FilePayload(unmoved.file).stream, at: 0, .crc64) { _, _ in }
    }
    do {
      try await moveFile(
        copy, to: path, replacing: listed, modifiedSeconds: modifiedSeconds, replacesFolder: replacesFolder)
    } catch {
      try? await copy.remove()
      throw error
    }
    try await file.remove()
  }

  /// Deletes a file that has not changed since it was listed, and the folders above it that become empty.
  func delete(_ entry: SyncEntry) async throws {
    let components = try Self.components(of: entry.path)
    try await convertingErrors(at: entry.path) {
      try self.requireOutsideStagingFolder(components, of: entry.path)
      var folders = [self.folder]
      do {
        for name in components.parents { folders.append(try folders[folders.count - 1].folder(name)) }
      } catch .noSuchFileOrDirectory { return }
      guard let parent = folders.last, let status = try parent.status(of: components.last) else { return }
      guard status.kind == .regular, status.identity == entry.identity else {
        throw StorageError(
          .sourceChanged, "\(entry.path) was changed since it was listed, and is not deleted.",
          remedy: "Synchronize again.")
      }
      try parent.remove(components.last)
      for (folder, name) in zip(folders, components.parents).reversed() {
        // A folder that is not empty remains, and so do those above it.
        do { try folder.removeFolder(name) } catch { return }
      }
    }
  }

  /// Returns whether the folder at a path of the caller is this folder or below it.
  func contains(_ path: FilePath) async throws -> Bool {
    try await folder.runBlocking { root in
      let status = try root.status
      var ancestor = try Folder.open(path, in: root.system)
      while true {
        let current = try ancestor.status
        if current.isSameFile(as: status) { return true }
        ancestor = try ancestor.parent
        // The parent of the file system's root is the root itself.
        if try ancestor.status.isSameFile(as: current) { return false }
      }
    }
  }

  /// Throws an error if a path leads into the staging folder, whose name can be in another case on some file systems.
  private func requireOutsideStagingFolder(_ components: Components, of path: String) throws {
    guard try isStagingFolder(folder.status(of: components.parents.first ?? components.last)) else { return }
    throw StorageError(
      .invalidKey, "\"\(path)\" leads into the folder \(StagingFolder.name) for incomplete files.",
      remedy: "Exclude it, or download it to a name of your choice.")
  }

  /// Returns whether a status is that of the staging folder in this folder.
  private func isStagingFolder(_ status: FileStatus?) throws(Errno) -> Bool {
    // A file can have a second name, which is not the folder's.
    guard let status, status.kind == .folder else { return false }
    return try folder.status(of: StagingFolder.name)?.isSameFile(as: status) ?? false
  }

  /// Opens the folder with a path below the root, and optionally creates it and the folders above it.
  private func folder(_ path: ArraySlice<FilePath.Component>, isCreated: Bool = false) throws(Errno) -> Folder {
    var folder = folder
    for name in path {
      folder = isCreated ? try folder.createFolder(name, permissions: .newFolder) : try folder.folder(name)
    }
    return folder
  }

  /// Runs a closure that blocks, and converts the system's errors into errors for a path below the folder.
  private func convertingErrors<Value: Sendable>(
    at path: String, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    do { return try await folder.system.runBlocking(body) } catch let error as Errno {
      guard error.isMissingFolder, error != .noSuchFileOrDirectory else {
        throw StorageError(error, at: folder.path.appending(path))
      }
      throw StorageError(
        .unusableFile, "\(folder.path.appending(path)) leads through a file or a symbolic link.",
        remedy: "Remove the file or the link of this name, or exclude the path.")
    }
  }

  /// Returns the components of a path, or throws an error if the path cannot be that of a file below the root.
  ///
  /// The byte of a slash separates components, also before a combining character.
  static func components(of path: String) throws(StorageError) -> Components {
    let parts = path.parts(between: "/")
    let components = parts.compactMap { part in
      part.utf8.contains(0) ? nil : FilePath.Component(String(part)).flatMap { $0.kind == .regular ? $0 : nil }
    }
    guard components.count == parts.count, let last = components.last, components.first != StagingFolder.name else {
      throw StorageError(
        .invalidKey, "\"\(path)\" cannot be the path of a file.",
        remedy: "Exclude it, or download it to a name of your choice.")
    }
    return (components.dropLast(), last)
  }
}

extension FilePermissions {
  /// The permissions of new folders, which the process's mask restricts.
  fileprivate static let newFolder = FilePermissions(rawValue: 0o777)
}

extension Errno {
  /// Whether a component of a path does not exist or is not a folder.
  fileprivate var isMissingFolder: Bool {
    [.noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels].contains(self)
  }
}
