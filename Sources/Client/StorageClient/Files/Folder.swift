// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import SystemPackage

/// An open folder, whose files are used by their names.
///
/// No call follows a symbolic link at a name, unless a parameter says so. The folder remains the same if another folder
/// takes its place in the folder above. All calls block except for `runBlocking`.
package final class Folder: Sendable {
  /// The path with which the folder was opened, for error messages and other programs.
  package let path: FilePath
  package let system: any FileSystem
  let descriptor: FileDescriptor

  private init(_ path: FilePath, _ system: any FileSystem, _ descriptor: FileDescriptor) {
    self.path = path
    self.system = system
    self.descriptor = descriptor
  }

  deinit { try? system.close(descriptor) }

  /// Opens the folder at a path of the caller, and follows symbolic links.
  static func open(_ path: FilePath, in system: any FileSystem) throws(Errno) -> Folder {
    Folder(path, system, try system.openFolder(path.isEmpty ? "." : path))
  }

  func folder(_ name: FilePath.Component) throws(Errno) -> Folder {
    Folder(path.appending(name), system, try system.openFolder(name, in: descriptor))
  }

  func createFolder(_ name: FilePath.Component, permissions: FilePermissions) throws(Errno) -> Folder {
    do { return try folder(name) } catch .noSuchFileOrDirectory {
      do { try system.createFolder(name, in: descriptor, permissions: permissions) } catch .fileExists {
        // Another process has just created it.
      }
      return try folder(name)
    }
  }

  /// The folder above this folder, or this folder if it is the root of the file system.
  var parent: Folder {
    get throws(Errno) { Folder(path.appending(".."), system, try system.openParent(of: descriptor)) }
  }

  var status: FileStatus { get throws(Errno) { try system.status(of: descriptor) } }

  /// Whether the folder belongs to this user, and no other user can write to it.
  var isPrivate: Bool {
    get throws(Errno) {
      let status = try status
      return status.ownerID == system.userID && status.permissions.isDisjoint(with: [.groupWrite, .otherWrite])
    }
  }

  func status(of name: FilePath.Component, followsLink: Bool = false) throws(Errno) -> FileStatus? {
    do {
      return try system.status(of: name, in: descriptor, followsLink: followsLink)
    } catch .noSuchFileOrDirectory { return nil }
  }

  var names: [FilePath.Component] { get throws(Errno) { try system.names(in: descriptor) } }

  /// Removes the name of a file, and succeeds if no file has the name.
  func remove(_ name: FilePath.Component) throws(Errno) {
    do {
      try system.remove(name, in: descriptor, isFolder: false)
    } catch .noSuchFileOrDirectory { return }
  }

  func removeFolder(_ name: FilePath.Component) throws(Errno) {
    try system.remove(name, in: descriptor, isFolder: true)
  }

  /// Removes a folder and the folders in it, or throws an error at a file.
  func removeEmptyFolders(_ name: FilePath.Component) throws(Errno) {
    let removed = try folder(name)
    for subfolder in try removed.names {
      guard try removed.status(of: subfolder)?.kind == .folder else { throw .directoryNotEmpty }
      try removed.removeEmptyFolders(subfolder)
    }
    try removeFolder(name)
  }

  func rename(_ name: FilePath.Component, to newName: FilePath.Component, in newFolder: Folder) throws(Errno) {
    try system.rename(name, in: descriptor, to: newName, in: newFolder.descriptor)
  }

  /// Calls a closure that blocks, and converts the system's errors into errors for a file in the folder, or the folder.
  func runBlocking<Value: Sendable>(
    at name: FilePath.Component? = nil, _ body: @escaping @Sendable (Folder) throws -> Value
  ) async throws -> Value {
    try await system.runBlocking(at: name.map { path.appending($0) } ?? path) { [self] in try body(self) }
  }
}

extension FilePath.Component {
  /// The bytes of the name, which need not be UTF-8.
  package var bytes: [UInt8] {
    unsafe withPlatformString { start in
      // Safe: the string ends with a zero byte.
      var bytes: [UInt8] = []
      var next = unsafe start
      while case let byte = unsafe UInt8(bitPattern: next.pointee), byte != 0 {
        bytes.append(byte)
        unsafe next += 1
      }
      return bytes
    }
  }
}
