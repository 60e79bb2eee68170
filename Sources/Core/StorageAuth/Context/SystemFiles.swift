// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A reader of the files in this machine's file system.
public struct SystemFiles: FileReader {
  /// Creates a reader of this machine's files.
  public init() {}

  /// Reads a whole regular file, following symbolic links, as the requirement describes.
  ///
  /// A relative path starts in the current folder. Permissions and content are read through the same descriptor.
  ///
  /// - Throws: A ``FileReadError`` if the file does not exist, is too large or cannot be read.
  public func read(_ path: String, limit: Int) throws(FileReadError) -> FileContents {
    let absolute = try absolutePath(path)
    let file = try OpenedFile(absolute)
    let bytes = try file.readBytes(limit: limit)
    let findings = FilePathWalk.findings(of: absolute, opened: file.status, on: MachineFacts())
    var contents = FileContents(bytes, permissions: file.status.permissions, weakness: findings.weakness)
    contents.isGrantedByRoot = file.status.isGrantedByRoot
    contents.place = findings.place
    return contents
  }

  private func absolutePath(_ path: String) throws(FileReadError) -> String {
    if path.hasBytePrefix("/") { return path }
    guard let folder = CurrentProcess.currentFolder else {
      throw .unreadable("the current folder cannot be determined")
    }
    return "\(folder)/\(path)"
  }
}

/// An open file whose status and content belong together even if the file at the path is replaced.
struct OpenedFile: ~Copyable {
  /// The number of bytes that one call reads.
  private static let chunkByteCount = 1 << 14
  /// The maximum reserved capacity, because a file system can report a size that the file does not have.
  private static let reservationByteLimit: Int64 = 1 << 20

  private let descriptor: Int32
  let status: FileStatus

  init(_ path: String) throws(FileReadError) {
    // Without O_NONBLOCK, opening a pipe would block.
    let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.error(for: errno) }
    guard let status = FileStatus(ofDescriptor: descriptor) else {
      let error = Self.error(for: errno)
      _ = close(descriptor)
      throw error
    }
    guard status.kind == .regular else {
      _ = close(descriptor)
      throw .unreadable("it is not a regular file")
    }
    self.descriptor = descriptor
    self.status = status
  }

  deinit { _ = close(descriptor) }

  func readBytes(limit: Int) throws(FileReadError) -> [UInt8] {
    guard status.size <= limit else { throw .tooLarge }
    var bytes: [UInt8] = []
    // Growing the array would leave a copy of a secret in freed memory.
    bytes.reserveCapacity(Int(min(status.size, Self.reservationByteLimit)) + 1)
    var chunk = [UInt8](repeating: 0, count: Self.chunkByteCount)
    defer { wipe(&chunk) }
    while true {
      let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      guard count >= 0 else {
        if errno == EINTR { continue }
        throw Self.error(for: errno)
      }
      if count == 0 { return bytes }
      guard count <= limit - bytes.count else { throw .tooLarge }
      bytes += chunk[..<count]
    }
  }

  private static func error(for code: Int32) -> FileReadError {
    switch code {
    case ENOENT, ENOTDIR, ENAMETOOLONG: .notFound
    case EACCES, EPERM: .unreadable("permission denied")
    case ENXIO: .unreadable("it is not a regular file")
    case ELOOP: .unreadable("its symbolic links form a cycle")
    default: .unreadable("error \(code)")
    }
  }
}

/// The properties of a file, a folder or a symbolic link that tell who can write it.
struct FileStatus: Equatable {
  enum Kind { case regular, folder, link, other }

  let kind: Kind
  let owner: UInt32
  let permissions: UInt16
  let size: Int64
  /// Whether the volume is read-only; always `false` for a status that was read by a path.
  let isOnReadOnlyVolume: Bool
  let device: Int64
  let inode: UInt64
}

extension FileStatus {
  /// Reads the status of a file, a folder or a symbolic link itself; the result is `nil` if that fails.
  init?(at path: String) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Reads the status of an open file with its volume's; the result is `nil`, with `errno`, if that fails.
  init?(ofDescriptor descriptor: Int32) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    var volume = statvfs()
    let isVolumeKnown = unsafe fstatvfs(descriptor, &volume) == 0
    self.init(status, isOnReadOnlyVolume: isVolumeKnown && UInt(volume.f_flag) & UInt(ST_RDONLY) != 0)
  }

  private init(_ status: stat, isOnReadOnlyVolume: Bool = false) {
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
    self.isOnReadOnlyVolume = isOnReadOnlyVolume
    device = Int64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(status.st_ino)
  }

  func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }
  /// Whether the file belongs to root and the program runs as another user.
  var isGrantedByRoot: Bool { owner == 0 && geteuid() != 0 }
}

/// The facts about the files of this machine and about this process.
struct MachineFacts: FileFacts {
  var user: UInt32 { geteuid() }
  var bundle: FileStatus? { CurrentProcess.bundle.flatMap { FileStatus(at: $0) } }
  func status(at path: String) -> FileStatus? { FileStatus(at: path) }
  func target(ofLinkAt path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink(path, &bytes, bytes.count)
    guard count > 0, count < bytes.count else { return nil }
    return String(utf8: bytes[..<count].map { UInt8(bitPattern: $0) })
  }
}
