// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The state machine of a credential cache, which takes events and returns effects without a clock, a lock or a task.
///
/// All instants are uptimes. At most one request to the provider is in flight, which all waiters share. No waiter owns
/// the request, so a waiter can be cancelled without disturbing it.
package struct CacheMachine<Value: Credential> {
  /// The demand of a caller for a credential.
  package struct Requirement {
    /// The duration for which the credential must remain valid.
    var duration: Duration
    /// The generation of a credential that a service rejected, according to the caller, or `nil`.
    var rejectedGeneration: CredentialGeneration?

    package init(lasting duration: Duration, rejected generation: CredentialGeneration? = nil) {
      self.duration = duration
      rejectedGeneration = generation
    }
  }

  package typealias WaitResult = Result<CachedCredential<Value>, CredentialError>

  /// The immediate result of a caller's request for a credential: a credential, an error, or a wait.
  package enum Admission {
    case serve(CachedCredential<Value>)
    case fail(CredentialError)
    case wait
  }

  /// An action that the cache must perform after an event, in the order in which the actions are returned.
  package enum Effect {
    case startRequest(number: UInt64)
    /// The cache cancels the call of the provider, if the call is still running, and the timeout of the request.
    case cancelRequest(number: UInt64)
    case resume(waiterNumber: UInt64, WaitResult)
    case deliver(AuthEvent.Refresh)
  }

  /// The next request to the provider if callers request a credential all the time.
  package enum NextRequest: Sendable {
    case due(at: Duration)
    /// A request has started; its response determines the next request.
    case inFlight
    /// The cached credential is not refreshed, because it does not expire.
    case notNeeded
    case shutDown
  }

  /// A cached credential, with the uptimes of its expiration and its background refresh, which are `nil` for never.
  struct Entry {
    var cachedCredential: CachedCredential<Value>
    var expiration: Duration?
    var refreshTime: Duration?
    var generation: CredentialGeneration { cachedCredential.generation }

    /// Returns whether the credential remains valid for a duration, and at least for a nanosecond.
    func isValid(for duration: Duration, at uptime: Duration) -> Bool {
      guard let expiration else { return true }
      guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else {
        return expiration - uptime >= max(duration, .nanoseconds(1))
      }
      // The code compares integers, because the operators of `Duration` are function calls.
      return expiration.attoseconds - uptime.attoseconds >= max(duration.attoseconds, 1_000_000_000)
    }

    func isRefreshDue(at uptime: Duration) -> Bool {
      guard let refreshTime else { return false }
      guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return refreshTime <= uptime }
      return refreshTime.attoseconds <= uptime.attoseconds
    }
  }

  struct ProviderRequest {
    let number: UInt64
    let startTime: Duration
  }

  /// A failure of the provider, with the uptimes until which callers and background refreshes do not call it again.
  struct ProviderFailure {
    let error: CredentialError
    let backoffEnd: Duration
    let refreshBackoffEnd: Duration
  }

  /// The shortest duration for which a new credential was not valid.
  ///
  /// Until `retryTime`, requirements of at least this duration fail at once, because another request would not help.
  struct Shortfall {
    let duration: Duration
    let retryTime: Duration
  }

  let configuration: CredentialCacheConfiguration
  let source: String
  /// Whether there is a provider; otherwise, the app sets the credentials.
  let hasProvider: Bool
  /// The generation of the credential whose expiration was announced, in a cache without a provider.
  var announcedGeneration: CredentialGeneration?
  var entry: Entry?
  /// The generation of the cached credential if a service rejected this credential.
  var rejectedGeneration: CredentialGeneration?
  var requestInFlight: ProviderRequest?
  /// The requirements of the waiting callers, by the numbers of the callers.
  var waiters: [UInt64: Requirement] = [:]
  var failure: ProviderFailure?
  var failuresInARow = 0
  /// The uptime at which the first of the consecutive failed requests started, or `nil` after a success.
  var failingSince: Duration?
  var shortfall: Shortfall?
  var isShutDown = false
  private var requestCount: UInt64 = 0
  var nextGeneration: UInt64 = 1

  package init(source: String, hasProvider: Bool = true, configuration: CredentialCacheConfiguration) {
    self.source = source
    self.hasProvider = hasProvider
    self.configuration = configuration
  }

  /// Returns the cached credential if it remains valid for a duration and was not rejected.
  package func servableCredential(lasting duration: Duration, at uptime: Duration) -> CachedCredential<Value>? {
    guard let entry, !isShutDown, rejectedGeneration != entry.generation, entry.isValid(for: duration, at: uptime)
    else { return nil }
    return entry.cachedCredential
  }

  /// The credential that may be served without consulting the state machine until its next event, or `nil`.
  ///
  /// The `refreshTime` property is the uptime of the next background refresh. For every instant up to the next event,
  /// the value gives the same results as ``servableCredential(lasting:at:)`` and ``isRefreshDue(at:)``.
  var servableEntry: Entry? {
    guard var entry, !isShutDown, rejectedGeneration != entry.generation else { return nil }
    if requestInFlight != nil || announcedGeneration == entry.generation {
      entry.refreshTime = nil
    } else if let refreshTime = entry.refreshTime, let failure {
      entry.refreshTime = max(refreshTime, failure.refreshBackoffEnd)
    }
    return entry
  }

  func remainingBackoff(at uptime: Duration) -> Duration { failure.map { max(.zero, $0.backoffEnd - uptime) } ?? .zero }

  /// Returns whether a caller who is served the cached credential now starts its background refresh.
  func isRefreshDue(at uptime: Duration) -> Bool {
    guard let entry, entry.isRefreshDue(at: uptime), requestInFlight == nil, !isShutDown,
      announcedGeneration != entry.generation
    else { return false }
    return failure.map { $0.refreshBackoffEnd <= uptime } ?? true
  }

  package func nextRequest(after uptime: Duration) -> NextRequest {
    if isShutDown { return .shutDown }
    if requestInFlight != nil { return .inFlight }
    guard servableCredential(lasting: .zero, at: uptime) != nil, let entry else {
      return .due(at: uptime + remainingBackoff(at: uptime))
    }
    guard let next = announcedGeneration == entry.generation ? entry.expiration : entry.refreshTime else {
      return .notNeeded
    }
    return .due(at: max(uptime, next, failure?.refreshBackoffEnd ?? next))
  }

  /// Serves a caller's requirement, or adds the caller to the waiters under the given number.
  package mutating func admit(
    _ waiterNumber: UInt64, _ requirement: Requirement, at uptime: Duration
  ) -> (admission: Admission, effects: [Effect]) {
    if let generation = requirement.rejectedGeneration, generation == entry?.generation {
      // During the backoff, every further report of this rejection receives the error that the provider threw for it.
      if requestInFlight == nil, let failure, uptime < failure.backoffEnd { return (.fail(failure.error), []) }
      rejectedGeneration = generation
    }
    if let cached = servableCredential(lasting: requirement.duration, at: uptime) {
      return (.serve(cached), isRefreshDue(at: uptime) ? startRefresh(at: uptime) : [])
    }
    if isShutDown { return (.fail(.shutDown(source)), []) }
    let isIdle = requestInFlight == nil
    if isIdle, let error = errorDuringPause(for: requirement, at: uptime) { return (.fail(error), []) }
    waiters[waiterNumber] = requirement
    return (.wait, isIdle ? startRequest(at: uptime) : [])
  }

  mutating func cancelWait(of waiterNumber: UInt64) -> [Effect] {
    guard waiters.removeValue(forKey: waiterNumber) != nil else { return [] }
    return [.resume(waiterNumber: waiterNumber, .failure(.waitCancelled(source)))]
  }

  /// Starts a background refresh, or announces the credential's expiration once if there is no provider.
  mutating func startRefresh(at uptime: Duration) -> [Effect] {
    // Only a credential that expires has a refresh time at which this method is called.
    guard !hasProvider, let entry, let expiration = entry.expiration else { return startRequest(at: uptime) }
    announcedGeneration = entry.generation
    let outcome = AuthEvent.Refresh.Outcome.ending(entry.generation, lifetime: expiration - uptime)
    return [.deliver(AuthEvent.Refresh(source: source, outcome: outcome))]
  }

  mutating func startRequest(at uptime: Duration) -> [Effect] {
    requestCount += 1
    requestInFlight = ProviderRequest(number: requestCount, startTime: uptime)
    return [.deliver(AuthEvent.Refresh(source: source, outcome: .started)), .startRequest(number: requestCount)]
  }

  /// Stores the credential or the error of the in-flight request; the response to any other request is ignored.
  package mutating func finishRequest(
    _ number: UInt64, _ result: Result<IssuedCredential<Value>, CredentialError>, at uptime: Duration,
    wallClock: Timestamp, random: Double
  ) -> [Effect] {
    guard let requestInFlight, requestInFlight.number == number else { return [] }
    let issued: IssuedCredential<Value>
    switch result {
    case .failure(let error): return recordFailure(error, at: uptime, random: random)
    case .success(let success): issued = success
    }
    let lifetime = RemainingLifetime(of: issued.credential, issuerTime: issued.issuerTime, wallClock: wallClock)
    if lifetime == .expired { return recordFailure(.issuedExpired(source, issued), at: uptime, random: random) }
    if let entry, rejectedGeneration == entry.generation, entry.cachedCredential.credential == issued.credential {
      return recordFailure(.rejectedAgain(source), at: uptime, random: random)
    }
    // The issuer read its clock during the request; an earlier start of the lifetime can only shorten it.
    let lifetimeStart = issued.issuerTime == nil ? uptime : requestInFlight.startTime
    // A background refresh runs at a time that only this machine chose. A request that a caller waited for may
    // coincide with requests from other machines, so the credential's next refresh time is spread.
    let wasAwaited = failuresInARow > 0 || servableCredential(lasting: .zero, at: uptime) == nil
    let cancellation = abandonRequest()
    let entry = store(issued, lifetime: lifetime, from: lifetimeStart, wasAwaited: wasAwaited, random: random)
    let success = successEffect(entry, at: uptime, requestDuration: uptime - requestInFlight.startTime)
    return cancellation + [success] + resumeWaiters(with: entry, at: uptime)
  }

  mutating func timeOutRequest(_ number: UInt64, at uptime: Duration, random: Double) -> [Effect] {
    guard requestInFlight?.number == number else { return [] }
    return recordFailure(.timedOut(source, after: configuration.timeout), at: uptime, random: random)
  }

  /// Replaces the cached credential with a credential of the app, and cancels the in-flight request.
  mutating func replace(with credential: Value, at uptime: Duration, wallClock: Timestamp, random: Double) -> [Effect] {
    guard !isShutDown else { return [] }
    let cancellation = abandonRequest()
    let lifetime = RemainingLifetime(of: credential, issuerTime: nil, wallClock: wallClock)
    let issued = IssuedCredential(credential, source: CachedCredential<Value>.manualSource)
    let entry = store(issued, lifetime: lifetime, from: uptime, wasAwaited: false, random: random)
    let success = successEffect(entry, at: uptime, requestDuration: nil)
    return cancellation + [success] + resumeWaiters(with: entry, at: uptime)
  }

  /// Forgets the credential, and ends the request and all waits; later requirements fail.
  mutating func shutDown() -> [Effect] {
    isShutDown = true
    entry = nil
    defer { waiters = [:] }
    return abandonRequest() + waiters.keys.map { .resume(waiterNumber: $0, .failure(.shutDown(source))) }
  }

  /// Returns the error for a requirement on whose behalf the provider must not be called now, or `nil`.
  private func errorDuringPause(for requirement: Requirement, at uptime: Duration) -> CredentialError? {
    if let failure, uptime < failure.backoffEnd {
      return waiterError(for: requirement, after: failure.error, at: uptime)
    }
    guard let entry, let shortfall, rejectedGeneration != entry.generation, entry.isValid(for: .zero, at: uptime),
      requirement.duration >= shortfall.duration, uptime < shortfall.retryTime
    else { return nil }
    return shortLifetimeError(entry, for: requirement.duration, at: uptime)
  }

  /// Stores a new credential and clears the failures; the refresh time is spread if a caller awaited the credential.
  private mutating func store(
    _ issued: IssuedCredential<Value>, lifetime: RemainingLifetime, from uptime: Duration, wasAwaited: Bool,
    random: Double
  ) -> Entry {
    defer { nextGeneration += 1 }
    var expiration: Duration?
    var refreshTime: Duration?
    if case .expires(let duration) = lifetime {
      expiration = uptime + duration
      refreshTime = uptime + configuration.refreshAge(ofLifetime: duration, wasAwaited: wasAwaited, random: random)
    }
    let cachedCredential = CachedCredential(
      credential: issued.credential, generation: CredentialGeneration(number: nextGeneration),
      source: issued.source ?? source, expiration: expiration)
    let newEntry = Entry(cachedCredential: cachedCredential, expiration: expiration, refreshTime: refreshTime)
    entry = newEntry
    failure = nil
    failuresInARow = 0
    failingSince = nil
    shortfall = nil
    return newEntry
  }

  /// Ends the request, starts the backoff of callers and of background refreshes, and resumes the waiters.
  private mutating func recordFailure(_ error: CredentialError, at uptime: Duration, random: Double) -> [Effect] {
    let requestStart = requestInFlight?.startTime
    let cancellation = abandonRequest()
    let outageStart = failingSince ?? requestStart ?? uptime
    failuresInARow += 1
    failingSince = outageStart
    let backoff = configuration.backoff(after: failuresInARow, random: random)
    let backoffEnd = uptime + backoff
    var refreshBackoffEnd = backoffEnd
    if let expiration = entry?.expiration {
      let refreshDelay = configuration.refreshDelay(
        after: failuresInARow, failingFor: uptime - outageStart, remainingLifetime: expiration - uptime, random: random)
      refreshBackoffEnd = min(uptime + refreshDelay, max(expiration, backoffEnd))
    }
    failure = ProviderFailure(error: error, backoffEnd: backoffEnd, refreshBackoffEnd: refreshBackoffEnd)
    let event = AuthEvent.Refresh(
      source: source, outcome: .failed(error, backoff: backoff), duration: requestStart.map { uptime - $0 })
    return cancellation + [.deliver(event)] + resumeWaiters(after: error, at: uptime)
  }

  /// Ends the request in flight, if any, with its timeout; a response that arrives later is ignored.
  private mutating func abandonRequest() -> [Effect] {
    defer { requestInFlight = nil }
    return requestInFlight.map { [.cancelRequest(number: $0.number)] } ?? []
  }

  /// Resumes all waiters with a new credential, or with an error where the credential expires too early.
  private mutating func resumeWaiters(with entry: Entry, at uptime: Duration) -> [Effect] {
    let unmetDurations = waiters.values.map(\.duration).filter { !entry.isValid(for: $0, at: uptime) }
    if let shortestDuration = unmetDurations.min() {
      shortfall = Shortfall(duration: shortestDuration, retryTime: uptime + configuration.longestBackoff)
    }
    defer { waiters = [:] }
    return waiters.map { waiterNumber, requirement in
      if entry.isValid(for: requirement.duration, at: uptime) {
        return .resume(waiterNumber: waiterNumber, .success(entry.cachedCredential))
      }
      let error = shortLifetimeError(entry, for: requirement.duration, at: uptime)
      return .resume(waiterNumber: waiterNumber, .failure(error))
    }
  }

  /// Resumes all waiters after a failed request, with the cached credential where it satisfies the requirement.
  ///
  /// Waiters that have not tried a rejected credential receive it again, because the rejection may have been transient.
  private mutating func resumeWaiters(after error: CredentialError, at uptime: Duration) -> [Effect] {
    defer { waiters = [:] }
    rejectedGeneration = nil
    return waiters.map { waiterNumber, requirement in
      let cached = servableCredential(lasting: requirement.duration, at: uptime)
      if let cached, cached.generation != requirement.rejectedGeneration {
        return .resume(waiterNumber: waiterNumber, .success(cached))
      }
      return .resume(waiterNumber: waiterNumber, .failure(waiterError(for: requirement, after: error, at: uptime)))
    }
  }

  /// Returns the error of a waiter after a failed request: the provider's, or that the cached credential expires too
  /// early, if this credential is valid and the waiter did not report it as rejected.
  private func waiterError(
    for requirement: Requirement, after error: CredentialError, at uptime: Duration
  ) -> CredentialError {
    guard let entry, entry.generation != requirement.rejectedGeneration, entry.isValid(for: .zero, at: uptime) else {
      return error
    }
    let lifetimeError = shortLifetimeError(entry, for: requirement.duration, at: uptime)
    return CredentialError(
      error.code, source: source, lifetimeError.message, remedy: lifetimeError.remedy, isRetryable: error.isRetryable,
      declined: [error])
  }

  private func shortLifetimeError(_ entry: Entry, for duration: Duration, at uptime: Duration) -> CredentialError {
    let expiration = entry.cachedCredential.credential.expiration
    let remainingLifetime = entry.expiration.map { $0 - uptime } ?? .zero
    let requiredExpiration = expiration?.advanced(by: duration - remainingLifetime)
    return CredentialError(
      .failed, source: source,
      "The newest credential expires at \(expiration?.iso8601 ?? "an unknown time"), but must remain valid until "
        + "\(requiredExpiration?.iso8601 ?? "later").",
      remedy: "Request a shorter lifetime, or configure the source to issue credentials with a longer one.")
  }

  private func successEffect(_ entry: Entry, at uptime: Duration, requestDuration: Duration?) -> Effect {
    let outcome = AuthEvent.Refresh.Outcome.succeeded(entry.generation, lifetime: entry.expiration.map { $0 - uptime })
    let source = entry.cachedCredential.source
    return .deliver(AuthEvent.Refresh(source: source, outcome: outcome, duration: requestDuration))
  }
}

