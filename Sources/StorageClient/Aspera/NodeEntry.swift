// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageJSON

/// A file or a folder on an Aspera node.
struct NodeEntry: Sendable {
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
    self.name = name
    isFolder = type == "directory" || type == "container"
    size = element["size"]?.integer.flatMap { $0 < 0 ? nil : Int64($0) } ?? (type == "symbolic_link" ? 0 : nil)
    modified = element["mtime"]?.string.flatMap { Timestamp(iso8601: $0) }
  }
}

extension ObjectInfo {
  /// Creates the description of an object from a file entry of an Aspera node.
  init(key: String, _ entry: NodeEntry) {
    self.init(key: key, size: entry.size, lastModified: entry.modified)
  }
}
