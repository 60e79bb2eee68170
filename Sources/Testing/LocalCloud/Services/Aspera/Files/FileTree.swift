// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import NIOCore
internal import StorageAuth

/// The files and folders of the simulated Aspera node, stored as objects of a separate bucket.
///
/// The object key of a file is its path; the object key of a folder is its path with a trailing slash.
struct FileTree: Sendable {
  static let bucket = "files"

  let store: BucketTable
  let register = FileRegister()

  func entry(at path: NodePath) throws -> FileEntry? { try store.read(Self.bucket) { Self.entry(at: path, in: $0) } }

  func existingEntry(at path: NodePath) throws -> FileEntry {
    guard let entry = try entry(at: path) else { throw FileProblem(.notFound, path) }
    return entry
  }

  func requireFolder(at path: NodePath) throws {
    guard try existingEntry(at: path).isFolder else { throw FileProblem(.isNoFolder, path) }
  }

  /// Returns the files and folders in a folder, ordered by the bytes of their names.
  func children(of folder: NodePath) throws -> [FileEntry] {
    try store.read(Self.bucket) { bucket in
      let query = ListQuery(prefix: folder.folderKey, delimiter: "/", after: folder.folderKey, limit: .max)
      let page = bucket.objectPage(query)
      let keys = page.entries.map(\.key) + page.groups.map { ObjectKey(String($0.removingByteSuffix("/") ?? $0[...])) }
      return keys.sorted().compactMap { key in NodePath(key.string).flatMap { Self.entry(at: $0, in: bucket) } }
    }
  }

  /// Returns a file, or a folder followed by all files and folders below it, each folder before its contents.
  func walk(_ path: NodePath) throws -> [FileEntry] {
    var entries: [FileEntry] = []
    var pending = [try existingEntry(at: path)]
    while let next = pending.popLast() {
      entries.append(next)
      if next.isFolder { pending.append(contentsOf: try children(of: next.path).reversed()) }
    }
    return entries
  }

  /// Returns the file or folder at a path, also a folder that exists only because of objects below it.
  static func entry(at path: NodePath, in bucket: Bucket) -> FileEntry? {
    if path.names.isEmpty {
      return FileEntry(path: path, modified: bucket.created, content: nil, link: nil, objectID: nil)
    }
    if let object = bucket.objects[path.fileKey] {
      return FileEntry(
        path: path, modified: object.modified, content: object.content, link: FileLink(object.description.metadata),
        objectID: object.id)
    }
    let folder = ObjectKey(path.folderKey)
    let index = bucket.objects.firstIndex { $0 >= folder }
    guard index < bucket.objects.count, bucket.objects.keys[index].starts(with: folder) else { return nil }
    let first = bucket.objects.values[index]
    return FileEntry(
      path: path, modified: first.modified, content: nil, link: nil, objectID: first.key == folder ? first.id : nil)
  }

  func setModified(_ date: Timestamp, ofFolder path: NodePath) async throws {
    guard !path.names.isEmpty else { return }
    try await store.put(Self.object(ObjectKey(path.folderKey), .empty, date), in: Self.bucket) { bucket in
      guard Self.entry(at: path, in: bucket)?.isFolder == true else { throw FileProblem(.isNoFolder, path) }
    }
  }

  /// Creates a folder and its parent folders, unless they already exist.
  func makeFolder(_ path: NodePath, at date: Timestamp) async throws {
    guard path.isWithinLimits else { throw FileProblem(.tooLong) }
    for folder in path.folders {
      switch try entry(at: folder)?.isFolder {
      case true?: continue
      case false?: throw FileProblem(.isNoFolder, folder)
      case nil:
        try await store.put(Self.object(ObjectKey(folder.folderKey), .empty, date), in: Self.bucket) { bucket in
          if bucket.objects[folder.fileKey] != nil { throw FileProblem(.isNoFolder, folder) }
        }
      }
    }
  }