extension CredentialError {
  static func shutDown(_ source: String) -> CredentialError {
    CredentialError(
      .cancelled, source: source, "The cache was shut down.", remedy: "Create a new one where requests are still sent.")
  }

  static func waitCancelled(_ source: String) -> CredentialError {
    CredentialError(
      .cancelled, source: source, "The task was cancelled while it waited for a credential.",
      remedy: "Request it again if it is still needed.", isRetryable: true)
  }

  static func timedOut(_ source: String, after timeout: Duration) -> CredentialError {
    CredentialError(
      .timeout, source: source, "The source did not respond within \(timeout).",
      remedy: """
        Check that the source is reachable and that a callback returns on every path, or increase the timeout of the cache.
        """,
      isRetryable: true)
  }

  private static let newCredentialRemedy = "Make the source issue a new one; its cached copy may be out of date."

  fileprivate static func rejectedAgain(_ source: String) -> CredentialError {
    CredentialError(
      .rejected, source: source, "The source returned the credential that the service has just rejected.",
      remedy: newCredentialRemedy, isRetryable: true)
  }

  fileprivate static func issuedExpired(
    _ source: String, _ issued: IssuedCredential<some Credential>
  ) -> CredentialError {
    let expiration = issued.credential.expiration?.iso8601 ?? "an unknown time"
    let issuerTime = (issued.issuerTime ?? issued.credential.start)?.iso8601 ?? "unknown"
    return CredentialError(
      .malformedResponse, source: source,
      "The source returned a credential that expired at \(expiration); the time by its own clock is \(issuerTime).",
      remedy: newCredentialRemedy, isRetryable: true)
  }
}
