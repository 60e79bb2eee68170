// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

extension LocalCloud {
  /// The configuration of the Aspera node: its Node API, and the transfer desk that `ascp-simulator` uses.
  ///
  /// The permanent accounts of the server are access keys of the node as well, so that the default configuration is
  /// usable.
  public struct Aspera: Sendable {
    /// The port of the Node API; 0 selects a free port.
    public var port: Int

    /// The port of the transfer desk, reported by setup responses as both SSH and UDP port; 0 selects a free port.
    public var transferPort: Int

    /// The users of the Node API.
    public var users: [NodeUser]

    /// The access keys in addition to the accounts of the server; a key with the id of an account replaces it.
    public var accessKeys: [NodeAccessKey]

    /// The accounts for transfer logins; setup responses name the first one.
    ///
    /// If the list is empty, there is one account `xfer`: its password is the secret of the server's first account, its
    /// public keys come from setup calls, and each transfer requires a token.
    public var transferAccounts: [TransferAccount]

    /// The lifetime of every transfer token, or `nil` for the requested lifetime with a default of one day.
    public var tokenLifetime: Duration?

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - port: The port of the Node API; 0 selects a free port.
    ///   - transferPort: The port of the transfer desk; 0 selects a free port.
    ///   - users: The users of the Node API.
    ///   - accessKeys: The access keys in addition to the accounts of the server.
    ///   - transferAccounts: The accounts for transfer logins; if empty, there is one account `xfer`.
    ///   - tokenLifetime: The lifetime of every transfer token, or `nil` for the requested lifetime.
    public init(
      port: Int = 0, transferPort: Int = 0, users: [NodeUser] = [], accessKeys: [NodeAccessKey] = [],
      transferAccounts: [TransferAccount] = [], tokenLifetime: Duration? = nil
    ) {
      self.port = port
      self.transferPort = transferPort
      self.users = users
      self.accessKeys = accessKeys
      self.transferAccounts = transferAccounts
      self.tokenLifetime = tokenLifetime
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
      if let tokenLifetime, tokenLifetime < .zero {
        throw LocalCloudError("The lifetime of transfer tokens is negative; use zero for tokens that expire at once.")
      }
    }
  }

  /// A user of the Node API.
  public struct NodeUser: Sendable, Equatable {
    /// The user name.
    public var name: String

    /// The password.
    public var password: Secret

    /// Creates a user.
    ///
    /// - Parameters:
    ///   - name: The user name.
    ///   - password: The password, which must not be empty.
    public init(_ name: String, password: Secret) {
      self.name = name
      self.password = password
    }
  }

  /// An access key of the node.
  public struct NodeAccessKey: Sendable, Equatable {
    /// The id of the access key.
    public var id: String

    /// The secret of the access key.
    public var secret: Secret

    /// The public key in PEM format that verifies bearer tokens (`token_verification_key`).
    ///
    /// If it is `nil`, the node rejects all bearer tokens of this access key.
    public var tokenVerificationKey: String?

    /// Creates an access key.
    ///
    /// - Parameters:
    ///   - id: The id of the access key.
    ///   - secret: The secret of the access key, which must not be empty.
    ///   - tokenVerificationKey: The public key in PEM format that verifies bearer tokens, or `nil` to reject them.
    public init(id: String, secret: Secret, tokenVerificationKey: String? = nil) {
      self.id = id
      self.secret = secret
      self.tokenVerificationKey = tokenVerificationKey
    }
  }

  /// An account for transfer logins.
  public struct TransferAccount: Sendable, Equatable {
    /// The user name.
    public var user: String

    /// The password, or `nil` to disable logins with a password.
    public var password: Secret?

    /// The accepted public keys, each a line in the format of `authorized_keys`; setup calls add further keys.
    public var publicKeys: [String]

    /// Whether each transfer requires a token.
    public var requiresToken: Bool

    /// Creates an account.
    ///
    /// - Parameters:
    ///   - user: The user name.
    ///   - password: The password, or `nil` to disable logins with a password.
    ///   - publicKeys: The accepted public keys, each a line in the format of `authorized_keys`.
    ///   - requiresToken: Whether each transfer requires a token.
    public init(_ user: String, password: Secret? = nil, publicKeys: [String] = [], requiresToken: Bool = true) {
      self.user = user
      self.password = password
      self.publicKeys = publicKeys
      self.requiresToken = requiresToken
    }
  }
}
