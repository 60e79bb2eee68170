internal import Foundation
internal import NIOCore
internal import SystemPackage
internal import _NIOFileSystem

/// Where a file is to be, and what is there now.
struct FilePlace: Sendable {
  /// The folder.
  let folder: FilePath
  let name: String
  /// The permissions of the file that is there.
  let permissions: FilePermissions?
  private let path: FilePath

  /// Looks at a place.
  ///
  /// - Throws: ``StorageError/Code/unusableFile`` if what is there is no file.
  init(_ path: FilePath) async throws {
    let info = try await FileSystem.shared.info(forFileAt: path)
    guard let name = path.lastComponent, info == nil || info?.type == .regular else {
      throw StorageError(
        .unusableFile, "\(path) is not a regular file.", remedy: "Name a file that exists or that can be made.")
    }
    self.path = path
    self.name = name.string
    folder = path.absolute.removingLastComponent()
    permissions = info?.permissions
  }

  /// Puts a file of the same file system there.
  func put(_ file: FilePath) async throws {
    if let permissions {
      try await FileSystem.shared.withFileHandle(forReadingAt: file) { handle in
        try await handle.replacePermissions(permissions)
      }
    }
    try FileReplacement.rename(file, to: path)
  }
}

extension FilePath {
  /// The path from the root on; a relative one is relative to the working directory of the process.
  var absolute: FilePath {
    isAbsolute ? self : FilePath(FileManager.default.currentDirectoryPath).pushing(self)
  }
}
