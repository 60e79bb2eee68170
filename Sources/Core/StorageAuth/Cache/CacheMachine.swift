// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The state machine of a credential cache, which takes events and returns effects without a clock, a lock or a task.
///
/// All instants are uptimes. A flight is one request to the provider; at most one request is in flight. No waiter owns
/// the request, so a waiter can be cancelled without disturbing the request.
package struct CacheMachine<Value: Credential> {
  /// A caller's requirements for a credential.
  package struct Need {
    /// The duration for which the credential must remain valid.
    var lasting: Duration
    /// The generation of the credential that the service rejected, or `nil`.
    var rejected: CredentialGeneration?

    package init(lasting: Duration, rejected: CredentialGeneration? = nil) {
      self.lasting = lasting
      self.rejected = rejected
    }
  }

  /// The immediate result of a caller's request for a credential: a credential, an error, or a wait.
  package enum Admission {
    case serve(CachedCredential<Value>)
    case refuse(CredentialError)
    case wait
  }

  /// An action that the cache must perform after an event, in the order in which the actions are returned.
  package enum Effect {
    /// The cache calls the provider.
    case start(flight: UInt64)
    /// The cache cancels the request to the provider if it is still running, because no response is needed any more.
    case abandon(flight: UInt64)
    /// The cache resumes a waiter.
    case response(waiter: UInt64, Result<CachedCredential<Value>, CredentialError>)
    /// The cache delivers an event to its observers.
    case deliver(AuthEvent.Refresh)
  }

  /// A credential that the cache holds, with the uptimes of its expiration and of its next refresh.
  struct Held {
    var cached: CachedCredential<Value>
    /// The uptime at which the credential expires, or `nil` if the credential does not expire.
    var expiration: Duration?
    /// The uptime from which the credential is refreshed in the background, or `nil` if it is never refreshed.
    var refreshTime: Duration?

    func isValid(for duration: Duration, at uptime: Duration) -> Bool {
      guard let expiration else { return true }
      guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else {
        return expiration - uptime >= max(duration, .nanoseconds(1))
      }
      // The code compares integers, because the operators of `Duration` are function calls.
      return expiration.attoseconds - uptime.attoseconds >= max(duration.attoseconds, 1_000_000_000)
    }

    func isDue(at uptime: Duration) -> Bool {
      guard let refreshTime else { return false }
      guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return refreshTime <= uptime }
      return refreshTime.attoseconds <= uptime.attoseconds
    }
  }

  /// A request to the provider that has not been answered.
  struct Flight {
    var number: UInt64
    var started: Duration
  }

  let configuration: CredentialCacheConfiguration
  let source: String
  /// Whether the cache has a provider that can return another credential.
  let hasProvider: Bool
  /// The generation of the credential whose end was announced, in a cache without a provider.
  var announced: CredentialGeneration?
  var held: Held?
  var rejected: CredentialGeneration?
  var flight: Flight?
  var waiters: [UInt64: Need] = [:]
  /// The provider's last failure, with the ends of its two backoffs as uptimes.
  ///
  /// Until `end`, the provider is not called for a caller, and until `renewal`, not for a background refresh.
  var failure: (error: CredentialError, end: Duration, renewal: Duration)?
  var failuresInARow = 0
  /// The uptime at which the first of the consecutive failed requests started, or `nil` after a success.
  var failingSince: Duration?
  /// The smallest lifetime that a fresh credential lacked; until `end`, requests for it or more fail without a refresh.
  var shortfall: (lasting: Duration, end: Duration)?
  var isShutDown = false
  private var flights: UInt64 = 0
  private var generations: UInt64 = 0

  package init(source: String, hasProvider: Bool = true, configuration: CredentialCacheConfiguration) {
    self.source = source
    self.hasProvider = hasProvider
    self.configuration = configuration
  }

  /// Returns the cached credential if it remains valid for a duration and was not rejected, otherwise `nil`.
  package func ready(lasting duration: Duration, at uptime: Duration) -> CachedCredential<Value>? {
    guard let held, !isShutDown, rejected != held.cached.generation, held.isValid(for: duration, at: uptime) else {
      return nil
    }
    return held.cached
  }

  /// The credential that may be served without consulting the state machine until its next event, or `nil`.
  ///
  /// The `refreshTime` property is the uptime of the next background refresh. For every instant up to the next event, the
  /// value gives the same results as ``ready(lasting:at:)`` and ``wantsRefresh(at:)``.
  var servable: Held? {
    guard var servable = held, !isShutDown, rejected != servable.cached.generation else { return nil }
    if flight != nil || announced == servable.cached.generation {
      servable.refreshTime = nil
    } else if let refreshTime = servable.refreshTime, let failure {
      servable.refreshTime = max(refreshTime, failure.renewal)
    }
    return servable
  }

  func remainingBackoff(at uptime: Duration) -> Duration {
    failure.map { max(.zero, $0.end - uptime) } ?? .zero
  }

  func wantsRefresh(at uptime: Duration) -> Bool {
    guard let held, held.isDue(at: uptime), flight == nil, !isShutDown, announced != held.cached.generation else {
      return false
    }
    return failure.map { $0.renewal <= uptime } ?? true
  }

  /// Returns the uptime of the next request to the provider if callers request a credential all the time.
  ///
  /// It is at least `uptime`; `nil` during a request, after the shutdown, or if the credential is not refreshed.
  package func nextRequest(after uptime: Duration) -> Duration? {
    guard flight == nil, !isShutDown else { return nil }
    guard ready(lasting: .zero, at: uptime) != nil, let held else { return uptime + remainingBackoff(at: uptime) }
    let next = announced == held.cached.generation ? held.expiration : held.refreshTime
    return next.map { next in max(uptime, failure.map { max(next, $0.renewal) } ?? next) }
  }

  /// Refreshes the credential in the background, or announces its end once if there is no provider.
  mutating func refresh(at uptime: Duration) -> [Effect] {
    guard !hasProvider, let held, let expiration = held.expiration else { return start(at: uptime) }
    announced = held.cached.generation
    return [
      .deliver(
        AuthEvent.Refresh(source: source, outcome: .ending(held.cached.generation, lifetime: expiration - uptime)))
    ]
  }

  /// Handles a caller's request for a credential; the number identifies the caller if it must wait.
  package mutating func ask(_ waiter: UInt64, _ need: Need, at uptime: Duration) -> (Admission, [Effect]) {
    if let generation = need.rejected, generation == held?.cached.generation {
      // During the backoff, every further report of this rejection receives the error that the provider threw for it.
      if flight == nil, let failure, uptime < failure.end { return (.refuse(failure.error), []) }
      rejected = generation
    }
    if let cached = ready(lasting: need.lasting, at: uptime) {
      return (.serve(cached), wantsRefresh(at: uptime) ? refresh(at: uptime) : [])
    }
    if isShutDown { return (.refuse(.shutDown(source)), []) }
    if flight == nil {
      if let failure, uptime < failure.end {
        return (.refuse(refusal(of: need, because: failure.error, at: uptime)), [])
      }
      if let held, let shortfall, rejected != held.cached.generation, held.isValid(for: .zero, at: uptime),
        need.lasting >= shortfall.lasting, uptime < shortfall.end
      {
        return (.refuse(tooShort(held, for: need.lasting, at: uptime)), [])
      }
    }
    waiters[waiter] = need
    return (.wait, flight == nil ? start(at: uptime) : [])
  }

  mutating func start(at uptime: Duration) -> [Effect] {
    flights += 1
    flight = Flight(number: flights, started: uptime)
    return [.deliver(AuthEvent.Refresh(source: source, outcome: .started)), .start(flight: flights)]
  }

  /// Handles the cancellation of a waiter, which fails with a cancellation error.
  mutating func leave(_ waiter: UInt64) -> [Effect] {
    guard waiters.removeValue(forKey: waiter) != nil else { return [] }
    return [.response(waiter: waiter, .failure(.waitCancelled(source)))]
  }

  /// Stores a new credential and clears the failures; the refresh of a credential that a caller waited for is spread.
  mutating func hold(
    _ issued: IssuedCredential<Value>, lifetime: RemainingLifetime, from uptime: Duration, isFirst: Bool, random: Double
  ) -> Held {
    generations += 1
    let cached = CachedCredential(
      credential: issued.credential, generation: CredentialGeneration(number: generations),
      source: issued.source ?? source)
    var next = Held(cached: cached)
    if case .ends(let duration) = lifetime {
      next.expiration = uptime + duration
      next.refreshTime = uptime + configuration.renewalAge(ofLifetime: duration, isFirst: isFirst, random: random)
    }
    held = next
    failure = nil
    failuresInARow = 0
    failingSince = nil
    shortfall = nil
    return next
  }

  /// Returns a waiter's error after a failed request: the provider's, or one for a credential that expires too early.
  ///
  /// The second error contains the provider's error as its cause. It applies if the cached credential is still valid
  /// and is not the credential that the waiter reported as rejected.
  func refusal(of need: Need, because error: CredentialError, at uptime: Duration) -> CredentialError {
    guard let held, held.cached.generation != need.rejected, held.isValid(for: .zero, at: uptime) else { return error }
    let short = tooShort(held, for: need.lasting, at: uptime)
    return CredentialError(
      error.code, source: source, short.message, remedy: short.remedy, isRetryable: error.isRetryable,
      declined: [error])
  }

  /// Returns the error for a cached credential that is valid, but not for the requested duration.
  func tooShort(_ held: Held, for duration: Duration, at uptime: Duration) -> CredentialError {
    let end = held.cached.credential.expiration
    let remaining = held.expiration.map { $0 - uptime } ?? .zero
    let needed = end?.advanced(by: duration - remaining)
    return CredentialError(
      .failed, source: source,
      "The newest credential expires at \(end?.iso8601 ?? "an unknown time"), but must remain valid until "
        + "\(needed?.iso8601 ?? "later").",
      remedy: "Request a shorter lifetime, or configure the source to issue credentials with a longer one.")
  }

  /// Handles the provider's response to an in-flight request; a response to an abandoned request is ignored.
  package mutating func finish(
    _ number: UInt64, _ result: Result<IssuedCredential<Value>, CredentialError>, at uptime: Duration,
    wallClock: Timestamp, random: Double
  ) -> [Effect] {
    guard let flight, flight.number == number else { return [] }
    switch result {
    case .failure(let error): return fail(error, at: uptime, random: random)
    case .success(let issued):
      let lifetime = RemainingLifetime(of: issued.credential, issuerTime: issued.issuerTime, wallClock: wallClock)
      if lifetime == .expired { return fail(.issuedExpired(source, issued), at: uptime, random: random) }
      if let held, rejected == held.cached.generation, held.cached.credential == issued.credential {
        return fail(.rejectedAgain(source), at: uptime, random: random)
      }
      // The issuer read its clock during the request; an earlier start of the lifetime can only shorten it.
      let from = issued.issuerTime == nil ? uptime : flight.started
      // A background refresh runs at a time that only this machine chose. A request that a caller waited for may
      // coincide with requests from other machines, so the credential's next refresh time is spread.
      let isFirst = failuresInARow > 0 || ready(lasting: .zero, at: uptime) == nil
      self.flight = nil
      let held = hold(issued, lifetime: lifetime, from: from, isFirst: isFirst, random: random)
      return [.abandon(flight: number), success(held, at: uptime, after: uptime - flight.started)]
        + resolveWaiters(with: held, at: uptime)
    }
  }

  mutating func timeOut(_ number: UInt64, at uptime: Duration, random: Double) -> [Effect] {
    guard flight?.number == number else { return [] }
    return fail(.timedOut(source, after: configuration.timeout), at: uptime, random: random)
  }

  /// Replaces the cached credential with a credential that the app supplies.
  ///
  /// The remaining lifetime is counted from `uptime`. The in-flight request is abandoned.
  mutating func replace(with credential: Value, at uptime: Duration, wallClock: Timestamp, random: Double) -> [Effect] {
    guard !isShutDown else { return [] }
    var effects: [Effect] = []
    if let flight { effects.append(.abandon(flight: flight.number)) }
    flight = nil
    let lifetime = RemainingLifetime(of: credential, issuerTime: nil, wallClock: wallClock)
    let held = hold(
      IssuedCredential(credential, source: "credential set by hand"), lifetime: lifetime, from: uptime, isFirst: false,
      random: random)
    return effects + [success(held, at: uptime, after: nil)] + resolveWaiters(with: held, at: uptime)
  }

  /// Shuts the cache down: abandons the in-flight request, fails all waiters and stops serving credentials.
  mutating func shutDown() -> [Effect] {
    isShutDown = true
    held = nil
    defer { flight = nil }
    return (flight.map { [.abandon(flight: $0.number)] } ?? []) + failWaiters(with: .shutDown(source))
  }

  private mutating func fail(_ error: CredentialError, at uptime: Duration, random: Double) -> [Effect] {
    let number = flight?.number
    let duration = flight.map { uptime - $0.started }
    let since = failingSince ?? flight?.started ?? uptime
    flight = nil
    failuresInARow += 1
    failingSince = since
    let delay = configuration.backoff(after: failuresInARow, random: random)
    failure = (error, uptime + delay, uptime + delay)
    if let expiration = held?.expiration {
      let renewal = configuration.renewalDelay(
        after: failuresInARow, failingFor: uptime - since, remaining: expiration - uptime, random: random)
      failure?.renewal = min(uptime + renewal, max(expiration, uptime + delay))
    }
    let event = AuthEvent.Refresh(source: source, outcome: .failed(error, backoff: delay), duration: duration)
    return (number.map { [.abandon(flight: $0)] } ?? []) + [.deliver(event)] + resumeWaiters(after: error, at: uptime)
  }

  /// Resumes all waiters after a failed credential request.
  ///
  /// A waiter receives the cached credential if it satisfies the waiter's requirements, otherwise the error. Waiters
  /// that have not tried a rejected credential receive it again, because the rejection may have been transient.
  private mutating func resumeWaiters(after error: CredentialError, at uptime: Duration) -> [Effect] {
    defer { waiters = [:] }
    rejected = nil
    return waiters.map { waiter, need in
      if let cached = ready(lasting: need.lasting, at: uptime), cached.generation != need.rejected {
        return .response(waiter: waiter, .success(cached))
      }
      return .response(waiter: waiter, .failure(refusal(of: need, because: error, at: uptime)))
    }
  }

  private func success(_ held: Held, at uptime: Duration, after duration: Duration?) -> Effect {
    .deliver(
      AuthEvent.Refresh(
        source: held.cached.source,
        outcome: .succeeded(held.cached.generation, lifetime: held.expiration.map { $0 - uptime }),
        duration: duration))
  }

  private mutating func resolveWaiters(with held: Held, at uptime: Duration) -> [Effect] {
    defer { waiters = [:] }
    return waiters.map { waiter, need in
      if held.isValid(for: need.lasting, at: uptime) { return .response(waiter: waiter, .success(held.cached)) }
      let shortest = min(need.lasting, shortfall?.lasting ?? need.lasting)
      shortfall = (shortest, uptime + configuration.longestBackoff)
      return .response(waiter: waiter, .failure(tooShort(held, for: need.lasting, at: uptime)))
    }
  }

  private mutating func failWaiters(with error: CredentialError) -> [Effect] {
    defer { waiters = [:] }
    return waiters.keys.map { .response(waiter: $0, .failure(error)) }
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
    let end = issued.credential.expiration?.iso8601 ?? "its start"
    let present = (issued.issuerTime ?? issued.credential.start)?.iso8601 ?? "now"
    return CredentialError(
      .malformedResponse, source: source,
      "The source returned a credential that expired at \(end); the time by its own clock is \(present).",
      remedy: "Make the source issue a new one; its cached copy may be out of date.", isRetryable: true)
  }
}
