// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import AsperaAuth
package import AsperaClient
import AsperaTransfer
package import LocalCloud
package import StorageClient
package import XCTest

/// The Aspera node of a running LocalCloud with the path of `ascp-simulator`.
package struct LocalNode {
  package static let user = "mia"
  package static let password = Secret("not-a-password")

  package let cloud: LocalCloud
  package let simulator: String

  package init(_ test: XCTestCase) async throws {
    SecretWatch.install()
    SecretWatch.add(Self.password)
    simulator = try Programs.path("ascp-simulator")
    let cloud = try await LocalCloud.start(
      .init(
        accounts: [.init(key)],
        aspera: .init(transferAccounts: [
          .init("xfer", password: key.secret), .init(Self.user, password: Self.password, requiresToken: false),
        ])))
    test.addTeardownBlock { await cloud.stop() }
    self.cloud = cloud
  }

  package func client(
    root: String = "/", login: AsperaTransferOptions.Login = .dynamicKey, events: EventHub = EventHub()
  ) -> StorageClient<AsperaProvider> {
    StorageClient(
      .aspera(
        node: cloud.nodeURL, access: .accessKey(id: key.id.string, secret: key.secret), root: root,
        transfers: AsperaTransferOptions(
          login: login, ascp: simulator, queue: TransferQueueConfiguration(startSpacing: .zero, retryDelay: .zero))),
      configuration: .test, transport: NetworkTransport.shared, events: events)
  }

  /// The account that requires no token.
  package func account(password: Secret = password) throws -> AsperaAccount {
    try AsperaAccount(
      host: "127.0.0.1", user: Self.user, password: password, sshPort: cloud.transferPort, udpPort: cloud.transferPort,
      hostKey: cloud.transferHostKey)
  }
}
