// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension FileTree {
  /// Creates a folder and its parent folders, unless they already exist.
  func makeFolder(_ path: NodePath, at date: Timestamp) async throws {
    for folder in path.folders {
      switch try entry(at: folder)?.isFolder {
      case true?: continue
      case false?: throw FileProblem.isNoFolder(folder)
      case nil:
        try await store.put(
          Self.object(ObjectKey(folder.folderKey), Content(extents: [], byteCount: 0, entityTag: "", crc64: 0), date),
          in: Self.bucket
        ) { bucket in
          if bucket.objects[folder.fileKey] != nil { throw FileProblem.isNoFolder(folder) }
        }
      }
    }
  }

  /// Creates or replaces a file, and creates the file's parent folders if necessary.
  func put(_ content: Content, at path: NodePath, _ date: Timestamp) async throws {
    guard !path.names.isEmpty else { throw FileProblem.isRoot }
    try await makeFolder(path.parent, at: date)
    try await store.put(Self.object(path.fileKey, content, date), in: Self.bucket) { bucket in
      if Self.entry(at: path, in: bucket)?.isFolder == true { throw FileProblem.isFolder(path) }
      if Self.entry(at: path.parent, in: bucket)?.isFolder != true { throw FileProblem.notFound(path.parent) }
    }
  }

  /// Deletes a file, or a folder with all its contents.
  func delete(_ path: NodePath) async throws {
    guard !path.names.isEmpty else { throw FileProblem.isRoot }
    for entry in try walk(path).reversed() {
      try await store.delete(entry.isFolder ? ObjectKey(entry.path.folderKey) : entry.path.fileKey, in: Self.bucket)
    }
  }

  /// Moves a file, or a folder with all its contents, to a path that must not exist yet.
  func move(_ path: NodePath, to target: NodePath, at date: Timestamp) async throws {
    guard !path.names.isEmpty, !target.names.isEmpty else { throw FileProblem.isRoot }
    let entries = try walk(path)
    if try entry(at: target) != nil || path.contains(target) { throw FileProblem.exists(target) }
    _ = try requireFolder(at: target.parent)
    for entry in entries {
      guard let rest = NodePath(entry.path.names.dropFirst(path.names.count).joined(separator: "/")) else { continue }
      let place = target.appending(rest)
      if let content = entry.content {
        try await put(content, at: place, entry.modified)
      } else {
        try await makeFolder(place, at: entry.modified)
      }
    }
    try await delete(path)
  }

  private static func object(_ key: ObjectKey, _ content: Content, _ date: Timestamp) -> StoredObject {
    StoredObject(
      id: .random(), key: key, content: content, description: ObjectDescription(), modified: date, isMultipart: false)
  }
}
