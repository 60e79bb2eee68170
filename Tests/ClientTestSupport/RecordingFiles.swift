// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import StorageClient
package import SystemPackage

/// The file system of this machine, with a record of the calls that save and rename files.
///
/// The letter case of the name of the staging folder does not matter, as on a file system that ignores letter case.
package struct RecordingFiles: FileSystem {
  private let system = LocalFileSystem.system
  package let calls = Collected<String>()
  /// The permissions that each file had when it was synchronized.
  package let synchronizedPermissions = Collected<FilePermissions>()
  /// The name that the staging folder has on the disk.
  private let stagingName: FilePath.Component
  /// Whether each folder is on a file system of its own, so that a file cannot be renamed into another folder.
  private let separatesFolders: Bool

  package init(stagingName: FilePath.Component = ".storage-auth-sync", separatesFolders: Bool = false) {
    self.stagingName = stagingName
    self.separatesFolders = separatesFolders
  }

  private func stored(_ name: FilePath.Component) -> FilePath.Component {
    name.string.lowercased() == ".storage-auth-sync" ? stagingName : name
  }

  package func synchronize(_ file: FileDescriptor) throws(Errno) {
    calls.append("synchronize")
    synchronizedPermissions.append(try system.status(of: file).permissions)
    try system.synchronize(file)
  }

  package func rename(
    _ name: FilePath.Component, in folder: FileDescriptor, to newName: FilePath.Component, in newFolder: FileDescriptor
  ) throws(Errno) {
    if separatesFolders, try !system.status(of: folder).isSameFile(as: system.status(of: newFolder)) {
      throw .improperLink
    }
    calls.append("rename")
    try system.rename(stored(name), in: folder, to: stored(newName), in: newFolder)
  }

  package func openFolder(_ name: FilePath.Component, in folder: FileDescriptor) throws(Errno) -> FileDescriptor {
    try system.openFolder(stored(name), in: folder)
  }

  package func openFile(
    _ name: FilePath.Component, in folder: FileDescriptor, _ access: FileAccess
  ) throws(Errno) -> FileDescriptor {
    try system.openFile(stored(name), in: folder, access)
  }

  package func status(
    of name: FilePath.Component, in folder: FileDescriptor, followsLink: Bool
  ) throws(Errno) -> FileStatus {
    try system.status(of: stored(name), in: folder, followsLink: followsLink)
  }

  package func createFolder(
    _ name: FilePath.Component, in folder: FileDescriptor, permissions: FilePermissions
  ) throws(Errno) {
    try system.createFolder(stored(name), in: folder, permissions: permissions)
  }

  package func remove(_ name: FilePath.Component, in folder: FileDescriptor, isFolder: Bool) throws(Errno) {
    try system.remove(stored(name), in: folder, isFolder: isFolder)
  }

  // MARK: Calls that are only passed on

  package var userID: UInt32 { system.userID }

  package func runBlocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await system.runBlocking(body)
  }

  package func openFolder(_ path: FilePath) throws(Errno) -> FileDescriptor { try system.openFolder(path) }
  package func openParent(of folder: FileDescriptor) throws(Errno) -> FileDescriptor {
    try system.openParent(of: folder)
  }
  package func close(_ descriptor: FileDescriptor) throws(Errno) { try system.close(descriptor) }
  package func status(of descriptor: FileDescriptor) throws(Errno) -> FileStatus { try system.status(of: descriptor) }
  package func names(in folder: FileDescriptor) throws(Errno) -> [FilePath.Component] { try system.names(in: folder) }

  package func read(_ file: FileDescriptor, from offset: Int64, upTo count: Int) throws(Errno) -> [UInt8] {
    try system.read(file, from: offset, upTo: count)
  }

  package func write(_ bytes: [UInt8], to file: FileDescriptor, at offset: Int64) throws(Errno) {
    try system.write(bytes, to: file, at: offset)
  }

  package func setModificationTime(_ seconds: Int64, of file: FileDescriptor) throws(Errno) {
    try system.setModificationTime(seconds, of: file)
  }

  package func setPermissions(_ permissions: FilePermissions, of file: FileDescriptor) throws(Errno) {
    try system.setPermissions(permissions, of: file)
  }

  package func tryLock(_ descriptor: FileDescriptor) throws(Errno) -> Bool { try system.tryLock(descriptor) }
}
