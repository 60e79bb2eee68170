// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import HTTPTypes
internal import StorageAuth
internal import StorageJSON

/// The maximum number of paths in one deletion request.
private let batchSize = 1000

extension NodeClient {
  /// Deletes an object, succeeds if the object does not exist, and throws an error if the key refers to a folder.
  func delete(_ key: String) async throws {
    do {
      _ = try await head(key)
    } catch let error as ServiceError where error.kind == .noSuchKey {
      if error.code == Self.folderCode { throw error }
      return
    }
    try await deletePath(key)
  }

  /// Deletes objects, and succeeds for keys that do not exist.
  ///
  /// A node deletes a folder together with its content. The client therefore checks first whether each key refers to a
  /// file or a folder.
  func delete(_ keys: [String]) async throws -> DeletionReport {
    for key in keys { _ = try path(key) }
    var report = DeletionReport()
    for start in stride(from: 0, to: keys.count, by: batchSize) {
      let batch = keys[start..<min(start + batchSize, keys.count)]
      let found = try await kinds(of: batch)
      for key in batch where found[key] == .folder {
        report.failures.append(.init(key: key, code: Self.folderCode, message: Self.folderMessage))
      }
      report.deleted += batch.filter { found[$0] == nil }
      try await deletePaths(batch.filter { found[$0] == .file }, report: &report)
    }
    return report
  }

  /// Creates a folder and its parent folders, and succeeds if the folder exists.
  ///
  /// A node creates a folder only in an existing folder, and reports an error for a folder that exists.
  func createFolder(_ key: String) async throws {
    _ = try path(key)
    var folders: [String] = []
    for name in key.split(separator: "/") { folders.append((folders.last.map { $0 + "/" } ?? "") + name) }
    let elements = folders.map {
      ["path": .string(NodePath.join($0, below: provider.root)), "type": "directory"] as JSONValue
    }
    let (response, answer) = try await call("create", key, ["paths": .array(elements)])
    guard let refusal = answer["paths"]?.array?.last.flatMap({ NodeRefusal(of: $0) }) else { return }
    if try await kinds(of: [key])[key] == .folder { return }
    throw ServiceError(refusal, in: response, subject: "create \(client.location(ofKey: key))")
  }

  /// Deletes a folder and its content, and succeeds if the folder does not exist.
  func deleteFolder(_ key: String) async throws {
    _ = try path(key)
    try await deletePath(key)
  }

  private enum Kind: Sendable { case file, folder }

  /// Returns whether each existing key refers to a file or a folder.
  ///
  /// Keys that do not exist are left out.
  private func kinds(of keys: ArraySlice<String>) async throws -> [String: Kind] {
    try await withThrowingTaskGroup(of: (String, Kind?).self) { group in
      for key in Set(keys) {
        group.addTask {
          do {
            _ = try await head(key)
            return (key, .file)
          } catch let error as ServiceError where error.kind == .noSuchKey {
            return (key, error.code == Self.folderCode ? .folder : nil)
          }
        }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
  }

  private func deletePath(_ key: String) async throws {
    do {
      let (response, results) = try await results(of: [key])
      guard let refusal = results[0] else { return }
      throw ServiceError(refusal, in: response, subject: "delete \(client.location(ofKey: key))")
    } catch let error as ServiceError where error.kind == .noSuchKey {
      return
    }
  }

  private func deletePaths(_ keys: [String], report: inout DeletionReport) async throws {
    guard !keys.isEmpty else { return }
    for (key, refusal) in zip(keys, try await results(of: keys).1) {
      if let refusal, refusal.status != 404 {
        let code = refusal.code ?? refusal.reason ?? "Error"
        report.failures.append(.init(key: key, code: code, message: refusal.shown ?? "The node refused."))
      } else {
        report.deleted.append(key)
      }
    }
  }

  /// Deletes the files and folders with the given keys, and returns the node's error for each key, or `nil` for
  /// success.
  private func results(of keys: [String]) async throws -> (HTTPResponse, [NodeRefusal?]) {
    let paths = keys.map { ["path": .string(NodePath.join($0, below: provider.root))] as JSONValue }
    let (response, answer) = try await call("delete", keys.count == 1 ? keys[0] : "", ["paths": .array(paths)])
    guard let results = answer["paths"]?.array, results.count == keys.count else {
      throw StorageError.malformedAnswer("it does not contain a result for each file")
    }
    return (response, results.map { NodeRefusal(of: $0) })
  }
}
