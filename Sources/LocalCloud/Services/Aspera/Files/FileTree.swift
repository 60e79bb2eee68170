internal import StorageAuth

/// The files and folders of the node, which are the objects of one bucket of its own: a file under its path, a folder
/// under its path with a slash at its end.
struct FileTree: Sendable {
  static let bucket = "files"

  let store: BucketTable

  /// What is at a path; nothing if there is nothing.
  func entry(at path: NodePath) throws -> FileEntry? {
    try store.read(Self.bucket) { Self.entry(at: path, in: $0) }
  }

  /// The folder at a path.
  func requireFolder(at path: NodePath) throws -> FileEntry {
    guard let entry = try entry(at: path) else { throw FileProblem.notFound(path) }
    guard entry.isFolder else { throw FileProblem.isNoFolder(path) }
    return entry
  }

  /// What is in a folder, in the order of the bytes of the names.
  func children(of folder: NodePath) throws -> [FileEntry] {
    try store.read(Self.bucket) { bucket in
      let page = bucket.page(ListQuery(prefix: folder.folderKey, delimiter: "/", after: folder.folderKey, limit: .max))
      let keys = page.objects.map(\.key) + page.groups.map { ObjectKey(String($0.dropLast())) }
      return keys.sorted().compactMap { key in NodePath(key.text).flatMap { Self.entry(at: $0, in: bucket) } }
    }
  }

  /// A file, or a folder with everything below it, folders before what is in them.
  func walk(_ path: NodePath) throws -> [FileEntry] {
    guard let entry = try entry(at: path) else { throw FileProblem.notFound(path) }
    guard entry.isFolder else { return [entry] }
    return try [entry] + children(of: path).flatMap { try walk($0.path) }
  }

  /// What is at a path of a bucket; a folder is also there while something is in it.
  static func entry(at path: NodePath, in bucket: Bucket) -> FileEntry? {
    if path.names.isEmpty { return FileEntry(path: path, modified: bucket.created, content: nil) }
    if let object = bucket.objects[path.fileKey] {
      return FileEntry(path: path, modified: object.modified, content: object.content)
    }
    let folder = ObjectKey(path.folderKey)
    let index = bucket.objects.firstIndex { $0 >= folder }
    guard index < bucket.objects.count, bucket.objects.keys[index].hasBytePrefix(folder.text) else { return nil }
    return FileEntry(path: path, modified: bucket.objects.values[index].modified, content: nil)
  }
}
