// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
internal import CloudCredentials
internal import StorageJSON

/// An app's service that sets up Aspera transfers for its users, so that the credentials of the node stay on the
/// server.
///
/// A request is checked against the caller's policy and sent to the node with absolute paths. Only those fields of the
/// caller's request that concern the transfer itself are forwarded to the node.
public final class TransferTokenService: Sendable {
  private let issuer: any TokenIssuer
  private let rates: CallerRates
  private let audit: @Sendable (TokenAudit) -> Void
  private let time: any SigningClock

  /// Creates a service.
  ///
  /// - Parameters:
  ///   - issuer: The issuer of the tokens; a `SetupTokenIssuer` with the server's own credentials.
  ///   - rate: The rate limit of each caller, or `nil` for no limit. Each transfer counts.
  ///   - rates: The store that counts the requests of callers.
  ///   - audit: Receives an audit entry for each transfer; it must not block.
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

  /// Returns a token for a transfer.
  ///
  /// - Parameters:
  ///   - specification: The transfer, as in a setup request.
  ///   - order: The caller and the policy that the app grants.
  /// - Returns: The grant of the node.
  /// - Throws: A ``TokenServiceError`` if the caller exceeds its rate limit, its policy does not allow the transfer, or
  ///   the node issues no token.
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
