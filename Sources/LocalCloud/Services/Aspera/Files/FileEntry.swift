internal import StorageAuth

/// A file or a folder of the node.
struct FileEntry: Sendable {
  let path: NodePath
  let modified: Timestamp

  /// The bytes of a file; nothing for a folder.
  let content: Content?

  var isFolder: Bool { content == nil }

  var byteCount: Int64 { content?.byteCount ?? 0 }
}

/// Why something cannot be done with a file or a folder.
enum FileProblem: Error {
  case notFound(NodePath)
  case isFolder(NodePath)
  case isNoFolder(NodePath)
  case exists(NodePath)
  /// The path is that of the root, which stays as it is.
  case isRoot

  /// What is wrong, in a sentence.
  var message: String {
    switch self {
    case .notFound(let path): "No such file or directory: \(path.text)"
    case .isFolder(let path): "Is a directory: \(path.text)"
    case .isNoFolder(let path): "Not a directory: \(path.text)"
    case .exists(let path): "File exists: \(path.text)"
    case .isRoot: "The root cannot be changed."
    }
  }
}
