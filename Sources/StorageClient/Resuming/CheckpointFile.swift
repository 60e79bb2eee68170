// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import SystemPackage

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The largest file in bytes that is read as a checkpoint; a checkpoint with 10,000 parts has about 2 MB.
private let largestCheckpoint: Int64 = 16 << 20

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

  /// Creates the place for a checkpoint; the file is created when a checkpoint is saved.
  ///
  /// - Parameter path: The path of the file, in a directory that exists.
  public init(_ path: FilePath) {
    self.path = path
  }

  /// Returns the checkpoint in the file, or `nil` if the file does not exist or is empty.
  ///
  /// - Throws: ``StorageError/Code/unusableFile`` if the file cannot be read or contains no checkpoint of this type.
  public func load() async throws -> Checkpoint? {
    guard let status = try await OpenFile.status(at: path), status.size > 0 else { return nil }
    let file = try await OpenFile.reading(path)
    guard file.status.size <= largestCheckpoint else { throw unreadable }
    var bytes: [UInt8] = []
    while bytes.count < file.status.size {
      let chunk = try await file.read(from: Int64(bytes.count), upTo: Int(file.status.size) - bytes.count)
      guard !chunk.isEmpty else { break }
      bytes += chunk
    }
    do {
      return try JSONDecoder().decode(Checkpoint.self, from: Data(bytes))
    } catch {
      throw unreadable
    }
  }

  /// Replaces the content of the file with a checkpoint.
  ///
  /// - Parameter checkpoint: The state of the transfer.
  /// - Throws: ``StorageError/Code/unusableFile`` if the file cannot be written.
  public func save(_ checkpoint: Checkpoint) async throws {
    let bytes = [UInt8](try JSONEncoder().encode(checkpoint))
    try await FileReplacement.write(
      path, permissions: .ownerReadWrite, synchronizes: false, temporarilyNamed: temporaryName
    ) { file in
      try await file.write(bytes, at: 0)
    }
  }

  /// Removes the file, and succeeds if it does not exist.
  ///
  /// - Throws: ``StorageError/Code/unusableFile`` if the file cannot be removed.
  public func remove() async throws {
    try await OpenFile.remove(path)
    try await OpenFile.remove(path.removingLastComponent().appending(temporaryName))
  }

  /// The name of the file until it is complete, which is always the same, so that no process leaves more than one.
  private var temporaryName: String { ".\(path.lastComponent?.string ?? "").new" }

  private var unreadable: StorageError {
    StorageError(
      .unusableFile, "\(path) does not contain a checkpoint of this kind of transfer.",
      remedy: "Name another file; or delete it, and the transfer starts anew.")
  }
}
