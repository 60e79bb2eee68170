// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import StorageCrypto

/// A credential provider that requests access tokens with signed assertions (RFC 7523, section 2.1).
///
/// The provider signs a new assertion, with an ID of its own, for each request. Use a `CredentialCache` to store the
/// token and to refresh it before it expires. Refresh tokens are not used, because a new assertion serves the same
/// purpose and leaves no further secret to store.
///
/// If the server refuses an assertion and its clock differs from this machine's by more than 30 seconds, the request is
/// repeated once with an assertion for the server's time, and later assertions follow the server's clock.
///
/// ```swift
/// let tokens = CredentialCache(JWTGrantProvider(.faspex(url: url, user: "mia@example.com", clientID: id), key: key))
/// ```
public struct JWTGrantProvider: CredentialProvider, Redacted {
  private static let permittedLifetimeSeconds: ClosedRange<Int64> = 1...86_400
  private static let permittedToleranceSeconds: ClosedRange<Int64> = 0...3_600
  private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"

  /// The provider name that errors and events show.
  public var source: String { endpoint.source }

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
  public init(_ grant: JWTGrant, key: JWTSigningKey) { self.init(grant, key: key, clock: ServiceClock()) }

  private init(_ grant: JWTGrant, key: JWTSigningKey, clock: ServiceClock) {
    self.grant = grant
    self.key = key
    self.clock = clock
    endpoint = TokenEndpoint(url: grant.tokenURL)
  }

  /// Returns a provider with the same parameters for another scope, which shares what is known of the server's clock.
  ///
  /// - Parameter scope: The requested rights.
  public func requesting(scope: String) -> JWTGrantProvider {
    var grant = grant
    grant.scope = scope
    return JWTGrantProvider(grant, key: key, clock: clock)
  }

  /// Requests an access token, and returns it with the server's time.
  ///
  /// - Parameter context: The context of the call.
  /// - Throws: A `CredentialError`: `rejected` if the server refuses the assertion, `malformedResponse` if the response
  ///   is malformed, `failed` if a parameter is invalid or the server cannot be reached, `timeout` if it is slow.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<OAuthBearer> {
    let date = clock.now(by: context.time)
    var outcome = try await requestToken(at: date, in: context)
    if case .rejected(let response) = outcome, response.canResultFromWrongClock,
      clock.correct(by: response.issuerTime, signedAt: date, context.time)
    {
      outcome = try await requestToken(at: clock.now(by: context.time), in: context)
    }
    switch outcome {
    case .issued(let issued): return issued
    case .rejected(let response): throw response.error(for: source)
    }
  }

  private func requestToken(
    at date: Timestamp, in context: ProviderContext
  ) async throws(CredentialError) -> TokenEndpoint.Outcome {
    let assertion = try assertion(at: date).secret
    var form = [FormPair("grant_type", Self.grantType), FormPair("assertion", assertion.reveal())]
    if let scope = grant.scope { form.append(FormPair("scope", scope)) }
    if let clientID = grant.clientID { form.append(FormPair("client_id", clientID)) }
    guard let clientID = grant.clientID, let secret = grant.clientSecret else {
      return try await endpoint.requestToken(form, masks: [assertion], in: context)
    }
    return try await endpoint.requestToken(
      form, authorization: BasicAuthorization.value(clientID: clientID, secret: secret), masks: [assertion, secret],
      in: context)
  }

  /// Signs an assertion (RFC 7523, section 3) whose claims start from a time by the server's clock.
  package func assertion(at date: Timestamp) throws(CredentialError) -> JSONWebToken {
    let check = RequestCheck(source: source)
    let lifetime = try check.wholeSeconds(of: grant.assertionLifetime, in: Self.permittedLifetimeSeconds)
    let tolerance = try check.wholeSeconds(of: grant.clockTolerance, in: Self.permittedToleranceSeconds)
    for (name, value) in [("issuer", grant.issuer), ("subject", grant.subject), ("audience", grant.audience)]
    where value.isEmpty {
      throw CredentialError(.failed, source: source, "The \(name) of the grant is empty.", remedy: "Set the \(name).")
    }
    func time(after seconds: Int64) -> JSONValue {
      .number(JSONNumber(date.advanced(by: .seconds(seconds)).unixSeconds))
    }
    var claims: JSONObject = [
      "iss": .string(grant.issuer), "sub": .string(grant.subject), "aud": .string(grant.audience),
      "exp": time(after: lifetime), "nbf": time(after: -tolerance), "iat": time(after: -tolerance),
      "jti": .string(Self.randomID()),
    ]
    // The caller's claims replace standard claims of the same name, as `JWTGrant.claims` says.
    for (name, value) in grant.claims { claims[name] = value }
    do {
      return try JSONWebToken(claims, signedWith: key, grant.algorithm ?? key.standardAlgorithm)
    } catch { throw CredentialError(.failed, source: source, error.message, remedy: error.remedy) }
  }

  /// Returns a random UUID for the claim `jti`, by which a server can recognize a repeated assertion.
  private static func randomID() -> String {
    var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    // The version, 4, and the variant of a UUID (RFC 9562, section 5.4).
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    let uuidFields = [bytes[0..<4], bytes[4..<6], bytes[6..<8], bytes[8..<10], bytes[10..<16]]
    return uuidFields.map { field in String(writing: { $0.append(hex: Array(field)) }) }.joined(separator: "-")
  }

  /// A description that contains the provider name.
  public var description: String { "JWTGrantProvider(\(source))" }
}
