// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension StorageClient<AsperaProvider> {
  /// Creates a folder and its parent folders on the node, and succeeds if the folder exists.
  ///
  /// An upload creates the folders that it needs.
  ///
  /// - Parameter key: The path of the folder below the root of the provider, without a trailing slash.
  /// - Throws: ``ServiceError`` if the node refuses the request, ``StorageError`` if the key is invalid, and the other
  ///   errors that ``ObjectStore`` lists.
  public func createFolder(_ key: String) async throws {
    try await NodeClient(client: self).createFolder(key)
  }

  /// Changes the name of a file or folder, which stays in its folder.
  ///
  /// ```swift
  /// try await client.rename("2026/cat.jpg", to: "dog.jpg")
  /// ```
  ///
  /// - Parameters:
  ///   - key: The path of the file or folder below the root of the provider, without a trailing slash.
  ///   - name: The new name, without a slash.
  /// - Throws: ``ServiceError`` if the node refuses the request, for example because a file with the new name exists,
  ///   ``StorageError`` if the key or the name is invalid, and the other errors that ``ObjectStore`` lists.
  public func rename(_ key: String, to name: String) async throws {
    try await NodeClient(client: self).rename(key, to: name)
  }

  /// Deletes a folder and its content from the node, and succeeds if the folder does not exist.
  ///
  /// - Parameter key: The path of the folder below the root of the provider, without a trailing slash.
  /// - Throws: ``ServiceError`` if the node refuses the request, ``StorageError`` if the key is invalid, and the other
  ///   errors that ``ObjectStore`` lists.
  public func deleteFolder(_ key: String) async throws {
    try await NodeClient(client: self).deleteFolder(key)
  }
}