  func put(
    _ content: Content, at path: NodePath, _ date: Timestamp, link: FileLink? = nil, replaces: Bool = true
  ) async throws {
    guard !path.names.isEmpty else { throw FileProblem(.isRoot) }
    guard path.isWithinLimits else { throw FileProblem(.tooLong) }
    try await makeFolder(path.parent, at: date)
    try await store.put(Self.object(path.fileKey, content, date, link), in: Self.bucket) { bucket in
      let existing = Self.entry(at: path, in: bucket)
      if existing != nil, !replaces { throw FileProblem(.exists, path) }
      if existing?.isFolder == true { throw FileProblem(.isFolder, path) }
      if Self.entry(at: path.parent, in: bucket)?.isFolder != true { throw FileProblem(.notFound, path.parent) }
    }
  }

  /// Creates a file, which must not exist yet, with the given bytes.
  func create(_ bytes: [UInt8], at path: NodePath, _ date: Timestamp, link: FileLink? = nil) async throws {
    guard !bytes.isEmpty else { return try await put(.empty, at: path, date, link: link, replaces: false) }
    let content = try await store.blobs.write(BodyExpectation()) { writer in
      try await writer.append(ByteBuffer(bytes: bytes))
    }
    try await put(content, at: path, date, link: link, replaces: false)
  }

  func delete(_ path: NodePath) async throws {
    guard !path.names.isEmpty else { throw FileProblem(.isRoot) }
    for entry in try walk(path).reversed() { try await store.delete(entry.key, in: Self.bucket) }
    register.remove(path)
  }

  /// Moves a file, or a folder with its contents, to a path that must not exist yet; their IDs remain.
  ///
  /// What others store in the folder meanwhile stays there.
  func move(_ path: NodePath, to target: NodePath, at date: Timestamp) async throws {
    guard !path.names.isEmpty, !target.names.isEmpty else { throw FileProblem(.isRoot) }
    let entries = try walk(path)
    if try entry(at: target) != nil { throw FileProblem(.exists, target) }
    if entries.first?.isFolder == true, path.contains(target) { throw FileProblem(.isInMovedFolder) }
    try requireFolder(at: target.parent)
    let locations = entries.map { target.appending($0.path.relative(to: path)) }
    guard locations.allSatisfy(\.isWithinLimits) else { throw FileProblem(.tooLong) }
    var copies: [FileEntry] = []
    do {
      for (entry, location) in zip(entries, locations) { copies.append(try await addCopy(of: entry, at: location)) }
    } catch {
      // Also if the task is cancelled, in which the file system would refuse to work.
      await Task { [copies] in _ = try? await deleteUnchanged(copies) }.value
      throw error
    }
    register.move(zip(entries, copies).map { ($0.path, $1.path) })
    try await deleteUnchanged(entries)
  }

  /// Stores a copy of a file or a folder, without its contents, at a path that must not exist yet.
  private func addCopy(of entry: FileEntry, at path: NodePath) async throws -> FileEntry {
    let key = entry.isFolder ? ObjectKey(path.folderKey) : path.fileKey
    let object = Self.object(key, entry.content ?? .empty, entry.modified, entry.link)
    try await store.put(object, in: Self.bucket) { bucket in
      if Self.entry(at: path, in: bucket) != nil { throw FileProblem(.exists, path) }
      if Self.entry(at: path.parent, in: bucket)?.isFolder != true { throw FileProblem(.notFound, path.parent) }
    }
    return FileEntry(
      path: path, modified: entry.modified, content: entry.content, link: entry.link, objectID: object.id)
  }

  /// Deletes the objects of files and folders, except for those that others have replaced or deleted.
  private func deleteUnchanged(_ entries: [FileEntry]) async throws {
    for entry in entries.reversed() {
      // A folder without an object of its own ends with the objects below it.
      guard let id = entry.objectID else { continue }
      do {
        try await store.delete(entry.key, in: Self.bucket) { object in
          guard object?.id == id else { throw EntryChange() }
        }
      } catch is EntryChange {
        continue
      }
    }
  }

