// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension CacheMachine {
  /// Handles the provider's response to an in-flight credential request.
  ///
  /// A response to an abandoned request is ignored.
  ///
  /// - Parameters:
  ///   - number: The number of the in-flight request.
  ///   - result: The issued credential, or the provider's error.
  ///   - uptime: The uptime at which the response arrived.
  ///   - wallClock: The wall-clock time at which the response arrived, in UTC.
  ///   - random: A random number from 0 to 1, for the jitter of the backoff or of the refresh time.
  /// - Returns: The effects to perform, in order.
  package mutating func finish(
    _ number: UInt64, _ result: Result<IssuedCredential<Value>, CredentialError>, at uptime: Duration,
    wallClock: Timestamp, random: Double
  ) -> [Effect] {
    guard let flight, flight.number == number else { return [] }
    switch result {
    case .failure(let error):
      return fail(error, at: uptime, random: random)
    case .success(let issued):
      let life = CredentialLife(of: issued.credential, issuerTime: issued.issuerTime, wallClock: wallClock)
      if life == .over { return fail(.issuedOver(source, issued), at: uptime, random: random) }
      if let held, rejected == held.cached.generation, held.cached.credential == issued.credential {
        return fail(.sameAgain(source), at: uptime, random: random)
      }
      // The issuer read its clock at some instant during the request. Counting the lifetime from the start of the
      // request can only shorten the lifetime.
      let from = issued.issuerTime == nil ? uptime : flight.started
      // A background refresh runs at a time that only this machine chose. A request that a caller waited for may
      // coincide with requests from other machines, so the credential's next refresh time is spread.
      let isFirst = failuresInARow > 0 || ready(lasting: .zero, at: uptime) == nil
      self.flight = nil
      let held = hold(issued, life: life, from: from, isFirst: isFirst, random: random)
      return [.abandon(flight: number), success(held, at: uptime, after: uptime - flight.started)]
        + answerAll(held, at: uptime)
    }
  }

  /// Fails the in-flight credential request because its timeout has elapsed.
  mutating func timeOut(_ number: UInt64, at uptime: Duration, random: Double) -> [Effect] {
    guard flight?.number == number else { return [] }
    return fail(.timedOut(source, after: configuration.timeout), at: uptime, random: random)
  }

  /// Replaces the cached credential with a credential that the app supplies.
  ///
  /// The remaining lifetime is counted from `uptime`. The in-flight request is abandoned.
  mutating func replace(
    with credential: Value, at uptime: Duration, wallClock: Timestamp, random: Double
  ) -> [Effect] {
    guard !isShutDown else { return [] }
    var effects: [Effect] = []
    if let flight { effects.append(.abandon(flight: flight.number)) }
    flight = nil
    let life = CredentialLife(of: credential, issuerTime: nil, wallClock: wallClock)
    let held = hold(
      IssuedCredential(credential, source: "credential set by hand"), life: life, from: uptime, isFirst: false,
      random: random)
    return effects + [success(held, at: uptime, after: nil)] + answerAll(held, at: uptime)
  }

  /// Shuts the cache down: abandons the in-flight request, fails all waiters and stops serving credentials.
  mutating func shutDown() -> [Effect] {
    isShutDown = true
    held = nil
    defer { flight = nil }
    return (flight.map { [.abandon(flight: $0.number)] } ?? []) + refuseAll(.shutDown(source))
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
    if let end = held?.end {
      let renewal = configuration.renewalDelay(
        after: failuresInARow, failingFor: uptime - since, rest: end - uptime, random: random)
      failure?.renewal = min(uptime + renewal, max(end, uptime + delay))
    }
    let told = AuthEvent.Refresh(source: source, outcome: .failed(error, backoff: delay), duration: duration)
    return (number.map { [.abandon(flight: $0)] } ?? []) + [.tell(told)] + settle(error, uptime)
  }

  /// Resumes all waiters after a failed credential request.
  ///
  /// A waiter receives the cached credential if it satisfies the waiter's requirements, otherwise the error. A rejected
  /// credential is served again to waiters that have not tried it: the service's rejection may have been transient, and
  /// there is no other credential.
  private mutating func settle(_ error: CredentialError, _ uptime: Duration) -> [Effect] {
    defer { waiters = [:] }
    rejected = nil
    return waiters.map { waiter, need in
      if let cached = ready(lasting: need.lasting, at: uptime), cached.generation != need.rejected {
        return .answer(waiter: waiter, .success(cached))
      }
      return .answer(waiter: waiter, .failure(refusal(of: need, because: error, at: uptime)))
    }
  }

  private func success(_ held: Held, at uptime: Duration, after duration: Duration?) -> Effect {
    .tell(
      AuthEvent.Refresh(
        source: held.cached.source, outcome: .succeeded(held.cached.generation, lifetime: held.end.map { $0 - uptime }),
        duration: duration))
  }

  private mutating func answerAll(_ held: Held, at uptime: Duration) -> [Effect] {
    defer { waiters = [:] }
    return waiters.map { waiter, need in
      if held.lives(need.lasting, at: uptime) { return .answer(waiter: waiter, .success(held.cached)) }
      let shortest = min(need.lasting, shortfall?.lasting ?? need.lasting)
      shortfall = (shortest, uptime + configuration.longestBackoff)
      return .answer(waiter: waiter, .failure(tooShort(held, for: need.lasting, at: uptime)))
    }
  }

  private mutating func refuseAll(_ error: CredentialError) -> [Effect] {
    defer { waiters = [:] }
    return waiters.keys.map { .answer(waiter: $0, .failure(error)) }
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

  fileprivate static func sameAgain(_ source: String) -> CredentialError {
    CredentialError(
      .rejected, source: source, "The source returned the credential that the service has just rejected.",
      remedy: "Make the source issue a new one; its cached copy may be out of date.", isRetryable: true)
  }

  fileprivate static func issuedOver(_ source: String, _ issued: IssuedCredential<some Credential>) -> CredentialError {
    let end = issued.credential.expiration?.iso8601 ?? "its start"
    let present = (issued.issuerTime ?? issued.credential.start)?.iso8601 ?? "now"
    return CredentialError(
      .malformedAnswer, source: source,
      "The source returned a credential that expired at \(end); the time by its own clock is \(present).",
      remedy: "Make the source issue a new one; its cached copy may be out of date.", isRetryable: true)
  }
}
