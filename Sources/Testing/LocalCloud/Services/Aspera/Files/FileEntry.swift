// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A file or folder of the simulated Aspera node.
struct FileEntry: Sendable {
  let path: NodePath
  let modified: Timestamp

  /// The content of the file, or `nil` if the entry is a folder.
  ///
  /// A link has an empty content.
  let content: Content?

  /// The target of the symbolic link, or `nil` if the entry is not a link.
  let link: FileLink?

  var isFolder: Bool { content == nil }

  /// Whether the entry is a file, and neither a folder nor a link.
  var isFile: Bool { content != nil && link == nil }

  var byteCount: Int64 { content?.byteCount ?? 0 }
}

/// The reason why an operation on a file or folder of the Aspera node fails.
enum FileProblem: Error {
  case notFound(NodePath)
  case isFolder(NodePath)
  case isNoFolder(NodePath)
  case exists(NodePath)
  case notEmpty(NodePath)
  case tooLong
  /// The operation would replace, move or delete the root folder.
  case isRoot

  /// The reason for the failure as a short message for the client.
  var message: String {
    switch self {
    case .notFound(let path): "No such file or directory: \(path.text)"
    case .isFolder(let path): "Is a directory: \(path.text)"
    case .isNoFolder(let path): "Not a directory: \(path.text)"
    case .exists(let path): "File exists: \(path.text)"
    case .notEmpty(let path): "Directory not empty: \(path.text)"
    case .tooLong: "The path is too long or too deep."
    case .isRoot: "The root cannot be changed."
    }
  }

  /// Returns the problem with its path relative to the root of the caller, which sees only what is below that root.
  func relative(to root: NodePath) -> FileProblem {
    switch self {
    case .notFound(let path): .notFound(path.relative(to: root))
    case .isFolder(let path): .isFolder(path.relative(to: root))
    case .isNoFolder(let path): .isNoFolder(path.relative(to: root))
    case .exists(let path): .exists(path.relative(to: root))
    case .notEmpty(let path): .notEmpty(path.relative(to: root))
    case .tooLong, .isRoot: self
    }
  }
}

/// The target of a symbolic link of the node, which the node stores but does not follow.
enum FileLink: Sendable, Equatable {
  /// The link names a path of the third generation of the Node API.
  case path(String)
  /// The link names a file by its ID, on this node or on another one.
  case file(id: String, nodeID: String?)

  private static let (pathName, idName, nodeName) = ("link-path", "link-id", "link-node")

  /// Creates the target from the metadata of a stored object, or returns `nil` if the object is not a link.
  init?(_ metadata: [ObjectDescription.Header]) {
    func value(_ name: String) -> String? { metadata.first { $0.name == name }?.value }
    if let path = value(Self.pathName) {
      self = .path(path)
    } else if let id = value(Self.idName) {
      self = .file(id: id, nodeID: value(Self.nodeName))
    } else {
      return nil
    }
  }

  /// The target as metadata of a stored object.
  var metadata: [ObjectDescription.Header] {
    switch self {
    case .path(let path): [.init(name: Self.pathName, value: path)]
    case .file(let id, let nodeID):
      [(Self.idName, id), (Self.nodeName, nodeID)].compactMap { name, value in
        value.map { .init(name: name, value: $0) }
      }
    }
  }
}
