internal import StorageAuth

/// A path of the node: names below its root, compared byte for byte.
struct NodePath: Sendable {
  /// The names from the root on; none for the root itself.
  let names: [String]

  /// The root.
  static let root = NodePath(names: [])

  private init(names: [String]) {
    self.names = names
  }

  /// Reads a path; slashes that are too many and single dots count for nothing.
  ///
  /// - Returns: Nothing for a path that leads out of the root, or with a name that no file can have.
  init?(_ text: String) {
    let names = text.parts(between: "/").map { String($0) }.filter { !$0.isEmpty && $0 != "." }
    guard names.allSatisfy({ $0 != ".." && $0.utf8.count <= 255 && !$0.utf8.contains(0) }) else { return nil }
    self.names = names
  }

  /// The path as the Node API writes it.
  var text: String { "/" + names.joined(separator: "/") }

  /// What a file is stored under.
  var fileKey: ObjectKey { ObjectKey(names.joined(separator: "/")) }

  /// What a folder is stored under, and what the keys of all that is in it start with; empty for the root.
  var folderKey: String { names.isEmpty ? "" : names.joined(separator: "/") + "/" }

  /// The last name; a slash for the root.
  var basename: String { names.last ?? "/" }

  /// The folder that it is in.
  var parent: NodePath { NodePath(names: names.dropLast()) }

  /// The folders from the first below the root to this path.
  var folders: [NodePath] { names.indices.map { NodePath(names: Array(names[...$0])) } }

  /// The path of something in a folder.
  func appending(_ path: NodePath) -> NodePath { NodePath(names: names + path.names) }

  /// Whether a path is this one or lies below it.
  func contains(_ path: NodePath) -> Bool { path.folderKey.utf8.starts(with: folderKey.utf8) }
}
