// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A file or folder of the simulated Aspera node.
struct FileEntry: Sendable {
  let path: NodePath
  let modified: Timestamp

  /// The content of the file, or `nil` if the entry is a folder.
  let content: Content?

  var isFolder: Bool { content == nil }

  var byteCount: Int64 { content?.byteCount ?? 0 }
}

/// The reason why an operation on a file or folder of the Aspera node fails.
enum FileProblem: Error {
  case notFound(NodePath)
  case isFolder(NodePath)
  case isNoFolder(NodePath)
  case exists(NodePath)
  /// The operation would replace, move or delete the root folder.
  case isRoot

  /// The reason for the failure as a short message for the client.
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
