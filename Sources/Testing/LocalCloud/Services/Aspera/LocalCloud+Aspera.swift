// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
public import StorageAuth
internal import StorageCrypto

extension LocalCloud {
  /// The configuration of the simulated Aspera node: its Node API, and the transfer server for `ascp-simulator`.
  ///
  /// The permanent accounts of the local server are access keys of the node as well.
  public struct Aspera: Sendable {
    /// The port of the simulated Node API; 0 selects a free port.
    public var port: Int
    /// The port of the transfer server, which setup calls report as SSH and UDP port; 0 selects a free port.
    public var transferPort: Int
    /// The port of Aspera on Cloud and Faspex 5; 0 selects a free port.
    public var applicationsPort: Int
    /// The simulated organization of Aspera on Cloud, or `nil` if there is none.
    public var onCloud: AsperaOnCloud?
    /// The simulated Faspex 5, or `nil` if there is none.
    public var faspex: Faspex?
    /// The users who can call the Node API with a user name and password.
    public var users: [NodeUser]
    /// The node's access keys in addition to the local server's permanent accounts, which they replace by ID.
    public var accessKeys: [NodeAccessKey]

    /// The accounts for logins to the transfer server; setup responses specify the first account.
    ///
    /// If the list is empty, there is one account `xfer`: its password is the secret of the local server's first
    /// enabled account without a number, its public keys come from setup calls, and each transfer requires a token.
    public var transferAccounts: [TransferAccount]

    /// Whether the calls `/info` and `/files/download_setup` accept bearer tokens as well, which aspera-cli sends.
    ///
    /// IBM's description of the Node API lists only Basic authorization for these calls. The response to a setup call
    /// with a bearer token has no token.
    public var infoAcceptsBearer: Bool

    /// The lifetime of every transfer token, or `nil` for the one that the setup call requests, by default one day.
    public var tokenLifetime: Duration?

    /// Creates a configuration of the simulated Aspera node; the parameters are the properties.
    public init(
      port: Int = 0, transferPort: Int = 0, users: [NodeUser] = [], accessKeys: [NodeAccessKey] = [],
      transferAccounts: [TransferAccount] = [], tokenLifetime: Duration? = nil, applicationsPort: Int = 0,
      onCloud: AsperaOnCloud? = nil, faspex: Faspex? = nil, infoAcceptsBearer: Bool = true
    ) {
      (self.applicationsPort, self.onCloud, self.faspex, self.port) = (applicationsPort, onCloud, faspex, port)
      (self.transferPort, self.users, self.accessKeys) = (transferPort, users, accessKeys)
      (self.transferAccounts, self.tokenLifetime) = (transferAccounts, tokenLifetime)
      self.infoAcceptsBearer = infoAcceptsBearer
    }

    func check() throws(LocalCloudError) {
      try Self.checkNames(users.map(\.name), of: "node user", in: "the node")
      try Self.checkNames(accessKeys.map(\.id), of: "access key", in: "the node")
      try Self.checkNames(transferAccounts.map(\.user), of: "transfer account", in: "the node")
      try LocalCloudError.require(
        !users.contains(where: \.password.isEmpty) && !accessKeys.contains(where: \.secret.isEmpty),
        "A node user or an access key of the node has no password or no secret; give it one.")
      for key in accessKeys { try key.check() }
      try LocalCloudError.require(
        tokenLifetime ?? .zero >= .zero,
        "The lifetime of transfer tokens is negative; use zero for tokens that expire at once.")
    }
  }

  /// A user of the simulated Node API, who authenticates with a password.
  public struct NodeUser: Sendable, Equatable {
    /// The user name for Basic authentication.
    public var name: String
    /// The password for Basic authentication, which must not be empty.
    public var password: Secret

    /// Creates a user of the simulated Node API; the parameters are the properties.
    public init(_ name: String, password: Secret) { (self.name, self.password) = (name, password) }
  }

  /// An account for logins to the simulated transfer server.
  public struct TransferAccount: Sendable, Equatable {
    /// The user name of the account for logins to the transfer server.
    public var user: String
    /// The password of the account for logins to the transfer server, or `nil` to disable logins with a password.
    public var password: Secret?
    /// The public keys that the account can log in with, as lines of `authorized_keys`; setup calls can add others.
    public var publicKeys: [String]
    /// Whether each transfer of the account requires a token.
    public var requiresToken: Bool

    /// Creates an account for logins to the simulated transfer server; the parameters are the properties.
    public init(_ user: String, password: Secret? = nil, publicKeys: [String] = [], requiresToken: Bool = true) {
      (self.user, self.password, self.publicKeys, self.requiresToken) = (user, password, publicKeys, requiresToken)
    }
  }

