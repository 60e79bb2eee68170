// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The files of one side of a transfer: of this machine, or of the transfer desk.
protocol FileSide: Sendable {
  /// Returns the size and the modification time of a file, or `nil` if there is no file at the path.
  func standing(at path: String) async throws(Failure) -> FileRules.Standing?

  /// Returns everything in a folder and below it, each folder before its contents; empty if there is no folder.
  func contents(of folder: String) async throws(Failure) -> [(path: String, isFolder: Bool)]

  /// Creates a folder and its parent folders, unless they exist.
  func makeFolder(_ path: String) async throws(Failure)

  /// Creates a symbolic link.
  ///
  /// - Parameters:
  ///   - path: The path of the link.
  ///   - target: The path that the link contains.
  ///   - replacesFile: Whether the link replaces a file or link with its name. A folder, and a link to a folder, are never
  ///     replaced.
  /// - Returns: Whether the link was created.
  func makeLink(_ path: String, to target: String, replacesFile: Bool) async throws(Failure) -> Bool

  /// Removes a file.
  func remove(_ path: String) async throws(Failure)

  /// Removes a folder that has no contents, and keeps any other folder.
  func removeEmptyFolder(_ path: String) async throws(Failure)

  /// Moves a file, creating the folders for it and replacing an existing file.
  func move(_ path: String, to target: String) async throws(Failure)

  /// Sets the modification time of a folder, in seconds since 1970 (UTC).
  func setModified(_ seconds: Int64, ofFolder path: String) async throws(Failure)
}
