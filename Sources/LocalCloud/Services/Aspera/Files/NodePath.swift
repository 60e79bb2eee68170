// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A path of the node, as names below its root that are compared byte for byte.
struct NodePath: Sendable {
  /// The names from the root to this path; empty for the root.
  let names: [String]

  /// The root.
  static let root = NodePath(names: [])

  private init(names: [String]) {
    self.names = names
  }

  /// Parses a path; empty and `.` components are ignored.
  ///
  /// - Returns: `nil` if a component is `..`, longer than 255 bytes, or contains a NUL.
  init?(_ text: String) {
    let names = text.parts(between: "/").map { String($0) }.filter { !$0.isEmpty && $0 != "." }
    guard names.allSatisfy({ $0 != ".." && $0.utf8.count <= 255 && !$0.utf8.contains(0) }) else { return nil }
    self.names = names
  }

  /// The path in the format of the Node API, with a leading slash.
  var text: String { "/" + names.joined(separator: "/") }

  /// The key of a file at this path.
  var fileKey: ObjectKey { ObjectKey(names.joined(separator: "/")) }

  /// The key of a folder at this path, which is also the prefix of the keys below it; empty for the root.
  var folderKey: String { names.isEmpty ? "" : names.joined(separator: "/") + "/" }

  /// The last name, or a slash for the root.
  var basename: String { names.last ?? "/" }

  /// The parent folder.
  var parent: NodePath { NodePath(names: names.dropLast()) }

  /// The folders from the first below the root to this path.
  var folders: [NodePath] { names.indices.map { NodePath(names: Array(names[...$0])) } }

  /// Returns the path of an entry relative to this path.
  func appending(_ path: NodePath) -> NodePath { NodePath(names: names + path.names) }

  /// Returns whether a path equals this path or is below it.
  func contains(_ path: NodePath) -> Bool { path.folderKey.utf8.starts(with: folderKey.utf8) }
}
