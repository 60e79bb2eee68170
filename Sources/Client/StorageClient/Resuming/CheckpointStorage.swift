// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A place where an app keeps the checkpoint of one transfer.
///
/// Each transfer needs a place of its own. ``CheckpointFile`` keeps a checkpoint in a file; a database of the app is
/// another possible place:
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
  /// A transfer calls this function often, one call at a time. After an interruption, `load()` must return either the
  /// previous checkpoint or this one.
  ///
  /// - Parameter checkpoint: The state of the transfer.
  /// - Throws: An error if the checkpoint cannot be saved. The transfer fails with this error.
  func save(_ checkpoint: Checkpoint) async throws

  /// Removes the checkpoint, and succeeds if there is none.
  ///
  /// - Throws: An error if the checkpoint cannot be removed. The transfer fails with this error.
  func remove() async throws
}
