// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
public import AsperaTransfer
public import StorageAuth

/// The settings for file transfers to and from an Aspera node: login, program and rates.
///
/// ```swift
/// let client = StorageClient(
///   .aspera(node: "https://node.example.com:9092", transfers: AsperaTransfers(login: .dynamicKey, targetRate: 100_000)))
/// ```
public struct AsperaTransfers: Sendable {
  /// The account and key that transfers log in with.
  ///
  /// A server checks the login before it checks the transfer token.
  public enum Login: Sendable {
    /// The transfer user that the node specifies, with the private key that IBM's products install on this machine, or
    /// with another private key.
    ///
    /// - Parameters:
    ///   - keyPath: The path of the private key file. If `nil`, the directories where IBM's products install the key
    ///     are searched.
    ///   - passphrase: The passphrase of an encrypted private key. If `nil`, the value of `ASPERA_SCP_PASS`.
    case tokenAccount(keyPath: String? = nil, passphrase: Secret? = nil)
    /// The transfer user that the node specifies, with a key pair that the client generates.
    ///
    /// The node receives the public key with each transfer request, so no key from IBM's products is needed. Aspera
    /// servers support this login since version 4.4.
    case dynamicKey
    /// A separate account on the transfer server.
    ///
    /// A password is sent only to the host and the user that the account specifies.
    case account(AsperaAccount)
  }

  /// The account and key that transfers log in with.
  public var login: Login

  /// The address of the transfer server, as far as the node's own answer is not to be used.
  ///
  /// If the login is ``Login/account(_:)``, the account determines the server.
  public var server: TransferServer

  /// The path of the ascp program.
  ///
  /// If `nil`, the client searches for ascp.
  public var ascp: String?

  /// The engine that carries out transfers instead of ascp.
  ///
  /// If `nil`, ascp is used.
  public var engine: (any TransferEngine)?

  /// The target rate of a transfer, in kilobits per second.
  ///
  /// The server may set a lower rate.
  public var targetRate: Int?

  /// The minimum rate of a transfer, in kilobits per second.
  public var minimumRate: Int?

  /// The policy by which a transfer shares the bandwidth with other traffic.
  public var ratePolicy: RatePolicy?

  /// The requested lifetime of transfer tokens, in whole seconds.
  ///
  /// If `nil`, the node decides.
  public var tokenLifetime: Duration?

  /// The configuration of the transfer queue: the number of concurrent transfers, and the retries.
  public var queue: TransferQueueConfiguration

  /// Creates settings for file transfers.
  ///
  /// - Parameters:
  ///   - login: The account and key that transfers log in with.
  ///   - server: The address of the transfer server, as far as the node's own answer is not to be used.
  ///   - ascp: The path of the ascp program. If `nil`, the client searches for ascp.
  ///   - engine: The engine that carries out transfers instead of ascp. If `nil`, ascp is used.
  ///   - targetRate: The target rate of a transfer, in kilobits per second.
  ///   - minimumRate: The minimum rate of a transfer, in kilobits per second.
  ///   - ratePolicy: The policy by which a transfer shares the bandwidth with other traffic.
  ///   - tokenLifetime: The requested lifetime of transfer tokens, in whole seconds. If `nil`, the node decides.
  ///   - queue: The configuration of the transfer queue.
  public init(
    login: Login = .tokenAccount(), server: TransferServer = TransferServer(), ascp: String? = nil,
    engine: (any TransferEngine)? = nil, targetRate: Int? = nil, minimumRate: Int? = nil,
    ratePolicy: RatePolicy? = nil, tokenLifetime: Duration? = nil,
    queue: TransferQueueConfiguration = TransferQueueConfiguration(maximumActive: 4)
  ) {
    self.login = login
    self.server = server
    self.ascp = ascp
    self.engine = engine
    self.targetRate = targetRate
    self.minimumRate = minimumRate
    self.ratePolicy = ratePolicy
    self.tokenLifetime = tokenLifetime
    self.queue = queue
  }
}

extension AsperaTransfers {
  /// Sets the rates and the rate policy of a transfer specification.
  func put(into spec: inout TransferSpec) {
    spec.targetRate = targetRate
    spec.minimumRate = minimumRate
    spec.ratePolicy = ratePolicy
  }
}
