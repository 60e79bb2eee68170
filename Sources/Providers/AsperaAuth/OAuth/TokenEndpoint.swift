// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CloudCredentials
internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// A token endpoint of an OAuth 2.0 authorization server (RFC 6749, section 3.2).
struct TokenEndpoint: Sendable {
  /// The lifetime of a token whose response contains no lifetime and that contains none itself.
  ///
  /// It is the age at which aspera-cli discards such tokens.
  static let assumedLife = Duration.seconds(1_800)

  /// The accepted lifetimes of tokens, in seconds.
  private static let lives: ClosedRange<Int64> = 1...315_360_000

  /// The name of the provider that requests tokens, for error messages.
  let source: String
  let url: String
  let time: any SigningClock
  private let exchange: ServiceExchange

  init(source: String, url: String, timeout: Duration, transport: any HTTPTransport, time: any SigningClock) {
    self.source = source
    self.url = url
    self.time = time
    exchange = ServiceExchange(source: source, transport: transport, time: time, timeout: timeout)
  }

  /// The response to a token request.
  enum Outcome {
    case issued(IssuedCredential<OAuthBearer>)
    case refused(OAuthRefusal)
  }

  /// Sends a form to the token endpoint and returns the issued token or the refusal.
  ///
  /// - Parameters:
  ///   - form: The parameters of the request.
  ///   - authorization: The value of the `Authorization` header, or `nil` for no such header.
  ///   - masks: The confidential values in the request, which no error shows.
  func token(
    _ form: [FormPair], authorization: String? = nil, masks: [Secret]
  ) async throws(CredentialError) -> Outcome {
    let address = try RequestCheck(source: source).address(url)
    var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
    headers[.authorization] = authorization
    let call = address.call(.post, headers: headers, body: Array(FormPair.written(form).utf8))
    let sent = masks + (authorization.map { [Secret($0)] } ?? [])
    let prepared = PreparedCall(call, masks: sent)
    let answer = try await exchange.receive { prepared }
    let object = (try? JSONValue(parsing: answer.body))?.object
    let text = ServiceText(masking: sent + (object?.secrets ?? []))
    guard answer.response.status.kind == .successful else {
      return .refused(OAuthRefusal(object, status: answer.status, issuerTime: answer.issuerTime, text))
    }
    guard let object else { throw malformed("The response is not a JSON object.", isRetryable: true) }
    if object["access_token"] == nil, object["error"] != nil {
      return .refused(OAuthRefusal(object, status: answer.status, issuerTime: answer.issuerTime, text))
    }
    return .issued(try issued(object, issuerTime: answer.issuerTime, text))
  }

  /// Returns the token that a successful response contains (RFC 6749, section 5.1).
  private func issued(
    _ object: JSONObject, issuerTime: Timestamp?, _ text: ServiceText
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
    let present = issuerTime ?? time.now
    var end = BearerText.expiration(of: token)
    if let life = try life(in: object) {
      let granted = present.advanced(by: .seconds(life))
      end = end.map { min($0, granted) } ?? granted
    }
    let expiration = end ?? present.advanced(by: Self.assumedLife)
    guard expiration > present else {
      throw malformed("The token expired at \(expiration); the issuer's clock shows \(present).", isRetryable: true)
    }
    let bearer = OAuthBearer(Secret(token), scope: object["scope"]?.string, expiration: expiration)
    return IssuedCredential(bearer, issuerTime: issuerTime, source: source)
  }

  /// Returns the member `expires_in` of a response in seconds, or `nil` if the response has no such member.
  private func life(in object: JSONObject) throws(CredentialError) -> Int64? {
    guard let value = object["expires_in"], value != .null else { return nil }
    guard let life = value.code.flatMap({ Int64($0) }), Self.lives.contains(life) else {
      throw malformed("The expires_in is not a number of seconds from 1 to \(Self.lives.upperBound).")
    }
    return life
  }

  private func malformed(_ message: String, isRetryable: Bool = false) -> CredentialError {
    CredentialError(
      .malformedAnswer, source: source, message,
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
