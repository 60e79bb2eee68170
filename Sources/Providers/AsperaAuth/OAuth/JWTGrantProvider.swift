// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
public import StorageAuth
internal import StorageCrypto

/// A credential provider that requests access tokens with signed assertions (RFC 7523, section 2.1).
///
/// The provider signs a new assertion, with an ID of its own, for each request. Use a `CredentialCache` to store the
/// token and to refresh it before it expires. Refresh tokens in responses are not used, because a new assertion serves
/// the same purpose and leaves no further secret to store.
///
/// If the server refuses an assertion and its clock differs from this machine's by more than 30 seconds, the request is
/// repeated once with an assertion for the server's time, and later assertions follow the server's clock.
///
/// ```swift
/// let provider = JWTGrantProvider(.faspex(url: url, user: "mia@example.com", clientID: id), key: key)
/// let tokens = CredentialCache(provider)
/// ```
public struct JWTGrantProvider: CredentialProvider, Redacted {
  /// The permitted lifetimes of assertions, in seconds.
  private static let lives: ClosedRange<Int64> = 1...86_400
  /// The permitted clock tolerances, in seconds.
  private static let tolerances: ClosedRange<Int64> = 0...3_600
  private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"

  /// The provider name that errors and events show.
  public let source: String

  /// The parameters of the grant.
  public let grant: JWTGrant

  private let key: JWTSigningKey
  private let endpoint: TokenEndpoint
  private let clock: ServiceClock

  /// Creates a provider of access tokens.
  ///
  /// - Parameters:
  ///   - grant: The parameters of the grant.
  ///   - key: The private key whose public key is registered with the authorization server.
  public init(_ grant: JWTGrant, key: JWTSigningKey) {
    let source = ServiceURL(grant.tokenURL).map { "token endpoint \($0.visible)" } ?? "token endpoint"
    self.init(grant, key, TokenEndpoint(source: source, url: grant.tokenURL), ServiceClock())
  }

  private init(_ grant: JWTGrant, _ key: JWTSigningKey, _ endpoint: TokenEndpoint, _ clock: ServiceClock) {
    source = endpoint.source
    self.grant = grant
    self.key = key
    self.endpoint = endpoint
    self.clock = clock
  }

  /// Returns a provider with the same parameters for another scope, which shares what is known of the server's clock.
  ///
  /// - Parameter scope: The requested rights.
  public func requesting(scope: String) -> JWTGrantProvider {
    var grant = grant
    grant.scope = scope
    return JWTGrantProvider(grant, key, endpoint, clock)
  }

