// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto
internal import SystemPackage

/// The folder in which the state of large transfers is kept, so that another process can continue them.
struct StateFolder: Sendable {
  /// The files with the state of one transfer, which this process has locked.
  struct Item: Sendable {
    fileprivate let name: String
    fileprivate let folder: Folder

    /// The state of the upload.
    var upload: StoredCheckpoint<UploadCheckpoint> {
      get throws { StoredCheckpoint(try location(".upload")) }
    }

    /// The state of the download into ``content``.
    var download: StoredCheckpoint<DownloadCheckpoint> {
      get throws { StoredCheckpoint(try location(".download")) }
    }

    /// The copy of an object on its way from one service to another.
    var content: FileLocation {
      get throws { try location(".copy") }
    }

    fileprivate func location(_ suffix: String) throws(StorageError) -> FileLocation {
      guard let name = FilePath.Component(name + suffix) else { throw StorageError.notRegular(folder.path) }
      return FileLocation(name, in: folder)
    }
  }

  private let folder: Folder

  /// Opens a folder of the caller.
  ///
  /// - Throws: ``StorageError/Code/unusableFile`` if the folder does not exist, or others can write to it.
  init(_ path: FilePath, in system: any FileSystem) async throws {
    do {
      folder = try await system.run { try Folder.open(path, in: system) }
    } catch let error as Errno {
      throw StorageError(error, at: path)
    }
    let status = try await folder.call { try $0.status }
    guard status.owner == system.userID, status.permissions.isDisjoint(with: [.groupWrite, .otherWrite]) else {
      throw StorageError(
        .unusableFile,
        "The folder \(path) for the state of transfers belongs to another user, or others can write to it.",
        remedy: "Name a folder that only you can write to.")
    }
  }

  /// Runs a closure with the state of one transfer.
  ///
  /// - Parameters:
  ///   - source: The whole identity of what is transferred.
  ///   - target: The identity of the object that the transfer creates.
  ///   - body: A closure that carries out the transfer.
  /// - Throws: ``StorageError/Code/unusableFile`` if another process carries out the same transfer, and the error of the
  ///   closure.
  func run(_ source: String, _ target: ObjectIdentity, _ body: (Item) async throws -> Void) async throws {
    // The identity of an object contains no line break.
    let item = Item(name: SHA256.hash(Array("\(target.text)\n\(source)".utf8)).hex, folder: folder)
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

/// The state of a download that remains when the download is complete, so that the complete file can be verified again.
struct LastingCheckpoint: CheckpointStorage {
  let base: StoredCheckpoint<DownloadCheckpoint>

  func load() async throws -> DownloadCheckpoint? { try await base.load() }

  func save(_ checkpoint: DownloadCheckpoint) async throws { try await base.save(checkpoint) }

  func remove() async throws {}
}
