// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import SystemPackage

/// The calls of an operating system for files, relative to open folders.
///
/// All code in this module uses these calls for files, so that a simulation can replace the system. All calls except
/// `runBlocking` block. A name is one component of a path; no call follows a symbolic link at a name unless told to.
package protocol FileSystem: Sendable {
  /// Calls a closure that blocks until the file system has responded, on a thread that may block.
  func runBlocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value

  /// Opens the folder at a path, and follows symbolic links.
  func openFolder(_ path: FilePath) throws(Errno) -> FileDescriptor

  func openFolder(_ name: FilePath.Component, in folder: FileDescriptor) throws(Errno) -> FileDescriptor
  func openParent(of folder: FileDescriptor) throws(Errno) -> FileDescriptor
  func openFile(_ name: FilePath.Component, in folder: FileDescriptor, _ access: FileAccess) throws(Errno)
    -> FileDescriptor
  func close(_ descriptor: FileDescriptor) throws(Errno)

  func status(of descriptor: FileDescriptor) throws(Errno) -> FileStatus
  func status(of name: FilePath.Component, in folder: FileDescriptor, followsLink: Bool) throws(Errno) -> FileStatus

  /// Returns the names in an open folder, in any order.
  func names(in folder: FileDescriptor) throws(Errno) -> [FilePath.Component]

  /// Reads bytes at an offset, and returns an empty array at the end of the file.
  func read(_ file: FileDescriptor, from offset: Int64, upTo count: Int) throws(Errno) -> [UInt8]
  func write(_ bytes: [UInt8], to file: FileDescriptor, at offset: Int64) throws(Errno)

  func createFolder(_ name: FilePath.Component, in folder: FileDescriptor, permissions: FilePermissions) throws(Errno)

  /// Removes the name of a file, or an empty folder, from an open folder.
  func remove(_ name: FilePath.Component, in folder: FileDescriptor, isFolder: Bool) throws(Errno)

  /// Renames a file atomically, and replaces a file that has the new name.
  func rename(
    _ name: FilePath.Component, in folder: FileDescriptor, to newName: FilePath.Component, in newFolder: FileDescriptor
  ) throws(Errno)

  /// Sets the time at which the content of an open file was changed, in whole seconds since 1970.
  func setModificationTime(_ seconds: Int64, of file: FileDescriptor) throws(Errno)
  func setPermissions(_ permissions: FilePermissions, of file: FileDescriptor) throws(Errno)

  /// Waits until the content of an open file is on the disk.
  func synchronize(_ file: FileDescriptor) throws(Errno)

  /// Tries to lock an open file or folder for this process, and returns `false` if another descriptor has locked it.
  ///
  /// The lock ends when the descriptor is closed or the process ends.
  func tryLock(_ descriptor: FileDescriptor) throws(Errno) -> Bool

  var userID: UInt32 { get }
}

/// The way in which a file is opened or created.
package enum FileAccess: Sendable, Hashable {
  case reading(followsLink: Bool)
  /// Reads and writes an existing file.
  case updating
  /// Reads and writes a new file, which must not exist. The process's mask restricts the permissions.
  case creating(FilePermissions)
  /// Reads and writes a file; a missing file is created, and only its owner can read and write it.
  case openOrCreate
}

/// The attributes of a file or a folder that the file system reports.
package struct FileStatus: Sendable, Hashable {
  /// The type of a file; `special` is a device, a pipe or a socket.
  package enum Kind: Sendable, Hashable { case regular, folder, symbolicLink, special }

  package var kind: Kind
  package var size: Int64
  package var permissions: FilePermissions
  package var ownerID: UInt32
  /// The number of names that the file has.
  package var linkCount: UInt64
  /// The number of the file system.
  package var device: UInt64
  /// The number of the file in its file system.
  package var inode: UInt64
  package var modifiedSeconds: Int64
  package var modifiedNanoseconds: Int64

  package init(
    kind: Kind, size: Int64, permissions: FilePermissions, ownerID: UInt32, linkCount: UInt64, device: UInt64,
    inode: UInt64, modifiedSeconds: Int64, modifiedNanoseconds: Int64
  ) {
    self.kind = kind
    self.size = size
    self.permissions = permissions
    self.ownerID = ownerID
    self.linkCount = linkCount
    self.device = device
    self.inode = inode
    self.modifiedSeconds = modifiedSeconds
    self.modifiedNanoseconds = modifiedNanoseconds
  }

  package var identity: FileIdentity {
    FileIdentity(
      fileNumber: inode, size: size, modifiedSeconds: modifiedSeconds, modifiedNanoseconds: modifiedNanoseconds)
  }

  /// The permissions for a file that replaces this one.
  ///
  /// As after a write to the file itself, the new content does not run as the owner or the group of the file.
  package var permissionsOfReplacement: FilePermissions { permissions.subtracting([.setUserID, .setGroupID]) }

  /// Returns whether two statuses are those of one file or folder, which may have changed between the calls.
  package func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }
}

/// The identity and the state of a file: its number in the file system, its size, and the time of its last change.
///
/// Two equal identities mean that the same file was not changed in between, as far as the file system can tell.
public struct FileIdentity: Sendable, Hashable, Codable {
  /// The number of the file in its file system (the inode).
  public let fileNumber: UInt64
  /// The size of the file in bytes.
  public let size: Int64
  /// The time of the last change of the file's content, in whole seconds since 1970-01-01T00:00:00Z.
  public let modifiedSeconds: Int64
  /// The nanoseconds within the second of the last change.
  public let modifiedNanoseconds: Int64

  /// Creates the identity of a file; the parameters are the properties.
  public init(fileNumber: UInt64, size: Int64, modifiedSeconds: Int64, modifiedNanoseconds: Int64) {
    self.fileNumber = fileNumber
    self.size = size
    self.modifiedSeconds = modifiedSeconds
    self.modifiedNanoseconds = modifiedNanoseconds
  }
}

extension FileSystem {
  /// Calls a closure that blocks, and converts the system's errors into errors for the file at a path.
  func runBlocking<Value: Sendable>(
    at path: FilePath, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    do { return try await runBlocking(body) } catch let error as Errno {
      throw StorageError(error, at: path)
    }
  }
}

extension StorageError {
  init(_ error: Errno, at path: FilePath) {
    self.init(
      .unusableFile, "\(path) cannot be used: \(error).", remedy: "Check the path, its permissions and the free space.")
  }

  static func notRegular(_ path: FilePath) -> StorageError {
    StorageError(
      .unusableFile, "\(path) is not a regular file.",
      remedy: "Name a regular file; upload the content of a pipe as a stream.")
  }
}
