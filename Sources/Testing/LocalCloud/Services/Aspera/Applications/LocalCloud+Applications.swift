// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
public import StorageAuth
internal import StorageCrypto
internal import StorageKeys

extension LocalCloud {
  /// A client of the API of Aspera on Cloud or Faspex 5, which is allowed to use JWT grants.
  public struct OAuthClient: Sendable, Equatable {
    /// The ID of the client, which is the issuer of its assertions.
    public var id: String

    /// The secret of the client, or `nil` if the client has none.
    public var secret: Secret?

    /// A Boolean value that indicates whether the client must send its secret with each JWT grant.
    ///
    /// A secret that a client sends is checked in any case. aspera-cli sends none, and IBM's sample programs send it.
    public var requiresSecret: Bool

    /// Creates a client of an API.
    ///
    /// - Parameters:
    ///   - id: The ID of the client.
    ///   - secret: The secret of the client, or `nil` if the client has none.
    ///   - requiresSecret: Whether the client must send its secret with each JWT grant.
    public init(_ id: String, secret: Secret? = nil, requiresSecret: Bool = false) {
      self.id = id
      self.secret = secret
      self.requiresSecret = requiresSecret
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

    /// Creates a user.
    ///
    /// - Parameters:
    ///   - email: The e-mail address of the user.
    ///   - name: The name of the user for display, or `nil` to use the e-mail address.
    ///   - publicKeys: The registered public keys of the user, in PEM.
    public init(_ email: String, name: String? = nil, publicKeys: [String]) {
      self.email = email
      self.name = name ?? email
      self.publicKeys = publicKeys
    }
  }

  /// The rules for JWT grants and the tokens that they lead to.
  public struct GrantRules: Sendable, Equatable {
    /// The accepted signature algorithms of assertions.
    ///
    /// The default is `RS256`, which IBM's own clients use.
    public var algorithms: [JWTAlgorithm]

    /// The longest accepted lifetime of an assertion, from its claim `iat` to its claim `exp`.
    public var longestAssertion: Duration

    /// The lifetime of the issued tokens.
    public var tokenLifetime: Duration

    /// Creates rules for JWT grants.
    ///
    /// - Parameters:
    ///   - algorithms: The accepted signature algorithms of assertions.
    ///   - longestAssertion: The longest accepted lifetime of an assertion.
    ///   - tokenLifetime: The lifetime of the issued tokens.
    public init(
      algorithms: [JWTAlgorithm] = [.rs256], longestAssertion: Duration = .seconds(86_400),
      tokenLifetime: Duration = .seconds(3_600)
    ) {
      self.algorithms = algorithms
      self.longestAssertion = longestAssertion
      self.tokenLifetime = tokenLifetime
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

    /// The names of the workspaces, of which the first is the default workspace of every user.
    public var workspaces: [String]

    /// The ID of the access key that the organization uses on the local Aspera node.
    public var accessKey: String

    /// The private key that signs the node's bearer tokens.
    ///
    /// The local server registers the public key with the access key as `token_verification_key`.
    public var nodeKey: NodeBearerKey

    /// The rules for JWT grants.
    public var rules: GrantRules

    /// Creates an organization.
    ///
    /// - Parameters:
    ///   - organization: The name of the organization in the path of the token endpoint.
    ///   - clients: The clients that can use JWT grants.
    ///   - users: The users of the organization.
    ///   - workspaces: The names of the workspaces; at least one.
    ///   - accessKey: The ID of an access key of the local Aspera node.
    ///   - nodeKey: The private key that signs the node's bearer tokens.
    ///   - rules: The rules for JWT grants.
    public init(
      organization: String, clients: [OAuthClient], users: [OAuthUser], workspaces: [String] = ["Default"],
      accessKey: String, nodeKey: NodeBearerKey, rules: GrantRules = GrantRules()
    ) {
      self.organization = organization
      self.clients = clients
      self.users = users
      self.workspaces = workspaces
      self.accessKey = accessKey
      self.nodeKey = nodeKey
      self.rules = rules
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

    /// Creates a Faspex 5.
    ///
    /// - Parameters:
    ///   - clients: The clients that can use JWT grants.
    ///   - users: The users of Faspex.
    ///   - rules: The rules for JWT grants.
    public init(clients: [OAuthClient], users: [OAuthUser], rules: GrantRules = GrantRules()) {
      self.clients = clients
      self.users = users
      self.rules = rules
    }
  }
}

extension LocalCloud.Aspera {
  /// Checks the configuration of Aspera on Cloud and Faspex 5.
  func checkApplications(accessKeys: [String]) throws(LocalCloudError) {
    if let onCloud {
      try Self.check("Aspera on Cloud", onCloud.clients, onCloud.users, onCloud.rules)
      guard RequestText.isPathElement(onCloud.organization) else {
        throw LocalCloudError("The name of the organization of Aspera on Cloud is not a label; use letters and digits.")
      }
      guard !onCloud.workspaces.isEmpty else {
        throw LocalCloudError("Aspera on Cloud has no workspace; give it one.")
      }
      guard accessKeys.contains(where: { $0.utf8.elementsEqual(onCloud.accessKey.utf8) }) else {
        throw LocalCloudError("The access key of Aspera on Cloud is not one of the node; name one of its access keys.")
      }
    }
    if let faspex { try Self.check("Faspex", faspex.clients, faspex.users, faspex.rules) }
  }

  private static func check(
    _ name: String, _ clients: [LocalCloud.OAuthClient], _ users: [LocalCloud.OAuthUser], _ rules: LocalCloud.GrantRules
  ) throws(LocalCloudError) {
    for (kind, names) in [("client", clients.map(\.id)), ("user", users.map(\.email))] {
      if names.contains(where: \.isEmpty) { throw LocalCloudError("A \(kind) of \(name) has no name; give it one.") }
      if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
        throw LocalCloudError("The \(kind) \"\(twice)\" of \(name) is listed twice; list it once.")
      }
    }
    for user in users where user.publicKeys.contains(where: { (try? PublicKey(pem: $0)) == nil }) {
      throw LocalCloudError("A key of the user \"\(user.email)\" of \(name) is not a public key in PEM.")
    }
    guard rules.tokenLifetime >= .seconds(1), rules.longestAssertion >= .seconds(1) else {
      throw LocalCloudError("The tokens and the assertions of \(name) must be valid for a second or longer.")
    }
  }
}

/// A namespace for rules about the text of requests.
enum RequestText {
  /// Returns whether a text can be an element of a path: ASCII letters, digits, hyphens and underscores.
  static func isPathElement(_ text: String) -> Bool {
    (1...63).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
      }
  }
}
