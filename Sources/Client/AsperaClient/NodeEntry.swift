// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A file or folder on a node, parsed from a response of the Node API.
struct NodeEntry: Sendable {
  /// The ID of the file or folder, or `nil` if the node identified it by its path.
  let id: String?
  let name: String
  let isFolder: Bool
  let size: Int64?
  let modified: Timestamp?

  /// Creates an entry of a folder from a `browse` response, in which a symbolic link counts as a file to avoid cycles.
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

  /// Creates the entry of the requested file or folder from the member `self` of a `browse` response.
  init(requested element: JSONValue?, at path: String) throws(StorageError) {
    guard let element else { throw .malformedResponse("it has no self, which describes the requested file") }
    guard (element["path"]?.string).map({ NodeFilePath.isSame($0, path) }) ?? true else {
      throw StorageError.malformedResponse("it describes another file than \(path)")
    }
    try self.init(element, named: NodeFilePath.split(path).name)
  }

  private init(_ element: JSONValue, named name: String) throws(StorageError) {
    guard let type = element["type"]?.string else { throw StorageError.malformedResponse("a file has no type") }
    let isFolder = type == "directory" || type == "container"
    try self.init(element, id: nil, name, isFolder: isFolder, isLink: type == "symbolic_link", timeName: "mtime")
  }

  /// Creates an entry from a `/files/{id}/files` response; a link, which may lead to another node, counts as a file.
  init(withID element: JSONValue) throws(StorageError) {
    guard let type = element["type"]?.string, let name = element["name"]?.string, let id = element["id"]?.string else {
      throw StorageError.malformedResponse("a listed file has no ID, no name or no type")
    }
    guard Self.isEntryName(name) else { throw StorageError.malformedResponse("a listed file has an invalid name") }
    guard Self.isID(id) else { throw StorageError.malformedResponse("the ID of a file is invalid") }
    try self.init(element, id: id, name, isFolder: type == "folder", isLink: type == "link", timeName: "modified_time")
  }

  private init(
    _ element: JSONValue, id: String?, _ name: String, isFolder: Bool, isLink: Bool, timeName: String
  ) throws(StorageError) {
    self.id = id
    self.name = name
    self.isFolder = isFolder
    size = element["size"]?.integer.flatMap { $0 < 0 ? nil : Int64($0) } ?? (isLink ? 0 : nil)
    guard isFolder || size != nil else { throw StorageError.malformedResponse("a file has no size") }
    modified = element[timeName]?.string.flatMap { Timestamp(iso8601: $0) }
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

/// The entries of one folder from several responses, with different names.
struct EntryList {
  /// The maximum number of files that are listed from one folder, because they are sorted in memory.
  private static let entryLimit = 1_000_000

  private(set) var entries: [NodeEntry] = []
  private var names: Set<ByteExactString> = []
  private let location: String

  init(_ location: String) { self.location = location }

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
