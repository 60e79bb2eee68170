// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

extension LocalCloud {
  /// The configuration of the simulated Aspera node: its Node API, and the transfer server that `ascp-simulator`
  /// connects to.
  ///
  /// The permanent accounts of the local server are access keys of the node as well, so that the default configuration
  /// is usable.
  public struct Aspera: Sendable {
    /// The port of the simulated Node API; 0 selects a free port.
    public var port: Int

    /// The port of the transfer server; 0 selects a free port.
    ///
    /// Responses to setup calls report this port as both the SSH and the UDP port.
    public var transferPort: Int

    /// The port of Aspera on Cloud and Faspex 5; 0 selects a free port.
    public var applicationsPort: Int

    /// The simulated organization of Aspera on Cloud, or `nil` if there is none.
    public var onCloud: AsperaOnCloud?

    /// The simulated Faspex 5, or `nil` if there is none.
    public var faspex: Faspex?

    /// The users who can call the Node API with a user name and password.
    public var users: [NodeUser]

    /// The node's access keys in addition to the permanent accounts of the local server.
    ///
    /// An access key with the ID of an account replaces the account's access key.
    public var accessKeys: [NodeAccessKey]

    /// The accounts for logins to the transfer server; setup responses specify the first account.
    ///
    /// If the list is empty, there is one account `xfer`: its password is the secret of the local server's first
    /// account, its public keys come from setup calls, and each transfer requires a token.
    public var transferAccounts: [TransferAccount]

    /// Whether the calls `/info` and `/files/download_setup` accept bearer tokens as well, which is the default.
    ///
    /// IBM's description of the Node API lists only Basic authorization for these calls, but IBM's client aspera-cli
    /// sends bearer tokens with `/info` before each transfer, and with `/files/download_setup` if its option
    /// `standard_ports` is `false`. The response to such a setup call describes the transfer server and has no token.
    public var infoAcceptsBearer: Bool

    /// The lifetime of every transfer token.
    ///
    /// If `nil`, a token has the lifetime that the setup call requests, or one day by default.
    public var tokenLifetime: Duration?

    /// Creates a configuration of the simulated Aspera node.
    ///
    /// - Parameters:
    ///   - port: The port of the Node API; 0 selects a free port.
    ///   - transferPort: The port of the transfer server; 0 selects a free port.
    ///   - users: The users of the Node API.
    ///   - accessKeys: The node's access keys in addition to the permanent accounts of the local server.
    ///   - transferAccounts: The accounts for logins to the transfer server. If empty, there is one account `xfer`.
    ///   - tokenLifetime: The lifetime of every transfer token, or `nil` to use the requested lifetime.
    ///   - applicationsPort: The port of Aspera on Cloud and Faspex 5; 0 selects a free port.
    ///   - onCloud: The simulated organization of Aspera on Cloud, or `nil` if there is none.
    ///   - faspex: The simulated Faspex 5, or `nil` if there is none.
    ///   - infoAcceptsBearer: Whether the calls `/info` and `/files/download_setup` accept bearer tokens as well.
    public init(
      port: Int = 0, transferPort: Int = 0, users: [NodeUser] = [], accessKeys: [NodeAccessKey] = [],
      transferAccounts: [TransferAccount] = [], tokenLifetime: Duration? = nil, applicationsPort: Int = 0,
      onCloud: AsperaOnCloud? = nil, faspex: Faspex? = nil, infoAcceptsBearer: Bool = true
    ) {
      self.applicationsPort = applicationsPort
      self.onCloud = onCloud
      self.faspex = faspex
      self.port = port
      self.transferPort = transferPort
      self.users = users
      self.accessKeys = accessKeys
      self.transferAccounts = transferAccounts
      self.tokenLifetime = tokenLifetime
      self.infoAcceptsBearer = infoAcceptsBearer
    }

    func check() throws(LocalCloudError) {
      for (kind, names) in [
        ("node user", users.map(\.name)), ("access key", accessKeys.map(\.id)),
        ("transfer account", transferAccounts.map(\.user)),
      ] {
        if names.contains(where: \.isEmpty) { throw LocalCloudError("A \(kind) of the node has no name; give it one.") }
        if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
          throw LocalCloudError("The \(kind) \"\(twice)\" of the node is listed twice; list it once.")
        }
      }
      if users.contains(where: \.password.isEmpty) || accessKeys.contains(where: \.secret.isEmpty) {
        throw LocalCloudError("A node user or an access key of the node has no password or no secret; give it one.")
      }
      for key in accessKeys { try key.check() }
      if let tokenLifetime, tokenLifetime < .zero {
        throw LocalCloudError("The lifetime of transfer tokens is negative; use zero for tokens that expire at once.")
      }
    }
  }

  /// A user of the simulated Node API, who authenticates with a password.
  public struct NodeUser: Sendable, Equatable {
    /// The user name for Basic authentication.
    public var name: String

    /// The password for Basic authentication.
    public var password: Secret

    /// Creates a user of the simulated Node API.
    ///
    /// - Parameters:
    ///   - name: The user name.
    ///   - password: The password, which must not be empty.
    public init(_ name: String, password: Secret) {
      self.name = name
      self.password = password
    }
  }

  /// An account for logins to the simulated transfer server.
  public struct TransferAccount: Sendable, Equatable {
    /// The user name of the account for logins to the transfer server.
    public var user: String

    /// The password of the account for logins to the transfer server, or `nil` to disable logins with a password.
    public var password: Secret?

    /// The public keys that the account can log in with, each as a line in the format of `authorized_keys`.
    ///
    /// Setup calls of the Node API can add further public keys.
    public var publicKeys: [String]

    /// A Boolean value that indicates whether each transfer of the account requires a token.
    public var requiresToken: Bool

    /// Creates an account for logins to the simulated transfer server.
    ///
    /// - Parameters:
    ///   - user: The user name.
    ///   - password: The password, or `nil` to disable logins with a password.
    ///   - publicKeys: The public keys for logins, each as a line in the format of `authorized_keys`.
    ///   - requiresToken: A Boolean value that indicates whether each transfer requires a token.
    public init(_ user: String, password: Secret? = nil, publicKeys: [String] = [], requiresToken: Bool = true) {
      self.user = user
      self.password = password
      self.publicKeys = publicKeys
      self.requiresToken = requiresToken
    }
  }
}
