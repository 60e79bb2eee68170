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

/// A reader of the files in this machine's file system.
public struct SystemFiles: FileReader {
  /// Creates a reader of this machine's files.
  public init() {}

  /// Reads a whole regular file, following symbolic links.
  ///
  /// A relative path starts in the current directory. Permissions and content are read through the same descriptor.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - limit: The maximum size of the file, in bytes.
  /// - Returns: The content, the permissions, and the reason why another user could have written the file, if any.
  /// - Throws: A ``FileReadError`` if the file does not exist, is too large or cannot be read.
  public func read(_ path: String, limit: Int) throws(FileReadError) -> FileContents {
    let absolute = try absolutePath(path)
    let file = try OpenedFile(absolute)
    var contents = FileContents(
      try file.bytes(limit: limit), permissions: file.status.permissions,
      weakness: FilePathWalk.weakness(of: absolute, opened: file.status))
    contents.isGrantedByRoot = file.status.isGrantedByRoot
    return contents
  }

  private func absolutePath(_ path: String) throws(FileReadError) -> String {
    if path.hasBytePrefix("/") { return path }
    guard let folder = CurrentProcess.folder else { throw .unreadable("the current folder cannot be determined") }
    return "\(folder)/\(path)"
  }
}

/// An open file whose status and content are read through the same descriptor.
///
/// Both therefore belong to the same file even if the file at the path is replaced.
struct OpenedFile: ~Copyable {
  private static let chunkByteCount = 1 << 14
  private static let reservationByteLimit: Int64 = 1 << 20

  private let descriptor: Int32
  private let path: String

  let status: FileStatus

  /// Opens a regular file, following symbolic links.
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

  func bytes(limit: Int) throws(FileReadError) -> [UInt8] {
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
  enum Kind {
    case regular, folder, link, other
  }

  let kind: Kind
  let owner: UInt32
  let permissions: UInt16
  let size: Int64
  private let device: Int64
  private let node: UInt64

  /// Reads the status of the file, or of the symbolic link itself, at a path, or returns `nil`.
  init?(at path: String) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

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

  func isSameFile(as other: FileStatus) -> Bool { device == other.device && node == other.node }

  var hasTrustedOwner: Bool { owner == 0 || owner == geteuid() }

  var isGrantedByRoot: Bool { owner == 0 && geteuid() != 0 }

  static func target(ofLinkAt path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink(path, &bytes, bytes.count)
    guard count > 0, count < bytes.count else { return nil }
    return String(validating: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// An inspection of every directory and symbolic link on a path, from the root directory to a file.
struct FilePathWalk {
  /// The maximum number of symbolic links on a path, which is also the kernel's limit.
  private static let longestLinkChain = 40

  private var folder = ""
  private var pending: [Substring]
  private var linkCount = 0

  /// Returns the first weakness that would let another user write an open file, or `nil` if there is no weakness.
  ///
  /// The walk must end at the open file itself, so that the file was not replaced between opening and checking.
  static func weakness(of path: String, opened: FileStatus) -> FileWeakness? {
    var walk = FilePathWalk(pending: parts(of: path))
    return walk.run(to: opened, at: path)
  }

  /// Returns the components in reverse order, so that the next one can be removed from the end.
  private static func parts(of path: String) -> [Substring] {
    path.utf8.split(separator: UInt8(ascii: "/")).reversed().map { Substring($0) }
  }

  private mutating func run(to opened: FileStatus, at path: String) -> FileWeakness? {
    if let weakness = Self.weakness(ofFolder: "/") { return weakness }
    while let name = pending.popLast() {
      if name == "." { continue }
      if name == ".." {
        folder = Substring(folder).utf8.lastIndex(of: UInt8(ascii: "/")).map { String(folder[..<$0]) } ?? ""
        continue
      }
      let location = "\(folder)/\(name)"
      guard let status = FileStatus(at: location) else { return Self.changed(path) }
      switch status.kind {
      case .link:
        if let weakness = follow(location, status, to: path) { return weakness }
      case .folder:
        if let weakness = Self.weakness(of: status, "the folder \(location)", at: location) { return weakness }
        folder = location
      case .regular, .other:
        guard pending.isEmpty, status.isSameFile(as: opened) else { return Self.changed(path) }
        return Self.weakness(of: opened, "the file \(location)", at: location)
      }
    }
    return Self.changed(path)
  }

  private mutating func follow(_ location: String, _ status: FileStatus, to path: String) -> FileWeakness? {
    linkCount += 1
    guard linkCount <= Self.longestLinkChain, let target = FileStatus.target(ofLinkAt: location) else {
      return Self.changed(path)
    }
    if let weakness = Self.weakness(ofOwner: status, "the symbolic link \(location)", at: location) { return weakness }
    if target.utf8.first == UInt8(ascii: "/") { folder = "" }
    pending += Self.parts(of: target)
    return nil
  }

  private static func weakness(ofFolder path: String) -> FileWeakness? {
    FileStatus(at: path).flatMap { weakness(of: $0, "the folder \(path)", at: path) }
  }

  private static func weakness(of status: FileStatus, _ subject: String, at path: String) -> FileWeakness? {
    if let weakness = weakness(ofOwner: status, subject, at: path) { return weakness }
    // Other users can add files to a directory with the sticky bit but cannot replace existing ones.
    if status.kind == .folder, status.permissions & 0o1000 != 0 { return nil }
    return FileWeakness(permissions: status.permissions, of: subject, at: path)
  }

  private static func weakness(ofOwner status: FileStatus, _ subject: String, at path: String) -> FileWeakness? {
    guard !status.hasTrustedOwner else { return nil }
    return FileWeakness(
      "\(subject) belongs to the user \(status.owner), and not to root or to the user who runs this program",
      remedy: "Inspect its contents, then run chown on \(path), or name a file of your own.")
  }

  private static func changed(_ path: String) -> FileWeakness {
    FileWeakness(
      "\(path) was replaced while it was read, or its path cannot be inspected",
      remedy: "Check which users may write to its folders, and try again.")
  }
}

/// The facts about this process: its environment, home directory and current directory.
enum CurrentProcess {
  private static let accountEntryByteLimit = 1 << 14

  static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  /// The absolute path of the home directory: `HOME`, or what the user's account entry says.
  static var home: String? {
    if let home = variable("HOME"), home.hasBytePrefix("/") { return home }
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: accountEntryByteLimit) { buffer in
      var entry = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>?
      guard let start = buffer.baseAddress, unsafe getpwuid_r(geteuid(), &entry, start, buffer.count, &found) == 0,
        unsafe found != nil, let home = unsafe entry.pw_dir
      else { return nil }
      return unsafe String(cString: home)
    }
  }

  /// The absolute path of the current directory, or `nil` if it has been removed or cannot be read.
  static var folder: String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard unsafe getcwd(&bytes, bytes.count) != nil else { return nil }
    return String(validating: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
