// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The parameters of a grant with a JSON Web Token at an OAuth 2.0 authorization server (RFC 7523, section 2.1).
///
/// ```swift
/// let grant = JWTGrant.faspex(
///   url: "https://faspex.example.com/aspera/faspex", user: "mia@example.com", clientID: id)
/// ```
public struct JWTGrant: Sendable, Equatable, Redacted {
  /// The URL of the authorization server's token endpoint, with the scheme `https`, or `http` on this machine.
  public var tokenURL: String
  /// The claim `iss`: the party that issues the assertion, which is the client ID at IBM's services.
  public var issuer: String
  /// The claim `sub`: the user on whose behalf the token is requested.
  public var subject: String
  /// The claim `aud`: the identifier of the authorization server.
  public var audience: String
  /// The ID of the API client, which is sent with the assertion, or `nil` to send none.
  public var clientID: String?
  /// The secret of the API client, which is sent with Basic authorization, or `nil` for a client without a secret.
  public var clientSecret: Secret?
  /// The requested rights, or `nil` for the server's default.
  public var scope: String?
  /// Further claims, such as `org`; a claim with the name of a standard claim replaces that claim.
  public var claims: JSONObject = [:]
  /// The signature algorithm, or `nil` for the standard algorithm of the key.
  public var algorithm: JWTAlgorithm?
  /// The duration from now until an assertion expires, in whole seconds: one hour, as in IBM's own clients.
  public var assertionLifetime: Duration = .seconds(3_600)
  /// The duration by which `nbf` and `iat` are earlier than now, in whole seconds: five minutes, as in IBM's clients.
  public var clockTolerance: Duration = .seconds(300)

  /// Creates the parameters of a grant at any authorization server, without validation.
  ///
  /// The parameters are the properties.
  public init(
    tokenURL: String, issuer: String, subject: String, audience: String, clientID: String? = nil,
    clientSecret: Secret? = nil, scope: String? = nil
  ) {
    self.tokenURL = tokenURL
    self.issuer = issuer
    self.subject = subject
    self.audience = audience
    self.clientID = clientID
    self.clientSecret = clientSecret
    self.scope = scope
  }

  /// The base URL of the API of Aspera on Cloud.
  public static let asperaOnCloudURL = "https://api.ibmaspera.com"
  /// The claim `aud` that Aspera on Cloud expects at every address, which contains an earlier name of the service.
  public static let asperaOnCloudAudience = "https://api.asperafiles.com/api/v1/oauth2/token"

  /// Creates the parameters of a grant at Aspera on Cloud.
  ///
  /// The user's public key is registered in the user's profile, and the client is allowed to use JWT grants for the
  /// user. The parameters are those of IBM's sample programs in the repository `aspera-api-examples`.
  ///
  /// - Parameters:
  ///   - organization: The name of the organization, which is the first label of its address.
  ///   - user: The e-mail address of the user.
  ///   - clientID: The ID of the API client.
  ///   - clientSecret: The secret of the API client, or `nil` for a client without a secret.
  ///   - scope: The requested rights: `user:all` or `admin:all`, or the description of a ``NodeScope`` for a node.
  ///   - isGlobalClient: Whether the client belongs to no organization, so that the claim `org` names the organization.
  ///   - api: The base URL of the API, whose host is `api` in the domain of the service.
  public static func asperaOnCloud(
    organization: String, user: String, clientID: String, clientSecret: Secret? = nil, scope: String = "user:all",
    isGlobalClient: Bool = false, api: String = asperaOnCloudURL
  ) -> JWTGrant {
    var grant = JWTGrant(
      tokenURL: url(api, appending: "api/v1/oauth2/\(organization)/token"), issuer: clientID, subject: user,
      audience: asperaOnCloudAudience, clientID: clientID, clientSecret: clientSecret, scope: scope)
    if isGlobalClient { grant.claims["org"] = .string(organization) }
    return grant
  }

  /// Creates the parameters of a grant at Faspex 5.
  ///
  /// The user's public key is registered in the user's account settings, and the API client allows JWT grants.
  ///
  /// - Parameters:
  ///   - url: The base URL of Faspex, such as `https://faspex.example.com/aspera/faspex`.
  ///   - user: The user name or e-mail address of the user.
  ///   - clientID: The ID of the API client, which is the audience of assertions as well.
  ///   - clientSecret: The secret of the API client, which Faspex checks only for Basic authorization, or `nil`.
  public static func faspex(url: String, user: String, clientID: String, clientSecret: Secret? = nil) -> JWTGrant {
    JWTGrant(
      tokenURL: Self.url(url, appending: "auth/token"), issuer: clientID, subject: "user:\(user)", audience: clientID,
      clientID: clientID, clientSecret: clientSecret)
  }

  private static func url(_ base: String, appending path: String) -> String {
    "\(base.removingByteSuffix("/") ?? base[...])/\(path)"
  }

  /// A description that contains the endpoint, the client, the user and the scope, but not the client's secret.
  public var description: String {
    let parts = [
      tokenURL, "issuer: \(issuer)", "subject: \(subject)", clientSecret.map { _ in "secret: \(Secret.mask)" },
      scope.map { "scope: \($0)" },
    ]
    return "JWTGrant(\(parts.compactMap(\.self).joined(separator: ", ")))"
  }
}
