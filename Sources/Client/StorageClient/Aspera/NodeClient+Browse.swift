// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

extension NodeClient {
  /// The error code for a key that refers to a folder instead of an object.
  static let folderCode = "IsFolder"
  static let folderMessage = "The key names a folder, which is not an object."

  /// Requests the description of an object from the node.
  func head(_ key: String, headers: HTTPFields) async throws -> ObjectInfo {
    try StorageError.refuse([("headers", !headers.isEmpty)])
    try check(key)
    let entry = try await files.entry(key)
    guard !entry.isFolder else {
      throw notFound(key, code: Self.folderCode, Self.folderMessage)
    }
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
  func entries(ofFolder key: String) async throws -> [NodeEntry]? { try await files.entries(ofFolder: key) }

  /// Creates the error for a key without an object.
  func notFound(_ key: String, code: String, _ message: String) -> ServiceError {
    ServiceError(
      HTTPResponse(status: .notFound), code: code, message: message, kind: .noSuchKey,
      subject: "browse \(client.location(ofKey: key))")
  }
}
