internal import AsperaAuth
internal import AsperaTransfer
internal import CloudCredentials
internal import StorageAuth

/// What the transfers of one client share: the queue, the issuer of their tokens, what they log in with.
final class TransferContext: Sendable {
  let queue: TransferQueue
  let issuer: SetupTokenIssuer
  let account: AsperaAccount
  /// What the node is told with each request for a transfer, so that it lets the account in.
  let publicKey: String?
  private let observation: AuthEvents.Observation

  /// Finds out what transfers are made with.
  ///
  /// - Throws: An `AsperaError` if there is no ascp, or no key to log in with; a `SigningError` for a node that was named
  ///   in a way that cannot be used.
  init(_ client: StorageClient<AsperaProvider>) throws {
    let address = try client.provider.address.get()
    let transfers = client.provider.transfers
    // The server that the node names takes the place of this one.
    let host = String(address.authority.prefix { $0 != ":" })
    switch transfers.login {
    case .tokenAccount(let keyPath, let passphrase):
      account = try .defaultTokenAccount(host: host, keyPath: keyPath, passphrase: passphrase, on: .system)
      publicKey = nil
    case .dynamicKey:
      let key = try DynamicKey()
      account = try AsperaAccount(
        host: host, user: AsperaAccount.defaultTokenUser, privateKey: key.privateKey, requiresToken: true)
      publicKey = key.publicKey
    case .account(let own):
      account = own
      publicKey = nil
    }
    issuer = SetupTokenIssuer(
      node: address.visible, access: client.credentials, tokenLifetime: transfers.tokenLifetime,
      transport: client.transport,
      time: client.time)
    // A transfer is told by the operation that it belongs to, with its key.
    let events = AuthEvents()
    observation = events.observe { [told = client.events] event in
      if case .transfer = event { return }
      told.emit(event)
    }
    queue = TransferQueue(
      engine: try transfers.engine ?? AscpEngine(program: transfers.ascp, time: client.time),
      configuration: transfers.queue, authEvents: events, time: client.time)
  }
}
