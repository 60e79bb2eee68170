// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The state machine of a credential cache, which takes events and returns effects without a clock, a lock or a task.
///
/// All instants are uptimes. At most one request to the provider is in flight, which all waiters share. No waiter owns
/// the request, so a waiter can be cancelled without disturbing it.
package struct CacheMachine<Value: Credential> {
  /// A caller's requirement for a credential.
  package struct Requirement {
    /// The duration for which the credential must remain valid.
    var duration: Duration
    /// The generation of the credential that the service rejected, or `nil`.
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
    /// The cache sends a request to the provider.
    case startRequest(number: UInt64)
    /// The cache cancels the call of the provider, if it is still running, and the timeout of the request.
    case cancelRequest(number: UInt64)
    /// The cache resumes a waiter with a credential or an error.
    case resume(waiter: UInt64, WaitResult)
    /// The cache delivers an event to its observers.
    case deliver(AuthEvent.Refresh)
  }

  /// The next request to the provider if callers request a credential all the time.
  package enum NextRequest: Sendable {
    /// The request starts at an uptime.
    case due(at: Duration)
    /// A request has started, and its response determines the next one.
    case inFlight
    /// The cached credential is not refreshed, because it does not expire.
    case notNeeded
    /// The cache is shut down, and sends no more requests.
    case shutDown
  }

  /// A credential that the cache holds, with the uptimes of its expiration and of its next refresh.
  struct Entry {
    var cachedCredential: CachedCredential<Value>
    /// The uptime at which the credential expires, or `nil` if the credential does not expire.
    var expiration: Duration?
    /// The uptime from which the credential is refreshed in the background, or `nil` if it is never refreshed.
    var refreshTime: Duration?

    var generation: CredentialGeneration { cachedCredential.generation }

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

  /// A request to the provider without a response.
  struct ProviderRequest {
    var number: UInt64
    var startTime: Duration
  }

  let configuration: CredentialCacheConfiguration
  let source: String
  /// Whether the cache has a provider that can return another credential.
  let hasProvider: Bool
  /// The generation of the credential whose expiration was announced, in a cache without a provider.
  var announcedGeneration: CredentialGeneration?
  var entry: Entry?
  /// The generation of the cached credential if a service rejected it, or `nil`.
  var rejectedGeneration: CredentialGeneration?
  var requestInFlight: ProviderRequest?
  var waiters: [UInt64: Requirement] = [:]
  /// The provider's last failure, with the ends of its two backoffs as uptimes.
  ///
  /// Until `backoffEnd`, the provider is not called for a caller, and until `refreshBackoffEnd`, not for a background
  /// refresh.
  var failure: (error: CredentialError, backoffEnd: Duration, refreshBackoffEnd: Duration)?
  var failuresInARow = 0
  /// The uptime at which the first of the consecutive failed requests started, or `nil` after a success.
  var failingSince: Duration?
  /// The shortest duration for which a new credential was not valid.
  ///
  /// Until `retryTime`, requirements of this duration or more fail without a request: the provider would return another
  /// credential that is too short.
  var shortfall: (duration: Duration, retryTime: Duration)?
  var isShutDown = false
  private var requestCount: UInt64 = 0
  private var generationCount: UInt64 = 0

  package init(source: String, hasProvider: Bool = true, configuration: CredentialCacheConfiguration) {
    self.source = source
    self.hasProvider = hasProvider
    self.configuration = configuration
  }

  /// Returns the cached credential if it remains valid for a duration and was not rejected, otherwise `nil`.
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

  func isRefreshDue(at uptime: Duration) -> Bool {
    guard let entry, entry.isRefreshDue(at: uptime), requestInFlight == nil, !isShutDown,
      announcedGeneration != entry.generation
    else { return false }
    return failure.map { $0.refreshBackoffEnd <= uptime } ?? true
  }

  /// Returns the next request to the provider, which is not due before `uptime`.
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

  /// Starts a background refresh, or announces the credential's expiration once if there is no provider.
  mutating func startRefresh(at uptime: Duration) -> [Effect] {
    guard !hasProvider, let entry, let expiration = entry.expiration else { return startRequest(at: uptime) }
    announcedGeneration = entry.generation
    return [
      .deliver(AuthEvent.Refresh(source: source, outcome: .ending(entry.generation, lifetime: expiration - uptime)))
    ]
  }

  /// Serves a caller's requirement, or adds the caller to the waiters under the given number.
  package mutating func admit(
    _ waiter: UInt64, _ requirement: Requirement, at uptime: Duration
  ) -> (Admission, [Effect]) {
    if let generation = requirement.rejectedGeneration, generation == entry?.generation {
      // During the backoff, every further report of this rejection receives the error that the provider threw for it.
      if requestInFlight == nil, let failure, uptime < failure.backoffEnd { return (.fail(failure.error), []) }
      rejectedGeneration = generation
    }
    if let cached = servableCredential(lasting: requirement.duration, at: uptime) {
      return (.serve(cached), isRefreshDue(at: uptime) ? startRefresh(at: uptime) : [])
    }
    if isShutDown { return (.fail(.shutDown(source)), []) }
    if requestInFlight == nil {
      if let failure, uptime < failure.backoffEnd {
        return (.fail(waiterError(for: requirement, after: failure.error, at: uptime)), [])
      }
      if let entry, let shortfall, rejectedGeneration != entry.generation, entry.isValid(for: .zero, at: uptime),
        requirement.duration >= shortfall.duration, uptime < shortfall.retryTime
      {
        return (.fail(shortLifetimeError(entry, for: requirement.duration, at: uptime)), [])
      }
    }
    waiters[waiter] = requirement
    return (.wait, requestInFlight == nil ? startRequest(at: uptime) : [])
  }

  mutating func startRequest(at uptime: Duration) -> [Effect] {
    requestCount += 1
    requestInFlight = ProviderRequest(number: requestCount, startTime: uptime)
    return [.deliver(AuthEvent.Refresh(source: source, outcome: .started)), .startRequest(number: requestCount)]
  }

  /// Removes a waiter whose task was cancelled, and resumes it with a cancellation error.
  mutating func cancelWait(of waiter: UInt64) -> [Effect] {
    guard waiters.removeValue(forKey: waiter) != nil else { return [] }
    return [.resume(waiter: waiter, .failure(.waitCancelled(source)))]
  }

  /// Stores a new credential and clears the failures.
  ///
  /// - Parameter wasAwaited: Whether a caller waited for the credential, so that its refresh time is spread.
  mutating func store(
    _ issued: IssuedCredential<Value>, lifetime: RemainingLifetime, from uptime: Duration, wasAwaited: Bool,
    random: Double
  ) -> Entry {
    generationCount += 1
    var expiration: Duration?
    var refreshTime: Duration?
    if case .expires(let duration) = lifetime {
      expiration = uptime + duration
      refreshTime = uptime + configuration.refreshAge(ofLifetime: duration, wasAwaited: wasAwaited, random: random)
    }
    let cachedCredential = CachedCredential(
      credential: issued.credential, generation: CredentialGeneration(number: generationCount),
      source: issued.source ?? source, expiration: expiration)
    let newEntry = Entry(cachedCredential: cachedCredential, expiration: expiration, refreshTime: refreshTime)
    entry = newEntry
    failure = nil
    failuresInARow = 0
    failingSince = nil
    shortfall = nil
    return newEntry
  }

  /// Returns a waiter's error after a failed request: the provider's, or one for a credential that expires too early.
  ///
  /// The second error contains the provider's error as its cause. It applies if the cached credential is still valid
  /// and is not the credential that the waiter reported as rejected.
  func waiterError(for requirement: Requirement, after error: CredentialError, at uptime: Duration) -> CredentialError {
    guard let entry, entry.generation != requirement.rejectedGeneration, entry.isValid(for: .zero, at: uptime) else {
      return error
    }
    let lifetimeError = shortLifetimeError(entry, for: requirement.duration, at: uptime)
    return CredentialError(
      error.code, source: source, lifetimeError.message, remedy: lifetimeError.remedy, isRetryable: error.isRetryable,
      declined: [error])
  }

  /// Returns the error for a cached credential that is valid, but not for the requested duration.
  func shortLifetimeError(_ entry: Entry, for duration: Duration, at uptime: Duration) -> CredentialError {
    let expiration = entry.cachedCredential.credential.expiration
    let remainingLifetime = entry.expiration.map { $0 - uptime } ?? .zero
    let requiredExpiration = expiration?.advanced(by: duration - remainingLifetime)
    return CredentialError(
      .failed, source: source,
      "The newest credential expires at \(expiration?.iso8601 ?? "an unknown time"), but must remain valid until "
        + "\(requiredExpiration?.iso8601 ?? "later").",
      remedy: "Request a shorter lifetime, or configure the source to issue credentials with a longer one.")
  }

  /// Stores the credential or the error of the in-flight request; the response to any other request is ignored.
  package mutating func finishRequest(
    _ number: UInt64, _ result: Result<IssuedCredential<Value>, CredentialError>, at uptime: Duration,
    wallClock: Timestamp, random: Double
  ) -> [Effect] {
    guard let requestInFlight, requestInFlight.number == number else { return [] }
    switch result {
    case .failure(let error): return recordFailure(error, at: uptime, random: random)
    case .success(let issued):
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
      self.requestInFlight = nil
      let entry = store(issued, lifetime: lifetime, from: lifetimeStart, wasAwaited: wasAwaited, random: random)
      let requestDuration = uptime - requestInFlight.startTime
      return [.cancelRequest(number: number), successEffect(entry, at: uptime, after: requestDuration)]
        + resumeWaiters(with: entry, at: uptime)
    }
  }

  mutating func timeOutRequest(_ number: UInt64, at uptime: Duration, random: Double) -> [Effect] {
    guard requestInFlight?.number == number else { return [] }
    return recordFailure(.timedOut(source, after: configuration.timeout), at: uptime, random: random)
  }

  /// Replaces the cached credential with a credential that the app supplies.
  ///
  /// The remaining lifetime is counted from `uptime`. The in-flight request is cancelled.
  mutating func replace(with credential: Value, at uptime: Duration, wallClock: Timestamp, random: Double) -> [Effect] {
    guard !isShutDown else { return [] }
    var effects: [Effect] = []
    if let requestInFlight { effects.append(.cancelRequest(number: requestInFlight.number)) }
    requestInFlight = nil
    let lifetime = RemainingLifetime(of: credential, issuerTime: nil, wallClock: wallClock)
    let entry = store(
      IssuedCredential(credential, source: CachedCredential<Value>.manualSource), lifetime: lifetime, from: uptime,
      wasAwaited: false, random: random)
    return effects + [successEffect(entry, at: uptime, after: nil)] + resumeWaiters(with: entry, at: uptime)
  }

  /// Shuts the cache down: cancels the in-flight request, fails all waiters and stops serving credentials.
  mutating func shutDown() -> [Effect] {
    isShutDown = true
    entry = nil
    defer { requestInFlight = nil }
    return (requestInFlight.map { [.cancelRequest(number: $0.number)] } ?? []) + failWaiters(with: .shutDown(source))
  }

  private mutating func recordFailure(_ error: CredentialError, at uptime: Duration, random: Double) -> [Effect] {
    let requestNumber = requestInFlight?.number
    let duration = requestInFlight.map { uptime - $0.startTime }
    let outageStart = failingSince ?? requestInFlight?.startTime ?? uptime
    requestInFlight = nil
    failuresInARow += 1
    failingSince = outageStart
    let backoff = configuration.backoff(after: failuresInARow, random: random)
    failure = (error, uptime + backoff, uptime + backoff)
    if let expiration = entry?.expiration {
      let refreshDelay = configuration.refreshDelay(
        after: failuresInARow, failingFor: uptime - outageStart, remainingLifetime: expiration - uptime, random: random)
      failure?.refreshBackoffEnd = min(uptime + refreshDelay, max(expiration, uptime + backoff))
    }
    let event = AuthEvent.Refresh(source: source, outcome: .failed(error, backoff: backoff), duration: duration)
    return (requestNumber.map { [.cancelRequest(number: $0)] } ?? []) + [.deliver(event)]
      + resumeWaiters(after: error, at: uptime)
  }

  /// Resumes all waiters after a failed request to the provider.
  ///
  /// A waiter receives the cached credential if it satisfies the waiter's requirement, otherwise the error. Waiters
  /// that have not tried a rejected credential receive it again, because the rejection may have been transient.
  private mutating func resumeWaiters(after error: CredentialError, at uptime: Duration) -> [Effect] {
    defer { waiters = [:] }
    rejectedGeneration = nil
    return waiters.map { waiter, requirement in
      if let cached = servableCredential(lasting: requirement.duration, at: uptime),
        cached.generation != requirement.rejectedGeneration
      {
        return .resume(waiter: waiter, .success(cached))
      }
      return .resume(waiter: waiter, .failure(waiterError(for: requirement, after: error, at: uptime)))
    }
  }

  private func successEffect(_ entry: Entry, at uptime: Duration, after duration: Duration?) -> Effect {
    .deliver(
      AuthEvent.Refresh(
        source: entry.cachedCredential.source,
        outcome: .succeeded(entry.generation, lifetime: entry.expiration.map { $0 - uptime }), duration: duration))
  }

  private mutating func resumeWaiters(with entry: Entry, at uptime: Duration) -> [Effect] {
    defer { waiters = [:] }
    return waiters.map { waiter, requirement in
      if entry.isValid(for: requirement.duration, at: uptime) {
        return .resume(waiter: waiter, .success(entry.cachedCredential))
      }
      let shortestDuration = min(requirement.duration, shortfall?.duration ?? requirement.duration)
      shortfall = (shortestDuration, uptime + configuration.longestBackoff)
      return .resume(waiter: waiter, .failure(shortLifetimeError(entry, for: requirement.duration, at: uptime)))
    }
  }

  private mutating func failWaiters(with error: CredentialError) -> [Effect] {
    defer { waiters = [:] }
    return waiters.keys.map { .resume(waiter: $0, .failure(error)) }
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
      remedy: "Check that the source is reachable and that a callback returns on every path.", isRetryable: true)
  }

  fileprivate static func rejectedAgain(_ source: String) -> CredentialError {
    CredentialError(
      .rejected, source: source, "The source returned the credential that the service has just rejected.",
      remedy: "Make the source issue a new one; its cached copy may be out of date.", isRetryable: true)
  }

  fileprivate static func issuedExpired(_ source: String, _ issued: IssuedCredential<some Credential>)
    -> CredentialError
  {
    let expiration = issued.credential.expiration?.iso8601 ?? "its start"
    let issuerTime = (issued.issuerTime ?? issued.credential.start)?.iso8601 ?? "now"
    return CredentialError(
      .malformedResponse, source: source,
      "The source returned a credential that expired at \(expiration); the time by its own clock is \(issuerTime).",
      remedy: "Make the source issue a new one; its cached copy may be out of date.", isRetryable: true)
  }
}
