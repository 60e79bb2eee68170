// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import Hummingbird

/// The response format of a route that issues keys, such as a format that a vendor's SDKs read.
///
/// Providers declare their formats as static members, such as `TokenFormat.oss`.
public struct TokenFormat: Sendable {
  /// A refusal in the form that the caller receives.
  public struct Refusal: Sendable, Hashable {
    /// The HTTP status of the response to the caller.
    public let status: HTTPResponse.Status

    /// An error code in camel case, such as `TooManyRequests`.
    public let code: String

    /// A message for the caller, without secrets.
    public let message: String
  }

  let document: @Sendable (IssuedKey, _ requestID: String) -> [UInt8]
  let refusal: @Sendable (Refusal, _ requestID: String) -> [UInt8]

  /// Creates a response format.
  ///
  /// - Parameters:
  ///   - document: A closure that encodes a response with a key as JSON in UTF-8.
  ///   - refusal: A closure that encodes a refusal as JSON in UTF-8.
  public init(
    document: @escaping @Sendable (IssuedKey, _ requestID: String) -> [UInt8],
    refusal: @escaping @Sendable (Refusal, _ requestID: String) -> [UInt8]
  ) {
    self.document = document
    self.refusal = refusal
  }

  /// Creates a response format from closures that return JSON.
  init(
    json document: @escaping @Sendable (IssuedKey, _ requestID: String) -> JSONValue,
    refusal: @escaping @Sendable (Refusal, _ requestID: String) -> JSONValue
  ) {
    self.init(document: { document($0, $1).serialized }, refusal: { refusal($0, $1).serialized })
  }
}

extension RouterMethods {
  /// Adds a route that issues temporary keys, for GET and POST requests.
  ///
  /// The route does not authenticate the caller; put it behind the app's own authentication. If `makeRequest` throws an
  /// `HTTPError`, the error becomes the response, in the format that the client reads.
  ///
  /// ```swift
  /// router.group("api").add(middleware: LoginMiddleware())
  ///   .temporaryKeys(.oss, at: "distribute-token.json", from: service) { request, context in
  ///     KeyRequest(caller: context.user.id, scope: TokenScope("user-\(context.user.id)", policy(of: context.user)))
  ///   }
  /// ```
  ///
  /// - Parameters:
  ///   - format: The format of the responses.
  ///   - path: The path of the route.
  ///   - service: The service that issues the keys.
  ///   - makeRequest: A closure that returns the caller of a request and the scope that the app grants to the caller.
  /// - Returns: The router, so that calls can be chained.
  @discardableResult
  public func temporaryKeys(
    _ format: TokenFormat, at path: RouterPath, from service: TokenService,
    makeRequest: @escaping @Sendable @concurrent (Request, Context) async throws -> KeyRequest
  ) -> Self {
    let handler: @Sendable (Request, Context) async throws -> Response = { request, context in
      let requestID = context.id
      do {
        let issued = try await service.key(for: try await makeRequest(request, context))
        return .json(format.document(issued, requestID))
      } catch let error as HTTPError {
        return .json(refusal: TokenRefusal(error), requestID, format.refusal)
      } catch let error as TokenServiceError {
        return .json(refusal: TokenRefusal(error), requestID, format.refusal)
      }
    }
    on(path, method: .get, use: handler)
    on(path, method: .post, use: handler)
    return self
  }
}

/// A refusal in the form that the caller receives.
///
/// The cloud's own message appears only in the audit log, because it contains names of roles and accounts.
struct TokenRefusal {
  /// The part that appears in the response's body.
  let body: TokenFormat.Refusal
  /// The time after which the caller may retry, or `nil` if it is unknown.
  var delay: Duration?
  /// The additional response headers that the app sets.
  var headers: HTTPFields = [:]

  init(_ status: HTTPResponse.Status, _ code: String, _ message: String, after delay: Duration? = nil) {
    body = TokenFormat.Refusal(status: status, code: code, message: message)
    self.delay = delay
  }

  init(_ error: TokenServiceError) {
    switch error {
    case .tooManyRequests(let delay):
      self.init(.tooManyRequests, "TooManyRequests", "Too many requests from this caller.", after: delay)
    case .unavailable(_, let delay?):
      self.init(
        .serviceUnavailable, "ServiceUnavailable", "The upstream service does not respond.", after: delay)
    case .unavailable:
      self.init(.badGateway, "TokenServiceRefused", "The upstream service refused.")
    case .permanentKey:
      self.init(.internalServerError, "InternalError", "The server is configured with keys that are not temporary.")
    case .notAllowed(let error): self.init(.forbidden, "AccessDenied", error.message)
    case .scope:
      self.init(.internalServerError, "InternalError", "The server cannot issue a key for this scope.")
    }
  }

  init(_ error: HTTPError) {
    let code =
      switch error.status {
      case .unauthorized: "Unauthorized"
      case .forbidden: "AccessDenied"
      default: error.status.kind == .clientError ? "InvalidRequest" : "InternalError"
      }
    self.init(error.status, code, error.body ?? error.status.reasonPhrase)
    headers = error.headers
  }
}

extension Response {
  /// Creates the response for a refusal, with the headers that the app sets and the delay before a retry.
  static func json(
    refusal: TokenRefusal, _ requestID: String, _ document: (TokenFormat.Refusal, String) -> [UInt8]
  ) -> Response {
    var response = json(document(refusal.body, requestID), refusal.body.status)
    for field in refusal.headers where field.name != .contentType && field.name != .contentLength {
      response.headers.append(field)
    }
    if let (seconds, attoseconds) = refusal.delay?.components {
      response.headers[.retryAfter] = "\(max(1, seconds + (attoseconds > 0 ? 1 : 0)))"
    }
    return response
  }

  static func json(_ document: JSONValue, _ status: HTTPResponse.Status = .ok) -> Response {
    json(document.serialized, status)
  }

  /// Creates a response with serialized JSON that clients must not cache.
  static func json(_ document: [UInt8], _ status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: document)))
  }
}
