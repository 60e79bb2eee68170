// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

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

extension FileSystem where Self == LocalFileSystem {
  package static var system: LocalFileSystem { LocalFileSystem() }
}

/// The file system of this machine, whose blocking calls run on the threads of a queue.
package struct LocalFileSystem: FileSystem {
  private static let queue = DispatchQueue(label: "storage-auth files", attributes: .concurrent)

  package func runBlocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      Self.queue.async { continuation.resume(with: Result { try body() }) }
    }
  }

  package func openFolder(_ path: FilePath) throws(Errno) -> FileDescriptor {
    try descriptor(unsafe path.withPlatformString { unsafe openat(AT_FDCWD, $0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
  }

  package func openFolder(_ name: FilePath.Component, in folder: FileDescriptor) throws(Errno) -> FileDescriptor {
    try open(name, in: folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  }

  package func openParent(of folder: FileDescriptor) throws(Errno) -> FileDescriptor {
    try descriptor(unsafe openat(folder.rawValue, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
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
    case .openOrCreate: try open(name, in: folder, O_RDWR | O_CREAT | O_NONBLOCK | O_NOFOLLOW, 0o600)
    }
  }

  private func open(
    _ name: FilePath.Component, in folder: FileDescriptor, _ flags: Int32, _ mode: CInterop.Mode = 0
  ) throws(Errno) -> FileDescriptor {
    try descriptor(unsafe name.withPlatformString { unsafe openat(folder.rawValue, $0, flags | O_CLOEXEC, mode) })
  }

  package func close(_ descriptor: FileDescriptor) throws(Errno) { try Self.throwingErrno { try descriptor.close() } }

  package func status(of descriptor: FileDescriptor) throws(Errno) -> FileStatus {
    FileStatus(try Self.throwingErrno { try descriptor.stat() })
  }

  package func status(
    of name: FilePath.Component, in folder: FileDescriptor, followsLink: Bool
  ) throws(Errno) -> FileStatus {
    var status = stat()
    try checkedResult(
      unsafe name.withPlatformString {
        unsafe fstatat(folder.rawValue, $0, &status, followsLink ? 0 : AT_SYMLINK_NOFOLLOW)
      })
    return FileStatus(Stat(rawValue: status))
  }

  package func names(in folder: FileDescriptor) throws(Errno) -> [FilePath.Component] {
    // The stream closes its descriptor and moves its position, so it needs another one than the folder's.
    let copy = try checkedResult(unsafe openat(folder.rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
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
    try Self.throwingErrno {
      // Safe: the system writes at most as many bytes as the memory holds, and returns the number that it wrote.
      try unsafe [UInt8](unsafeUninitializedCapacity: count) { memory, written in
        written = try unsafe file.read(fromAbsoluteOffset: offset, into: UnsafeMutableRawBufferPointer(memory))
      }
    }
  }

  package func write(_ bytes: [UInt8], to file: FileDescriptor, at offset: Int64) throws(Errno) {
    _ = try Self.throwingErrno { try file.writeAll(toAbsoluteOffset: offset, bytes) }
  }

  package func createFolder(
    _ name: FilePath.Component, in folder: FileDescriptor, permissions: FilePermissions
  ) throws(Errno) {
    try checkedResult(unsafe name.withPlatformString { unsafe mkdirat(folder.rawValue, $0, permissions.rawValue) })
  }

  package func remove(_ name: FilePath.Component, in folder: FileDescriptor, isFolder: Bool) throws(Errno) {
    try checkedResult(
      unsafe name.withPlatformString { unsafe unlinkat(folder.rawValue, $0, isFolder ? AT_REMOVEDIR : 0) })
  }

  package func rename(
    _ name: FilePath.Component, in folder: FileDescriptor, to newName: FilePath.Component, in newFolder: FileDescriptor
  ) throws(Errno) {
    try checkedResult(
      unsafe name.withPlatformString { from in
        unsafe newName.withPlatformString { to in unsafe renameat(folder.rawValue, from, newFolder.rawValue, to) }
      })
  }

  package func setModificationTime(_ seconds: Int64, of file: FileDescriptor) throws(Errno) {
    let time = timespec(tv_sec: Int(clamping: seconds), tv_nsec: 0)
    try checkedResult(unsafe futimens(file.rawValue, [time, time]))
  }

  package func setPermissions(_ permissions: FilePermissions, of file: FileDescriptor) throws(Errno) {
    try checkedResult(fchmod(file.rawValue, permissions.rawValue))
  }

  package func synchronize(_ file: FileDescriptor) throws(Errno) { try checkedResult(fsync(file.rawValue)) }

  package func tryLock(_ descriptor: FileDescriptor) throws(Errno) -> Bool {
    do {
      try checkedResult(flock(descriptor.rawValue, LOCK_EX | LOCK_NB))
      return true
    } catch .wouldBlock { return false }
  }

  package var userID: UInt32 { geteuid() }

  private func descriptor(_ result: Int32) throws(Errno) -> FileDescriptor {
    FileDescriptor(rawValue: try checkedResult(result))
  }

  /// Returns the result of a C call, or throws the error of the system if the result is negative.
  @discardableResult private func checkedResult(_ result: Int32) throws(Errno) -> Int32 {
    guard result >= 0 else { throw Errno(rawValue: Self.currentErrno) }
    return result
  }

  private static var currentErrno: Int32 {
    get { errno }
    set { errno = newValue }
  }

  /// Calls a function of swift-system, which throws only `Errno`, but whose declaration does not say so.
  private static func throwingErrno<Value>(_ body: () throws -> Value) throws(Errno) -> Value {
    do { return try body() } catch {
      throw error as? Errno ?? .ioError
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
      case .symbolicLink: .symbolicLink
      default: .special
      }
    self.init(
      kind: kind, size: status.size, permissions: status.permissions, ownerID: status.userID.rawValue,
      linkCount: UInt64(clamping: status.linkCount), device: UInt64(truncatingIfNeeded: status.deviceID.rawValue),
      inode: UInt64(truncatingIfNeeded: status.inode.rawValue), modifiedSeconds: Int64(modified.tv_sec),
      modifiedNanoseconds: Int64(modified.tv_nsec))
  }
}
