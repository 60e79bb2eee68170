// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// An inspection of every directory and symbolic link on a path, from the root directory to a file.
struct FilePathWalk {
  /// The maximum number of symbolic links on a path, which is also the kernel's limit.
  private static let longestLinkChain = 40

  private var folder = ""
  private var pending: [Substring]
  private var linkCount = 0

  /// Returns the first weakness that would let another user write an open file, or `nil` if there is no weakness.
  ///
  /// The walk must end at the open file itself, which ensures that the file was not replaced between opening and
  /// checking.
  ///
  /// - Parameters:
  ///   - path: The absolute path with which the file was opened.
  ///   - opened: The status of the open file, read from its descriptor.
  static func weakness(of path: String, opened: FileStatus) -> FileWeakness? {
    var walk = FilePathWalk(pending: parts(of: path))
    return walk.run(to: opened, at: path)
  }

  private init(pending: [Substring]) {
    self.pending = pending
  }

  /// Returns the components of a path in reverse order, so that the next component can be removed from the end.
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
