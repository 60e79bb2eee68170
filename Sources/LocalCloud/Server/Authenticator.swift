internal import HTTPTypes
internal import StorageAuth

/// Decides who asks: the one place where signatures are verified.
struct Authenticator: Sendable {
  private let accounts: [String: LocalCloud.Account]
  private let claimedID: @Sendable (HTTPRequest) throws -> String?
  private let verified: @Sendable (HTTPRequest, Timestamp, [String: LocalCloud.Account]) async throws -> VerifiedRequest

  init(_ verifier: some SignatureVerifier, _ accounts: [LocalCloud.Account]) {
    self.accounts = Dictionary(accounts.map { ($0.key.id, $0) }) { first, _ in first }
    claimedID = { try verifier.claim(in: $0)?.accessKeyID }
    verified = { request, date, accounts in
      try await verifier.verify(request, at: date) { id in
        guard let account = accounts[id], !account.isDisabled else { return nil }
        return account.key
      }
    }
  }

  /// Verifies a request.
  ///
  /// - Returns: The proof; nothing for a request that carries no authorization.
  /// - Throws: Why an authorization that it carries is not right.
  func verify(_ request: HTTPRequest, at date: Timestamp) async throws(VerificationError) -> VerifiedRequest? {
    do {
      guard try claimedID(request) != nil else { return nil }
      return try await verified(request, date, accounts)
    } catch let error as VerificationError {
      throw error
    } catch {
      // Verifiers throw nothing else; whatever it is, it does not let the request through.
      throw VerificationError(.malformed, "The request could not be verified.", remedy: "Sign it again.")
    }
  }
}
