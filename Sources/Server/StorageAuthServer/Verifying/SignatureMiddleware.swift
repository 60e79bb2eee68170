// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import Hummingbird
internal import Logging
internal import StorageCrypto

/// A request context that passes the verified request to the handlers.
public protocol VerifiedRequestContext: RequestContext {
  /// The verified request with its signer and the signed content, or `nil` on routes without the middleware.
  var verifiedRequest: VerifiedRequest? { get set }
}

/// A middleware that passes on only requests with a valid signature in an accepted scheme.
///
/// It checks, in this order: limits on the path, the query and the headers; exactly one authorization of one scheme, in
/// one location; its time and its scope; the key, with an asynchronous lookup; the signature, in constant time, even
/// for an unknown key; a bucket and a key that are safe to use; and that the signature was not used before. If the
/// request describes its body with `Content-MD5` or with the hash that the service signs, the body is checked while the
/// handler reads it. The handler receives a chunked body without the chunk framing, after each chunk's signature has
/// been verified. Handlers must take the bucket, the key and the parameters from `context.verifiedRequest`, which
/// contains the signed interpretation. A request with an unsigned parameter that names an operation does not reach them.
///
/// Serve the routes with `.http1(_:)` or `.https(_:certificate:allowsHTTP2:)`: other servers drop the host of a URL in
/// the request line, and the middleware then sees the `Host` header only.
///
/// ```swift
/// let middleware = SignatureMiddleware<AppContext>(OSSVerifier(region: "cn-hangzhou")) { id in
///   try await accounts.key(for: id)
/// }
/// router.group("files").add(middleware: middleware).put("**") { request, context in … }
/// ```
///
/// A service that accepts several schemes on one route passes all of their verifiers. A request must contain an
/// authorization of exactly one of these schemes. Headers and parameters that have an effect in another scheme are
/// rejected unless they are signed.
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
  ///   - first: The verifier for a scheme. A request without an authorization is refused with the error codes of this
  ///     scheme's service. Use the strict mode of `COSVerifier` unless older SDKs must be supported.
  ///   - others: The verifiers for additional schemes, each for a different service.
  ///   - responses: The format of refusals.
  ///   - targets: The rules for buckets and keys that must not reach a handler.
  ///   - replays: The guard that accepts signatures only once, or `nil` to accept each signature until it expires.
  ///   - allowsUnsignedOperations: Whether to pass on requests with unsigned parameters that name an operation, such as
  ///     `?acl`, or that have no value. The handler finds them in `VerifiedRequest.unsignedParameters`, and must not act
  ///     on them. Only schemes that do not sign every parameter leave any: OSS V1, and COS in the compatible mode.
  ///   - time: The clocks of the middleware.
  ///   - lookup: A closure that returns the access key with an ID. An error that the closure throws is passed on to the
  ///     app's router.
  public init(
    _ first: some SignatureVerifier, _ others: any SignatureVerifier..., responses: RefusalFormat = .xml,
    targets: TargetRules = TargetRules(), replays: ReplayGuard? = ReplayGuard(), allowsUnsignedOperations: Bool = false,
    time: any SigningClock = .system, lookup: @escaping KeyLookup
  ) {
    schemes = AcceptedSchemes(first: first, others: others)
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
    var refusals = RefusalResponses(schemes.first.errorCodes, refusalFormat)
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
      return refusals.response(for: .replaysUnknown, to: request.head)
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

  /// Verifies everything but the body of a request, and selects the format of refusals as soon as its scheme is known.
  private func verify(
    _ request: Request, _ refusals: inout RefusalResponses
  ) async throws -> (request: VerifiedRequest, bodyCheck: BodyCheck) {
    // The first Host header is the authority of the head, so that one among the headers is a second one.
    guard !request.headers.contains(where: { $0.name.canonicalName == "host" }) else {
      throw VerificationError.ambiguous("There is more than one Host header.")
    }
    let (verifier, others) = try schemes.verifier(for: request.head)
    refusals = RefusalResponses(verifier.errorCodes, refusalFormat)
    let date = time.now
    let verified = try await verifier.verify(request.head, at: date, lookup: lookup)
    try AcceptedSchemes.requireSignedControls(of: request.head, verified, in: others)
    if !allowsUnsignedOperations { try AcceptedSchemes.requireSignedOperations(verified) }
    try targetRules.requireSafeNames(of: verified.target)
    let bodyCheck = try BodyCheck(request.head, sha256In: verifier.payloadHashHeader, verified.bodyDecoder)
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

/// The verifiers of the signature schemes that a middleware accepts, at least one.
struct AcceptedSchemes: Sendable {
  let first: any SignatureVerifier
  private let verifiers: [any SignatureVerifier]

  init(first: any SignatureVerifier, others: [any SignatureVerifier]) {
    self.first = first.acceptingPayloadHashes
    verifiers = [self.first] + others.map { $0.acceptingPayloadHashes }
  }

  /// Returns the verifier that recognizes a request, and all other verifiers.
  func verifier(
    for request: HTTPRequest
  ) throws(VerificationError) -> (verifier: any SignatureVerifier, others: [any SignatureVerifier]) {
    guard verifiers.count > 1 else { return (first, []) }
    var recognizing: (any SignatureVerifier)?
    var others: [any SignatureVerifier] = []
    for verifier in verifiers {
      guard try verifier.recognizes(request) else {
        others.append(verifier)
        continue
      }
      guard recognizing == nil else {
        throw .ambiguous("The request carries authorizations of more than one scheme.")
      }
      recognizing = verifier
    }
    if let recognizing { return (recognizing, others) }
    guard (request.headerFields[.authorization] ?? "").isEmpty else {
      throw VerificationError(
        .unsupported, "The scheme of the Authorization header is not one that is accepted here.",
        remedy: "Sign the request by a scheme that the service documents.")
    }
    throw VerificationError(.unsigned, "The request carries no authorization.", remedy: "Sign the request.")
  }

  /// Rejects unsigned headers and parameters that have an effect in a scheme other than the request's own scheme.
  ///
  /// The request's own verifier has checked those of its own scheme. An OSS signature does not cover `x-cos-` headers, so a
  /// handler that supports both schemes would act on headers that were added after signing.
  static func requireSignedControls(
    of request: HTTPRequest, _ verified: VerifiedRequest, in others: [any SignatureVerifier]
  ) throws(VerificationError) {
    let prefixes = others.flatMap(\.controlPrefixes)
    guard !prefixes.isEmpty else { return }
    for field in request.headerFields where !verified.signedHeaders.contains(field.name.canonicalName) {
      try requireNoPrefix(of: prefixes, in: field.name.canonicalName, of: "header", verified)
    }
    for parameter in verified.unsignedParameters {
      try requireNoPrefix(of: prefixes, in: parameter.name.string, of: "parameter", verified)
    }
  }

  /// Rejects unsigned parameters that name an operation, which a handler could carry out instead of the signed one.
  static func requireSignedOperations(_ verified: VerifiedRequest) throws(VerificationError) {
    guard let parameter = verified.unsignedParameters.first(where: { ParameterCatalog.namesOperation($0) }) else {
      return
    }
    throw VerificationError(
      .unsignedField, "The parameter \"\(parameter.name.string.onOneLine)\" is not signed, and may name an operation.",
      remedy: "Sign it, or leave it out."
    ).with(accessKeyID: verified.accessKeyID)
  }

  private static func requireNoPrefix(
    of prefixes: [String], in name: String, of kind: String, _ verified: VerifiedRequest
  ) throws(VerificationError) {
    let lowercasedName = name.utf8.lazy.map(asciiLowercased)
    for prefix in prefixes where lowercasedName.starts(with: prefix.utf8) {
      throw VerificationError(
        .unsignedField, "A \(kind) that starts with \(prefix) is not signed.",
        remedy: "Sign it, or leave it out."
      ).with(accessKeyID: verified.accessKeyID)
    }
  }
}
