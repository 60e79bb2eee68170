// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
internal import StorageAuth

/// A client of the API of an Aspera application, which authorizes requests with access tokens.
struct ApplicationAPI: Sendable {
  private static let responseByteLimit = 8 << 20
  /// The time for which an access token must remain valid, so that it does not expire on its way.
  private static let tokenMargin = Duration.seconds(2)
  /// The maximum number of attempts of a GET request.
  private static let attemptLimit = 3

  let name: String
  let url: String
  let tokens: CredentialCache<OAuthBearer>
  let transport: any HTTPTransport
  let time: any SigningClock

  /// Sends a request to a path below the URL of the API, and returns the JSON document in the response.
  ///
  /// A GET request is repeated after a temporary error, and any request once with a new token after a rejected one.
  ///
  /// - Throws: `ServiceError` if the API refuses the request, `StorageError` if the response is malformed, and a
  ///   `CredentialError` or a `TransportError`.
  func call(_ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
    var attempt = 1
    while true {
      do {
        return try await request(method, path, body)
      } catch let error where method == .get && attempt < Self.attemptLimit && Self.isRetryable(error) {
        try await time.sleep(for: .seconds(attempt))
        attempt += 1
      }
    }
  }

  /// Returns whether an error is temporary, so that the same request can succeed later.
  static func isRetryable(_ error: any Error) -> Bool {
    switch error {
    case let error as ServiceError: error.isRetryable
    case let error as TransportError: error.isRetryable
    // A cache reports a cancelled wait as retryable, and a provider that waits for a login has no credential until then.
    case let error as CredentialError: error.isRetryable && ![.cancelled, .unavailable].contains(error.code)
    default: false
    }
  }

  /// Converts an error of a request to a `CredentialError` with the same message and remedy.
  ///
  /// Unlike a request, the renewal of a token is repeated after a conflict, and after a malformed response.
  static func credentialError(_ error: any Error, from source: String) -> CredentialError {
    guard let cause = error as? any ActionableError, !(error is CredentialError) else {
      return StorageAuth.credentialError(error, from: source)
    }
    let (code, isRetryable): (CredentialError.Code, Bool) =
      switch error {
      case let error as TransportError where error.code == .cancelled: (.cancelled, error.isRetryable)
      // A proxy in front of the application can send its own page for a while.
      case let error as StorageError where error.code == .malformedResponse: (.malformedResponse, true)
      case let error as ServiceError where error.kind == .conflict: (.failed, true)
      case let error as ServiceError where !error.isRetryable: (.rejected, false)
      default: (.failed, Self.isRetryable(error))
      }
    return CredentialError(
      code, source: source, cause.message, remedy: cause.remedy, isRetryable: isRetryable, underlying: error)
  }

  private func request(_ method: HTTPRequest.Method, _ path: String, _ body: JSONValue?) async throws -> JSONValue {
    let bearer = try await tokens.credential(lasting: Self.tokenMargin)
    var sentTokens = [bearer.credential.token]
    var (response, bytes) = try await send(method, path, body, bearer.credential)
    if response.status == .unauthorized {
      let newBearer = try await tokens.credential(lasting: Self.tokenMargin, replacing: bearer.generation)
      sentTokens.append(newBearer.credential.token)
      (response, bytes) = try await send(method, path, body, newBearer.credential)
    }
    let document = try? JSONValue(parsing: bytes)
    guard response.status.kind == .successful else {
      throw serviceError(in: document, response, MessageFilter(masking: sentTokens), subject: "\(method) \(path)")
    }
    guard !bytes.isEmpty else { return .null }
    guard let document else { throw StorageError.malformedResponse("it is not JSON") }
    return document
  }

  private func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue?, _ bearer: OAuthBearer
  ) async throws -> (HTTPResponse, [UInt8]) {
    let base = try RequestCheck(source: name).address(url)
    var headers: HTTPFields = [.authorization: "Bearer \(bearer.token.reveal())"]
    if body != nil { headers[.contentType] = "application/json" }
    let call = base.appending(path).call(method, headers: headers, body: body?.serialized ?? [])
    let response = try await transport.send(call.request, body: call.body.isEmpty ? .none : .bytes(call.body))
    guard let bytes = try await response.body.collected(upTo: Self.responseByteLimit) else {
      throw StorageError.malformedResponse("it is longer than \(Self.responseByteLimit) bytes")
    }
    return (response.response, bytes)
  }

  /// Returns the error that a response describes: `code` and `message`, or `error` with more detailed members.
  private func serviceError(
    in document: JSONValue?, _ response: HTTPResponse, _ filter: MessageFilter, subject: String
  ) -> ServiceError {
    let node = document.flatMap { NodeRefusal(of: $0) }
    let code = document?["code"]?.code ?? node?.code ?? "\(response.status.code)"
    let message = document?["message"]?.string ?? node?.message ?? response.status.reasonPhrase
    return ServiceError(
      code: filter.applied(to: code), message: filter.applied(to: message), status: response.status,
      kind: response.status == .unauthorized ? .invalidCredential : nil, subject: "\(name): \(subject)")
  }
}
