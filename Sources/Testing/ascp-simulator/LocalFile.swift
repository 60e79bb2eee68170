// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import StorageAuth
internal import StorageClient
internal import SystemPackage

/// A file or folder on this machine, with its attributes.
struct LocalFile {
  let path: String
  /// The path in the symbolic link, or `nil` if the link was followed, or is not a link.
  let link: String?
  let isFolder: Bool
  /// Whether the path is that of a special file, such as a pipe, which must not be written to.
  let isSpecial: Bool
  let attributes: FileAttributes

  /// Reads the attributes of the file or folder at a path, following symbolic links.
  init?(_ path: String) {
    let location = Self.resolved(path)
    guard let systemAttributes = try? FileManager.default.attributesOfItem(atPath: location) else { return nil }
    let type = systemAttributes[.type] as? FileAttributeType
    // A link that could not be resolved leads nowhere.
    guard type != .typeSymbolicLink else { return nil }
    self.path = path
    link = nil
    isFolder = type == .typeDirectory
    isSpecial = !isFolder && type != .typeRegular
    attributes = FileAttributes(
      byteCount: isFolder ? 0 : (systemAttributes[.size] as? NSNumber)?.int64Value ?? 0,
      modified: Self.modified(systemAttributes))
  }

  init?(linkAt path: String) {
    guard let target = Self.target(ofLinkAt: path),
      let systemAttributes = try? FileManager.default.attributesOfItem(atPath: path)
    else { return nil }
    self.path = path
    link = target
    isFolder = false
    isSpecial = false
    attributes = FileAttributes(byteCount: 0, modified: Self.modified(systemAttributes))
  }

  private static func modified(_ systemAttributes: [FileAttributeKey: Any]) -> Int64 {
    let date = systemAttributes[.modificationDate] as? Date
    return date.flatMap { Int64(exactly: $0.timeIntervalSince1970.rounded(.down)) } ?? 0
  }

  /// Returns a file, or a folder with its contents as far as the rules include them, each with its path below `path`.
  ///
  /// A path that does not exist or cannot be read, a special file that cannot be skipped, and a symbolic link to a
  /// folder that contains it are errors.
  static func walk(_ path: String, _ rules: FileRules) throws(Failure) -> [(file: LocalFile, below: String)] {
    let first = try read(path, rules)
    guard try isIncluded(first, rules) else { return [] }
    // Each folder with the resolved paths of the folders that lead to it, to find cycles of links.
    var found = [(file: first, below: "", trail: [resolved(path)])]
    guard first.isFolder else { return [(first, "")] }
    var next = 0
    while next < found.count {
      let (folder, below, trail) = found[next]
      next += 1
      guard folder.isFolder else { continue }
      guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
        throw Failure(5, "The folder cannot be read: \(folder.path)")
      }
      for name in names.sorted() {
        let location = SourceNaming.joined(folder.path, name)
        if rules.links == .skip, isLink(location) { continue }
        let file = try read(location, rules)
        guard try isIncluded(file, rules) else { continue }
        if file.isFolder, isLink(location), trail.contains(where: { $0.isIdentical(to: resolved(location)) }) {
          throw Failure(63, "The symbolic link leads to a folder that contains it: \(location)")
        }
        let path = below.isEmpty ? name : "\(below)/\(name)"
        found.append((file, path, file.isFolder ? trail + [resolved(location)] : []))
      }
    }
    return found.map { ($0.file, $0.below) }
  }

  static func isLink(_ path: String) -> Bool { target(ofLinkAt: path) != nil }

  private static func target(ofLinkAt path: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: path)
  }

  /// Reads a file or folder, or a symbolic link if the rules transfer links as links.
  private static func read(_ path: String, _ rules: FileRules) throws(Failure) -> LocalFile {
    if rules.copiesLinks, let link = LocalFile(linkAt: path) { return link }
    guard let file = LocalFile(path) else { throw Failure(43, "No such file or directory: \(path)") }
    return file
  }

  /// Returns whether the rules include a file or folder, or throws if a special file cannot be skipped.
  private static func isIncluded(_ file: LocalFile, _ rules: FileRules) throws(Failure) -> Bool {
    if rules.links == .skip, isLink(file.path) { return false }
    if file.isSpecial {
      guard rules.skipsSpecialFiles else { throw Failure(5, "Neither a file nor a folder: \(file.path)") }
      return false
    }
    return file.isFolder || rules.includes(file.attributes)
  }

  private static func resolved(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
}

