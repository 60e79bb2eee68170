// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The state machine of a credential cache, without a clock, a lock or a task: it takes events and returns effects.
///
/// All instants are uptimes. A flight is one request to the provider; at most one is in flight. No waiter owns it, so a
/// waiter can be cancelled without disturbing it.
package struct CacheMachine<Value: Credential> {
  /// The requirements of a caller that requests a credential.
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

  /// The immediate result of a caller's request for a credential.
  package enum Admission {
    case serve(CachedCredential<Value>)
    case refuse(CredentialError)
    case wait
  }

  /// An action that the cache performs after an event; effects are performed in the order in which they are returned.
  package enum Effect {
    /// Send a request to the provider.
    case start(flight: UInt64)
    /// Cancel the request to the provider, because its response is no longer needed.
    case abandon(flight: UInt64)
    /// Resume a waiter with a result.
    case answer(waiter: UInt64, Result<CachedCredential<Value>, CredentialError>)
    /// Notify the observers.
    case tell(AuthEvent.Refresh)
  }

  struct Held {
    var cached: CachedCredential<Value>
    /// The uptime at which the credential expires, or `nil` if it does not.
    var end: Duration?
    /// The uptime from which the credential is refreshed in the background, or `nil` if it is not.
    var refresh: Duration?

    func lives(_ duration: Duration, at uptime: Duration) -> Bool {
      guard let end else { return true }
      // Compares integers, because the operators of `Duration` are function calls.
      return end.attoseconds - uptime.attoseconds >= max(duration.attoseconds, 1_000_000_000)
    }

    /// Whether the credential is due for a refresh in the background.
    func isDue(at uptime: Duration) -> Bool {
      guard let refresh else { return false }
      return refresh.attoseconds <= uptime.attoseconds
    }
  }

  struct Flight {
    var number: UInt64
    var started: Duration
  }

  let configuration: CredentialCacheConfiguration
  let source: String
  var held: Held?
  var rejected: CredentialGeneration?
  var flight: Flight?
  var waiters: [UInt64: Need] = [:]
  /// The last failure, with its two backoffs.
  ///
  /// Until the uptime `end` the provider is not called for a caller, until `renewal` the credential is not refreshed in
  /// the background.
  var failure: (error: CredentialError, end: Duration, renewal: Duration)?
  var failuresInARow = 0
  /// The uptime at which the first of the consecutive failed requests started.
  var failingSince: Duration?
  /// The smallest requested lifetime that a fresh credential did not satisfy, with the end of its backoff.
  ///
  /// Requests for that lifetime or a longer one fail without a refresh until the uptime `end`.
  var shortfall: (lasting: Duration, end: Duration)?
  var isShutDown = false
  private var flights: UInt64 = 0
  private var generations: UInt64 = 0

  package init(source: String, configuration: CredentialCacheConfiguration) {
    self.source = source
    self.configuration = configuration
  }

  /// Returns the held credential if it remains valid for the duration and was not rejected.
  package func ready(lasting duration: Duration, at uptime: Duration) -> CachedCredential<Value>? {
    guard let held, !isShutDown, rejected != held.cached.generation, held.lives(duration, at: uptime) else {
      return nil
    }
    return held.cached
  }

  /// The credential that may be served without the machine until its next event.
  ///
  /// Its `refresh` is the uptime of the next refresh in the background. For every instant up to that event it gives the
  /// same results as ``ready(lasting:at:)`` and ``wantsRefresh(at:)``.
  var standing: Held? {
    guard var standing = held, !isShutDown, rejected != standing.cached.generation else { return nil }
    if flight != nil {
      standing.refresh = nil
    } else if let refresh = standing.refresh, let failure {
      standing.refresh = max(refresh, failure.renewal)
    }
    return standing
  }

  /// Returns the remaining time during which the provider is not called because of its last failure.
  func pause(at uptime: Duration) -> Duration {
    failure.map { max(.zero, $0.end - uptime) } ?? .zero
  }

  /// Whether the held credential should be refreshed in the background now.
  func wantsRefresh(at uptime: Duration) -> Bool {
    guard let held, held.isDue(at: uptime), flight == nil, !isShutDown else { return false }
    return failure.map { $0.renewal <= uptime } ?? true
  }

  /// Returns the uptime at which the machine calls its provider next if callers request a credential all the time.
  ///
  /// - Parameter uptime: The present uptime; the result is not before it.
  /// - Returns: `nil` while a request is in flight, after the shutdown, and for a credential that does not expire.
  package func nextQuestion(after uptime: Duration) -> Duration? {
    guard flight == nil, !isShutDown else { return nil }
    guard ready(lasting: .zero, at: uptime) != nil, let held else { return uptime + pause(at: uptime) }
    guard let refresh = held.refresh else { return nil }
    return max(uptime, failure.map { max(refresh, $0.renewal) } ?? refresh)
  }

  /// Handles a caller's request for a credential.
  ///
  /// - Parameters:
  ///   - waiter: The number under which the caller waits.
  ///   - need: The caller's requirements.
  ///   - uptime: The present uptime.
  /// - Returns: The result for the caller, and the effects to perform, in order.
  package mutating func ask(_ waiter: UInt64, _ need: Need, at uptime: Duration) -> (Admission, [Effect]) {
    if let generation = need.rejected, generation == held?.cached.generation {
      // The error that the provider threw for this rejection answers every further report of it during the backoff.
      if flight == nil, let failure, uptime < failure.end { return (.refuse(failure.error), []) }
      rejected = generation
    }
    if let cached = ready(lasting: need.lasting, at: uptime) {
      return (.serve(cached), wantsRefresh(at: uptime) ? start(at: uptime) : [])
    }
    if isShutDown { return (.refuse(.shutDown(source)), []) }
    if flight == nil {
      if let failure, uptime < failure.end {
        return (.refuse(refusal(of: need, because: failure.error, at: uptime)), [])
      }
      if let held, let shortfall, rejected != held.cached.generation, held.lives(.zero, at: uptime),
        need.lasting >= shortfall.lasting, uptime < shortfall.end
      {
        return (.refuse(tooShort(held, for: need.lasting, at: uptime)), [])
      }
    }
    waiters[waiter] = need
    return (.wait, flight == nil ? start(at: uptime) : [])
  }

  /// Starts a request to the provider.
  mutating func start(at uptime: Duration) -> [Effect] {
    flights += 1
    flight = Flight(number: flights, started: uptime)
    return [.tell(AuthEvent.Refresh(source: source, outcome: .started)), .start(flight: flights)]
  }

  /// Handles the cancellation of a waiter.
  mutating func leave(_ waiter: UInt64) -> [Effect] {
    guard waiters.removeValue(forKey: waiter) != nil else { return [] }
    return [.answer(waiter: waiter, .failure(.waitCancelled(source)))]
  }

  /// Stores a new credential and resets the state of failures.
  ///
  /// - Parameter isFirst: Whether the time of its refresh is spread, because a caller had to wait for it.
  mutating func hold(
    _ issued: IssuedCredential<Value>, life: CredentialLife, from uptime: Duration, isFirst: Bool, random: Double
  ) -> Held {
    generations += 1
    let cached = CachedCredential(
      credential: issued.credential, generation: CredentialGeneration(number: generations),
      source: issued.source ?? source)
    var next = Held(cached: cached)
    if case .ends(let duration) = life {
      next.end = uptime + duration
      next.refresh = uptime + configuration.renewalAge(ofLife: duration, isFirst: isFirst, random: random)
    }
    held = next
    failure = nil
    failuresInARow = 0
    failingSince = nil
    shortfall = nil
    return next
  }

  /// Returns the waiter's error: the provider's, or "too short-lived" with the provider's as its cause.
  ///
  /// The second applies if a credential is held, still valid, and not the one that the waiter reported as rejected.
  func refusal(of need: Need, because error: CredentialError, at uptime: Duration) -> CredentialError {
    guard let held, held.cached.generation != need.rejected, held.lives(.zero, at: uptime) else { return error }
    let short = tooShort(held, for: need.lasting, at: uptime)
    return CredentialError(
      error.code, source: source, short.message, remedy: short.remedy, isRetryable: error.isRetryable,
      declined: [error])
  }

  /// Returns the error for a credential that is valid, but for less than the requested duration.
  func tooShort(_ held: Held, for duration: Duration, at uptime: Duration) -> CredentialError {
    let end = held.cached.credential.expiration
    let rest = held.end.map { $0 - uptime } ?? .zero
    let needed = end?.advanced(by: duration - rest)
    return CredentialError(
      .failed, source: source,
      "The newest credential expires at \(end?.iso8601 ?? "an unknown time"), but must remain valid until "
        + "\(needed?.iso8601 ?? "later").",
      remedy: "Request a shorter lifetime, or configure the source to issue credentials with a longer one.")
  }
}
