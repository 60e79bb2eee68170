// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageJSON

extension CloudFolder {
  /// Returns the storage provider for the folder, with the tags and the transfer server of Aspera on Cloud.
  package func provider(root: String, transfers: AsperaTransfers) -> AsperaProvider {
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
