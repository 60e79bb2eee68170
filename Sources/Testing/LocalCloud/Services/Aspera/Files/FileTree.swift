// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The files and folders of the simulated Aspera node, stored as objects of a separate bucket.
///
/// The object key of a file is its path; the object key of a folder is its path with a trailing slash.
struct FileTree: Sendable {
  static let bucket = "files"

  let store: BucketTable
  let register = FileRegister()

  /// Returns the file or folder at a path, or `nil` if the path does not exist.
  func entry(at path: NodePath) throws -> FileEntry? {
    try store.read(Self.bucket) { Self.entry(at: path, in: $0) }
  }

  /// Returns the folder at a path.
  ///
  /// - Throws: ``FileProblem`` if the path does not exist or is not a folder.
  func requireFolder(at path: NodePath) throws -> FileEntry {
    guard let entry = try entry(at: path) else { throw FileProblem.notFound(path) }
    guard entry.isFolder else { throw FileProblem.isNoFolder(path) }
    return entry
  }

  /// Returns the files and folders in a folder, ordered by the bytes of their names.
  func children(of folder: NodePath) throws -> [FileEntry] {
    try store.read(Self.bucket) { bucket in
      let page = bucket.page(ListQuery(prefix: folder.folderKey, delimiter: "/", after: folder.folderKey, limit: .max))
      let keys = page.objects.map(\.key) + page.groups.map { ObjectKey(String($0.removingByteSuffix("/") ?? $0[...])) }
      return keys.sorted().compactMap { key in NodePath(key.text).flatMap { Self.entry(at: $0, in: bucket) } }
    }
  }

  /// Returns a file, or a folder followed by all files and folders below it, each folder before its contents.
  func walk(_ path: NodePath) throws -> [FileEntry] {
    guard let entry = try entry(at: path) else { throw FileProblem.notFound(path) }
    var entries: [FileEntry] = []
    var pending = [entry]
    while let next = pending.popLast() {
      entries.append(next)
      if next.isFolder { pending.append(contentsOf: try children(of: next.path).reversed()) }
    }
    return entries
  }

  /// Returns the file or folder at a path in a bucket, or `nil` if the path does not exist.
  ///
  /// A folder also exists if the bucket contains only objects below the folder.
  static func entry(at path: NodePath, in bucket: Bucket) -> FileEntry? {
    if path.names.isEmpty { return FileEntry(path: path, modified: bucket.created, content: nil, link: nil) }
    if let object = bucket.objects[path.fileKey] {
      return FileEntry(
        path: path, modified: object.modified, content: object.content, link: FileLink(object.description.metadata))
    }
    let folder = ObjectKey(path.folderKey)
    let index = bucket.objects.firstIndex { $0 >= folder }
    guard index < bucket.objects.count, bucket.objects.keys[index].hasBytePrefix(folder.text) else { return nil }
    return FileEntry(path: path, modified: bucket.objects.values[index].modified, content: nil, link: nil)
  }
}
