// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import SystemPackage

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A destination path for a file, and the permissions of an existing file at the path.
struct FilePlace: Sendable {
  let folder: FilePath
  let name: String
  /// The permissions of the existing file, or `nil` if no file exists at the path.
  let permissions: FilePermissions?
  private let path: FilePath

  /// Creates a destination after inspecting the file at the path.
  ///
  /// - Throws: ``StorageError/Code/unusableFile`` if the path exists and is not a regular file.
  init(_ path: FilePath) async throws {
    let status = try await OpenFile.status(at: path)
    guard let name = path.lastComponent, status == nil || status?.type == .regular else {
      throw StorageError(
        .unusableFile, "\(path) is not a regular file.", remedy: "Name an existing file, or one that can be created.")
    }
    self.path = path
    self.name = name.string
    folder = path.absolute.removingLastComponent()
    permissions = status?.permissions
  }

  /// Returns a new name for an incomplete file in the directory of the destination.
  func temporaryName() -> String {
    ".\(name.prefix(64)).\(String(UInt64.random(in: .min ... .max), radix: 36)).part"
  }

  /// Moves a file from the same file system to the destination, with the permissions of the file that it replaces.
  func put(_ file: FilePath) async throws {
    if let permissions { try await OpenFile.reading(file, followsLink: false).setPermissions(permissions) }
    try await FileThreads.run { [path] in try FileReplacement.rename(file, to: path) }
  }
}

extension FilePath {
  /// The absolute path, with a relative path resolved against the working directory of the process.
  package var absolute: FilePath {
    isAbsolute ? self : FilePath(FileManager.default.currentDirectoryPath).pushing(self)
  }
}
