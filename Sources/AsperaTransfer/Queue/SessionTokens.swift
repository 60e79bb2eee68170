internal import AsperaAuth
internal import StorageAuth

/// The tokens of one activation of a session: a cache of its own over its issuer, or over the token that it has.
///
/// The cache asks the issuer once at a time, leaves it alone after a failure, and renews a token that the server refused
/// exactly once.
final class SessionTokens: Sendable {
  private let cache: CredentialCache<TransferGrant>
  private let issuer: SessionTokenProvider?
  private let margin: Duration
  private let generation = Lock<CredentialGeneration?>(nil)

  /// Tokens of an issuer, which have to live on for `margin` when they are used.
  init(
    issuer: SessionTokenProvider, margin: Duration, configuration: CredentialCacheConfiguration, events: AuthEvents,
    time: any SigningClock
  ) {
    self.issuer = issuer
    self.margin = margin
    cache = CredentialCache(issuer, configuration: configuration, events: events, time: time)
  }

  /// A token that there is only one of; it is used for as long as it lives, or as nobody here knows better.
  init(
    fixed grant: TransferGrant, configuration: CredentialCacheConfiguration, events: AuthEvents, time: any SigningClock
  ) {
    issuer = nil
    margin = .zero
    cache = CredentialCache(grant, configuration: configuration, events: events, time: time)
  }

  /// The grant that is there, if it lives long enough and was not refused, for the attempt that now begins.
  ///
  /// - Returns: The grant, and what came, if it is another one than before.
  func use() -> (CachedCredential<TransferGrant>, TokenIssuance?)? {
    cache.current(lasting: margin).map { ($0, note($0)) }
  }

  /// The date to sign a grant of these at.
  ///
  /// How long a grant lives on was counted from its issuer's time; a wall clock that says otherwise is wrong.
  func date(for grant: TransferGrant, now: Timestamp) -> Timestamp {
    guard let expiration = grant.expiration else { return now }
    return min(now, expiration.advanced(by: .zero - max(margin, .seconds(1))))
  }

  /// How long the issuer wants to be left alone.
  var pause: Duration { cache.pause }

  /// Gets a token that lives long enough.
  ///
  /// - Returns: What came, if it is another one than before.
  /// - Throws: What the issuer said.
  func obtain(_ need: SessionMachine.Need) async throws(CredentialError) -> TokenIssuance? {
    issuer?.reason = need.reason
    let last = generation.withLock { $0 }
    let cached = try await cache.credential(lasting: margin, replacing: need.isRefused ? last : nil)
    return note(cached)
  }

  /// Ends a question that is under way, and gives the token up.
  func shutdown() { cache.shutdown() }

  /// Keeps in mind which grant it is that the server may refuse.
  private func note(_ cached: CachedCredential<TransferGrant>) -> TokenIssuance? {
    let isNew = generation.withLock { generation in
      defer { generation = cached.generation }
      return generation != cached.generation
    }
    guard isNew, let request = issuer?.lastRequest else { return nil }
    return TokenIssuance(
      source: cached.source, kind: cached.credential.token?.kind, expiration: cached.credential.expiration,
      reason: request.reason, attempt: request.attempt)
  }
}

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
