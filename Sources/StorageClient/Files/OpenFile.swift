// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import StorageCrypto
internal import Synchronization
internal import SystemPackage

/// The number of bytes per read from a file, because each read costs a thread switch.
let fileReadSize: Int64 = 512 * 1024

/// A queue of threads for calls that block until the file system has answered.
///
/// Such a call blocks neither the caller's actor nor the threads of Swift concurrency.
enum FileThreads {
  private static let queue = DispatchQueue(label: "storage-auth files", attributes: .concurrent)

  /// Calls a blocking function on a thread of the queue, and returns its result.
  static func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Swift.Result { try body() }) }
    }
  }
}

/// An open file, which is closed when its last reference is released.
///
/// A reader therefore never reads through a descriptor that belongs to another file by now.
final class OpenFile: Sendable {
  private let path: FilePath
  private let descriptor: FileDescriptor
  private let isOpen = Mutex(true)

  /// The status of the file when it was opened.
  let status: Stat

  private init(_ path: FilePath, _ descriptor: FileDescriptor) throws(Errno) {
    do {
      status = try descriptor.stat()
    } catch {
      try? descriptor.close()
      throw error
    }
    self.path = path
    self.descriptor = descriptor
  }

  deinit {
    if isOpen.withLock({ $0 }) { try? descriptor.close() }
  }

  /// Opens a regular file for reading.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - followsLink: Whether the last component of the path can be a symbolic link.
  /// - Throws: ``StorageError/Code/unusableFile`` if the path does not lead to a regular file that can be read.
  static func reading(_ path: FilePath, followsLink: Bool = true) async throws -> OpenFile {
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    let options: FileDescriptor.OpenOptions =
      followsLink ? [.closeOnExec, .nonBlocking] : [.closeOnExec, .nonBlocking, .noFollow]
    let file = try await call(path) { try OpenFile(path, FileDescriptor.open(path, .readOnly, options: options)) }
    guard file.status.type == .regular else {
      throw StorageError(
        .unusableFile, "\(path) is not a regular file.", remedy: "Name a file, or upload a stream.")
    }
    return file
  }

  /// Creates a file for reading and writing.
  ///
  /// - Parameters:
  ///   - path: The path of the file, at which no file may exist.
  ///   - destination: The path that errors name, at which the file will appear.
  ///   - permissions: The permissions of the file, or `nil` for those that the process gives to new files.
  /// - Throws: ``StorageError/Code/unusableFile`` if the file cannot be created.
  static func creating(
    _ path: FilePath, for destination: FilePath, permissions: FilePermissions?
  ) async throws -> OpenFile {
    try await call(destination) {
      let descriptor = try FileDescriptor.open(
        path, .readWrite, options: [.create, .exclusiveCreate, .closeOnExec],
        permissions: permissions ?? [.ownerReadWrite, .groupRead, .otherRead])
      let file = try OpenFile(destination, descriptor)
      // The mode with which a file is created is subject to the process's mask.
      if let permissions { try FileCalls.setPermissions(permissions, of: descriptor) }
      return file
    }
  }

  /// Opens a regular file for reading and writing, and locks it.
  ///
  /// - Parameters:
  ///   - path: The path of the file, whose last component must not be a symbolic link.
  ///   - destination: The path that errors name.
  /// - Returns: The file, or `nil` if no regular file exists at the path.
  /// - Throws: ``StorageError/Code/unusableFile`` if the file cannot be opened, or if another process has locked it.
  static func updating(_ path: FilePath, for destination: FilePath) async throws -> OpenFile? {
    guard let status = try await status(at: path, followsLink: false), status.type == .regular else { return nil }
    let file = try await call(destination) {
      try OpenFile(destination, .open(path, .readWrite, options: [.closeOnExec, .nonBlocking, .noFollow]))
    }
    try await file.lock()
    return file
  }

