public import AsperaAuth
internal import CloudCredentials
internal import StorageJSON

/// The service of an app that sets Aspera transfers up for its users, so that the access to the node stays on the server.
///
/// What a caller asks for is checked against its policy and asked of the node with absolute paths; of the caller's request
/// only what concerns the transfer itself goes on to the node.
public final class TransferTokenService: Sendable {
  private let issuer: any TokenIssuer
  private let rates: CallerRates
  private let audit: @Sendable (TokenAudit) -> Void
  private let time: any SigningClock

  /// Makes a service.
  ///
  /// - Parameters:
  ///   - issuer: Where tokens come from; a `SetupTokenIssuer` with the server's own access.
  ///   - rate: How often a caller may ask; nothing for no limit. Each transfer counts.
  ///   - rates: Where it is counted how often callers asked.
  ///   - audit: Is told who asked for what, and what came of it; it must not block.
  ///   - time: The clocks.
  public init(
    issuer: any TokenIssuer, rate: RateLimit? = .perMinute(60), rates: any RateStore = MemoryRateStore(),
    audit: @escaping @Sendable (TokenAudit) -> Void = { _ in }, time: any SigningClock = .system
  ) {
    self.issuer = issuer
    self.rates = CallerRates(limit: rate, store: rates, time: time)
    self.audit = audit
    self.time = time
  }

  /// A token for a transfer.
  ///
  /// - Parameters:
  ///   - specification: What is to be transferred, as a setup request names it.
  ///   - order: Who asks, and what the app lets them have.
  /// - Returns: The grant of the node.
  /// - Throws: A ``TokenServiceError``.
  public func grant(
    for specification: TransferSpec, _ order: TransferTokenRequest
  ) async throws(TokenServiceError) -> TransferGrant {
    let subject = TokenAudit.Subject.transfer(
      specification.direction ?? .send, paths: specification.paths.map { $0.destination ?? $0.source })
    do {
      let grant = try await setUp(specification, order)
      audit(order, subject, .vended(id: grant.token?.fingerprint ?? "no token", until: grant.expiration))
      return grant
    } catch {
      audit(order, subject, .refused(error))
      throw error
    }
  }

  private func setUp(
    _ specification: TransferSpec, _ order: TransferTokenRequest
  ) async throws(TokenServiceError) -> TransferGrant {
    try await rates.take(order.caller)
    let allowed: TransferSpec
    do {
      allowed = try order.policy.transfer(specification, with: order.accessKey, at: time.now)
    } catch {
      throw .notAllowed(error)
    }
    do {
      return try await issuer.issue(for: TokenRequest(session: order.caller, specification: allowed)).credential
    } catch {
      throw .unavailable(error, after: error.isRetryable ? .seconds(1) : nil)
    }
  }

  private func audit(_ order: TransferTokenRequest, _ subject: TokenAudit.Subject, _ outcome: TokenAudit.Outcome) {
    audit(TokenAudit(date: time.now, caller: order.caller, subject: subject, outcome: outcome))
  }
}
