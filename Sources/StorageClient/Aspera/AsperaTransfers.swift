// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
public import AsperaTransfer
public import StorageAuth

/// The settings with which a client of a node transfers files: account, program and rates.
///
/// ```swift
/// let client = StorageClient(
///   .aspera(node: "https://node.example.com:9092", transfers: AsperaTransfers(login: .dynamicKey, targetRate: 100_000)))
/// ```
public struct AsperaTransfers: Sendable {
  /// The login of transfers; a server checks it before it checks the token.
  public enum Login: Sendable {
    /// The user that the node names, with the private key that IBM's products install on this machine, or another key.
    ///
    /// - Parameters:
    ///   - keyPath: The path of the key file; if `nil`, the directories where IBM's products install it are searched.
    ///   - passphrase: The passphrase of an encrypted key; if `nil`, the value of `ASPERA_SCP_PASS`.
    case tokenAccount(keyPath: String? = nil, passphrase: Secret? = nil)
    /// The user that the node names, with a key pair that the client generates.
    ///
    /// The node receives the public key with each transfer request. Servers since version 4.4 support this; no key of
    /// IBM's products is needed.
    case dynamicKey
    /// A separate account.
    ///
    /// A password is sent only to the host and the user of the account.
    case account(AsperaAccount)
  }

  /// The login of transfers.
  public var login: Login

  /// The path of ascp; if `nil`, the program is searched for.
  public var ascp: String?

  /// The engine that carries out transfers instead of ascp.
  public var engine: (any TransferEngine)?

  /// The target rate, in kilobits per second; the server may set a lower one.
  public var targetRate: Int?

  /// The minimum rate, in kilobits per second.
  public var minimumRate: Int?

  /// The policy by which a transfer shares the bandwidth with other traffic.
  public var ratePolicy: RatePolicy?

  /// The requested lifetime of tokens, in whole seconds; if `nil`, the node decides.
  public var tokenLifetime: Duration?

  /// The configuration of the transfer queue: the number of concurrent transfers, and the retries.
  public var queue: TransferQueueConfiguration

  /// Creates the settings.
  ///
  /// - Parameters:
  ///   - login: The login of transfers.
  ///   - ascp: The path of ascp; if `nil`, the program is searched for.
  ///   - engine: The engine that carries out transfers instead of ascp.
  ///   - targetRate: The target rate, in kilobits per second.
  ///   - minimumRate: The minimum rate, in kilobits per second.
  ///   - ratePolicy: The policy by which a transfer shares the bandwidth with other traffic.
  ///   - tokenLifetime: The requested lifetime of tokens, in whole seconds; if `nil`, the node decides.
  ///   - queue: The configuration of the transfer queue.
  public init(
    login: Login = .tokenAccount(), ascp: String? = nil, engine: (any TransferEngine)? = nil, targetRate: Int? = nil,
    minimumRate: Int? = nil, ratePolicy: RatePolicy? = nil, tokenLifetime: Duration? = nil,
    queue: TransferQueueConfiguration = TransferQueueConfiguration(maximumActive: 4)
  ) {
    self.login = login
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
  /// Copies the rates and the rate policy into a transfer specification.
  func put(into spec: inout TransferSpec) {
    spec.targetRate = targetRate
    spec.minimumRate = minimumRate
    spec.ratePolicy = ratePolicy
  }
}
