// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import Hummingbird
internal import Logging

/// A middleware that passes on only callbacks with a valid signature of OSS.
///
/// The body is read, up to the limit of the verifier, before the handler is called. A refusal is JSON of the form
/// `{code, message}`; OSS reports it to the uploader as status 203, after which the object is stored all the same.
///
/// ```swift
/// let verifier = CallbackVerifier(transport: .platformDefault)
/// router.group("uploaded").add(middleware: CallbackMiddleware<AppContext>(verifier)).post { request, context in
///   guard let key = context.callback?.value(of: "object") else { throw HTTPError(.badRequest) }
///   return Response(status: .ok, headers: [.contentType: "application/json"], body: …)
/// }
/// ```
public struct CallbackMiddleware<Context: CallbackRequestContext>: RouterMiddleware {
  private let verifier: CallbackVerifier

  /// Creates a middleware that verifies callbacks.
  ///
  /// - Parameter verifier: The verifier, which keeps the public keys.
  public init(_ verifier: CallbackVerifier) { self.verifier = verifier }

  /// Verifies a callback and passes it on, or returns the response for a refusal.
  ///
  /// - Throws: An error of the connection or of `next`.
  public func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    var request = request
    var context = context
    do {
      let claim = try verifier.claim(in: request.head)
      // A body that is announced to be too large is refused before it is read.
      let announcedSize = request.headers[.contentLength].flatMap { Int(digits: $0) }
      try verifier.requireBodySize(announcedSize ?? 0)
      guard let body = try await request.body.bytes(upTo: verifier.bodyLimit) else { throw verifier.bodyTooLarge }
      context.callback = try await verifier.verify(claim, body: body)
      request.body = RequestBody(buffer: ByteBuffer(bytes: body))
    } catch let refusal as CallbackRefusal {
      context.logger.info("callback refused", metadata: ["code": "\(refusal.code.rawValue)"])
      return .json(["code": .string(refusal.code.rawValue), "message": .string(refusal.message)], refusal.status)
    }
    return try await next(request, context)
  }
}

/// A request context that passes the verified callback to the handlers.
public protocol CallbackRequestContext: RequestContext {
  /// The verified callback, or `nil` on routes without the middleware.
  var callback: VerifiedCallback? { get set }
}

extension CallbackRefusal {
  fileprivate var status: HTTPResponse.Status {
    switch code {
    case .method: .methodNotAllowed
    case .target, .missingHeader, .malformedHeader: .badRequest
    case .keyLocation, .mismatch: .forbidden
    case .bodyTooLarge: .contentTooLarge
    case .keyUnavailable: .serviceUnavailable
    }
  }
}
