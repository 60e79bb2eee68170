// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import StorageAuth

extension FileTree {
  /// Creates a folder and its parent folders, unless they already exist.
  func makeFolder(_ path: NodePath, at date: Timestamp) async throws {
    guard path.isWithinLimits else { throw FileProblem.tooLong }
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
  ///
  /// - Parameters:
  ///   - content: The content of the file.
  ///   - path: The path of the file.
  ///   - date: The modification time of the file.
  ///   - link: The target if the file is a symbolic link.
  ///   - replaces: Whether an existing file is replaced; otherwise, it is an error.
  func put(
    _ content: Content, at path: NodePath, _ date: Timestamp, link: FileLink? = nil, replaces: Bool = true
  ) async throws {
    guard !path.names.isEmpty else { throw FileProblem.isRoot }
    try await makeFolder(path.parent, at: date)
    guard path.isWithinLimits else { throw FileProblem.tooLong }
    try await store.put(Self.object(path.fileKey, content, date, link), in: Self.bucket) { bucket in
      let existing = Self.entry(at: path, in: bucket)
      if existing != nil, !replaces { throw FileProblem.exists(path) }
      if existing?.isFolder == true { throw FileProblem.isFolder(path) }
      if Self.entry(at: path.parent, in: bucket)?.isFolder != true { throw FileProblem.notFound(path.parent) }
    }
  }

  /// Creates a file with the given bytes, which must not exist yet.
  func create(_ bytes: [UInt8], at path: NodePath, _ date: Timestamp, link: FileLink? = nil) async throws {
    guard !bytes.isEmpty else {
      return try await put(
        Content(extents: [], byteCount: 0, entityTag: "", crc64: 0), at: path, date, link: link, replaces: false)
    }
    let written = try await store.blobs.write(BodyExpectation()) { writer in
      try await writer.append(ByteBuffer(bytes: bytes))
    }
    try await put(written.content, at: path, date, link: link, replaces: false)
  }

  /// Deletes a file, or a folder with all its contents.
  func delete(_ path: NodePath) async throws {
    guard !path.names.isEmpty else { throw FileProblem.isRoot }
    for entry in try walk(path).reversed() {
      try await store.delete(entry.isFolder ? ObjectKey(entry.path.folderKey) : entry.path.fileKey, in: Self.bucket)
    }
    register.remove(path)
  }

  /// Moves a file, or a folder with all its contents, to a path that must not exist yet.
  ///
  /// The moved files keep their IDs.
  func move(_ path: NodePath, to target: NodePath, at date: Timestamp) async throws {
    guard !path.names.isEmpty, !target.names.isEmpty else { throw FileProblem.isRoot }
    let entries = try walk(path)
    if try entry(at: target) != nil || path.contains(target) { throw FileProblem.exists(target) }
    _ = try requireFolder(at: target.parent)
    let places = entries.map { target.appending($0.path.relative(to: path)) }
    guard places.allSatisfy(\.isWithinLimits) else { throw FileProblem.tooLong }
    for (entry, place) in zip(entries, places) {
      if let content = entry.content {
        try await put(content, at: place, entry.modified, link: entry.link)
      } else {
        try await makeFolder(place, at: entry.modified)
      }
    }
    register.move(path, to: target)
    try await delete(path)
  }

  private static func object(
    _ key: ObjectKey, _ content: Content, _ date: Timestamp, _ link: FileLink? = nil
  ) -> StoredObject {
    StoredObject(
      id: .random(), key: key, content: content, description: ObjectDescription(metadata: link?.metadata ?? []),
      modified: date, isMultipart: false)
  }
}
