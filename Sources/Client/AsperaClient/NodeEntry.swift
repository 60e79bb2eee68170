// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageClient

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
  ///
  /// - Parameters:
  ///   - element: The JSON object.
  ///   - folder: The path on the node of the folder that the entry must be in.
  init(_ element: JSONValue, in folder: String) throws(StorageError) {
    let path = element["path"]?.string
    guard let name = element["basename"]?.string ?? path.map({ NodePath.split($0).name }) else {
      throw StorageError.malformedResponse("a listed file has no name")
    }
    let expected = NodePath.join(name, below: folder)
    guard Self.isName(name), path?.isIdentical(to: expected) ?? true else {
      throw StorageError.malformedResponse("a listed file is not in the folder \(folder)")
    }
    try self.init(element, named: name)
  }

  /// Creates the entry of the file or folder that a `browse` request was about, from the member `self` of the response.
  ///
  /// - Parameters:
  ///   - element: The JSON object, or `nil` if the response has no such member.
  ///   - path: The path on the node in the request.
  init(itself element: JSONValue?, at path: String) throws(StorageError) {
    guard let element else {
      throw StorageError.malformedResponse("it has no self, which describes the requested file")
    }
    guard (element["path"]?.string).map({ NodePath.isSame($0, path) }) ?? true else {
      throw StorageError.malformedResponse("it describes another file than \(path)")
    }
    try self.init(element, named: NodePath.split(path).name)
  }

  private init(_ element: JSONValue, named name: String) throws(StorageError) {
    guard let type = element["type"]?.string else { throw StorageError.malformedResponse("a listed file has no type") }
    id = nil
    self.name = name
    isFolder = type == "directory" || type == "container"
    size = Self.size(of: element) ?? (type == "symbolic_link" ? 0 : nil)
    guard isFolder || size != nil else { throw StorageError.malformedResponse("a listed file has no size") }
    modified = element["mtime"]?.string.flatMap { Timestamp(iso8601: $0) }
  }

  /// Creates an entry from a JSON object in a response to `/files/{id}/files`.
  ///
  /// A link, which may lead to another node, counts as a file.
  init(identified element: JSONValue) throws(StorageError) {
    guard let type = element["type"]?.string, let name = element["name"]?.string, let id = element["id"]?.string else {
      throw StorageError.malformedResponse("a listed file has no ID, no name or no type")
    }
    guard NodePath.isName(name) else { throw StorageError.malformedResponse("a listed file is not in the folder") }
    guard Self.isID(id) else { throw StorageError.malformedResponse("the ID of a file is invalid") }
    self.id = id
    self.name = name
    isFolder = type == "folder"
    size = Self.size(of: element) ?? (type == "link" ? 0 : nil)
    guard isFolder || size != nil else { throw StorageError.malformedResponse("a listed file has no size") }
    modified = element["modified_time"]?.string.flatMap { Timestamp(iso8601: $0) }
  }

  /// Returns whether a text can be the ID of a file: between 1 and 255 printable ASCII characters.
  static func isID(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > UInt8(ascii: " ") && $0 < 0x7f }
  }

  /// Returns whether an entry can have the name, which may hold control characters that no key has.
  private static func isName(_ name: String) -> Bool {
    !name.isEmpty && name != "." && name != ".." && !name.hasByte("/")
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