  /// Locks the file for this process.
  ///
  /// - Throws: ``StorageError/Code/unusableFile`` if another process has locked it.
  func lock() async throws {
    guard try await Self.call(path, { [descriptor] in try FileCalls.lock(descriptor) }) else {
      throw StorageError(
        .unusableFile, "\(path) is being written by another transfer.",
        remedy: "Wait for its end, or choose another destination.")
    }
  }

  /// Reads at most `count` bytes from an offset, and returns an empty array at the end of the file.
  func read(from offset: Int64, upTo count: Int) async throws -> [UInt8] {
    try await Self.call(path) { [self] in
      // Safe: the system writes at most as many bytes as the memory holds, and returns the number that it wrote.
      try unsafe [UInt8](unsafeUninitializedCapacity: count) { memory, written in
        written = try unsafe descriptor.read(fromAbsoluteOffset: offset, into: UnsafeMutableRawBufferPointer(memory))
      }
    }
  }

  /// Returns whether a range of the file has the checksum that was computed when it was written.
  func contains(_ range: DownloadCheckpoint.WrittenRange) async throws -> Bool {
    var checksum = CRC(range.checksum.algorithm.crc)
    var offset = range.offset
    while offset < range.end {
      let chunk = try await read(from: offset, upTo: Int(min(fileReadSize, range.end - offset)))
      guard !chunk.isEmpty else { return false }
      checksum.update(chunk)
      offset += Int64(chunk.count)
    }
    return checksum.checksum == range.checksum.value
  }

  /// Writes bytes at an offset.
  func write(_ bytes: [UInt8], at offset: Int64) async throws {
    _ = try await Self.call(path) { [self] in try descriptor.writeAll(toAbsoluteOffset: offset, bytes) }
  }

  /// Returns the status of the file now.
  func currentStatus() async throws -> Stat {
    try await Self.call(path) { [descriptor] in try descriptor.stat() }
  }

  /// Sets the permissions of the file.
  func setPermissions(_ permissions: FilePermissions) async throws {
    try await Self.call(path) { [descriptor] in try FileCalls.setPermissions(permissions, of: descriptor) }
  }

  /// Waits until the content of the file is on the disk.
  func synchronize() async throws {
    try await Self.call(path) { [descriptor] in try FileCalls.synchronize(descriptor) }
  }

  /// Closes the file, which must not be used afterwards.
  ///
  /// - Throws: ``StorageError/Code/unusableFile`` if an earlier write failed.
  func close() async throws {
    try await Self.call(path) { [self] in
      let wasOpen = isOpen.withLock { isOpen in
        defer { isOpen = false }
        return isOpen
      }
      if wasOpen { try descriptor.close() }
    }
  }

  /// Returns the status of the file at a path, or `nil` if no file exists there.
  static func status(at path: FilePath, followsLink: Bool = true) async throws -> Stat? {
    do {
      return try await FileThreads.run { try path.stat(followTargetSymlink: followsLink) }
    } catch let error as Errno where error == .noSuchFileOrDirectory {
      return nil
    } catch let error as Errno {
      throw StorageError(error, at: path)
    }
  }

  /// Removes the file at a path, and succeeds if no file exists there.
  static func remove(_ path: FilePath) async throws {
    do {
      try await FileThreads.run { try FileCalls.remove(path) }
    } catch let error as Errno where error == .noSuchFileOrDirectory {
      return
    } catch let error as Errno {
      throw StorageError(error, at: path)
    }
  }

  private static func call<Result: Sendable>(
    _ path: FilePath, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    do {
      return try await FileThreads.run(body)
    } catch let error as Errno {
      throw StorageError(error, at: path)
    }
  }
}

extension StorageError {
  /// Creates an error from the system's error for the file at a path.
  init(_ error: Errno, at path: FilePath) {
    self.init(
      .unusableFile, "\(path) cannot be used: \(error).", remedy: "Check the path, its permissions and the free space.")
  }
}
