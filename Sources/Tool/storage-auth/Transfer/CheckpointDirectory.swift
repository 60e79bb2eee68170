// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import StorageAuth
internal import StorageClient
internal import SystemPackage

/// The directory in which `cp --resume` keeps the checkpoints of unfinished transfers, one file per transfer.
struct CheckpointDirectory {
  let path: FilePath

  /// Creates the directory unless it exists.
  ///
  /// - Parameter path: The path of the directory, or `nil` for the user's directory for the state of programs.
  /// - Throws: A `ValidationError` if there is no such directory and it cannot be created.
  init(_ path: String?) throws {
    let environment = ProcessInfo.processInfo.environment
    let state =
      environment["XDG_STATE_HOME"].flatMap { $0.hasBytePrefix("/") ? $0 : nil }
      ?? environment["HOME"].map { "\($0)/.local/state" }
    guard let path = path ?? state.map({ "\($0)/storage-auth/checkpoints" }) else {
      throw ValidationError("There is no home directory; name a directory with --checkpoints.")
    }
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw ValidationError("The directory \(path) for checkpoints cannot be created; name another with --checkpoints.")
    }
    self.path = FilePath(path)
  }

  /// Returns the place for the checkpoint of a transfer, or `nil` if the identity of the object is unknown.
  ///
  /// - Parameters:
  ///   - direction: The direction of the transfer, such as `upload`.
  ///   - file: The path of the local file.
  ///   - object: The identity of the object, with its server.
  func location<Checkpoint>(
    _ direction: String, _ file: FilePath, _ object: ObjectIdentity?
  ) -> CheckpointFile<Checkpoint>? {
    let file = URL(filePath: file.string).standardizedFileURL.path
    return object.map { CheckpointFile(path.appending("\($0.fileName(with: file)).\(direction)")) }
  }
}
