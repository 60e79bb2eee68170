// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
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

  /// Creates an entry in the folder with a path on the node from a JSON object in a response to the `browse` operation.
  ///
  /// A symbolic link counts as a file. Its target is not walked, so that a walk cannot run into a cycle.
  init(_ element: JSONValue, in folder: String) throws(StorageError) {
    let path = element["path"]?.string
    guard let name = element["basename"]?.string ?? path.map({ NodeFilePath.split($0).name }) else {
      throw StorageError.malformedResponse("a listed file has no name")
    }
    let expected = NodeFilePath.join(name, below: folder)
    guard Self.isEntryName(name), path?.isIdentical(to: expected) ?? true else {
      throw StorageError.malformedResponse("a listed file is not in the folder \(folder)")
    }
    try self.init(element, named: name)
  }

  /// Creates the entry of the file or folder that a `browse` request was about, from the member `self` of the response.
  init(requested element: JSONValue?, at path: String) throws(StorageError) {
    guard let element else {
      throw StorageError.malformedResponse("it has no self, which describes the requested file")
    }
    guard (element["path"]?.string).map({ NodeFilePath.isSame($0, path) }) ?? true else {
      throw StorageError.malformedResponse("it describes another file than \(path)")
    }
    try self.init(element, named: NodeFilePath.split(path).name)
  }

  private init(_ element: JSONValue, named name: String) throws(StorageError) {
    guard let type = element["type"]?.string else { throw StorageError.malformedResponse("a file has no type") }
    try self.init(
      element, id: nil, name, isFolder: type == "directory" || type == "container", isLink: type == "symbolic_link",
      timeMember: "mtime")
  }

  /// Creates an entry from a JSON object in a response to `/files/{id}/files`.
  ///
  /// A link, which may lead to another node, counts as a file.
  init(withID element: JSONValue) throws(StorageError) {
    guard let type = element["type"]?.string, let name = element["name"]?.string, let id = element["id"]?.string else {
      throw StorageError.malformedResponse("a listed file has no ID, no name or no type")
    }
    guard Self.isEntryName(name) else { throw StorageError.malformedResponse("a listed file has an invalid name") }
    guard Self.isID(id) else { throw StorageError.malformedResponse("the ID of a file is invalid") }
    try self.init(
      element, id: id, name, isFolder: type == "folder", isLink: type == "link", timeMember: "modified_time")
  }

  private init(
    _ element: JSONValue, id: String?, _ name: String, isFolder: Bool, isLink: Bool, timeMember: String
  ) throws(StorageError) {
    self.id = id
    self.name = name
    self.isFolder = isFolder
    size = element["size"]?.integer.flatMap { $0 < 0 ? nil : Int64($0) } ?? (isLink ? 0 : nil)
    guard isFolder || size != nil else { throw StorageError.malformedResponse("a file has no size") }
    self.modified = element[timeMember]?.string.flatMap { Timestamp(iso8601: $0) }
  }

  /// Returns whether a text can be the ID of a file: between 1 and 255 printable ASCII characters.
  static func isID(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > UInt8(ascii: " ") && $0 < 0x7f }
  }

  /// Returns whether a listed entry can have the name; unlike the name in a key, it can contain control characters.
  private static func isEntryName(_ name: String) -> Bool {
    !name.isEmpty && name != "." && name != ".." && !name.hasByte("/")
  }
}

/// The entries of one folder, collected from several responses, up to a limit, each name once.
struct EntryList {
  /// The maximum number of files that are listed from one folder, because they are sorted in memory.
  private static let entryLimit = 1_000_000

  private(set) var entries: [NodeEntry] = []
  private var names: Set<ByteExactString> = []
  private let location: String

  init(_ location: String) {
    self.location = location
  }

  /// Appends the entries of a response.
  ///
  /// - Throws: `StorageError` if the folder has too many entries, or if the node returned an entry before: it sends
  ///   the same positions again, or the folder was changed meanwhile.
  mutating func append(_ newEntries: [NodeEntry]) throws(StorageError) {
    for entry in newEntries where !names.insert(ByteExactString(entry.name)).inserted {
      throw .malformedResponse(
        "the entry \"\(entry.name)\" of \(location) occurs twice, because the node repeats positions or the folder was "
          + "changed meanwhile")
    }
    entries += newEntries
    guard entries.count <= Self.entryLimit else {
      throw StorageError(
        .tooLarge, "\(location) has more than \(Self.entryLimit) files.",
        remedy: "List folders with fewer files in them.")
    }
  }
}
