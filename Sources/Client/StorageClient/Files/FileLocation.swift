// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
package import SystemPackage

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A place for a file: a name in an open folder.
package struct FileLocation: Sendable {
  package let folder: Folder
  package let name: FilePath.Component

  /// Creates a place in an open folder.
  package init(_ name: FilePath.Component, in folder: Folder) {
    self.folder = folder
    self.name = name
  }

  /// Creates the place of a path of the caller, whose folder must exist.
  ///
  /// - Throws: ``StorageError/Code/unusableFile`` if the folder cannot be opened, or the path ends in no name.
  package init(_ path: FilePath, in system: any FileSystem = .system) async throws {
    guard let name = path.lastComponent, name.kind == .regular else { throw StorageError.notRegular(path) }
    self.name = name
    do {
      folder = try await system.run { try Folder.open(path.removingLastComponent(), in: system) }
    } catch let error as Errno {
      throw StorageError(error, at: path)
    }
  }

  /// The path of the file, for errors and for programs that need one.
  var path: FilePath { folder.path.appending(name) }

  /// Returns the status of the file, or of the file to which a link leads, or `nil` if no file exists.
  package func status(followsLink: Bool = true) async throws -> FileStatus? {
    try await folder.call(name) { [name] in try $0.status(of: name, followsLink: followsLink) }
  }

  /// Returns the permissions of the existing file, or `nil` if no file exists.
  ///
  /// - Throws: ``StorageError/Code/unusableFile`` if the place has something other than a regular file.
  package func permissions() async throws -> FilePermissions? {
    guard let status = try await status() else { return nil }
    guard status.kind == .regular else {
      throw StorageError(
        .unusableFile, "\(path) is not a regular file.", remedy: "Name an existing file, or one that can be created.")
    }
    return status.permissions
  }

  /// Removes the file, and succeeds if no file exists.
  func remove() async throws {
    try await folder.call(name) { [name] in try $0.remove(name) }
  }

  // MARK: Temporary names

  /// Returns a new name for an incomplete file in the folder.
  func temporaryName() -> FilePath.Component {
    FilePath.Component("\(temporaryPrefix)\(String(UInt64.random(in: .min ... .max), radix: 36)).part") ?? name
  }

  /// Returns a temporary name of this place from the text that a checkpoint contains, or `nil` if it is another name.
  ///
  /// A checkpoint that was tampered with cannot name another file of the folder.
  func temporaryName(_ text: String) -> FilePath.Component? {
    guard let random = text.removingBytePrefix(temporaryPrefix)?.removingByteSuffix(".part"),
      (1...13).contains(random.utf8.count),
      random.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) })
    else { return nil }
    return FilePath.Component(text)
  }

  /// The start of the temporary names of this place, in which long names are cut at a whole character.
  private var temporaryPrefix: String {
    var prefix = ""
    for scalar in name.string.unicodeScalars {
      guard prefix.utf8.count + UTF8.width(scalar) <= 64 else { break }
      prefix.unicodeScalars.append(scalar)
    }
    return ".\(prefix)."
  }
}

extension FilePath {
  /// The absolute path, with a relative path resolved against the working directory of the process.
  package var absolute: FilePath {
    isAbsolute ? self : FilePath(FileManager.default.currentDirectoryPath).pushing(self)
  }
}
