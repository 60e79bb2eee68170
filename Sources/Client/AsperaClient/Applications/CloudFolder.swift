// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
package import StorageAuth
internal import StorageClient

/// A workspace of Aspera on Cloud.
public struct CloudWorkspace: Sendable, Hashable, Identifiable {
  /// The ID of the workspace.
  public let id: String

  /// The name of the workspace.
  public let name: String

  /// The ID of the node that stores the user's home folder, or `nil` if the user has none in the workspace.
  public let homeNodeID: String?

  /// The file ID of the user's home folder on the node, or `nil` if the user has none in the workspace.
  public let homeFileID: String?

  /// Creates a workspace from a JSON document of Aspera on Cloud.
  init(_ document: JSONValue) throws(StorageError) {
    guard let id = document["id"]?.code, !id.isEmpty else { throw .malformedResponse("a workspace has no id") }
    self.id = id
    name = document["name"]?.string ?? ""
    homeNodeID = document["home_node_id"]?.code
    homeFileID = document["home_file_id"]?.code
  }
}

/// The home folder of a user in a workspace of Aspera on Cloud, with all that a client of its node needs.
public struct CloudFolder: Sendable {
  /// The workspace of the folder.
  public let workspace: CloudWorkspace

  /// The URL of the Node API.
  public let nodeURL: String

  /// The identifier of the access key on the node.
  public let accessKey: String

  /// The file ID of the folder on the node.
  public let fileID: String

  /// The host of the transfer server, or `nil` if it is that of the Node API.
  public let transferHost: String?

  /// The provider of the node's bearer tokens for the user.
  public let credentials: NodeGrantProvider

  /// The tags of transfers, with which Aspera on Cloud attributes them to the workspace.
  package let tags: JSONObject
}

extension CloudFolder {
  /// Returns the storage provider for the folder, with the tags and the transfer server of Aspera on Cloud.
  package func provider(root: String, transfers: AsperaTransferOptions) -> AsperaProvider {
    var transfers = transfers
    switch transfers.login {
    case .account: break
    case .tokenAccount, .dynamicKey, .webSocket: transfers.server.host = transfers.server.host ?? transferHost
    }
    var provider = AsperaProvider(node: nodeURL, root: root, rootFileID: fileID, transfers: transfers)
    provider.tags = [.send: tags(for: "upload_files"), .receive: tags(for: "download_files")]
    return provider
  }

  /// Returns the tags of transfers with the given action, as aspera-cli sends them.
  private func tags(for action: String) -> JSONObject {
    let more: JSONObject = ["aspera": ["files": ["files_transfer_action": .string(action)]]]
    return TransferSpec.merged(tags, more)
  }
}
