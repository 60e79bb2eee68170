// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes

/// A token endpoint of an OAuth 2.0 authorization server (RFC 6749, section 3.2).
struct TokenEndpoint: Sendable {
  /// The lifetime of a token if none is known, at which age aspera-cli discards such tokens.
  static let assumedLifetime = Duration.seconds(1_800)
  /// The accepted lifetimes of tokens, in seconds: at most ten years.
  private static let permittedSeconds: ClosedRange<Int64> = 1...315_360_000

  let url: String
  var source: String { ServiceURL(url).map { "token endpoint \($0.visible)" } ?? "token endpoint" }

  enum Outcome {
    case issued(IssuedCredential<OAuthBearer>)
    case rejected(OAuthErrorResponse)
  }

  /// Sends a form to the token endpoint; no error shows the form's confidential values, which are the `masks`.
  func requestToken(
    _ form: [FormPair], authorization: String? = nil, masks: [Secret], in context: ProviderContext
  ) async throws(CredentialError) -> Outcome {
    let address = try RequestCheck(source: source).address(url)
    var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
    headers[.authorization] = authorization
    let sentSecrets = masks + (authorization.map { [Secret($0)] } ?? [])
    let call = PreparedCall(
      address.call(.post, headers: headers, body: Array(FormPair.written(form).utf8)), masks: sentSecrets)
    let exchange = try ServiceExchange(source: source, in: context, timeout: .seconds(30))
    let received = try await exchange.receive { call }
    let object = (try? JSONValue(parsing: received.body))?.object
    let filter = MessageFilter(masking: sentSecrets + (object?.secrets ?? []))
    let isSuccessful = received.response.status.kind == .successful
    if isSuccessful, object == nil { throw malformed("The response is not a JSON object.", isRetryable: true) }
    // Some servers send an error with a successful status.
    guard isSuccessful, let object, object["access_token"] != nil || object["error"] == nil else {
      return .rejected(OAuthErrorResponse(object, status: received.status, issuerTime: received.issuerTime, filter))
    }
    return .issued(try makeCredential(from: object, issuerTime: received.issuerTime, now: context.time.now, filter))
  }

  /// Checks the members of a response with an access token, which expires when it says or when the response says.
  private func makeCredential(
    from object: JSONObject, issuerTime: Timestamp?, now: Timestamp, _ filter: MessageFilter
  ) throws(CredentialError) -> IssuedCredential<OAuthBearer> {
    guard let token = object["access_token"]?.string, !token.isEmpty else {
      throw malformed("The response has no access_token.")
    }
    guard token.utf8.allSatisfy({ $0 > UInt8(ascii: " ") && $0 < 0x7f }) else {
      throw malformed("The access_token holds a blank, a line break or a character that is not ASCII.")
    }
    if let type = object["token_type"], type != .null, type.string?.asciiLowercased != "bearer" {
      throw malformed("The token_type is \(filter.applied(to: type.string ?? "not a string")), and not bearer.")
    }
    let issuerNow = issuerTime ?? now
    var knownExpiration = BearerText.expiration(of: token)
    if let seconds = try lifetimeSeconds(in: object) {
      let reportedExpiration = issuerNow.advanced(by: .seconds(seconds))
      knownExpiration = min(knownExpiration ?? reportedExpiration, reportedExpiration)
    }
    let expiration = knownExpiration ?? issuerNow.advanced(by: Self.assumedLifetime)
    guard expiration > issuerNow else {
      throw malformed("The token expired at \(expiration); the issuer's clock shows \(issuerNow).", isRetryable: true)
    }
    let bearer = OAuthBearer(Secret(token), scope: object["scope"]?.string, expiration: expiration)
    return IssuedCredential(bearer, issuerTime: issuerTime, source: source)
  }

  private func lifetimeSeconds(in object: JSONObject) throws(CredentialError) -> Int64? {
    guard let value = object["expires_in"], value != .null else { return nil }
    guard let seconds = value.code.flatMap({ Int64(digits: $0) }), Self.permittedSeconds.contains(seconds) else {
      throw malformed("The expires_in is not a number of seconds from 1 to \(Self.permittedSeconds.upperBound).")
    }
    return seconds
  }

  private func malformed(_ message: String, isRetryable: Bool = false) -> CredentialError {
    CredentialError(
      .malformedResponse, source: source, message,
      remedy: "Check that the address is that of the token endpoint.", isRetryable: isRetryable)
  }
}

