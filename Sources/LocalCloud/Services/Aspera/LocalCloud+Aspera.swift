public import StorageAuth

extension LocalCloud {
  /// What the Aspera node knows: its Node API, and the desk that `ascp-simulator` transfers files with.
  ///
  /// The permanent accounts of the server are access keys of the node as well, so that nothing has to be set to begin
  /// with.
  public struct Aspera: Sendable {
    /// The port of the Node API; 0 picks a free one.
    public var port: Int

    /// The port of the transfer desk, which the setup answers name as SSH port and UDP port; 0 picks a free one.
    public var transferPort: Int

    /// The users of the Node API.
    public var users: [NodeUser]

    /// The access keys, besides those that the accounts of the server are; one with the id of an account takes its place.
    public var accessKeys: [NodeAccessKey]

    /// The accounts that transfers log in with; the first is the one that the setup answers name.
    ///
    /// Without any there is `xfer`: the secret of the first account of the server is its password, keys are those that
    /// setup calls bring with them, and every transfer needs a token.
    public var transferAccounts: [TransferAccount]

    /// The life of every transfer token, whatever is asked for; nothing for what is asked for, or a day.
    public var tokenLifetime: Duration?

    /// Makes the settings.
    ///
    /// - Parameters:
    ///   - port: The port of the Node API; 0 picks a free one.
    ///   - transferPort: The port of the transfer desk; 0 picks a free one.
    ///   - users: The users of the Node API.
    ///   - accessKeys: The access keys, besides those that the accounts of the server are.
    ///   - transferAccounts: The accounts that transfers log in with; `xfer` if there is none.
    ///   - tokenLifetime: The life of every transfer token, whatever is asked for.
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
          throw LocalCloudError("The \(kind) \"\(twice)\" of the node is there twice; name it once.")
        }
      }
      if users.contains(where: \.password.isEmpty) || accessKeys.contains(where: \.secret.isEmpty) {
        throw LocalCloudError("A node user or an access key of the node has no password or no secret; give it one.")
      }
      if let tokenLifetime, tokenLifetime < .zero {
        throw LocalCloudError("Transfer tokens cannot live less than no time; use zero for tokens that end at once.")
      }
    }
  }

  /// A user of the Node API.
  public struct NodeUser: Sendable, Equatable {
    /// The name.
    public var name: String

    /// The password.
    public var password: Secret

    /// Makes a user.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - password: The password; it may not be empty.
    public init(_ name: String, password: Secret) {
      self.name = name
      self.password = password
    }
  }

  /// An access key of the node.
  public struct NodeAccessKey: Sendable, Equatable {
    /// The id.
    public var id: String

    /// The secret.
    public var secret: Secret

    /// The public key in PEM that its bearer tokens are verified with (`token_verification_key`); without one there are
    /// none.
    public var tokenVerificationKey: String?

    /// Makes an access key.
    ///
    /// - Parameters:
    ///   - id: The id.
    ///   - secret: The secret.
    ///   - tokenVerificationKey: The public key in PEM that its bearer tokens are verified with.
    public init(id: String, secret: Secret, tokenVerificationKey: String? = nil) {
      self.id = id
      self.secret = secret
      self.tokenVerificationKey = tokenVerificationKey
    }
  }

  /// An account that transfers log in with.
  public struct TransferAccount: Sendable, Equatable {
    /// The name of the user.
    public var user: String

    /// The password; without one nobody logs in with a password.
    public var password: Secret?

    /// The public keys that are let in, each a line as in `authorized_keys`; setup calls add to them.
    public var publicKeys: [String]

    /// Whether each transfer needs a token.
    public var requiresToken: Bool

    /// Makes an account.
    ///
    /// - Parameters:
    ///   - user: The name of the user.
    ///   - password: The password; without one nobody logs in with a password.
    ///   - publicKeys: The public keys that are let in, each a line as in `authorized_keys`.
    ///   - requiresToken: Whether each transfer needs a token.
    public init(_ user: String, password: Secret? = nil, publicKeys: [String] = [], requiresToken: Bool = true) {
      self.user = user
      self.password = password
      self.publicKeys = publicKeys
      self.requiresToken = requiresToken
    }
  }
}
