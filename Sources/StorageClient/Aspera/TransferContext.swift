// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsperaTransfer
internal import CloudCredentials
internal import StorageAuth

/// The transfer queue, the token issuer and the login that all Aspera transfers of one client share.
final class TransferContext: Sendable {
  let queue: TransferQueue
  let issuer: SetupTokenIssuer
  /// The account that logs in, or `nil` if transfers use a WebSocket.
  let account: AsperaAccount?
  /// The public key that the node receives with each transfer request, so that the node admits the account.
  ///
  /// The public key is `nil` if the login uses no generated key pair.
  let publicKey: String?
  private let observation: AuthEvents.Observation

  /// Creates the transfer queue, the token issuer and the account from the settings of the client's provider.
  ///
  /// - Throws: An `AsperaError` if ascp or a key for the login is missing; a `SigningError` if the provider's URL or
  ///   root folder is invalid.
  init(_ client: StorageClient<AsperaProvider>) throws {
    let address = try client.provider.address.get()
    let transfers = client.provider.transfers
    // A placeholder: the node's response to a transfer request specifies the server.
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
    case .webSocket:
      account = nil
      publicKey = nil
    }
    issuer = SetupTokenIssuer(
      node: address.visible, access: client.credentials, tokenLifetime: transfers.tokenLifetime,
      transport: client.transport,
      time: client.time)
    // The operation that a transfer belongs to emits the transfer event, with its key.
    let events = AuthEvents()
    observation = events.observe { [told = client.events] event in
      if case .transfer = event { return }
      told.emit(event)
    }
    queue = TransferQueue(
      engine: try transfers.engine
        ?? AscpEngine(program: transfers.ascp, options: transfers.options, time: client.time),
      configuration: transfers.queue, authEvents: events, time: client.time)
  }
}
