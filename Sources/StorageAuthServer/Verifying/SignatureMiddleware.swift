public import COSAuth
internal import HTTPTypes
public import Hummingbird
internal import Logging
public import OSSAuth
public import StorageAuth
internal import StorageCrypto

/// The context of requests whose signature is verified: it carries the proof to the handlers.
public protocol VerifiedRequestContext: RequestContext {
  /// Who signed the request and what was signed; nothing on routes without the middleware.
  var verifiedRequest: VerifiedRequest? { get set }
}

/// Lets only requests through that are signed as for OSS or COS.
///
/// In this order: limits on the path, the query and the headers; a signature in one place; its time and its scope; the
/// key, looked up asynchronously; the signature, compared in constant time, for an unknown key too; that it was not used
/// before. The body is checked while the handler reads it, where the request says what it is (`Content-MD5`, and
/// `x-oss-content-sha256`). Handlers take bucket, key and parameters from `context.verifiedRequest`: that is the reading
/// that was signed.
///
/// ```swift
/// let middleware = SignatureMiddleware<AppContext>(OSSVerifier(region: "cn-hangzhou")) { id in
///   try await accounts.key(for: id)
/// }
/// router.group("files").add(middleware: middleware).put("**") { request, context in … }
/// ```
public struct SignatureMiddleware<Context: VerifiedRequestContext>: RouterMiddleware {
  /// Looks up the key of an id; nothing if there is none.
  public typealias KeyLookup = @Sendable @concurrent (AccessKeyID) async throws -> AccessKey?

  private let verify: @Sendable (HTTPRequest, Timestamp) async throws -> VerifiedRequest
  private let refusals: VerificationAnswers
  private let replays: ReplayGuard?
  private let time: any TimeSource

  /// Verifies signatures of OSS.
  ///
  /// - Parameters:
  ///   - verifier: What is accepted.
  ///   - answers: The form of refusals.
  ///   - replays: Which signatures count once; nothing to let each count until it ends.
  ///   - time: The clocks.
  ///   - keys: Looks up the key of an id. What it throws is the app's answer.
  public init(
    _ verifier: OSSVerifier, answers: RefusalFormat = .xml, replays: ReplayGuard? = ReplayGuard(),
    time: any TimeSource = .system, keys: @escaping KeyLookup
  ) {
    let verifier = verifier.acceptingPayloadHashes
    self.init({ try await verifier.verify($0, at: $1, keys: keys) }, .init(.oss, answers), replays, time)
  }

  /// Verifies signatures of COS.
  ///
  /// - Parameters:
  ///   - verifier: What is accepted; the strict mode unless older SDKs have to be served.
  ///   - answers: The form of refusals.
  ///   - replays: Which signatures count once; nothing to let each count until it ends.
  ///   - time: The clocks.
  ///   - keys: Looks up the key of an id. What it throws is the app's answer.
  public init(
    _ verifier: COSVerifier, answers: RefusalFormat = .xml, replays: ReplayGuard? = ReplayGuard(),
    time: any TimeSource = .system, keys: @escaping KeyLookup
  ) {
    self.init({ try await verifier.verify($0, at: $1, keys: keys) }, .init(.cos, answers), replays, time)
  }

  private init(
    _ verify: @escaping @Sendable (HTTPRequest, Timestamp) async throws -> VerifiedRequest,
    _ refusals: VerificationAnswers, _ replays: ReplayGuard?, _ time: any TimeSource
  ) {
    self.verify = verify
    self.refusals = refusals
    self.replays = replays
    self.time = time
  }

  /// Lets a request through, or answers why not.
  public func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    let check: BodyCheck
    var request = request
    var context = context
    do {
      guard !request.headers.contains(where: { $0.name.canonicalName == "host" }) else {
        throw VerificationError.ambiguous("There is more than one Host header.")
      }
      let date = time.now
      let verified = try await verify(request.head, date)
      check = try BodyCheck(request.head)
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
      return check.hasFailed ? refusals.answer(for: .bodyMismatch, to: request.head) : response
    } catch {
      guard check.hasFailed else { throw error }
      return refusals.answer(for: .bodyMismatch, to: request.head)
    }
  }
}
