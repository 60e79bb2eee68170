// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
package import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#else
  internal import Glibc
#endif

/// The calls of an operating system for files, relative to open folders.
///
/// Everything in this module that reads or writes files uses these calls, so that a simulation can take the system's
/// place. A name is one component of a path; no call follows a symbolic link at a name, unless it says so.
package protocol FileSystem: Sendable {
  /// Calls a closure that blocks until the file system has answered, on a thread that may block.
  func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result

  /// Opens the folder at a path, and follows symbolic links.
  func openFolder(_ path: FilePath) throws(Errno) -> FileDescriptor

  /// Opens a folder in an open folder.
  func openFolder(_ name: FilePath.Component, in folder: FileDescriptor) throws(Errno) -> FileDescriptor

  func openParent(of folder: FileDescriptor) throws(Errno) -> FileDescriptor

  /// Opens a file in an open folder for reading, or for reading and writing.
  func openFile(_ name: FilePath.Component, in folder: FileDescriptor, _ access: FileAccess) throws(Errno)
    -> FileDescriptor

  func close(_ descriptor: FileDescriptor) throws(Errno)

  func status(of descriptor: FileDescriptor) throws(Errno) -> FileStatus

  /// Returns the status of a file in an open folder, or of the file to which a symbolic link leads.
  func status(of name: FilePath.Component, in folder: FileDescriptor, followsLink: Bool) throws(Errno) -> FileStatus

  /// Returns the names in an open folder, in any order.
  func names(in folder: FileDescriptor) throws(Errno) -> [FilePath.Component]

  /// Reads bytes at an offset, and returns an empty array at the end of the file.
  func read(_ file: FileDescriptor, from offset: Int64, upTo count: Int) throws(Errno) -> [UInt8]

  /// Writes all bytes at an offset.
  func write(_ bytes: [UInt8], to file: FileDescriptor, at offset: Int64) throws(Errno)

  /// Creates a folder in an open folder.
  func makeFolder(_ name: FilePath.Component, in folder: FileDescriptor, permissions: FilePermissions) throws(Errno)

  /// Removes the name of a file, or an empty folder, from an open folder.
  func remove(_ name: FilePath.Component, in folder: FileDescriptor, isFolder: Bool) throws(Errno)

  /// Renames a file atomically, and replaces a file that has the new name.
  func rename(
    _ name: FilePath.Component, in folder: FileDescriptor, to newName: FilePath.Component, in newFolder: FileDescriptor
  ) throws(Errno)

  /// Sets the time at which the content of an open file was changed, in whole seconds since 1970.
  func setModified(_ seconds: Int64, of file: FileDescriptor) throws(Errno)

  func setPermissions(_ permissions: FilePermissions, of file: FileDescriptor) throws(Errno)

  /// Waits until the content of an open file is on the disk.
  func synchronize(_ file: FileDescriptor) throws(Errno)

  /// Locks an open file or folder for this process, and returns whether no other descriptor has locked it.
  ///
  /// The lock ends when the descriptor is closed or the process ends.
  func lock(_ descriptor: FileDescriptor) throws(Errno) -> Bool

  /// The number of the user as whom the process runs.
  var userID: UInt32 { get }
}

package enum FileAccess: Sendable, Hashable {
  /// Reads an existing file.
  case reading(followsLink: Bool)
  /// Reads and writes an existing file.
  case updating
  /// Reads and writes a new file; no file of the name may exist. The permissions are subject to the process's mask.
  case creating(FilePermissions)
  /// Reads and writes a file, which is created if it does not exist, readable for its owner only.
  case locking
}

/// The type, the size and the other attributes of a file or a folder.
package struct FileStatus: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    case regular, folder, link, special
  }

  package var kind: Kind
  package var size: Int64
  package var permissions: FilePermissions
  package var owner: UInt32
  /// The number of names that the file has.
  package var links: UInt64
  /// The number of the file system.
  package var device: UInt64
  /// The number of the file in its file system.
  package var number: UInt64
  package var modifiedSeconds: Int64
  package var modifiedNanoseconds: Int64

  package init(
    kind: Kind, size: Int64, permissions: FilePermissions, owner: UInt32, links: UInt64, device: UInt64,
    number: UInt64, modifiedSeconds: Int64, modifiedNanoseconds: Int64
  ) {
    self.kind = kind
    self.size = size
    self.permissions = permissions
    self.owner = owner
    self.links = links
    self.device = device
    self.number = number
    self.modifiedSeconds = modifiedSeconds
    self.modifiedNanoseconds = modifiedNanoseconds
  }

  package var identity: FileIdentity {
    FileIdentity(
      fileNumber: number, size: size, modifiedSeconds: modifiedSeconds, modifiedNanoseconds: modifiedNanoseconds)
  }

  /// Returns whether the status is that of the same file or folder, in whatever state.
  package func isSameFile(as other: FileStatus) -> Bool { device == other.device && number == other.number }
}

