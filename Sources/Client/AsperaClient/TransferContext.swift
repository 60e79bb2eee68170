// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsperaTransfer
internal import CredentialSources
internal import StorageAuth
internal import StorageClient

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
  /// The host that the caller specified for transfers, or the host of the node's URL.
  let host: String
  private let server: TransferServer
  /// The user of the account that the caller specified, or `nil` if the node specifies the user.
  let ownUser: String?
  private let observation: EventHub.Observation

  /// Creates the transfer queue, the token issuer and the account from the settings of the sender's provider.
  ///
  /// - Throws: An `AsperaError` if ascp or a key for the login is missing; a `SigningError` if the provider's URL or
  ///   root folder is invalid; a `StorageError` if the login excludes a part of the server's address.
  init(_ sender: RequestSender<AsperaProvider>) throws {
    let address = try sender.provider.address.get()
    let transfers = sender.provider.transfers
    try transfers.checkServer()
    let server = transfers.server
    host = server.host ?? Self.host(of: address.authority)
    let sshPort = server.sshPort ?? AsperaAccount.defaultPort
    let udpPort = server.udpPort ?? AsperaAccount.defaultPort
    switch transfers.login {
    case .tokenAccount(let keyPath, let passphrase):
      var account = try AsperaAccount.defaultTokenAccount(
        host: host, keyPath: keyPath, passphrase: passphrase, sshPort: sshPort, udpPort: udpPort,
        hostKey: server.hostKey, on: .system)
      account.isHostAssumed = server.host == nil
      self.account = account
      (publicKey, ownUser) = (nil, nil)
    case .dynamicKey:
      // The key only shows that the client is an Aspera client, and it ends with the sender. The token of each transfer
      // authorizes it, so that a longer key would only cost time.
      let key = try DynamicKey(bits: 2_048)
      var account = try AsperaAccount(
        host: host, user: AsperaAccount.defaultTokenUser, privateKey: key.privateKey, sshPort: sshPort,
        udpPort: udpPort, hostKey: server.hostKey, requiresToken: true)
      account.isHostAssumed = server.host == nil
      self.account = account
      (publicKey, ownUser) = (key.publicKey, nil)
    case .account(let own):
      account = own
      (publicKey, ownUser) = (nil, own.user)
    case .webSocket:
      account = nil
      (publicKey, ownUser) = (nil, nil)
    }
    self.server = server
    issuer = SetupTokenIssuer(
      node: address.visible, access: sender.credentials, tokenLifetime: transfers.tokenLifetime)
    // The operation that a transfer belongs to emits the transfer event, with its key.
    let events = EventHub(measuredBy: sender.events)
    observation = events.observe { [told = sender.events] event in
      if case .transfer = event { return }
      told.relay(event)
    }
    queue = TransferQueue(
      engine: try transfers.engine
        ?? PlatformEngine.make(program: transfers.ascp, options: transfers.options, time: sender.time),
      configuration: transfers.queue, authEvents: events, in: .system(sender.transport, sender.time))
  }

  /// Returns a transfer whose token and server the node determines in its response to a setup request.
  func prepared(_ specification: TransferSpec) -> PreparedTransfer {
    var specification = specification
    specification.publicKey = publicKey
    if account == nil { specification.remoteHost = server.host }
    specification.sshPort = server.sshPort
    specification.udpPort = server.udpPort
    return PreparedTransfer(specification: specification, issuer: issuer)
  }

  /// Returns the host of an authority, without a port and without the brackets of an IPv6 address.
  static func host(of authority: String) -> String {
    guard let address = authority.removingBytePrefix("[") else { return String(authority.bytes(before: ":")) }
    return String(address.bytes(before: "]"))
  }
}
