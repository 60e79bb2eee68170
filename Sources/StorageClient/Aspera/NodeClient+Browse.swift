// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import HTTPTypes
internal import StorageAuth
internal import StorageJSON

extension NodeClient {
  /// The maximum number of files that are listed from one folder, because they are sorted in memory.
  private static let mostEntries = 1_000_000

  /// The error code for a key that refers to a folder instead of an object.
  static let folderCode = "IsFolder"
  static let folderMessage = "The key names a folder, which is not an object."

  /// Requests the description of an object from the node.
  func head(_ key: String, headers: HTTPFields) async throws -> ObjectInfo {
    try StorageError.refuse([("headers", !headers.isEmpty)])
    let path = try path(key)
    let (response, answer) = try await call("browse", key, ["path": .string(path), "count": 1])
    let entry = try NodeEntry(answer["self"] ?? .null)
    guard !entry.isFolder else { throw folder(key, response) }
    return ObjectInfo(key: key, entry)
  }

  /// Lists objects in the byte order of their keys, by walking through the folders of the node.
  func list(prefix: String, delimiter: String?) -> ObjectListing {
    ObjectListing {
      let walk = FolderWalk(
        store: self, prefix: prefix, delimiter: delimiter, limit: client.configuration.keysPerPage)
      return { _ in try await walk.page() }
    }
  }

  /// Returns the unsorted entries of a folder, or `nil` if the folder does not exist or is a file.
  func entries(ofFolder key: String) async throws -> [NodeEntry]? {
    let limit = client.configuration.keysPerPage
    var entries: [NodeEntry] = []
    while true {
      let answer: JSONValue
      do {
        answer = try await call(
          "browse", key,
          [
            "path": .string(NodePath.join(key, below: provider.root)), "count": .number(JSONNumber(limit)),
            "skip": .number(JSONNumber(entries.count)),
          ]
        ).1
      } catch let error as ServiceError where error.kind == .noSuchKey && !key.isEmpty {
        return nil
      }
      guard try NodeEntry(answer["self"] ?? .null).isFolder else { return nil }
      let items = answer["items"]?.array ?? []
      for item in items { entries.append(try NodeEntry(item)) }
      guard !items.isEmpty, entries.count < answer["total_count"]?.integer ?? entries.count else { return entries }
      guard entries.count < Self.mostEntries else {
        throw StorageError(
          .tooLarge, "\(client.location(ofKey: key)) has more than \(Self.mostEntries) files.",
          remedy: "List folders with fewer files in them.")
      }
    }
  }

  /// Creates the error for a key that refers to a folder instead of an object.
  func folder(_ key: String, _ response: HTTPResponse) -> ServiceError {
    var response = response
    response.status = .notFound
    return ServiceError(
      response, code: Self.folderCode, message: Self.folderMessage, kind: .noSuchKey,
      subject: "browse \(client.location(ofKey: key))")
  }
}