  /// Requests an access token, and returns it with the server's time.
  ///
  /// - Parameter context: The context of the call.
  /// - Throws: A `CredentialError`: `rejected` if the server refuses the assertion, `malformedResponse` if the response
  ///   is malformed, `failed` if the parameters are invalid or the server cannot be reached, and `timeout` if it does
  ///   not respond in time.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<OAuthBearer> {
    var isCorrected = false
    while true {
      let date = clock.now(by: context.time)
      switch try await request(at: date, in: context) {
      case .issued(let issued): return issued
      case .refused(let refusal):
        guard refusal.canBeTime, !isCorrected, clock.correct(by: refusal.issuerTime, signedAt: date, context.time)
        else { throw refusal.error(for: source) }
        isCorrected = true
      }
    }
  }

  private func request(
    at date: Timestamp, in context: ProviderContext
  ) async throws(CredentialError) -> TokenEndpoint.Outcome {
    let assertion = try assertion(at: date).secret
    var form = [FormPair("grant_type", Self.grantType), FormPair("assertion", assertion.reveal())]
    if let scope = grant.scope { form.append(FormPair("scope", scope)) }
    guard let clientID = grant.clientID else { return try await endpoint.token(form, masks: [assertion], in: context) }
    form.append(FormPair("client_id", clientID))
    guard let secret = grant.clientSecret else {
      return try await endpoint.token(form, masks: [assertion], in: context)
    }
    return try await endpoint.token(
      form, authorization: .basicAuthorization(clientID: clientID, secret: secret), masks: [assertion, secret],
      in: context)
  }

  /// Signs an assertion (RFC 7523, section 3) at a time by the server's clock, as far as it is known.
  package func assertion(at date: Timestamp) throws(CredentialError) -> JSONWebToken {
    let check = RequestCheck(source: source)
    let life = try check.seconds(grant.assertionLifetime, in: Self.lives)
    let tolerance = try check.seconds(grant.clockTolerance, in: Self.tolerances)
    for (name, value) in [("issuer", grant.issuer), ("subject", grant.subject), ("audience", grant.audience)]
    where value.isEmpty {
      throw CredentialError(.failed, source: source, "The \(name) of the grant is empty.", remedy: "Set the \(name).")
    }
    func claim(_ duration: Int64) -> JSONValue {
      .number(JSONNumber(date.advanced(by: .seconds(duration)).unixSeconds))
    }
    var claims: JSONObject = [
      "iss": .string(grant.issuer), "sub": .string(grant.subject), "aud": .string(grant.audience),
      "exp": claim(life), "nbf": claim(-tolerance), "iat": claim(-tolerance),
      "jti": .string(Self.randomID()),
    ]
    for (name, value) in grant.claims { claims[name] = value }
    do {
      return try JSONWebToken(claims, signedWith: key, grant.algorithm ?? key.standardAlgorithm)
    } catch {
      throw CredentialError(.failed, source: source, error.message, remedy: error.remedy)
    }
  }

  /// Returns a random UUID (RFC 9562, section 5.4) in lowercase.
  private static func randomID() -> String {
    var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    let digits = String(writing: { $0.append(hex: bytes) })
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text.append("-") }
      text.append(digit)
    }
    return text
  }

  /// A description that contains the provider name.
  public var description: String { "JWTGrantProvider(\(source))" }
}

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

  /// The clock skew for which assertions allow: their claims `nbf` and `iat` are that much earlier than now.
  ///
  /// It is a whole number of seconds: five minutes, as in IBM's own clients.
  public var clockTolerance: Duration = .seconds(300)

  /// Creates the parameters of a grant at any authorization server, without validation.
  ///
  /// - Parameters:
  ///   - tokenURL: The URL of the token endpoint.
  ///   - issuer: The claim `iss`.
  ///   - subject: The claim `sub`.
  ///   - audience: The claim `aud`.
  ///   - clientID: The ID of the API client, or `nil` to send none.
  ///   - clientSecret: The secret of the API client, or `nil` for a client without a secret.
  ///   - scope: The requested rights, or `nil` for the server's default.
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
      tokenURL: url(api, "api/v1/oauth2/\(organization)/token"), issuer: clientID, subject: user,
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
      tokenURL: Self.url(url, "auth/token"), issuer: clientID, subject: "user:\(user)", audience: clientID,
      clientID: clientID, clientSecret: clientSecret)
  }

  /// Returns the URL of a path below a base URL, without a doubled slash.
  private static func url(_ base: String, _ path: String) -> String {
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

/// A credential provider that requests the bearer tokens of a node from Aspera on Cloud.
///
/// Aspera on Cloud signs a node bearer token for the user, which contains the user's groups in the node's organization.
/// Requests to the Node API and transfers use the token together with the identifier of the access key.
///
/// ```swift
/// let access = CredentialCache(NodeGrantProvider(grants, accessKey: "my_key"))
/// ```
public struct NodeGrantProvider: CredentialProvider, Redacted {
  /// The provider name that errors and events show.
  public var source: String { "\(grants.source) for the access key \(scope.accessKey)" }

  private let grants: JWTGrantProvider
  private let scope: NodeScope

  /// Creates a provider of a node's bearer tokens.
  ///
  /// - Parameters:
  ///   - grants: A provider of access tokens from Aspera on Cloud, whose scope is replaced.
  ///   - accessKey: The identifier of the node's access key, as Aspera on Cloud reports it.
  ///   - role: The role in the token's scope: ``NodeScope/user`` or ``NodeScope/admin``.
  public init(_ grants: JWTGrantProvider, accessKey: String, role: String = NodeScope.user) {
    scope = NodeScope(accessKey: accessKey, role: role)
    self.grants = grants.requesting(scope: scope.description)
  }

  /// Requests a bearer token of the node, and returns it with the server's time.
  ///
  /// - Parameter context: The context of the call.
  /// - Throws: A `CredentialError`; see ``JWTGrantProvider/issue(in:)``. A token of another key is `malformedResponse`.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AsperaNodeAccess> {
    let issued = try await grants.issue(in: context)
    let token = issued.credential.token
    if let named = (try? NodeBearerToken(token))?.claims.scope, named != scope {
      throw CredentialError(
        .malformedResponse, source: source, "The token has another scope than the requested one.",
        remedy: "Check the access key of the node.")
    }
    return IssuedCredential(
      AsperaNodeAccess(.bearer(token: token, accessKey: scope.accessKey), expiration: issued.credential.expiration),
      issuerTime: issued.issuerTime, source: source)
  }

  /// A description that contains the provider name.
  public var description: String { "NodeGrantProvider(\(source))" }
}
