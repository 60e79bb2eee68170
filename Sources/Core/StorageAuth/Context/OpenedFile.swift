// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// An open file whose status and content are read through the same descriptor.
///
/// Both therefore belong to the same file even if the file at the path is replaced.
struct OpenedFile: ~Copyable {
  private static let chunkByteCount = 1 << 14
  private static let longestReservation: Int64 = 1 << 20

  private let descriptor: Int32
  private let path: String

  /// The status of the file when it was opened.
  let status: FileStatus

  /// Opens a regular file, following symbolic links.
  ///
  /// - Parameter path: The absolute path of the file.
  init(_ path: String) throws(FileReadError) {
    // Without O_NONBLOCK, opening a pipe would block.
    let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.problem(errno) }
    guard let status = FileStatus(ofDescriptor: descriptor) else {
      let problem = Self.problem(errno)
      _ = close(descriptor)
      throw problem
    }
    guard status.kind == .regular else {
      _ = close(descriptor)
      throw .unreadable("it is not a regular file")
    }
    self.descriptor = descriptor
    self.path = path
    self.status = status
  }

  deinit {
    _ = close(descriptor)
  }

  /// Reads the whole file.
  ///
  /// - Parameter limit: The maximum size of the file, in bytes.
  func bytes(limit: Int) throws(FileReadError) -> [UInt8] {
    guard status.size <= limit else { throw .tooLarge }
    var bytes: [UInt8] = []
    // Growing the array would leave a copy of a secret in freed memory.
    bytes.reserveCapacity(Int(min(status.size, Self.longestReservation)) + 1)
    var chunk = [UInt8](repeating: 0, count: Self.chunkByteCount)
    defer { wipe(&chunk) }
    while true {
      let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      guard count >= 0 else {
        if errno == EINTR { continue }
        throw Self.problem(errno)
      }
      if count == 0 { return bytes }
      guard count <= limit - bytes.count else { throw .tooLarge }
      bytes += chunk[..<count]
    }
  }

  private static func problem(_ code: Int32) -> FileReadError {
    switch code {
    case ENOENT, ENOTDIR, ENAMETOOLONG: .notFound
    case EACCES, EPERM: .unreadable("permission denied")
    case ENXIO: .unreadable("it is not a regular file")
    case ELOOP: .unreadable("its symbolic links form a cycle")
    default: .unreadable("error \(code)")
    }
  }
}

/// The status of a file, a directory or a symbolic link.
struct FileStatus: Equatable {
  /// The type of a file.
  enum Kind {
    case regular, folder, link, other
  }

  let kind: Kind
  let owner: UInt32
  let permissions: UInt16
  let size: Int64
  private let device: Int64
  private let node: UInt64

  /// Reads the status of the file at a path, or returns `nil` if the status cannot be read.
  ///
  /// If the path leads to a symbolic link, the status describes the link itself.
  init?(at path: String) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Reads the status of the file behind a descriptor, or returns `nil` if the status cannot be read.
  init?(ofDescriptor descriptor: Int32) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .folder
      case S_IFLNK: .link
      default: .other
      }
    owner = status.st_uid
    permissions = UInt16(truncatingIfNeeded: status.st_mode & 0o7777)
    size = Int64(status.st_size)
    device = Int64(truncatingIfNeeded: status.st_dev)
    node = UInt64(status.st_ino)
  }

  /// Returns whether this status and another status belong to the same file.
  func isSameFile(as other: FileStatus) -> Bool { device == other.device && node == other.node }

  /// Whether the file's owner is the current user or root.
  var hasTrustedOwner: Bool { owner == 0 || owner == geteuid() }

  /// Whether the file belongs to root and the current user is another one.
  var isGrantedByRoot: Bool { owner == 0 && geteuid() != 0 }

  /// Returns the target of the symbolic link at a path, or `nil` if the target cannot be read.
  static func target(ofLinkAt path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink(path, &bytes, bytes.count)
    guard count > 0, count < bytes.count else { return nil }
    return String(validating: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
