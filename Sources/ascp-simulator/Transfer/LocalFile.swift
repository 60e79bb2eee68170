// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A file or folder on this machine, with its attributes.
struct LocalFile {
  let path: String
  let isFolder: Bool
  /// Whether the path is that of a special file, such as a pipe, which must not be written to.
  let isSpecial: Bool
  let standing: FileRules.Standing

  /// Reads the attributes of the file or folder at a path, or returns `nil` if the path does not exist.
  ///
  /// Symbolic links are followed.
  init?(_ path: String) {
    let place = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: place) else { return nil }
    self.path = path
    let type = attributes[.type] as? FileAttributeType
    isFolder = type == .typeDirectory
    isSpecial = !isFolder && type != .typeRegular
    let date = attributes[.modificationDate] as? Date
    standing = FileRules.Standing(
      byteCount: isFolder ? 0 : (attributes[.size] as? NSNumber)?.int64Value ?? 0,
      modified: date.flatMap { Int64(exactly: $0.timeIntervalSince1970.rounded(.down)) } ?? 0)
  }

  /// Returns a file, or a folder with its contents as far as the rules include them, each with its relative path.
  ///
  /// The paths are relative to the given path. Symbolic links to folders below that path are left out, so that cycles
  /// of links are not followed.
  static func walk(_ path: String, _ rules: FileRules) throws(Failure) -> [(file: LocalFile, below: String)] {
    guard let first = LocalFile(path) else { throw Failure(43, "No such file or directory: \(path)") }
    guard try goes(first, rules) else { return [] }
    var found = [(file: first, below: "")]
    guard first.isFolder else { return found }
    var next = 0
    while next < found.count {
      let (folder, below) = found[next]
      next += 1
      guard folder.isFolder else { continue }
      guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
        throw Failure(5, "The folder cannot be read: \(folder.path)")
      }
      for name in names.sorted() {
        let place = SourceNaming.joined(folder.path, name)
        guard let file = LocalFile(place), !(file.isFolder && isLink(place)), try goes(file, rules) else { continue }
        found.append((file, below.isEmpty ? name : "\(below)/\(name)"))
      }
    }
    return found
  }

  /// Returns whether the rules include a file or folder, or throws if a special file cannot be skipped.
  private static func goes(_ file: LocalFile, _ rules: FileRules) throws(Failure) -> Bool {
    if rules.skipsLinks, isLink(file.path) { return false }
    if file.isSpecial {
      guard rules.skipsSpecialFiles else { throw Failure(5, "Neither a file nor a folder: \(file.path)") }
      return false
    }
    return file.isFolder || rules.includes(file.standing)
  }

  private static func isLink(_ path: String) -> Bool {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
  }
}
