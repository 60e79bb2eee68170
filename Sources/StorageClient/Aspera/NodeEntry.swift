// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageJSON

/// A file or a folder on an Aspera node.
struct NodeEntry: Sendable {
  /// The ID of the file or folder, or `nil` if the node identified it by its path.
  let id: String?
  let name: String
  let isFolder: Bool
  let size: Int64?
  let modified: Timestamp?

  /// Creates an entry from a JSON object in a response to the `browse` operation.
  ///
  /// A symbolic link counts as a file. Its target is not walked, so that a walk cannot run into a cycle.
  init(_ element: JSONValue) throws(StorageError) {
    guard let type = element["type"]?.string,
      let name = element["basename"]?.string ?? element["path"]?.string?.split(separator: "/").last.map(String.init)
    else { throw StorageError.malformedAnswer("a listed file has no name or no type") }
    guard !name.contains("/") || name == "/", name != ".", name != ".." else {
      throw StorageError.malformedAnswer("a listed file is not in the folder")
    }
    id = nil
    self.name = name
    isFolder = type == "directory" || type == "container"
    size = Self.size(of: element) ?? (type == "symbolic_link" ? 0 : nil)
    modified = element["mtime"]?.string.flatMap { Timestamp(iso8601: $0) }
  }

  /// Creates an entry from a JSON object in a response to `/files/{id}/files`.
  ///
  /// A link, which may lead to another node, counts as a file.
  init(identified element: JSONValue) throws(StorageError) {
    guard let type = element["type"]?.string, let name = element["name"]?.string, let id = element["id"]?.string else {
      throw StorageError.malformedAnswer("a listed file has no ID, no name or no type")
    }
    guard NodePath.isName(name) else { throw StorageError.malformedAnswer("a listed file is not in the folder") }
    guard Self.isID(id) else { throw StorageError.malformedAnswer("the ID of a file is invalid") }
    self.id = id
    self.name = name
    isFolder = type == "folder"
    size = Self.size(of: element) ?? (type == "link" ? 0 : nil)
    modified = element["modified_time"]?.string.flatMap { Timestamp(iso8601: $0) }
  }

  /// Returns whether a text can be the ID of a file: between 1 and 255 printable ASCII characters.
  static func isID(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > UInt8(ascii: " ") && $0 < 0x7f }
  }

  private static func size(of element: JSONValue) -> Int64? {
    element["size"]?.integer.flatMap { $0 < 0 ? nil : Int64($0) }
  }
}

extension ObjectInfo {
  /// Creates the description of an object from a file entry of an Aspera node.
  init(key: String, _ entry: NodeEntry) {
    self.init(key: key, size: entry.size, lastModified: entry.modified)
  }
}
