// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import AsperaTransfer
import ClientTestSupport
import StorageAuthTesting
import StorageClient

let nodeAccess = AsperaNodeAccess.basic(user: "mia", password: Secret("not-a-password"))
let nodeURL = "http://127.0.0.1:9"

/// Returns a client of a node over a transport without a network.
func asperaClient(
  _ transport: any HTTPTransport, engine: (any TransferEngine)? = nil, node: String = nodeURL, root: String = "/",
  login: AsperaTransferOptions.Login = .dynamicKey, events: EventHub = EventHub(),
  time: any SigningClock = RushingTime()
) -> StorageClient<AsperaProvider> {
  SecretWatch.install()
  SecretWatch.add(Secret("not-a-password"))
  SecretWatch.add(Secret("ATM2_token"))
  return StorageClient(
    .aspera(node: node, root: root, transfers: AsperaTransferOptions(login: login, engine: engine)),
    credentials: nodeAccess,
    configuration: .test, transport: transport, events: events, time: time)
}

extension AsperaTransferOptions.Login {
  /// An account with a password, for the host and the user that a ``NodeService`` names.
  static func password() throws -> AsperaTransferOptions.Login {
    .account(try AsperaAccount(host: "files.example.com", user: "xfer", password: Secret("not-a-password")))
  }
}
