// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A path on the simulated Aspera node, as a list of names that are compared byte by byte.
struct NodePath: Sendable, Hashable {
  private static let (byteLimit, depthLimit, nameByteLimit) = (4_096, 128, 255)
  let names: [ByteExactString]
  static let root = NodePath(names: [])
  private init(names: [ByteExactString]) { self.names = names }

  /// Parses a path, or returns `nil` if it or one of its names is too long, it is too deep, has a NUL, or contains `..`.
  init?(_ text: String) {
    let names = text.parts(between: "/").map { ByteExactString($0) }.filter { !$0.isEmpty && $0 != "." }
    guard names.allSatisfy({ $0 != ".." && $0.utf8.count <= Self.nameByteLimit && !$0.utf8.contains(0) }) else {
      return nil
    }
    self.names = names
    guard isWithinLimits else { return nil }
  }

  var isWithinLimits: Bool { names.count <= Self.depthLimit && key.utf8.count <= Self.byteLimit }
  /// The names, separated by slashes: the text of the object key of a file at this path.
  var key: String { names.map(\.string).joined(separator: "/") }
  var fileKey: ObjectKey { ObjectKey(key) }
  /// The object key of a folder at this path, and the key prefix of its contents; empty for the root folder.
  var folderKey: String { names.isEmpty ? "" : key + "/" }
  var text: String { "/" + key }
  var basename: String { names.last?.string ?? "/" }
  var parent: NodePath { NodePath(names: names.dropLast()) }
  /// The paths from the first level below the root folder to this path.
  var folders: [NodePath] { names.indices.map { NodePath(names: Array(names[...$0])) } }

  /// Returns this path extended by the path in a text, or `nil` if the text has no path or the result is too long.
  func appending(_ text: String?) -> NodePath? {
    guard let path = text.flatMap({ NodePath($0) }).map({ appending($0) }), path.isWithinLimits else { return nil }
    return path
  }

  func appending(_ path: NodePath) -> NodePath { NodePath(names: names + path.names) }
  func relative(to folder: NodePath) -> NodePath { NodePath(names: Array(names.dropFirst(folder.names.count))) }

  /// Returns the path of an entry of this folder, or `nil` if the text is not a single valid name.
  func child(_ name: String) -> NodePath? {
    guard let path = NodePath(name), path.names == [ByteExactString(name)] else { return nil }
    return appending(path)
  }

  /// Returns whether another path equals this path or is below it.
  func contains(_ path: NodePath) -> Bool { path.folderKey.utf8.starts(with: folderKey.utf8) }
}
