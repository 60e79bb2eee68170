// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A token endpoint of an OAuth 2.0 authorization server (RFC 6749, section 3.2).
struct TokenEndpoint: Sendable {
  /// The lifetime of a token if none is known, at which age aspera-cli discards such tokens.
  static let assumedLifetime = Duration.seconds(1_800)

  /// The accepted lifetimes of tokens, in seconds.
  private static let lifetimes: ClosedRange<Int64> = 1...315_360_000

  let source: String
  let url: String

  /// The endpoint's response to a request for a token.
  enum Outcome {
    case issued(IssuedCredential<OAuthBearer>)
    case refused(OAuthErrorResponse)
  }

  /// Sends a form, whose confidential values (`masks`) no error shows, to the token endpoint.
  func token(
    _ form: [FormPair], authorization: String? = nil, masks: [Secret], in context: ProviderContext
  ) async throws(CredentialError) -> Outcome {
    let address = try RequestCheck(source: source).address(url)
    var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
    headers[.authorization] = authorization
    let call = address.call(.post, headers: headers, body: Array(FormPair.written(form).utf8))
    let sent = masks + (authorization.map { [Secret($0)] } ?? [])
    let prepared = PreparedCall(call, masks: sent)
    let exchange = try ServiceExchange(source: source, in: context, timeout: .seconds(30))
    let received = try await exchange.receive { prepared }
    let object = (try? JSONValue(parsing: received.body))?.object
    let text = ServiceText(masking: sent + (object?.secrets ?? []))
    guard received.response.status.kind == .successful else {
      return .refused(OAuthErrorResponse(object, status: received.status, issuerTime: received.issuerTime, text))
    }
    guard let object else { throw malformed("The response is not a JSON object.", isRetryable: true) }
    if object["access_token"] == nil, object["error"] != nil {
      return .refused(OAuthErrorResponse(object, status: received.status, issuerTime: received.issuerTime, text))
    }
    return .issued(try issued(object, issuerTime: received.issuerTime, now: context.time.now, text))
  }

  /// Returns the token that a successful response contains (RFC 6749, section 5.1).
  private func issued(
    _ object: JSONObject, issuerTime: Timestamp?, now: Timestamp, _ text: ServiceText
  ) throws(CredentialError) -> IssuedCredential<OAuthBearer> {
    guard let token = object["access_token"]?.string, !token.isEmpty else {
      throw malformed("The response has no access_token.")
    }
    guard token.utf8.allSatisfy({ $0 > UInt8(ascii: " ") && $0 < 0x7f }) else {
      throw malformed("The access_token holds a blank, a line break or a character that is not ASCII.")
    }
    if let type = object["token_type"], type != .null, type.string?.asciiLowercased != "bearer" {
      throw malformed("The token_type is \(text.shown(type.string ?? "not a string")), and not bearer.")
    }
    let present = issuerTime ?? now
    var end = BearerText.expiration(of: token)
    if let seconds = try lifetimeSeconds(in: object) {
      let granted = present.advanced(by: .seconds(seconds))
      end = end.map { min($0, granted) } ?? granted
    }
    let expiration = end ?? present.advanced(by: Self.assumedLifetime)
    guard expiration > present else {
      throw malformed("The token expired at \(expiration); the issuer's clock shows \(present).", isRetryable: true)
    }
    let bearer = OAuthBearer(Secret(token), scope: object["scope"]?.string, expiration: expiration)
    return IssuedCredential(bearer, issuerTime: issuerTime, source: source)
  }

  private func lifetimeSeconds(in object: JSONObject) throws(CredentialError) -> Int64? {
    guard let value = object["expires_in"], value != .null else { return nil }
    guard let seconds = value.code.flatMap({ Int64(digits: $0) }), Self.lifetimes.contains(seconds) else {
      throw malformed("The expires_in is not a number of seconds from 1 to \(Self.lifetimes.upperBound).")
    }
    return seconds
  }

  private func malformed(_ message: String, isRetryable: Bool = false) -> CredentialError {
    CredentialError(
      .malformedResponse, source: source, message,
      remedy: "Check that the address is that of the token endpoint.", isRetryable: isRetryable)
  }
}

extension String {
  /// Returns the value of an `Authorization` header for a client of an authorization server.
  ///
  /// The ID and the secret are encoded as in a form before they are joined (RFC 6749, section 2.3.1).
  static func basicAuthorization(clientID: String, secret: Secret) -> String {
    var bytes = [UInt8](writing: { writer in
      writer.append(clientID.percentEncoded())
      writer.append(UInt8(ascii: ":"))
      writer.append(percentEncoding: secret)
    })
    defer { wipe(&bytes) }
    return "Basic \(String(writing: { $0.append(base64: bytes) }))"
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
    self.token = Secret(BearerText.bare(text))
    self.scope = scope
    self.expiration = expiration ?? BearerText.expiration(of: text)
  }

  /// A description that contains the scope and the expiration, but not the token.
  public var description: String {
    let parts = ["token: \(Secret.mask)", scope.map { "scope: \($0)" }, expiration.map { "expiration: \($0)" }]
    return "OAuthBearer(\(parts.compactMap(\.self).joined(separator: ", ")))"
  }
}
