// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import SystemPackage

/// The folder in which the state of large transfers is kept, so that another process can continue them.
struct StateFolder: Sendable {
  /// The files with the state of one transfer, which this process has locked.
  struct SavedState: Sendable {
    fileprivate let name: String
    fileprivate let folder: Folder

    var upload: StoredCheckpoint<UploadCheckpoint> { get throws { StoredCheckpoint(try location(".upload")) } }
    var download: StoredCheckpoint<DownloadCheckpoint> { get throws { StoredCheckpoint(try location(".download")) } }
    var content: FileLocation { get throws { try location(".copy") } }

    fileprivate func location(_ suffix: String) throws(StorageError) -> FileLocation {
      try folder.location(named: name + suffix)
    }
  }

  private let folder: Folder

  /// Opens a folder of the caller, to which no other user can write.
  init(_ path: FilePath, in system: any FileSystem) async throws {
    folder = try await system.runBlocking(at: path) { try Folder.open(path, in: system) }
    let isPrivate = try await folder.runBlocking { try $0.isPrivate }
    guard isPrivate else {
      throw StorageError(
        .unusableFile,
        "The folder \(path) for the state of transfers belongs to another user, or others can write to it.",
        remedy: "Name a folder that only you can write to.")
    }
  }

  /// Runs a closure with the locked state of one transfer; `source` is the path of a file or the identity of an object.
  func withLockedState(
    of source: String, _ target: ObjectIdentity, _ body: (SavedState) async throws -> Void
  ) async throws {
    let savedState = SavedState(name: target.fileName(with: source), folder: folder)
    let location = try savedState.location(".lock")
    guard let lock = try await folder.runBlocking(at: location.name, { _ in try LockFile.acquire(location) }) else {
      throw StorageError(
        .unusableFile, "Another synchronization transfers the same file or object.", remedy: "Wait for its end.")
    }
    do { try await body(savedState) } catch {
      // The caller needs the first error. A lock file that remains is unlocked when this process ends.
      try? await folder.runBlocking { _ in try lock.remove() }
      throw error
    }
    try await folder.runBlocking { _ in try lock.remove() }
  }
}
