internal import AsperaAuth
internal import StorageAuth

/// Asks an issuer for the tokens of one session, and says each time why.
final class SessionTokenProvider: CredentialProvider {
  private struct State {
    var reason = TokenRequest.Reason.initial
    var last: TokenRequest?
    var attempts = 0
  }

  private let issuer: any TokenIssuer
  private let session: String
  private let specification: TransferSpec
  private let state: Lock<State>

  /// - Parameters:
  ///   - issuer: Who is asked.
  ///   - session: The id of the session.
  ///   - specification: The transfer, without secrets.
  ///   - attempts: How often a token was asked for in this session before.
  init(issuer: any TokenIssuer, session: String, specification: TransferSpec, attempts: Int) {
    self.issuer = issuer
    self.session = session
    self.specification = specification
    state = Lock(State(attempts: attempts))
  }

  var source: String { issuer.source }

  /// Why the next token is needed; afterwards it is because the last one ends.
  var reason: TokenRequest.Reason {
    get { state.withLock { $0.reason } }
    set { state.withLock { $0.reason = newValue } }
  }

  /// What was asked last.
  var lastRequest: TokenRequest? { state.withLock { $0.last } }

  /// How often a token was asked for in this session.
  var attempts: Int { state.withLock { $0.attempts } }

  func credential() async throws(CredentialError) -> TransferGrant {
    try await issue().credential
  }

  func issue() async throws(CredentialError) -> IssuedCredential<TransferGrant> {
    let request = state.withLock { state in
      state.attempts += 1
      let request = TokenRequest(
        session: session, specification: specification, reason: state.reason, attempt: state.attempts)
      state.last = request
      state.reason = .expired
      return request
    }
    return try await issuer.issue(for: request)
  }
}