  /// An access key of the simulated Aspera node.
  public struct NodeAccessKey: Sendable, Equatable {
    /// The ID of the access key, which serves as the user name for Basic authentication.
    public var id: String
    /// The secret of the access key, which serves as the password for Basic authentication and must not be empty.
    public var secret: Secret
    /// The public key, in PEM, that verifies bearer tokens (`token_verification_key`), or `nil` to reject all of them.
    public var tokenVerificationKey: String?
    /// The path of the folder, created if necessary, in which the callers name and see files (`storage.path`).
    public var path: String

    /// The initial permissions of the access key's users, to which calls of `/permissions` add others.
    ///
    /// For each file, a bearer token whose scope ends in `user:all` needs a permission of its user or a group of the
    /// user. A token whose scope ends in `admin:all`, and the access key itself, need no permission.
    public var permissions: [NodePermission]

    /// Creates an access key of the simulated Aspera node; the parameters are the properties.
    public init(
      id: String, secret: Secret, tokenVerificationKey: String? = nil, path: String = "/",
      permissions: [NodePermission] = []
    ) {
      (self.id, self.secret, self.tokenVerificationKey, self.path) = (id, secret, tokenVerificationKey, path)
      self.permissions = permissions
    }

    func check() throws(LocalCloudError) {
      try LocalCloudError.require(
        NodePath(path) != nil, "The path of the access key \"\(id)\" leads out of the root; choose another one.")
      try LocalCloudError.require(
        permissions.count <= FileRegister.permissionLimit,
        "The access key \"\(id)\" has more than \(FileRegister.permissionLimit) permissions; give it fewer.")
      for permission in permissions {
        try LocalCloudError.require(
          NodePath(permission.path) != nil && !permission.grantee.id.isEmpty && !permission.levels.isEmpty,
          "A permission of the access key \"\(id)\" has no grantee, no levels, or a path that leads out of the root; "
            + "give it all three.")
      }
    }
  }

  /// The rights of a user or a group on a file of the simulated Aspera node, or on a folder and everything below it.
  public struct NodePermission: Sendable, Equatable {
    /// A right on a file or folder (`access_levels`), as in IBM's description of the Node API 4.4.6.
    public enum AccessLevel: String, Sendable, CaseIterable {
      /// Lists a folder and describes its files.
      case list
      /// Reads the content of files, and downloads them.
      case read
      /// Creates files, and uploads them.
      case write
      /// Deletes files and folders.
      case delete
      /// Creates folders.
      case mkdir
      /// Renames files and folders.
      case rename
      /// Reads previews of files.
      case preview
    }

    /// The user or the group that a permission refers to.
    public enum Grantee: Sendable, Equatable {
      /// The user with an ID, which bearer tokens contain as `user_id`.
      case user(String)
      /// The group with an ID, which bearer tokens contain in `group_ids`.
      case group(String)

      /// The ID of the user or of the group.
      public var id: String {
        switch self {
        case .user(let id), .group(let id): id
        }
      }
    }

    /// The user or the group that the permission refers to.
    public var grantee: Grantee
    /// The rights that the permission grants.
    public var levels: Set<AccessLevel>
    /// The path, relative to the root of the access key, of a file or of a folder, which is created if necessary.
    public var path: String

    /// Creates a permission of the simulated Aspera node; the parameters are the properties.
    public init(_ grantee: Grantee, levels: Set<AccessLevel> = Set(AccessLevel.allCases), path: String = "/") {
      (self.grantee, self.levels, self.path) = (grantee, levels, path)
    }
  }

  /// A client of the API of Aspera on Cloud or Faspex 5, which is allowed to use JWT grants.
  public struct OAuthClient: Sendable, Equatable {
    /// The ID of the client, which is the issuer of its assertions.
    public var id: String
    /// The secret of the client, or `nil` if the client has none.
    public var secret: Secret?
    /// Whether the client must send its secret with each JWT grant; a secret that it sends is checked in any case.
    public var requiresSecret: Bool

    /// Creates a client of an API; the parameters are the properties.
    public init(_ id: String, secret: Secret? = nil, requiresSecret: Bool = false) {
      (self.id, self.secret, self.requiresSecret) = (id, secret, requiresSecret)
    }
  }

  /// A user of Aspera on Cloud or Faspex 5.
  public struct OAuthUser: Sendable, Equatable {
    /// The e-mail address of the user, which is the subject of the user's assertions.
    public var email: String
    /// The name of the user for display.
    public var name: String
    /// The registered public keys of the user, in PEM.
    public var publicKeys: [String]

    /// Creates a user, whose `name` is the e-mail address if it is `nil`; the parameters are the properties.
    public init(_ email: String, name: String? = nil, publicKeys: [String]) {
      self.email = email
      self.name = name ?? email
      self.publicKeys = publicKeys
    }
  }

