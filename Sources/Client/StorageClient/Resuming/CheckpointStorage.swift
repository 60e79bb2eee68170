// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import SystemPackage

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A place where an app keeps the checkpoint of one transfer.
///
/// Each transfer needs a separate place. ``CheckpointFile`` keeps a checkpoint in a file. This example uses a database:
///
/// ```swift
/// struct UploadRow: CheckpointStorage {
///   let database: Database
///   let photo: Photo.ID
///   func load() async throws -> UploadCheckpoint? { try await database.checkpoint(of: photo) }
///   func save(_ checkpoint: UploadCheckpoint) async throws { try await database.setCheckpoint(checkpoint, of: photo) }
///   func remove() async throws { try await database.setCheckpoint(nil, of: photo) }
/// }
/// ```
public protocol CheckpointStorage<Checkpoint>: Sendable {
  /// The type of the checkpoint: ``UploadCheckpoint`` or ``DownloadCheckpoint``.
  associatedtype Checkpoint: Codable & Sendable

  /// Returns the saved checkpoint, or `nil` if there is none.
  ///
  /// - Throws: An error if a checkpoint exists but cannot be read. The transfer fails with this error.
  func load() async throws -> Checkpoint?

  /// Saves a checkpoint, and replaces the previous checkpoint.
  ///
  /// A transfer saves often, one call at a time. After an interruption, `load()` must return either the previous
  /// checkpoint or this one.
  ///
  /// - Throws: An error if the checkpoint cannot be saved. The transfer fails with this error.
  func save(_ checkpoint: Checkpoint) async throws

  /// Removes the checkpoint, and succeeds if there is none.
  ///
  /// - Throws: An error if the checkpoint cannot be removed. The transfer fails with this error.
  func remove() async throws
}

/// The maximum size in bytes of a checkpoint; a checkpoint with 10,000 parts has about 2 MB.
private let checkpointByteLimit: Int64 = 16 << 20

/// A file that contains the checkpoint of one transfer, as JSON.
///
/// ```swift
/// try await client.upload("video.mp4", to: "video.mp4", checkpoint: CheckpointFile("video.mp4.upload"))
/// ```
///
/// The file can be read and written by its owner only, and is replaced atomically.
public struct CheckpointFile<Checkpoint: Codable & Sendable>: CheckpointStorage {
  /// The path of the file.
  public let path: FilePath

  /// Creates the place for a checkpoint; the file, in a directory that exists, is created when a checkpoint is saved.
  public init(_ path: FilePath) { self.path = path }

  /// Returns the checkpoint in the file, or `nil` if the file does not exist or is empty.
  ///
  /// - Throws: ``StorageError/Code/unusableFile`` if the file cannot be read or contains no checkpoint of this type.
  public func load() async throws -> Checkpoint? { try await storedCheckpoint()?.load() }

  /// Replaces the content of the file with a checkpoint.
  ///
  /// - Throws: ``StorageError/Code/unusableFile`` if the file cannot be written.
  public func save(_ checkpoint: Checkpoint) async throws {
    try await StoredCheckpoint(FileLocation(path)).save(checkpoint)
  }

  /// Removes the file, and succeeds if it does not exist.
  ///
  /// - Throws: ``StorageError/Code/unusableFile`` if the file cannot be removed.
  public func remove() async throws { try await storedCheckpoint()?.remove() }

  /// Returns the file in its open folder, or `nil` if the folder does not exist.
  private func storedCheckpoint() async throws -> StoredCheckpoint<Checkpoint>? {
    guard try await RootFolder(path.removingLastComponent(), in: .system) != nil else { return nil }
    return StoredCheckpoint(try await FileLocation(path))
  }
}

/// A file that contains a checkpoint, in an open folder.
struct StoredCheckpoint<Checkpoint: Codable & Sendable>: CheckpointStorage {
  let location: FileLocation
  /// Whether the file remains when the transfer is complete, so that the complete file can be verified again.
  var isLasting = false

  init(_ location: FileLocation) { self.location = location }

  func load() async throws -> Checkpoint? {
    guard let status = try await location.status(), status.size > 0 else { return nil }
    let file = try await LocalFile.reading(location.name, in: location.folder, followsLink: true)
    guard file.status.size <= checkpointByteLimit else { throw unreadableError }
    var bytes: [UInt8] = []
    while bytes.count < file.status.size {
      let chunk = try await file.read(from: Int64(bytes.count), upTo: Int(file.status.size) - bytes.count)
      guard !chunk.isEmpty else { break }
      bytes += chunk
    }
    do { return try JSONDecoder().decode(Checkpoint.self, from: Data(bytes)) } catch {
      throw unreadableError
    }
  }

  func save(_ checkpoint: Checkpoint) async throws {
    let bytes = [UInt8](try JSONEncoder().encode(checkpoint))
    try await FileReplacement.write(
      location, permissions: .ownerReadWrite, synchronizes: false, temporarilyNamed: temporaryName
    ) { file in
      try await file.write(bytes, at: 0)
    }
  }

  func remove() async throws {
    if isLasting { return }
    try await location.remove()
    if let temporaryName { try await FileLocation(temporaryName, in: location.folder).remove() }
  }

  /// The name of the incomplete file, which is always the same, so that interruptions leave at most one such file.
  private var temporaryName: FilePath.Component? { FilePath.Component(".\(location.name.string).new") }

  private var unreadableError: StorageError {
    StorageError(
      .unusableFile, "\(location.path) does not contain a checkpoint of this kind of transfer.",
      remedy: "Name another file; or delete it, and the transfer starts anew.")
  }
}