extension FileSystem {
  /// Calls a closure that blocks, and turns the system's errors into errors for the file at a path.
  func run<Result: Sendable>(
    at path: FilePath, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    do {
      return try await run(body)
    } catch let error as Errno {
      throw StorageError(error, at: path)
    }
  }
}

extension FileSystem where Self == SystemFiles {
  /// The file system of this machine.
  package static var system: SystemFiles { SystemFiles() }
}

/// The file system of this machine.
package struct SystemFiles: FileSystem {
  private static let queue = DispatchQueue(label: "storage-auth files", attributes: .concurrent)

  package func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      Self.queue.async { continuation.resume(with: Swift.Result { try body() }) }
    }
  }

  package func openFolder(_ path: FilePath) throws(Errno) -> FileDescriptor {
    FileDescriptor(
      rawValue: try check(
        unsafe path.withPlatformString { unsafe openat(AT_FDCWD, $0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }))
  }

  package func openFolder(_ name: FilePath.Component, in folder: FileDescriptor) throws(Errno) -> FileDescriptor {
    try open(name, in: folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  }

  package func openParent(of folder: FileDescriptor) throws(Errno) -> FileDescriptor {
    FileDescriptor(rawValue: try check(unsafe openat(folder.rawValue, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)))
  }

  package func openFile(
    _ name: FilePath.Component, in folder: FileDescriptor, _ access: FileAccess
  ) throws(Errno) -> FileDescriptor {
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    switch access {
    case .reading(let followsLink):
      try open(name, in: folder, O_RDONLY | O_NONBLOCK | (followsLink ? 0 : O_NOFOLLOW))
    case .updating: try open(name, in: folder, O_RDWR | O_NONBLOCK | O_NOFOLLOW)
    case .creating(let permissions):
      try open(name, in: folder, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, permissions.rawValue)
    case .locking: try open(name, in: folder, O_RDWR | O_CREAT | O_NONBLOCK | O_NOFOLLOW, 0o600)
    }
  }

  private func open(
    _ name: FilePath.Component, in folder: FileDescriptor, _ flags: Int32, _ mode: CInterop.Mode = 0
  ) throws(Errno) -> FileDescriptor {
    FileDescriptor(
      rawValue: try check(
        unsafe name.withPlatformString { unsafe openat(folder.rawValue, $0, flags | O_CLOEXEC, mode) }))
  }

  package func close(_ descriptor: FileDescriptor) throws(Errno) {
    try Self.errors { try descriptor.close() }
  }

  package func status(of descriptor: FileDescriptor) throws(Errno) -> FileStatus {
    FileStatus(try Self.errors { try descriptor.stat() })
  }

  package func status(
    of name: FilePath.Component, in folder: FileDescriptor, followsLink: Bool
  ) throws(Errno) -> FileStatus {
    var status = stat()
    try check(
      unsafe name.withPlatformString {
        unsafe fstatat(folder.rawValue, $0, &status, followsLink ? 0 : AT_SYMLINK_NOFOLLOW)
      })
    return FileStatus(Stat(rawValue: status))
  }

  package func names(in folder: FileDescriptor) throws(Errno) -> [FilePath.Component] {
    // The stream owns its descriptor, and reading moves it: the folder's own one stays as it is.
    let copy = try check(unsafe openat(folder.rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    guard let stream = unsafe fdopendir(copy) else {
      let error = Errno(rawValue: Self.currentErrno)
      try? FileDescriptor(rawValue: copy).close()
      throw error
    }
    defer { unsafe closedir(stream) }
    var names: [FilePath.Component] = []
    while true {
      Self.currentErrno = 0
      guard let entry = unsafe readdir(stream) else {
        guard Self.currentErrno == 0 else { throw Errno(rawValue: Self.currentErrno) }
        return names
      }
      // Safe: the name ends with a zero byte, and is copied before the next call of readdir.
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe name.withMemoryRebound(to: CChar.self, capacity: 1) { unsafe FilePath.Component(platformString: $0) }
      }
      if let name, name.kind == .regular { names.append(name) }
    }
  }

  package func read(_ file: FileDescriptor, from offset: Int64, upTo count: Int) throws(Errno) -> [UInt8] {
    try Self.errors {
      // Safe: the system writes at most as many bytes as the memory holds, and returns the number that it wrote.
      try unsafe [UInt8](unsafeUninitializedCapacity: count) { memory, written in
        written = try unsafe file.read(fromAbsoluteOffset: offset, into: UnsafeMutableRawBufferPointer(memory))
      }
    }
  }

  package func write(_ bytes: [UInt8], to file: FileDescriptor, at offset: Int64) throws(Errno) {
    _ = try Self.errors { try file.writeAll(toAbsoluteOffset: offset, bytes) }
  }

  package func makeFolder(
    _ name: FilePath.Component, in folder: FileDescriptor, permissions: FilePermissions
  ) throws(Errno) {
    try check(unsafe name.withPlatformString { unsafe mkdirat(folder.rawValue, $0, permissions.rawValue) })
  }

  package func remove(_ name: FilePath.Component, in folder: FileDescriptor, isFolder: Bool) throws(Errno) {
    try check(unsafe name.withPlatformString { unsafe unlinkat(folder.rawValue, $0, isFolder ? AT_REMOVEDIR : 0) })
  }

  package func rename(
    _ name: FilePath.Component, in folder: FileDescriptor, to newName: FilePath.Component, in newFolder: FileDescriptor
  ) throws(Errno) {
    try check(
      unsafe name.withPlatformString { from in
        unsafe newName.withPlatformString { to in
          unsafe renameat(folder.rawValue, from, newFolder.rawValue, to)
        }
      })
  }

  package func setModified(_ seconds: Int64, of file: FileDescriptor) throws(Errno) {
    let time = timespec(tv_sec: Int(clamping: seconds), tv_nsec: 0)
    try check(unsafe futimens(file.rawValue, [time, time]))
  }

  package func setPermissions(_ permissions: FilePermissions, of file: FileDescriptor) throws(Errno) {
    try check(fchmod(file.rawValue, permissions.rawValue))
  }

  package func synchronize(_ file: FileDescriptor) throws(Errno) { try check(fsync(file.rawValue)) }

  package func lock(_ descriptor: FileDescriptor) throws(Errno) -> Bool {
    do {
      try check(flock(descriptor.rawValue, LOCK_EX | LOCK_NB))
      return true
    } catch .wouldBlock {
      return false
    }
  }

  package var userID: UInt32 { geteuid() }

  @discardableResult
  private func check(_ status: Int32) throws(Errno) -> Int32 {
    guard status >= 0 else { throw Errno(rawValue: Self.currentErrno) }
    return status
  }

  /// The number of the last error of a call in this thread.
  private static var currentErrno: Int32 {
    get { errno }
    set { errno = newValue }
  }

  /// Calls a function of swift-system, which only throws `Errno`.
  private static func errors<Result>(_ body: () throws -> Result) throws(Errno) -> Result {
    do {
      return try body()
    } catch let error as Errno {
      throw error
    } catch {
      throw .ioError
    }
  }
}

extension FileStatus {
  fileprivate init(_ status: Stat) {
    let modified = status.st_mtim
    let kind: Kind =
      switch status.type {
      case .regular: .regular
      case .directory: .folder
      case .symbolicLink: .link
      default: .special
      }
    self.init(
      kind: kind, size: status.size, permissions: status.permissions, owner: status.userID.rawValue,
      links: UInt64(clamping: status.linkCount), device: UInt64(truncatingIfNeeded: status.deviceID.rawValue),
      number: UInt64(truncatingIfNeeded: status.inode.rawValue), modifiedSeconds: Int64(modified.tv_sec),
      modifiedNanoseconds: Int64(modified.tv_nsec))
  }
}

/// The number of files and connections that the process may have open (`RLIMIT_NOFILE`), and what follows from it.
///
/// A transfer needs a connection to each of its services, a file and the folder of that file. With more transfers than
/// the limit permits, each of them would fail sooner or later because there are too many open files.
package struct OpenFileLimit: Sendable, Hashable {
  /// The maximum number of open files and connections.
  package let count: Int

  package init(count: Int) {
    self.count = count
  }

  package static var current: OpenFileLimit {
    var limit = rlimit()
    guard unsafe getrlimit(resource, &limit) == 0 else { return OpenFileLimit(count: .max) }
    return OpenFileLimit(count: Int(clamping: limit.rlim_cur))
  }

  /// Raises the limit of the process as far as the system permits, but not above what many transfers need.
  ///
  /// Programs that the process starts inherit the limit. Some of them cannot use files with high numbers, so the limit
  /// is not raised without need.
  package static func raise() {
    var limit = rlimit()
    guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < useful else { return }
    limit.rlim_cur = min(limit.rlim_max, useful)
    _ = unsafe setrlimit(resource, &limit)
  }

  /// The maximum number of transfers, or requests of a client, at a time.
  package var transfers: Int { max(1, (count - min(count, reserved)) / filesPerTransfer) }

  /// The number of threads for connections, each of which needs files of its own.
  package func eventLoops(cores: Int) -> Int { max(1, min(cores, count / filesPerTransfer / filesPerEventLoop)) }

  /// Whether the process can open a connection at all.
  package var permitsConnections: Bool { count >= reserved + filesPerTransfer }
}

/// The standard streams, the event loops of a small machine, and what the system opens for names and certificates.
private let reserved = 12

/// A connection to each of two services, a file, and its folder.
private let filesPerTransfer = 4

/// The descriptors of a selector.
private let filesPerEventLoop = 3

private let useful: rlim_t = 4096

#if canImport(Glibc)
  private let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#else
  private let resource = RLIMIT_NOFILE
#endif
