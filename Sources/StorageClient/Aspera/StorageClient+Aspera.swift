extension StorageClient<AsperaProvider> {
  /// Makes a folder, and those that it is in; it is no error if it is there.
  ///
  /// An upload makes the folders that it needs by itself.
  ///
  /// - Parameter key: The path of the folder below the root of the provider, without a slash at its end.
  public func createFolder(_ key: String) async throws {
    try await NodeClient(client: self).createFolder(key)
  }

  /// Deletes a folder with everything in it; it is no error if there is none.
  ///
  /// - Parameter key: The path of the folder below the root of the provider, without a slash at its end.
  public func deleteFolder(_ key: String) async throws {
    try await NodeClient(client: self).deleteFolder(key)
  }
}
