// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto
internal import SystemPackage

/// The number of bytes per read from a file, because each read costs a thread switch.
let fileReadSize: Int64 = 512 * 1024

/// An open file, which is closed when its last reference is released.
///
/// A descriptor therefore never belongs to another file while a reader uses it.
package final class LocalFile: Sendable {
  let path: FilePath
  private let system: any FileSystem
  private let descriptor: FileDescriptor
  private let isOpen = Lock(true)
  /// Whether a stream of bytes was written elsewhere than at the start, perhaps earlier than the bytes in front of it.
  let hasRanges = Lock(false)
  /// The status of the file when it was opened.
  package let status: FileStatus

  /// Opens a file in a folder; the call blocks.
  init(_ name: FilePath.Component, in folder: Folder, _ access: FileAccess) throws(Errno) {
    system = folder.system
    descriptor = try system.openFile(name, in: folder.descriptor, access)
    do { status = try system.status(of: descriptor) } catch {
      try? system.close(descriptor)
      throw error
    }
    path = folder.path.appending(name)
  }

  deinit { closeNow() }

  /// Opens a regular file in a folder for reading.
  package static func reading(
    _ name: FilePath.Component, in folder: Folder, followsLink: Bool = false
  ) async throws -> LocalFile {
    let file = try await folder.runBlocking(at: name) {
      try LocalFile(name, in: $0, .reading(followsLink: followsLink))
    }
    guard file.status.kind == .regular else { throw StorageError.notRegular(file.path) }
    return file
  }

  package static func reading(_ path: FilePath, followsLink: Bool = true) async throws -> LocalFile {
    let location = try await FileLocation(path)
    return try await reading(location.name, in: location.folder, followsLink: followsLink)
  }

  /// Creates a file for reading and writing, by default with the permissions that the process gives to new files.
  static func creating(
    _ name: FilePath.Component, in folder: Folder, permissions: FilePermissions?
  ) async throws -> LocalFile {
    try await folder.runBlocking(at: name) { folder in
      let usualPermissions: FilePermissions = [.ownerReadWrite, .groupRead, .otherRead]
      let file = try LocalFile(name, in: folder, .creating(permissions ?? usualPermissions))
      // The process's mask restricts the permissions of a new file, even if they were given.
      if let permissions { try folder.system.setPermissions(permissions, of: file.descriptor) }
      return file
    }
  }

  /// Opens a file for reading and writing, and locks it.
  ///
  /// The result is `nil` unless the file exists, is regular, has no second name, and belongs to this user. A file that
  /// cannot be written is removed.
  static func updating(_ name: FilePath.Component, in folder: Folder) async throws -> LocalFile? {
    let file = try await folder.runBlocking(at: name) { folder -> LocalFile? in
      guard try folder.status(of: name)?.kind == .regular else { return nil }
      let file: LocalFile
      do { file = try LocalFile(name, in: folder, .updating) } catch .permissionDenied {
        // A process that ended just before its rename can leave a read-only file.
        try? folder.remove(name)
        return nil
      }
      // A second name of the file would be changed as well.
      let isOwn = file.status.linkCount == 1 && file.status.ownerID == folder.system.userID
      return file.status.kind == .regular && isOwn ? file : nil
    }
    try await file?.lock()
    return file
  }

  /// Locks the file for this process, or throws an error if another process has locked it.
  func lock() async throws {
    guard try await system.runBlocking(at: path, { [self] in try tryLock() }) else {
      throw StorageError(
        .unusableFile, "\(path) is being written by another transfer.",
        remedy: "Wait for its end, or choose another destination.")
    }
  }

  /// Locks the file, and returns whether no other descriptor has locked it; the call blocks.
  func tryLock() throws(Errno) -> Bool { try system.tryLock(descriptor) }

  /// Reads at most `count` bytes from an offset, and returns an empty array at the end of the file.
  package func read(from offset: Int64, upTo count: Int) async throws -> [UInt8] {
    try await system.runBlocking(at: path) { [self] in try system.read(descriptor, from: offset, upTo: count) }
  }

  /// Returns whether a range of the file has the checksum that was computed when it was written.
  func isIntact(_ range: DownloadCheckpoint.WrittenRange) async throws -> Bool {
    var crc = CRC(range.checksum.algorithm.crc)
    var offset = range.offset
    while offset < range.end {
      let chunk = try await read(from: offset, upTo: Int(min(fileReadSize, range.end - offset)))
      guard !chunk.isEmpty else { return false }
      crc.update(chunk)
      offset += Int64(chunk.count)
    }
    return crc.checksum == range.checksum.value
  }

  func write(_ bytes: [UInt8], at offset: Int64) async throws {
    try await system.runBlocking(at: path) { [self] in try system.write(bytes, to: descriptor, at: offset) }
  }

  var currentStatus: FileStatus {
    get async throws {
      try await system.runBlocking(at: path) { [self] in try system.status(of: descriptor) }
    }
  }

  package func setPermissions(_ permissions: FilePermissions) async throws {
    try await system.runBlocking(at: path) { [self] in try system.setPermissions(permissions, of: descriptor) }
  }

  /// Sets the permissions and the time of the last change; the call blocks.
  func setAttributes(_ permissions: FilePermissions?, modifiedSeconds: Int64?) throws(Errno) {
    if let permissions { try system.setPermissions(permissions, of: descriptor) }
    if let modifiedSeconds { try system.setModificationTime(modifiedSeconds, of: descriptor) }
  }

  /// Waits until the content of the file is on the disk; the call blocks.
  func synchronizeNow() throws(Errno) { try system.synchronize(descriptor) }

  package func synchronize() async throws {
    try await system.runBlocking(at: path) { [self] in try synchronizeNow() }
  }

  /// Closes the file, which must not be used afterwards, and throws an error if an earlier write failed.
  func close() async throws {
    try await system.runBlocking(at: path) { [self] in if markClosed() { try system.close(descriptor) } }
  }

  /// Closes a file without unsaved bytes, unless it is closed; the call blocks.
  func closeNow() { if markClosed() { try? system.close(descriptor) } }

  private func markClosed() -> Bool {
    isOpen.withLock { isOpen in
      defer { isOpen = false }
      return isOpen
    }
  }
}

/// A locked file, which one process at a time can have.
///
/// The lock ends at a call of `release()`, with the last reference, or with the process.
final class LockFile: Sendable {
  /// The number of attempts to lock a file that other processes remove.
  private static let attemptLimit = 16

  private let location: FileLocation
  private let file: LocalFile

  private init(_ location: FileLocation, _ file: LocalFile) {
    self.location = location
    self.file = file
  }

  /// Creates or opens a file and locks it, or returns `nil` if another process has locked it; the call blocks.
  static func acquire(_ location: FileLocation) throws(Errno) -> LockFile? {
    for _ in 0..<attemptLimit {
      let file = try LocalFile(location.name, in: location.folder, .openOrCreate)
      guard file.status.kind == .regular else { throw .notSupported }
      guard try file.tryLock() else { return nil }
      // The process that had the lock may have removed the file before it ended.
      if let current = try location.folder.status(of: location.name), current.isSameFile(as: file.status) {
        return LockFile(location, file)
      }
    }
    throw .resourceBusy
  }

  /// Ends the lock, even if there are other references.
  func release() { file.closeNow() }
  func remove() throws(Errno) { try location.folder.remove(location.name) }
}
