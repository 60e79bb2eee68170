internal import HTTPTypes
public import Hummingbird
internal import Logging
public import StorageAuth
internal import StorageCrypto

/// The context of requests whose signature is verified: it carries the proof to the handlers.
public protocol VerifiedRequestContext: RequestContext {
  /// Who signed the request and what was signed; `nil` on routes without the middleware.
  var verifiedRequest: VerifiedRequest? { get set }
}

/// Lets only requests through that are signed for one of the schemes that it accepts.
///
/// In this order: limits on the path, the query and the headers; one authorization of one scheme, in one place; its time
/// and its scope; the key, looked up asynchronously; the signature, compared in constant time, for an unknown key too; a
/// bucket and a key that are safe to act on; that the signature was not used before. The body is checked while the handler
/// reads it, where the request says what it is (`Content-MD5`, and the hash that the service signs); a body in chunks
/// reaches it without its frame, after each chunk's signature. Handlers take bucket, key and parameters from
/// `context.verifiedRequest`: that is the reading that was signed.
///
/// ```swift
/// let middleware = SignatureMiddleware<AppContext>(OSSVerifier(region: "cn-hangzhou")) { id in
///   try await accounts.key(for: id)
/// }
/// router.group("files").add(middleware: middleware).put("**") { request, context in … }
/// ```
///
/// A service that takes several schemes on one route names them all. A request has to carry an authorization of exactly
/// one of them; headers and parameters that have an effect in another are refused unless they are signed.
///
/// ```swift
/// SignatureMiddleware<AppContext>(OSSVerifier(), COSVerifier(mode: .strict)) { id in … }
/// ```
public struct SignatureMiddleware<Context: VerifiedRequestContext>: RouterMiddleware {
  /// Looks up the key of an id; `nil` if there is none.
  public typealias KeyLookup = @Sendable @concurrent (AccessKeyID) async throws -> AccessKey?

  private let schemes: AcceptedSchemes
  private let answers: RefusalFormat
  private let targets: TargetRules
  private let replays: ReplayGuard?
  private let time: any SigningClock
  private let lookup: KeyLookup

  /// Verifies signatures of one scheme or of several.
  ///
  /// - Parameters:
  ///   - first: Verifies a scheme; a request without an authorization is refused in the words of its service. Take the
  ///     strict mode of `COSVerifier` unless older SDKs have to be served.
  ///   - others: Verify further schemes, each of another service.
  ///   - answers: The form of refusals.
  ///   - targets: Which buckets and keys do not reach a handler.
  ///   - replays: Which signatures count once; `nil` to let each count until it ends.
  ///   - time: The clocks.
  ///   - lookup: Looks up the key of an id. What it throws is the app's answer.
  public init(
    _ first: some SignatureVerifier, _ others: any SignatureVerifier..., answers: RefusalFormat = .xml,
    targets: TargetRules = TargetRules(), replays: ReplayGuard? = ReplayGuard(), time: any SigningClock = .system,
    lookup: @escaping KeyLookup
  ) {
    schemes = AcceptedSchemes(first: AcceptedScheme(first), others: others.map { AcceptedScheme($0) })
    self.answers = answers
    self.targets = targets
    self.replays = replays
    self.time = time
    self.lookup = lookup
  }

  /// Lets a request through, or answers why not.
  public func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    let check: BodyCheck
    var request = request
    var context = context
    var refusals = VerificationAnswers(schemes.first.refusals, answers)
    do {
      guard !request.headers.contains(where: { $0.name.canonicalName == "host" }) else {
        throw VerificationError.ambiguous("There is more than one Host header.")
      }
      let (scheme, others) = try schemes.scheme(of: request.head)
      refusals = VerificationAnswers(scheme.refusals, answers)
      let date = time.now
      let (verified, decoder) = try await scheme.verify(request.head, date, lookup)
      try AcceptedSchemes.checkControls(of: request.head, verified, in: others)
      try targets.check(verified.target)
      check = try BodyCheck(request.head, sha256In: scheme.payloadHashHeader, decoder)
      try await replays?.check(verified, request.method, at: date)
      context.verifiedRequest = verified
    } catch let error as VerificationError {
      context.logger.info(
        "refused", metadata: ["code": "\(error.code)", "key": "\(error.accessKeyID?.description ?? "")"])
      return refusals.answer(for: error, to: request.head, at: time.now)
    } catch let refusal as RequestRefusal {
      context.logger.info("refused", metadata: ["code": "\(refusal.code)"])
      return refusals.answer(for: refusal, to: request.head)
    }
    guard check.isNeeded else { return try await next(request, context) }
    request.body = check.checking(request.body)
    do {
      let response = try await next(request, context)
      return check.failure.map { answer(for: $0, to: request.head, refusals) } ?? response
    } catch {
      guard let failure = check.failure else { throw error }
      return answer(for: failure, to: request.head, refusals)
    }
  }

  private func answer(
    for failure: BodyCheck.Failure, to head: HTTPRequest, _ refusals: VerificationAnswers
  ) -> Response {
    switch failure {
    case .mismatch: refusals.answer(for: .bodyMismatch, to: head)
    case .frame(let error): refusals.answer(for: error, to: head, at: time.now)
    }
  }
}
