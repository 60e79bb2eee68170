internal import StorageCrypto

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A file that is open: what is asked about it and what is read from it are the same file, whatever happens to its path.
struct OpenedFile: ~Copyable {
  private static let chunkByteCount = 1 << 14
  private static let longestReservation: Int64 = 1 << 20

  private let descriptor: Int32
  private let path: String

  /// The file as it was when it was opened.
  let status: FileStatus

  /// Opens a regular file; symbolic links are followed.
  ///
  /// - Parameter path: The absolute path.
  init(_ path: String) throws(FileReadError) {
    // A pipe would be waited for without O_NONBLOCK.
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

  /// Reads all of it.
  ///
  /// - Parameter limit: The greatest number of bytes that are taken.
  func bytes(limit: Int) throws(FileReadError) -> [UInt8] {
    guard status.size <= limit else { throw .tooLarge }
    var bytes: [UInt8] = []
    // An array that is outgrown would leave a copy of a secret behind.
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
    case ELOOP: .unreadable("its symbolic links lead in a circle")
    default: .unreadable("error \(code)")
    }
  }
}

/// What the system knows about a file, a folder or a symbolic link.
struct FileStatus: Equatable {
  /// What there is at a path.
  enum Kind {
    case regular, folder, link, other
  }

  let kind: Kind
  let owner: UInt32
  let permissions: UInt16
  let size: Int64
  private let device: Int64
  private let node: UInt64

  /// What is at a path; a symbolic link is not followed.
  ///
  /// - Returns: `nil` if it cannot be looked at.
  init?(at path: String) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// What is behind a descriptor.
  ///
  /// - Returns: `nil` if it cannot be looked at.
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

  /// Whether two are the same file.
  func isSameFile(as other: FileStatus) -> Bool { device == other.device && node == other.node }

  /// Whether the user who runs this program, or root, owns it.
  var hasTrustedOwner: Bool { owner == 0 || owner == geteuid() }

  /// The target of the symbolic link at a path.
  static func target(ofLinkAt path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink(path, &bytes, bytes.count)
    guard count > 0, count < bytes.count else { return nil }
    return String(validating: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
