// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import NIOCore
internal import StorageAuth

/// The files and folders of the simulated Aspera node: objects of a separate bucket, whose keys are the paths.
///
/// The key of a folder ends with a slash. A folder also exists without an object of its own if objects are below it.
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

  private static func entry(at path: NodePath, in bucket: Bucket) -> FileEntry? {
    if path.names.isEmpty { return FileEntry(path: path, modified: bucket.created, content: nil, objectID: nil) }
    if let object = bucket.objects[path.fileKey] {
      return FileEntry(
        path: path, modified: object.modified, content: object.content, link: FileLink(object.description.metadata),
        objectID: object.id)
    }
    // The first key from that of the folder on belongs to the folder itself, or to an object below it.
    let folder = ObjectKey(path.folderKey)
    let index = bucket.objects.keys.firstSortedIndex { $0 >= folder }
    guard index < bucket.objects.count, bucket.objects.keys[index].starts(with: folder) else { return nil }
    let first = bucket.objects.values[index]
    let objectID = first.key == folder ? first.id : nil
    return FileEntry(path: path, modified: first.modified, content: nil, objectID: objectID)
  }

  func setModified(_ date: Timestamp, ofFolder path: NodePath) async throws {
    guard !path.names.isEmpty else { return }
    try await store.put(Self.object(ObjectKey(path.folderKey), .empty, date), in: Self.bucket) { bucket in
      guard Self.entry(at: path, in: bucket)?.isFolder == true else { throw FileProblem(.isNoFolder, path) }
    }
  }

  /// Creates a folder and those above it, as far as they do not exist.
  func makeFolder(_ path: NodePath, at date: Timestamp) async throws {
    guard path.isWithinLimits else { throw FileProblem(.tooLong) }
    for folder in path.folders {
      if let existing = try entry(at: folder) {
        guard existing.isFolder else { throw FileProblem(.isNoFolder, folder) }
        continue
      }
      try await store.put(Self.object(ObjectKey(folder.folderKey), .empty, date), in: Self.bucket) { bucket in
        // Another request can have created a file in the meantime.
        if bucket.objects[folder.fileKey] != nil { throw FileProblem(.isNoFolder, folder) }
      }
    }
  }

  /// Creates a file that must not exist yet, or a link without content, in a folder that is created if necessary.
  func create(_ bytes: [UInt8], at path: NodePath, modified: Timestamp, link: FileLink? = nil) async throws {
    let content =
      bytes.isEmpty
      ? .empty
      : try await store.blobs.write(BodyExpectation()) { try await $0.append(ByteBuffer(bytes: bytes)) }
    try await put(content, at: path, modified: modified, link: link, replaces: false)
  }

  func put(
    _ content: Content, at path: NodePath, modified: Timestamp, link: FileLink? = nil, replaces: Bool = true
  ) async throws {
    guard !path.names.isEmpty else { throw FileProblem(.isRoot) }
    guard path.isWithinLimits else { throw FileProblem(.tooLong) }
    try await makeFolder(path.parent, at: modified)
    try await put(Self.object(path.fileKey, content, modified, link), at: path, replaces: replaces)
  }

  private func put(_ object: StoredObject, at path: NodePath, replaces: Bool) async throws {
    try await store.put(object, in: Self.bucket) { bucket in
      let existing = Self.entry(at: path, in: bucket)
      if existing != nil, !replaces { throw FileProblem(.exists, path) }
      if existing?.isFolder == true { throw FileProblem(.isFolder, path) }
      if Self.entry(at: path.parent, in: bucket)?.isFolder != true { throw FileProblem(.notFound, path.parent) }
    }
  }

  func delete(_ path: NodePath) async throws {
    guard !path.names.isEmpty else { throw FileProblem(.isRoot) }
    for entry in try walk(path).reversed() { try await store.delete(entry.key, in: Self.bucket) }
    register.removeIDs(below: path)
  }

  /// Moves a file, or a folder with its contents; files keep their IDs.
  ///
  /// The contents are copied, and then the originals are deleted. A file that another request replaces in the meantime
  /// stays where it is.
  func move(_ path: NodePath, to target: NodePath) async throws {
    guard !path.names.isEmpty, !target.names.isEmpty else { throw FileProblem(.isRoot) }
    let entries = try walk(path)
    if try entry(at: target) != nil { throw FileProblem(.exists, target) }
    if entries.first?.isFolder == true, path.contains(target) { throw FileProblem(.isInMovedFolder) }
    try requireFolder(at: target.parent)
    let newPaths = entries.map { target.appending($0.path.relative(to: path)) }
    guard newPaths.allSatisfy(\.isWithinLimits) else { throw FileProblem(.tooLong) }
    var copies: [FileEntry] = []
    do {
      for (entry, newPath) in zip(entries, newPaths) { copies.append(try await addCopy(of: entry, at: newPath)) }
    } catch {
      // In a task of its own, because the file system refuses to work in a cancelled task.
      await Task { [copies] in _ = try? await deleteUnchanged(copies) }.value
      throw error
    }
    register.moveIDs(zip(entries, copies).map { ($0.path, $1.path) })
    try await deleteUnchanged(entries)
  }

  /// Stores a copy of a file or a folder, without its contents, at a path that must not exist yet.
  private func addCopy(of entry: FileEntry, at path: NodePath) async throws -> FileEntry {
    let key = entry.isFolder ? ObjectKey(path.folderKey) : path.fileKey
    let object = Self.object(key, entry.content ?? .empty, entry.modified, entry.link)
    try await put(object, at: path, replaces: false)
    return FileEntry(
      path: path, modified: entry.modified, content: entry.content, link: entry.link, objectID: object.id)
  }

  /// Deletes the objects of files and folders, except for those that others have replaced or deleted.
  private func deleteUnchanged(_ entries: [FileEntry]) async throws {
    struct Changed: Error {}
    for entry in entries.reversed() {
      // A folder without an object of its own ends with the objects below it.
      guard let id = entry.objectID else { continue }
      do {
        try await store.delete(entry.key, in: Self.bucket) { if $0?.id != id { throw Changed() } }
      } catch is Changed {
        continue
      }
    }
  }

  private static func object(
    _ key: ObjectKey, _ content: Content, _ date: Timestamp, _ link: FileLink? = nil
  ) -> StoredObject {
    StoredObject(
      id: .random(), key: key, content: content, description: ObjectDescription(metadata: link?.metadata ?? []),
      modified: date, isMultipart: false)
  }
}

