// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
public import Hummingbird

/// A service of an app that sets up Aspera transfers for its users, so that the node's credentials stay on the server.
///
/// The service checks a request against the caller's policy, and sends it to the node with absolute paths. It forwards
/// only the fields of the caller's request that concern the transfer itself.
public final class TransferTokenService: Sendable {
  private let issuer: any TokenIssuer
  private let rateLimiter: CallerRateLimiter
  private let audit: @Sendable (TokenAudit) -> Void
  private let context: ProviderContext

  /// Creates a service that sets up transfers.
  ///
  /// - Parameters:
  ///   - issuer: The issuer of the tokens: a `SetupTokenIssuer` with the server's own credentials.
  ///   - rate: The rate limit of each caller, or `nil` for no limit. Each transfer counts as a request.
  ///   - rates: The store that counts the requests of callers.
  ///   - audit: A closure that receives an audit entry for each transfer. It must not block.
  ///   - context: The network, environment and files of the issuer, and the clocks. The default has no network.
  public init(
    issuer: any TokenIssuer, rate: RateLimit? = .perMinute(60), rates: any RateStore = MemoryRateStore(),
    audit: @escaping @Sendable (TokenAudit) -> Void = { _ in }, in context: ProviderContext = .local
  ) {
    self.issuer = issuer
    rateLimiter = CallerRateLimiter(limit: rate, store: rates, time: context.time)
    self.audit = audit
    self.context = context
  }

  /// Sets up a transfer, and returns its token.
  ///
  /// - Parameters:
  ///   - specification: The transfer specification, as in a setup request.
  ///   - request: The caller and the policy that the app grants.
  /// - Returns: The node's credential for the transfer, which contains the token.
  /// - Throws: A ``TokenServiceError`` if the caller's rate limit or policy, or the node, does not allow the transfer.
  public func grant(
    for specification: TransferSpec, _ request: TransferTokenRequest
  ) async throws(TokenServiceError) -> TransferCredential {
    let subject = TokenAudit.Subject.transfer(
      specification.direction ?? .send, paths: Self.nodePaths(of: specification))
    do {
      let credential = try await setUp(specification, request)
      audit(request, subject, .issued(id: credential.token?.fingerprint ?? "no token", until: credential.expiration))
      return credential
    } catch {
      audit(request, subject, .refused(error))
      throw error
    }
  }

  /// Counts and audits a malformed request for a transfer, and returns the error: `notAllowed`, or that of the rate limit.
  func refuse(
    _ direction: TransferDirection, _ request: TransferTokenRequest, because fault: PolicyError
  ) async -> TokenServiceError {
    var refusal = TokenServiceError.notAllowed(fault)
    do { try await rateLimiter.applyLimit(to: request.caller) } catch { refusal = error }
    audit(request, .transfer(direction, paths: []), .refused(refusal))
    return refusal
  }

  /// Returns the paths on the node below the specification's root, to which files without a destination are uploaded.
  private static func nodePaths(of specification: TransferSpec) -> [String] {
    let isDownload = specification.direction == .receive
    guard let root = isDownload ? specification.sourceRoot : specification.destinationRoot, !root.isEmpty else {
      return specification.paths.map { isDownload ? $0.source : $0.destination ?? $0.source }
    }
    return specification.paths.map { path in
      guard let name = isDownload ? path.source : path.destination else { return root }
      return "\(root.removingByteSuffix("/") ?? root[...])/\(name)"
    }
  }

  private func setUp(
    _ specification: TransferSpec, _ request: TransferTokenRequest
  ) async throws(TokenServiceError) -> TransferCredential {
    try await rateLimiter.applyLimit(to: request.caller)
    let allowedSpecification: TransferSpec
    do {
      allowedSpecification = try request.policy.transfer(specification, with: request.accessKey, at: context.time.now)
    } catch {
      throw .notAllowed(error)
    }
    do {
      let tokenRequest = TokenRequest(session: request.caller, specification: allowedSpecification)
      return try await issuer.issue(for: tokenRequest, in: context).credential
    } catch {
      throw .unavailable(error, after: error.isRetryable ? .seconds(1) : nil)
    }
  }

  private func audit(_ request: TransferTokenRequest, _ subject: TokenAudit.Subject, _ outcome: TokenAudit.Outcome) {
    audit(TokenAudit(date: context.time.now, caller: request.caller, subject: subject, outcome: outcome))
  }
}

/// A request for Aspera transfer tokens, with its caller and the policy that the app grants.
public struct TransferTokenRequest: Sendable, Hashable {
  /// The user ID of the caller, not a name or an address, for rate limits and the audit log.
  public var caller: String
  /// The policy for the caller's transfers, whose rules contain ``accessKey`` as the bucket.
  public var policy: AccessPolicy
  /// The name that the policy's rules contain as the bucket.
  public var accessKey: String

  /// Creates a request for transfer tokens; the parameters are the properties.
  public init(caller: String, policy: AccessPolicy, accessKey: String) {
    self.caller = caller
    self.policy = policy
    self.accessKey = accessKey
  }
}

extension RouterMethods {
  /// Adds the routes `files/upload_setup` and `files/download_setup`, with which clients set up Aspera transfers.
  ///
  /// Clients call the routes as those of an Aspera node: the node of their `SetupTokenIssuer` is the URL before these
  /// paths. The routes do not authenticate the caller; put them behind the app's own authentication.
  ///
  /// - Parameters:
  ///   - service: The service that issues the transfer tokens.
  ///   - makeRequest: A closure that returns the caller of a request and the policy that the app grants to the caller.
  /// - Returns: The router, so that calls can be chained.
  @discardableResult public func transferTokens(
    from service: TransferTokenService,
    makeRequest: @escaping @Sendable @concurrent (Request, Context) async throws -> TransferTokenRequest
  ) -> Self {
    for (path, direction) in [("files/upload_setup", TransferDirection.send), ("files/download_setup", .receive)] {
      on(RouterPath(stringLiteral: path), method: .post) { request, context -> Response in
        var request = request
        do {
          let tokenRequest = try await makeRequest(request, context)
          let call = try await SetupCall(&request, direction)
          return .json(await call.setUpTransfers(by: service, for: tokenRequest))
        } catch let error as HTTPError {
          return .json(TokenRefusal(error), requestID: "") { body, _ in body.nodeError.serialized }
        }
      }
    }
    return self
  }
}
