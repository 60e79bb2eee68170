// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension FileTree {
  /// Sets the modification time of a folder.
  func setModified(_ date: Timestamp, ofFolder path: NodePath) async throws {
    guard !path.names.isEmpty else { return }
    let object = StoredObject(
      id: .random(), key: ObjectKey(path.folderKey),
      content: Content(extents: [], byteCount: 0, entityTag: "", crc64: 0), description: ObjectDescription(),
      modified: date, isMultipart: false)
    try await store.put(object, in: Self.bucket) { bucket in
      guard Self.entry(at: path, in: bucket)?.isFolder == true else { throw FileProblem.isNoFolder(path) }
    }
  }
}