  /// The reason not to delete an object: it is not the one that was read before.
  private struct EntryChange: Error {}

  private static func object(
    _ key: ObjectKey, _ content: Content, _ date: Timestamp, _ link: FileLink? = nil
  ) -> StoredObject {
    StoredObject(
      id: .random(), key: key, content: content, description: ObjectDescription(metadata: link?.metadata ?? []),
      modified: date, isMultipart: false)
  }
}

/// A file or folder of the simulated Aspera node.
struct FileEntry: Sendable {
  let path: NodePath
  let modified: Timestamp
  /// The content, which is empty for a link, or `nil` for a folder.
  let content: Content?
  /// The target of the symbolic link, or `nil` if the entry is not a link.
  let link: FileLink?
  /// The ID of the object at ``key``, or `nil` for a folder that exists only because of objects below it.
  let objectID: BlobID?

  /// The key of the object that is the file or the folder.
  var key: ObjectKey { isFolder ? ObjectKey(path.folderKey) : path.fileKey }

  var isFolder: Bool { content == nil }
  var isFile: Bool { content != nil && link == nil }
  var byteCount: Int64 { content?.byteCount ?? 0 }
}

/// The numbers of files, folders and links in a list, and the bytes of all of them.
struct FileCounts: Sendable {
  let files: Int
  let folders: Int
  let links: Int
  let bytes: Int64

  init(_ entries: some Sequence<FileEntry>) {
    files = entries.count(where: \.isFile)
    folders = entries.count(where: \.isFolder)
    links = entries.count { $0.link != nil }
    bytes = entries.reduce(0) { $0.saturatingAdding($1.byteCount) }
  }
}

/// The reason why an operation on a file or folder of the Aspera node fails.
struct FileProblem: Error {
  enum Kind {
    case notFound, isFolder, isNoFolder, exists, notEmpty, tooLong
    /// The operation would replace, move or delete the root folder.
    case isRoot
    /// The target of a move lies in the folder that is moved.
    case isInMovedFolder

    /// The reason in messages, the status in the Node API, and the error code of the transfer server.
    fileprivate var meaning: (reason: String, status: HTTPResponse.Status, ascpCode: TransferRefusal.Code) {
      switch self {
      case .notFound: ("No such file or directory", .notFound, .noSuchFile)
      case .isFolder: ("Is a directory", .badRequest, .isFolder)
      case .isNoFolder: ("Not a directory", .badRequest, .notFolder)
      case .exists: ("File exists", .conflict, .alreadyExists)
      case .notEmpty: ("Directory not empty", .conflict, .alreadyExists)
      case .tooLong: ("The path is too long or too deep.", .badRequest, .badPath)
      case .isRoot: ("The root cannot be changed.", .badRequest, .badPath)
      case .isInMovedFolder: ("The target lies in the folder that is moved.", .badRequest, .badPath)
      }
    }
  }

  private let kind: Kind
  private let path: NodePath?

  init(_ kind: Kind, _ path: NodePath? = nil) { (self.kind, self.path) = (kind, path) }

  var status: HTTPResponse.Status { kind.meaning.status }
  var ascpCode: TransferRefusal.Code { kind.meaning.ascpCode }

  /// The reason for the failure as a short message for the client.
  var message: String { kind.meaning.reason + (path.map { ": \($0.text)" } ?? "") }

  /// Returns the problem with its path relative to the root of the caller, which sees only what is below that root.
  func relative(to root: NodePath) -> FileProblem { FileProblem(kind, path?.relative(to: root)) }
}

/// The target of a symbolic link, which the Node API only describes; the transfer server follows it if a session asks for
/// that.
enum FileLink: Sendable, Equatable {
  /// A path, from the Node API's third generation or from ascp.
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
