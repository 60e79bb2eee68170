// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A reader of the files of this machine.
public struct SystemFiles: FileReader {
  /// Creates a reader.
  public init() {}

  /// Reads a whole regular file, with the permissions from the descriptor through which it is read.
  ///
  /// Symbolic links are followed. A relative path starts in the current directory.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - limit: The maximum size in bytes.
  /// - Returns: The content, with the file's permissions and, if there is one, the reason why another user could have
  ///   written it.
  /// - Throws: A ``FileReadError``.
  public func read(_ path: String, limit: Int) throws(FileReadError) -> FileContents {
    let absolute = path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    let file = try OpenedFile(absolute)
    return FileContents(
      try file.bytes(limit: limit), permissions: file.status.permissions,
      weakness: FilePathWalk.weakness(of: absolute, opened: file.status))
  }
}