  /// The rules for JWT grants and the tokens that they lead to.
  public struct GrantRules: Sendable, Equatable {
    /// The accepted signature algorithms of assertions, by default `RS256`, which IBM's own clients use.
    public var algorithms: [JWTAlgorithm]
    /// The longest accepted lifetime of an assertion, from its claim `iat` to its claim `exp`.
    public var longestAssertion: Duration
    /// The lifetime of the issued tokens.
    public var tokenLifetime: Duration

    /// Creates rules for JWT grants; the parameters are the properties.
    public init(
      algorithms: [JWTAlgorithm] = [.rs256], longestAssertion: Duration = .seconds(86_400),
      tokenLifetime: Duration = .seconds(3_600)
    ) {
      (self.algorithms, self.longestAssertion, self.tokenLifetime) = (algorithms, longestAssertion, tokenLifetime)
    }
  }

  /// A simulated organization of Aspera on Cloud, whose only node is the local Aspera node.
  public struct AsperaOnCloud: Sendable {
    /// The name of the organization in the path of the token endpoint.
    public var organization: String
    /// The clients that can use JWT grants.
    public var clients: [OAuthClient]
    /// The users of the organization.
    public var users: [OAuthUser]
    /// The names of the workspaces, at least one; the first is the default workspace of every user.
    public var workspaces: [String]
    /// The ID of the access key that the organization uses on the local Aspera node.
    public var accessKey: String
    /// The private key that signs the node's bearer tokens; the access key receives the public key to verify them.
    public var nodeKey: NodeBearerKey
    /// The rules for JWT grants.
    public var rules: GrantRules

    /// Creates an organization; the parameters are the properties.
    public init(
      organization: String, clients: [OAuthClient], users: [OAuthUser], workspaces: [String] = ["Default"],
      accessKey: String, nodeKey: NodeBearerKey, rules: GrantRules = GrantRules()
    ) {
      (self.organization, self.clients, self.users, self.workspaces) = (organization, clients, users, workspaces)
      (self.accessKey, self.nodeKey, self.rules) = (accessKey, nodeKey, rules)
    }
  }

  /// A simulated Faspex 5, which stores packages on the local Aspera node.
  public struct Faspex: Sendable, Equatable {
    /// The clients that can use JWT grants.
    public var clients: [OAuthClient]
    /// The users of Faspex.
    public var users: [OAuthUser]
    /// The rules for JWT grants.
    public var rules: GrantRules

    /// Creates a Faspex 5; the parameters are the properties.
    public init(clients: [OAuthClient], users: [OAuthUser], rules: GrantRules = GrantRules()) {
      (self.clients, self.users, self.rules) = (clients, users, rules)
    }
  }
}

extension LocalCloud.Aspera {
  func checkApplications(accessKeys: [String]) throws(LocalCloudError) {
    if let onCloud {
      try Self.checkApplication("Aspera on Cloud", onCloud.clients, onCloud.users, onCloud.rules)
      let name = onCloud.organization.utf8
      try LocalCloudError.require(
        (1...63).contains(name.count) && name.allSatisfy { $0.isASCIILetterOrDigit || "-_".utf8.contains($0) },
        "The name of the organization of Aspera on Cloud is not a label; use letters and digits.")
      try LocalCloudError.require(!onCloud.workspaces.isEmpty, "Aspera on Cloud has no workspace; give it one.")
      try LocalCloudError.require(
        accessKeys.contains { $0.isIdentical(to: onCloud.accessKey) },
        "The access key of Aspera on Cloud is not one of the node; name one of its access keys.")
    }
    if let faspex { try Self.checkApplication("Faspex", faspex.clients, faspex.users, faspex.rules) }
  }

  private static func checkApplication(
    _ name: String, _ clients: [LocalCloud.OAuthClient], _ users: [LocalCloud.OAuthUser], _ rules: LocalCloud.GrantRules
  ) throws(LocalCloudError) {
    try checkNames(clients.map(\.id), of: "client", in: name)
    try checkNames(users.map(\.email), of: "user", in: name)
    for user in users where user.publicKeys.contains(where: { (try? PublicKey(pem: $0)) == nil }) {
      throw LocalCloudError("A key of the user \"\(user.email)\" of \(name) is not a public key in PEM.")
    }
    try LocalCloudError.require(
      rules.tokenLifetime >= .seconds(1) && rules.longestAssertion >= .seconds(1),
      "The tokens and the assertions of \(name) must be valid for a second or longer.")
  }

  private static func checkNames(_ names: [String], of kind: String, in owner: String) throws(LocalCloudError) {
    if names.contains(where: \.isEmpty) { throw LocalCloudError("A \(kind) of \(owner) has no name; give it one.") }
    try LocalCloudError.requireUnique(names) { "\(kind) \"\($0)\" of \(owner)" }
  }
}
