// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import AsperaTransfer
import ClientTestSupport
import LocalCloud
import StorageClient
import XCTest

/// LocalCloud with Aspera on Cloud and Faspex 5, and clients of them.
struct LocalApplications {
  let cloud: LocalCloud
  let simulator: String
  let key: JWTSigningKey

  init(
    _ test: XCTestCase, rules: LocalCloud.GrantRules = .init(),
    clock: @escaping @Sendable () -> Timestamp = { .now }
  ) async throws {
    SecretWatch.install()
    simulator = try Programs.path("ascp-simulator")
    guard case .pem(let pem) = try DynamicKey(bits: 2_048).privateKey.source else {
      throw XCTSkip("A generated key is always in memory.")
    }
    key = try JWTSigningKey(pem: pem)
    let clients = [LocalCloud.OAuthClient("client-1", secret: Secret("not-a-client-secret"), requiresSecret: true)]
    let publicKey = key.publicKeyPEM
    let users = ["mia@example.com", "noa@example.com"].map { email in
      LocalCloud.OAuthUser(email, publicKeys: [publicKey])
    }
    SecretWatch.add(Secret("not-a-client-secret"))
    let cloud = try await LocalCloud.start(
      .init(
        accounts: [.init(ClientTestSupport.key)],
        aspera: .init(
          onCloud: .init(
            organization: "acme", clients: clients, users: users, workspaces: ["Default", "Film"],
            accessKey: ClientTestSupport.key.id.string, nodeKey: try NodeBearerKey(pem: pem), rules: rules),
          faspex: .init(clients: [.init("client-1")], users: users, rules: rules)), clock: clock))
    test.addTeardownBlock { await cloud.stop() }
    self.cloud = cloud
  }

  func faspex(_ user: String) throws -> FaspexClient {
    try FaspexClient(
      url: cloud.faspexURL, user: user, clientID: "client-1", key: key,
      transfers: AsperaTransferOptions(
        login: .account(account()), ascp: simulator,
        queue: TransferQueueConfiguration(startSpacing: .zero, retryDelay: .zero)),
      transport: NetworkTransport.shared)
  }

  /// The account of the transfer server, which requires a token.
  func account() throws -> AsperaAccount {
    try AsperaAccount(
      host: "127.0.0.1", user: "xfer", password: ClientTestSupport.key.secret, sshPort: cloud.transferPort,
      udpPort: cloud.transferPort, hostKey: cloud.transferHostKey, requiresToken: true)
  }

  func onCloud(
    _ user: String = "mia@example.com", secret: String = "not-a-client-secret",
    transport: any HTTPTransport = NetworkTransport.shared
  ) -> AsperaOnCloudClient {
    AsperaOnCloudClient(
      organization: "acme", user: user, clientID: "client-1", clientSecret: Secret(secret), key: key,
      apiURL: cloud.asperaOnCloudURL, transport: transport)
  }
}
