// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension AsperaOnCloudClient {
  /// Creates a client of the user's home folder in a workspace.
  ///
  /// ```swift
  /// let client = try await cloud.storage(workspace: "Film")
  /// try await client.upload("/film/day3.mov", to: "2026/11/day3.mov")
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of the workspace, or `nil` for the user's default workspace.
  ///   - root: The path, below the home folder, of the folder that object keys are relative to.
  ///   - transfers: The settings for file transfers: login, program and rates.
  ///   - configuration: The client's concurrency limits and retry settings.
  /// - Returns: A client whose bearer tokens are renewed with JWT grants.
  /// - Throws: The errors of ``homeFolder(inWorkspace:)``.
  public func storage(
    workspace name: String? = nil, root: String = "/", transfers: AsperaTransfers = AsperaTransfers(),
    configuration: StorageClientConfiguration = StorageClientConfiguration()
  ) async throws -> StorageClient<AsperaProvider> {
    let folder = try await homeFolder(inWorkspace: name)
    return StorageClient(
      folder.provider(root: root, transfers: transfers), credentials: folder.credentials,
      configuration: configuration, transport: api.transport)
  }
}

extension CloudFolder {
  /// Returns the storage provider for the folder, with the tags and the transfer server of Aspera on Cloud.
  func provider(root: String, transfers: AsperaTransfers) -> AsperaProvider {
    var transfers = transfers
    switch transfers.login {
    case .account: break
    case .tokenAccount, .dynamicKey, .webSocket: transfers.server.host = transfers.server.host ?? transferHost
    }
    var provider = AsperaProvider(node: nodeURL, root: root, rootFileID: fileID, transfers: transfers)
    provider.tags = tags
    return provider
  }
}
