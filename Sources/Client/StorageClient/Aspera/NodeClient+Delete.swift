// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The maximum number of paths in one deletion request.
private let batchSize = 1000

extension NodeClient {
  /// Deletes an object, succeeds if the object does not exist, and throws an error if the key refers to a folder.
  func delete(_ key: String) async throws {
    try check(key)
    let files = try await files
    guard let entry = try await existing(key, in: files) else { return }
    if entry.isFolder { throw notFound(key, code: Self.folderCode, Self.folderMessage) }
    try await remove(key, entry, in: files)
  }

  /// Deletes objects, and succeeds for keys that do not exist.
  ///
  /// A node deletes a folder together with its content. The client therefore checks first whether each key refers to a
  /// file or a folder.
  func delete(_ keys: [String]) async throws -> DeletionReport {
    for key in keys { try check(key) }
    let files = try await files
    var report = DeletionReport()
    for start in stride(from: 0, to: keys.count, by: batchSize) {
      let found = try await entries(of: keys[start..<min(start + batchSize, keys.count)], in: files)
      for (key, entry) in found where entry?.isFolder == true {
        report.failures.append(.init(key: key, code: Self.folderCode, message: Self.folderMessage))
      }
      report.deleted += found.filter { $0.entry == nil }.map(\.key)
      try await remove(found.filter { $0.entry?.isFolder == false }, in: files, report: &report)
    }
    return report
  }

  /// Creates a folder and its parent folders, and succeeds if the folder exists.
  ///
  /// A node creates a folder only in an existing folder, and reports an error for a folder that exists.
  func createFolder(_ key: String) async throws {
    try check(key)
    try await files.createFolder(key)
  }

  /// Deletes a folder and its content, and succeeds if the folder does not exist.
  func deleteFolder(_ key: String) async throws {
    try check(key)
    try await remove(key, nil, in: files)
  }

  /// Changes the name of a file or folder, which stays in its folder.
  func rename(_ key: String, to name: String) async throws {
    try check(key)
    guard NodePath.isName(name) else {
      throw StorageError(
        .invalidKey, "\"\(name)\" is not the name of a file on a node.",
        remedy: "Give the new name alone, without the folder, and without control characters.")
    }
    try await files.rename(key, to: name)
  }

  /// Returns the keys in their order, each once as bytes, with the file or folder that has the key, if there is one.
  private func entries(
    of keys: ArraySlice<String>, in files: some NodeFiles
  ) async throws -> [(key: String, entry: NodeEntry?)] {
    var known: Set<WireText> = []
    let keys = keys.filter { known.insert(WireText($0)).inserted }
    return try await withThrowingTaskGroup(of: (Int, NodeEntry?).self) { group in
      for (index, key) in keys.enumerated() { group.addTask { (index, try await existing(key, in: files)) } }
      return try await group.reduce(into: keys.map { (key: $0, entry: NodeEntry?.none) }) { $0[$1.0].entry = $1.1 }
    }
  }

  private func remove(_ key: String, _ entry: NodeEntry?, in files: some NodeFiles) async throws {
    do {
      if let error = try await files.remove([(key, entry)])[0] { throw error }
    } catch let error as ServiceError where error.kind == .noSuchKey {
      return
    }
  }

  private func remove(
    _ found: [(key: String, entry: NodeEntry?)], in files: some NodeFiles, report: inout DeletionReport
  ) async throws {
    guard !found.isEmpty else { return }
    for (key, error) in zip(found.map(\.key), try await files.remove(found)) {
      if let error, error.kind != .noSuchKey {
        report.failures.append(.init(key: key, code: error.code, message: error.message))
      } else {
        report.deleted.append(key)
      }
    }
  }
}
