// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import AsperaTransfer
import ExampleSupport
import LocalCloud
import StorageClient

/// An organization of Aspera on Cloud and its Faspex 5 in LocalCloud, with two users who have the same key.
struct LocalOrganization {
  static let sender = "mia@example.com"

  let cloud: LocalCloud
  private let simulator: String
  private let key: JWTSigningKey
  private static let clientSecret = Secret("example-client-secret")
  private static let account = AccessKey(id: "example-id", secret: "example-secret")

  init(recipient: String) async throws {
    simulator = try ExampleNode.simulator()
    let pair = try DynamicKey()
    key = try JWTSigningKey(pair.privateKey, on: .system)
    let publicKey = key.publicKeyPEM
    let users = [Self.sender, recipient].map { LocalCloud.OAuthUser($0, publicKeys: [publicKey]) }
    cloud = try await LocalCloud.start(
      .init(
        accounts: [.init(Self.account)],
        aspera: .init(
          onCloud: .init(
            organization: "acme", clients: [.init("client", secret: Self.clientSecret, requiresSecret: true)],
            users: users, workspaces: ["Default", "Film"], accessKey: Self.account.id.string,
            nodeKey: NodeBearerKey(pair.privateKey, on: .system)),
          faspex: .init(clients: [.init("client")], users: users))))
  }

  /// The client of the user who owns the files and sends the package.
  var client: AsperaOnCloudClient {
    AsperaOnCloudClient(
      organization: "acme", user: Self.sender, clientID: "client", clientSecret: Self.clientSecret, key: key,
      apiURL: cloud.asperaOnCloudURL)
  }

  /// The settings for transfers with `ascp-simulator`.
  var transfers: AsperaTransferOptions {
    get throws {
      AsperaTransferOptions(
        login: .account(
          try AsperaAccount(
            host: "127.0.0.1", user: "xfer", password: Self.account.secret, sshPort: cloud.transferPort,
            udpPort: cloud.transferPort, hostKey: cloud.transferHostKey, requiresToken: true)),
        ascp: simulator)
    }
  }

  func faspex(_ user: String) throws -> FaspexClient {
    FaspexClient(url: cloud.faspexURL, user: user, clientID: "client", key: key, transfers: try transfers)
  }
}
