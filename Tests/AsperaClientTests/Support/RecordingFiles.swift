// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import StorageClient
import SystemPackage

/// The file system of this machine, with a record of the calls that save and rename files.
struct RecordingFiles: FileSystem {
  private let system = LocalFileSystem.system
  let calls = Collected<String>()

  func synchronize(_ file: FileDescriptor) throws(Errno) {
    calls.append("synchronize")
    try system.synchronize(file)
  }

  func rename(
    _ name: FilePath.Component, in folder: FileDescriptor, to newName: FilePath.Component, in newFolder: FileDescriptor
  ) throws(Errno) {
    calls.append("rename")
    try system.rename(name, in: folder, to: newName, in: newFolder)
  }

  // MARK: Calls that are only passed on

  var userID: UInt32 { system.userID }

  func runBlocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await system.runBlocking(body)
  }

  func openFolder(_ path: FilePath) throws(Errno) -> FileDescriptor { try system.openFolder(path) }

  func openFolder(_ name: FilePath.Component, in folder: FileDescriptor) throws(Errno) -> FileDescriptor {
    try system.openFolder(name, in: folder)
  }

  func openParent(of folder: FileDescriptor) throws(Errno) -> FileDescriptor { try system.openParent(of: folder) }

  func openFile(
    _ name: FilePath.Component, in folder: FileDescriptor, _ access: FileAccess
  ) throws(Errno) -> FileDescriptor {
    try system.openFile(name, in: folder, access)
  }

  func close(_ descriptor: FileDescriptor) throws(Errno) { try system.close(descriptor) }

  func status(of descriptor: FileDescriptor) throws(Errno) -> FileStatus { try system.status(of: descriptor) }

  func status(
    of name: FilePath.Component, in folder: FileDescriptor, followsLink: Bool
  ) throws(Errno) -> FileStatus {
    try system.status(of: name, in: folder, followsLink: followsLink)
  }

  func names(in folder: FileDescriptor) throws(Errno) -> [FilePath.Component] { try system.names(in: folder) }

  func read(_ file: FileDescriptor, from offset: Int64, upTo count: Int) throws(Errno) -> [UInt8] {
    try system.read(file, from: offset, upTo: count)
  }

  func write(_ bytes: [UInt8], to file: FileDescriptor, at offset: Int64) throws(Errno) {
    try system.write(bytes, to: file, at: offset)
  }

  func createFolder(
    _ name: FilePath.Component, in folder: FileDescriptor, permissions: FilePermissions
  ) throws(Errno) {
    try system.createFolder(name, in: folder, permissions: permissions)
  }

  func remove(_ name: FilePath.Component, in folder: FileDescriptor, isFolder: Bool) throws(Errno) {
    try system.remove(name, in: folder, isFolder: isFolder)
  }

  func setModificationTime(_ seconds: Int64, of file: FileDescriptor) throws(Errno) {
    try system.setModificationTime(seconds, of: file)
  }

  func setPermissions(_ permissions: FilePermissions, of file: FileDescriptor) throws(Errno) {
    try system.setPermissions(permissions, of: file)
  }

  func tryLock(_ descriptor: FileDescriptor) throws(Errno) -> Bool { try system.tryLock(descriptor) }
}
