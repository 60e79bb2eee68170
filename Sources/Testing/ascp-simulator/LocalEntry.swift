// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import StorageAuth

/// A file or folder on this machine, with its attributes.
struct LocalEntry {
  let path: String
  /// The path in the symbolic link, or `nil` if the link was followed, or is not a link.
  let linkTarget: String?
  let isFolder: Bool
  /// Whether the path is that of a special file, such as a pipe, which must not be written to.
  let isSpecial: Bool
  let attributes: FileAttributes

  /// Creates the entry at a path after following symbolic links, or returns `nil` if there is none.
  init?(_ path: String) {
    let location = Self.resolved(path)
    guard let systemAttributes = try? FileManager.default.attributesOfItem(atPath: location) else { return nil }
    let type = systemAttributes[.type] as? FileAttributeType
    // A link that could not be resolved leads nowhere.
    guard type != .typeSymbolicLink else { return nil }
    self.path = path
    linkTarget = nil
    isFolder = type == .typeDirectory
    isSpecial = !isFolder && type != .typeRegular
    attributes = FileAttributes(
      byteCount: isFolder ? 0 : (systemAttributes[.size] as? NSNumber)?.int64Value ?? 0,
      modified: Self.modificationTime(systemAttributes))
  }

  /// Creates the entry of a symbolic link itself, or returns `nil` if there is no link at the path.
  init?(linkAt path: String) {
    guard let target = Self.target(ofLinkAt: path),
      let systemAttributes = try? FileManager.default.attributesOfItem(atPath: path)
    else { return nil }
    self.path = path
    linkTarget = target
    isFolder = false
    isSpecial = false
    attributes = FileAttributes(byteCount: 0, modified: Self.modificationTime(systemAttributes))
  }

  private static func modificationTime(_ systemAttributes: [FileAttributeKey: Any]) -> Int64 {
    let date = systemAttributes[.modificationDate] as? Date
    return date.flatMap { Int64(exactly: $0.timeIntervalSince1970.rounded(.down)) } ?? 0
  }

  /// Returns a file, or a folder with its contents as far as the rules include them, each with its path below `path`.
  ///
  /// Missing and unreadable paths, special files that cannot be skipped, and cycles of symbolic links are errors.
  static func contents(
    of path: String, _ rules: FileRules
  ) throws(Failure) -> [(entry: LocalEntry, relativePath: String)] {
    let root = try read(path, rules)
    guard try isIncluded(root, rules) else { return [] }
    // Each folder with the resolved paths of the folders that lead to it, to find cycles of links.
    var entries = [(entry: root, relativePath: "", trail: [resolved(path)])]
    var nextIndex = 0
    while nextIndex < entries.count {
      let (folder, relativePath, trail) = entries[nextIndex]
      nextIndex += 1
      guard folder.isFolder else { continue }
      guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
        throw Failure(.noPermission, "The folder cannot be read: \(folder.path)")
      }
      for name in names.sorted() {
        let location = SourceNaming.joined(folder.path, name)
        if rules.links == .skip, isLink(location) { continue }
        let entry = try read(location, rules)
        guard try isIncluded(entry, rules) else { continue }
        if entry.isFolder, isLink(location), trail.contains(where: { $0.isIdentical(to: resolved(location)) }) {
          throw Failure(.linkLoop, "The symbolic link leads to a folder that contains it: \(location)")
        }
        let path = SourceNaming.joined(relativePath, name)
        entries.append((entry, path, entry.isFolder ? trail + [resolved(location)] : []))
      }
    }
    return entries.map { ($0.entry, $0.relativePath) }
  }

  static func isLink(_ path: String) -> Bool { target(ofLinkAt: path) != nil }

  private static func target(ofLinkAt path: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: path)
  }

  private static func read(_ path: String, _ rules: FileRules) throws(Failure) -> LocalEntry {
    if rules.copiesLinks, let link = LocalEntry(linkAt: path) { return link }
    guard let entry = LocalEntry(path) else { throw Failure(.statusError, "No such file or directory: \(path)") }
    return entry
  }

  /// Returns whether the rules include an entry, or throws for a special file that they do not skip.
  private static func isIncluded(_ entry: LocalEntry, _ rules: FileRules) throws(Failure) -> Bool {
    if rules.links == .skip, isLink(entry.path) { return false }
    if entry.isSpecial {
      guard rules.skipsSpecialFiles else { throw Failure(.noPermission, "Neither a file nor a folder: \(entry.path)") }
      return false
    }
    return entry.isFolder || rules.includes(entry.attributes)
  }

  private static func resolved(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
}
