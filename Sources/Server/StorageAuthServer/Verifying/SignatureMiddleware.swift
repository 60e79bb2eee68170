// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import Hummingbird
internal import Logging

/// A request context that passes the verified request to the handlers.
public protocol VerifiedRequestContext: RequestContext {
  /// The verified request, or `nil` on routes without the middleware.
  var verifiedRequest: VerifiedRequest? { get set }
}

/// A middleware that passes on only requests with a valid signature in an accepted scheme.
///
/// It checks, in this order: limits on the path, the query and the headers; exactly one authorization of one scheme, in
/// one location; its time and its scope; the key, with an asynchronous lookup; the signature, in constant time, even
/// for an unknown key; that no unsigned parameter names an operation; a bucket and a key that are safe to use; and that
/// the signature was not used before. A body that `Content-MD5` or the signed hash describes is checked while the
/// handler reads it. Chunks are verified one by one, and reach the handler without their framing.
///
/// Handlers must take the bucket, the key and the parameters from `context.verifiedRequest`, which contains the signed
/// interpretation. Serve the routes with `.http1(_:)` or `.https(_:certificate:allowsHTTP2:)`: other servers drop the
/// host of a URL in the request line, and the middleware then sees the `Host` header only.
///
/// ```swift
/// let middleware = SignatureMiddleware<AppContext>(OSSVerifier(region: "cn-hangzhou")) { id in
///   try await accounts.key(for: id)
/// }
/// router.group("files").add(middleware: middleware).put("**") { request, context in … }
/// ```
///
/// A service that accepts several schemes on one route passes all of their verifiers. Headers and parameters that have
/// an effect in another scheme than the request's own are rejected unless they are signed.
///
/// ```swift
/// SignatureMiddleware<AppContext>(OSSVerifier(), COSVerifier(mode: .strict)) { id in … }
/// ```
public struct SignatureMiddleware<Context: VerifiedRequestContext>: RouterMiddleware {
  /// The type of a closure that returns the access key with an ID, or `nil` if no such key exists.
  public typealias KeyLookup = @Sendable @concurrent (AccessKeyID) async throws -> AccessKey?
  private let schemes: AcceptedSchemes
  private let refusalFormat: RefusalFormat
  private let targetRules: TargetRules
  private let replayGuard: ReplayGuard?
  private let allowsUnsignedOperations: Bool
  private let time: any SigningClock
  private let lookup: KeyLookup

  /// Creates a middleware that verifies signatures of one or more schemes.
  ///
  /// - Parameters:
  ///   - first: The verifier for a scheme, whose error codes are those for a request without an authorization. Use the
  ///     strict mode of `COSVerifier` unless older SDKs must be supported.
  ///   - others: The verifiers for additional schemes, each for a different service.
  ///   - responses: The format of refusals.
  ///   - targets: The rules for buckets and keys that must not reach a handler.
  ///   - replays: The guard that accepts signatures only once, or `nil` to accept each signature until it expires.
  ///   - allowsUnsignedOperations: Whether to pass on requests with unsigned parameters that name an operation, such as
  ///     `?acl`, or that have no value. The handler must not act on these, which `VerifiedRequest.unsignedParameters`
  ///     contains. They occur only in OSS V1, and in COS in the compatible mode.
  ///   - time: The clocks of the middleware.
  ///   - lookup: A closure that returns the access key with an ID; its errors are passed on to the app's router.
  public init(
    _ first: some SignatureVerifier, _ others: any SignatureVerifier..., responses: RefusalFormat = .xml,
    targets: TargetRules = TargetRules(), replays: ReplayGuard? = ReplayGuard(), allowsUnsignedOperations: Bool = false,
    time: any SigningClock = .system, lookup: @escaping KeyLookup
  ) {
    schemes = AcceptedSchemes(primary: first, others: others)
    refusalFormat = responses
    targetRules = targets
    replayGuard = replays
    self.allowsUnsignedOperations = allowsUnsignedOperations
    self.time = time
    self.lookup = lookup
  }

  /// Verifies a request and passes it on, or returns the response for a refusal.
  ///
  /// - Throws: An error of the key lookup or of `next`.
  public func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    let bodyCheck: BodyCheck
    var request = request
    var context = context
    // Those of the first scheme, until the scheme of the request is known.
    var refusals = RefusalResponses(errorCodes: schemes.primary.errorCodes, format: refusalFormat)
    do {
      let verified = try await verify(request, &refusals)
      (context.verifiedRequest, bodyCheck) = (verified.request, verified.bodyCheck)
    } catch let error as VerificationError {
      context.logger.info(
        "refused", metadata: ["code": "\(error.code)", "key": "\(error.accessKeyID?.description ?? "")"])
      return refusals.response(for: error, to: request.head, at: time.now)
    } catch let refusal as RequestRefusal {
      context.logger.info("refused", metadata: ["code": "\(refusal.code)"])
      return refusals.response(for: refusal, to: request.head)
    } catch let error as StoreError {
      context.logger.error("refused", metadata: ["error": "\(error)"])
      return refusals.response(for: .replayStoreUnavailable, to: request.head)
    }
    guard bodyCheck.isNeeded else { return try await next(request, context) }
    request.body = bodyCheck.checkedBody(request.body)
    // A handler may ignore the error of an invalid body, or throw another one in its place.
    do {
      let response = try await next(request, context)
      return bodyCheck.failure.map { self.response(for: $0, to: request.head, refusals) } ?? response
    } catch {
      guard let failure = bodyCheck.failure else { throw error }
      return response(for: failure, to: request.head, refusals)
    }
  }

  /// Verifies all of a request but its body, and selects the format of refusals as soon as the scheme is known.
  private func verify(
    _ request: Request, _ refusals: inout RefusalResponses
  ) async throws -> (request: VerifiedRequest, bodyCheck: BodyCheck) {
    // The first Host header is the authority, so that one among the headers is a second one.
    guard !request.headers.contains(where: { $0.name.canonicalName == "host" }) else {
      throw VerificationError.ambiguous("There is more than one Host header.")
    }
    let (verifier, others) = try schemes.verifier(for: request.head)
    refusals = RefusalResponses(errorCodes: verifier.errorCodes, format: refusalFormat)
    let date = time.now
    let verified = try await verifier.verify(request.head, at: date, lookup: lookup)
    try AcceptedSchemes.requireSignedControls(of: others, in: request.head, verified)
    if !allowsUnsignedOperations { try verified.requireSignedOperations() }
    try targetRules.requireSafeNames(of: verified.target)
    let bodyCheck = try BodyCheck(request.head, sha256In: verifier.payloadHashHeader, decodedBy: verified.bodyDecoder)
    try await replayGuard?.requireFirstUse(of: verified, request.method, at: date)
    return (verified, bodyCheck)
  }

  private func response(
    for failure: BodyCheck.Failure, to head: HTTPRequest, _ refusals: RefusalResponses
  ) -> Response {
    switch failure {
    case .mismatch: refusals.response(for: .bodyMismatch, to: head)
    case .framing(let error): refusals.response(for: error, to: head, at: time.now)
    }
  }
}

extension VerifiedRequest {
  /// Rejects an unsigned parameter with an operation, which a handler could carry out instead of the signed one.
  fileprivate func requireSignedOperations() throws(VerificationError) {
    guard let parameter = unsignedParameters.first(where: ParameterCatalog.namesOperation) else { return }
    throw VerificationError(
      .unsignedField, "The parameter \"\(parameter.name.string.onOneLine)\" is not signed, and may name an operation.",
      remedy: "Sign it, or leave it out."
    ).with(accessKeyID: accessKeyID)
  }
}