/// An error response of a token endpoint.
///
/// The response has the form of RFC 6749 (section 5.2), of Faspex (`code` and `message`), of IBM Cloud (`errorCode` and
/// `errorMessage`), or of a Node API (`error` with `user_message`).
struct OAuthErrorResponse: Sendable {
  private let status: Int
  private let code: String?
  let issuerTime: Timestamp?
  /// The error code and the server's message on one line, with confidential values masked.
  private let message: String
  private let isAboutTime: Bool

  init(_ object: JSONObject?, status: Int, issuerTime: Timestamp?, _ filter: MessageFilter) {
    let error = object?["error"]
    let nodeError = object.flatMap { NodeRefusal(of: .object($0)) }
    code = error?.string ?? object?["errorCode"]?.string ?? object?["code"]?.code ?? nodeError?.code
    let texts = ["error_description", "errorMessage", "message"].compactMap { object?[$0]?.string }
    let explanation = error?.object == nil ? texts.first : nodeError?.message
    self.status = status
    self.issuerTime = issuerTime
    message = filter.applied(to: [code, explanation].compactMap(\.self).joined(separator: ": "))
    let words = (explanation ?? "").lowercased()
    isAboutTime = ["expired", "not yet", "future", "clock", "nbf", "iat"].contains { words.contains($0) }
  }

  /// Whether a wrong clock can be the reason: `invalid_grant` stands for every fault of an assertion, 2019 in Faspex.
  var canResultFromWrongClock: Bool { isAboutTime || code == "invalid_grant" || code == "2019" }

  func error(for source: String) -> CredentialError {
    let isTemporary =
      status >= 500 || status == 429 || status == 408 || code == "temporarily_unavailable" || code == "server_error"
    let details = message.isEmpty ? "HTTP \(status)" : "HTTP \(status), \(message)"
    return CredentialError(
      isTemporary ? .failed : .rejected, source: source, "The authorization server issued no token: \(details).",
      remedy: isTemporary ? "Try again later." : remedy, isRetryable: isTemporary)
  }

  private var remedy: String {
    if isAboutTime { return "Set this machine's clock, which is what the times in the assertion come from." }
    switch code {
    case "invalid_grant":
      return "Check the user, that the user's public key is registered and belongs to this private key, that the API "
        + "client may use JWT grants for the user, and this machine's clock."
    case "invalid_client", "2015", "2026": return "Check the ID and the secret of the API client."
    case "unauthorized_client", "2018": return "Allow JWT grants in the settings of the API client."
    case "invalid_scope": return "Check the scope, and that the API client and the user have these rights."
    case "unsupported_grant_type": return "Check that the address is that of a token endpoint that takes this grant."
    case "2016": return "Check the user, and that the API client may act for the user."
    case "2017": return "Register the public key of this private key in the user's account settings."
    case "2019": return "Check the client ID, which is issuer and audience, the user, and this machine's clock."
    case "BXNIM0415E": return "Check the API key; it may have been deleted."
    default: return "See what the server says about this code, and check the address of the token endpoint."
    }
  }
}

/// An access token that an OAuth 2.0 authorization server issued (RFC 6749, section 5.1).
///
/// Any client that has the token can use its rights. `print`, `dump` and `Mirror` do not show the token.
public struct OAuthBearer: Credential, Redacted {
  /// The access token, without the prefix `Bearer`.
  public let token: Secret
  /// The rights that the server granted, or `nil` if the server did not report them.
  public let scope: String?
  /// The time at which the token expires according to its issuer's clock, or `nil` if the time is unknown.
  public let expiration: Timestamp?

  /// Creates a credential from an access token.
  ///
  /// - Parameters:
  ///   - token: The access token, with or without the prefix `Bearer`.
  ///   - scope: The rights that the server granted.
  ///   - expiration: The time at which the token expires. If `nil`, the expiration that the token contains.
  public init(_ token: Secret, scope: String? = nil, expiration: Timestamp? = nil) {
    let text = token.reveal()
    self.token = Secret(BearerText.withoutPrefix(text))
    self.scope = scope
    self.expiration = expiration ?? BearerText.expiration(of: text)
  }

  /// A description that contains the scope and the expiration, but not the token.
  public var description: String {
    let parts = ["token: \(Secret.mask)", scope.map { "scope: \($0)" }, expiration.map { "expiration: \($0)" }]
    return "OAuthBearer(\(parts.compactMap(\.self).joined(separator: ", ")))"
  }
}
