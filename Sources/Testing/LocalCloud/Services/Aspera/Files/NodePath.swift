// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A path on the simulated Aspera node, as a list of names that are compared byte by byte.
struct NodePath: Sendable, Hashable {
  /// The maximum length of a path in bytes, and the maximum number of its names.
  private static let (byteLimit, depthLimit) = (4_096, 128)

  /// The names from the root folder to this path; empty for the root folder.
  let names: [ByteExactString]

  static let root = NodePath(names: [])

  private init(names: [ByteExactString]) { self.names = names }

  /// Parses a path, or returns `nil` if it is too long or deep, has a NUL, or contains `..`.
  init?(_ text: String) {
    let names = text.parts(between: "/").map { ByteExactString($0) }.filter { !$0.isEmpty && $0 != "." }
    guard names.allSatisfy({ $0 != ".." && $0.utf8.count <= 255 && !$0.utf8.contains(0) }) else { return nil }
    self.names = names
    guard isWithinLimits else { return nil }
  }

  /// Whether the path has at most 4,096 bytes and at most 128 names.
  var isWithinLimits: Bool { names.count <= Self.depthLimit && key.utf8.count <= Self.byteLimit }

  /// The path's names, separated by slashes, which are the object key of a file; empty for the root folder.
  var key: String { names.map(\.string).joined(separator: "/") }
  var fileKey: ObjectKey { ObjectKey(key) }

  /// The path in the format of the Node API, with a leading slash.
  var text: String { "/" + key }

  /// The object key of a folder at this path, which is also the key prefix of its contents; empty for the root folder.
  var folderKey: String { names.isEmpty ? "" : key + "/" }

  /// The last name of the path, or a slash for the root folder.
  var basename: String { names.last?.string ?? "/" }
  var parent: NodePath { NodePath(names: names.dropLast()) }

  /// The paths of the folders from the first level below the root folder to this path.
  var folders: [NodePath] { names.indices.map { NodePath(names: Array(names[...$0])) } }

  /// Returns this path extended by the path in a text, or `nil` if there is none within the limits.
  func appending(_ text: String?) -> NodePath? {
    text.flatMap { NodePath($0) }.map { appending($0) }.flatMap { $0.isWithinLimits ? $0 : nil }
  }

  func appending(_ path: NodePath) -> NodePath { NodePath(names: names + path.names) }

  /// Returns the part of this path below a folder that contains it.
  func relative(to folder: NodePath) -> NodePath { NodePath(names: Array(names.dropFirst(folder.names.count))) }

  /// Returns the path of an entry of this folder, or `nil` if the text is not a single valid name.
  func child(_ name: String) -> NodePath? {
    guard let path = NodePath(name), path.names == [ByteExactString(name)] else { return nil }
    return appending(path)
  }

  /// Returns whether another path equals this path or is below it.
  func contains(_ path: NodePath) -> Bool { path.folderKey.utf8.starts(with: folderKey.utf8) }
}