/// A file that is being received, which has a temporary name in the same folder until it is complete.
struct ReceivedFile {
  private let path: String
  private let file: FileReplacement

  /// Runs a function that receives a file, and moves the file to its path if the function succeeds.
  ///
  /// Missing parent folders are created. An existing file is replaced atomically, and its permissions are preserved.
  static func receive(_ path: String, _ body: (ReceivedFile) async throws(Failure) -> Void) async throws(Failure) {
    if LocalFile(path)?.isFolder == true { throw Failure(7, "Is a directory: \(path)") }
    try makeFolder(of: path)
    do {
      try await FileReplacement.write(FilePath(path)) { try await body(ReceivedFile(path: path, file: $0)) }
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(36, "The file cannot be written: \(path)")
    }
  }

  func write(_ bytes: [UInt8], at offset: Int64) async throws(Failure) {
    do {
      try await file.write(bytes, at: offset)
    } catch {
      throw Failure(36, "The file cannot be written: \(path)")
    }
  }

  static func setModified(_ seconds: Int64, of path: String) throws(Failure) {
    do {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: Double(seconds))], ofItemAtPath: path)
    } catch {
      throw Failure(36, "The time of the file cannot be set: \(path)")
    }
  }

  static func makeFolder(of path: String) throws(Failure) {
    try makeFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
  }

  static func makeFolder(_ path: String) throws(Failure) {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw Failure(6, "The folder cannot be created: \(path)")
    }
  }
}

/// A file that is being received and that a later session can resume (`-k 1`).
///
/// Until it is complete, its name ends in `.partial`, and a file whose name ends in `.aspx` states the size and the
/// time of the source. If either differs, the file is received from its beginning.
struct PartialFile {
  private let path: String
  private let handle: FileHandle

  /// The number of bytes that an earlier session received.
  let byteCount: Int64

  private var partialPath: String { "\(path).partial" }
  private var notePath: String { "\(path).aspx" }

  init(_ path: String, _ source: FileAttributes) throws(Failure) {
    self.path = path
    if LocalFile(path)?.isFolder == true { throw Failure(7, "Is a directory: \(path)") }
    try ReceivedFile.makeFolder(of: path)
    let partial = "\(path).partial"
    let sourceNote = Data("\(source.byteCount) \(source.modified)\n".utf8)
    let received = LocalFile(partial)?.attributes.byteCount ?? 0
    let isResumed =
      FileManager.default.contents(atPath: "\(path).aspx") == sourceNote
      && (1...max(source.byteCount, 1)).contains(received)
    do {
      if !isResumed {
        try Data().write(to: URL(fileURLWithPath: partial), options: .atomic)
        try sourceNote.write(to: URL(fileURLWithPath: "\(path).aspx"), options: .atomic)
      }
    } catch {
      throw Failure(36, "The file cannot be written: \(partial)")
    }
    guard let handle = FileHandle(forUpdatingAtPath: partial) else {
      throw Failure(36, "The file cannot be written: \(partial)")
    }
    self.handle = handle
    byteCount = isResumed ? received : 0
  }

  func forEachPiece(of size: Int64, _ body: ([UInt8]) -> Void) throws(Failure) {
    var rest = byteCount
    while rest > 0 {
      guard let piece = try? handle.read(upToCount: Int(min(size, rest))), !piece.isEmpty else {
        throw Failure(35, "The partial file cannot be read: \(partialPath)")
      }
      body(Array(piece))
      rest -= Int64(piece.count)
    }
  }

  func append(_ bytes: [UInt8]) throws(Failure) {
    do {
      try handle.seekToEnd()
      try handle.write(contentsOf: Data(bytes))
    } catch {
      throw Failure(36, "The file cannot be written: \(partialPath)")
    }
  }

  func complete() throws(Failure) {
    do {
      try handle.close()
      try FileReplacement.rename(FilePath(partialPath), to: FilePath(path))
      try FileManager.default.removeItem(atPath: notePath)
    } catch {
      throw Failure(64, "The partial file cannot be renamed: \(partialPath)")
    }
  }
}