/// A file, a link or a folder of the node.
struct FileEntry: Sendable {
  let path: NodePath
  let modified: Timestamp
  /// The content, which is empty for a link, or `nil` for a folder.
  let content: Content?
  var link: FileLink?
  /// The ID of the object at ``key``, or `nil` for a folder that exists only because of objects below it.
  let objectID: BlobID?
  var key: ObjectKey { isFolder ? ObjectKey(path.folderKey) : path.fileKey }
  var isFolder: Bool { content == nil }
  var isFile: Bool { content != nil && link == nil }
  var fileContent: Content? { isFile ? content : nil }
  var byteCount: Int64 { content?.byteCount ?? 0 }
}

struct FileCounts: Sendable {
  let fileCount, folderCount, linkCount: Int
  let byteCount: Int64

  init(_ entries: some Sequence<FileEntry>) {
    fileCount = entries.count(where: \.isFile)
    folderCount = entries.count(where: \.isFolder)
    linkCount = entries.count { $0.link != nil }
    byteCount = entries.reduce(0) { $0.saturatingAdding($1.byteCount) }
  }
}

/// The reason why an operation on a file or folder of the Aspera node fails.
struct FileProblem: Error {
  enum Kind {
    case notFound, isFolder, isNoFolder, exists, notEmpty, tooLong, isRoot, isInMovedFolder

    /// The reason in words, the status of the Node API's response, and the error code of the transfer server.
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
  var message: String { kind.meaning.reason + (path.map { ": \($0.text)" } ?? "") }
  /// Returns the problem with a path relative to the root of the caller, the only paths that the caller may see.
  func relative(to root: NodePath) -> FileProblem { FileProblem(kind, path?.relative(to: root)) }
}

/// The target of a symbolic link, which the Node API only describes, and the transfer server follows on request.
enum FileLink: Sendable, Equatable {
  case path(String)
  case file(id: String, nodeID: String?)

  private static let (pathName, idName, nodeIDName) = ("link-path", "link-id", "link-node")

  /// Reads the link in the metadata of an object, or returns `nil` if the object is none.
  init?(_ metadata: [ObjectDescription.Header]) {
    func value(_ name: String) -> String? { metadata.first { $0.name == name }?.value }
    if let path = value(Self.pathName) {
      self = .path(path)
    } else if let id = value(Self.idName) {
      self = .file(id: id, nodeID: value(Self.nodeIDName))
    } else {
      return nil
    }
  }

  var metadata: [ObjectDescription.Header] {
    switch self {
    case .path(let path): [.init(name: Self.pathName, value: path)]
    case .file(let id, let nodeID):
      [.init(name: Self.idName, value: id)] + (nodeID.map { [.init(name: Self.nodeIDName, value: $0)] } ?? [])
    }
  }
}
