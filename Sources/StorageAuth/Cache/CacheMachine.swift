/// What a cache knows and decides, without a clock, a lock or a task: events go in, effects come out.
///
/// All instants are uptimes. A flight is one question to the source; there is at most one. It belongs to nobody: who
/// waits for it may give up without disturbing it.
package struct CacheMachine<Value: Credential> {
  /// What somebody needs.
  package struct Need {
    /// How long the credential has to live on.
    var lasting: Duration
    /// The credential that the service rejected.
    var rejected: CredentialGeneration?

    package init(lasting: Duration, rejected: CredentialGeneration? = nil) {
      self.lasting = lasting
      self.rejected = rejected
    }
  }

  /// What somebody who needs a credential is told.
  package enum Admission {
    case serve(CachedCredential<Value>)
    case refuse(CredentialError)
    case wait
  }

  /// What has to be done after an event, in this order.
  package enum Effect {
    /// Ask the source.
    case start(flight: UInt64)
    /// Nobody awaits the flight any more.
    case abandon(flight: UInt64)
    /// Tell somebody who waits.
    case answer(waiter: UInt64, Result<CachedCredential<Value>, CredentialError>)
    /// Tell the observers.
    case tell(AuthEvent.Refresh)
  }

  struct Held {
    var cached: CachedCredential<Value>
    /// When it ends; nothing if it does not.
    var end: Duration?
    /// From when it is renewed in the background.
    var refresh: Duration?

    func lives(_ duration: Duration, at uptime: Duration) -> Bool {
      guard let end else { return true }
      // Of numbers, since operators of durations are calls.
      return end.attoseconds - uptime.attoseconds >= max(duration.attoseconds, 1_000_000_000)
    }

    /// Whether it is to be renewed in the background.
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
  /// The last failure, until when the source is left alone because of it, and until when nothing is renewed in the
  /// background.
  var failure: (error: CredentialError, end: Duration, renewal: Duration)?
  var failuresInARow = 0
  /// When the source was asked the first of the questions in a row that failed.
  var failingSince: Duration?
  /// The shortest life that a fresh credential did not have, and until when nobody asks for it again.
  var shortfall: (lasting: Duration, end: Duration)?
  var isShutDown = false
  private var flights: UInt64 = 0
  private var generations: UInt64 = 0

  package init(source: String, configuration: CredentialCacheConfiguration) {
    self.source = source
    self.configuration = configuration
  }

  /// The credential that is held, if it lives long enough and nobody rejected it.
  package func ready(lasting duration: Duration, at uptime: Duration) -> CachedCredential<Value>? {
    guard let held, !isShutDown, rejected != held.cached.generation, held.lives(duration, at: uptime) else {
      return nil
    }
    return held.cached
  }

  /// What may be handed out without asking the machine until the next event, with when a renewal is due until then.
  ///
  /// What it says of an instant is what ``ready(lasting:at:)`` and ``wantsRefresh(at:)`` say.
  var standing: Held? {
    guard var standing = held, !isShutDown, rejected != standing.cached.generation else { return nil }
    if flight != nil {
      standing.refresh = nil
    } else if let refresh = standing.refresh, let failure {
      standing.refresh = max(refresh, failure.renewal)
    }
    return standing
  }

  /// How long the source is still left alone.
  func pause(at uptime: Duration) -> Duration {
    failure.map { max(.zero, $0.end - uptime) } ?? .zero
  }

  /// Whether the credential that is held should be renewed now, in the background.
  func wantsRefresh(at uptime: Duration) -> Bool {
    guard let held, held.isDue(at: uptime), flight == nil, !isShutDown else { return false }
    return failure.map { $0.renewal <= uptime } ?? true
  }

  /// The first instant, at `uptime` or later, at which the machine asks its source if callers never stop asking it.
  ///
  /// - Returns: `nil` while a question is under way, after the shutdown, and for a credential that does not end.
  package func nextQuestion(after uptime: Duration) -> Duration? {
    guard flight == nil, !isShutDown else { return nil }
    guard ready(lasting: .zero, at: uptime) != nil, let held else { return uptime + pause(at: uptime) }
    guard let refresh = held.refresh else { return nil }
    return max(uptime, failure.map { max(refresh, $0.renewal) } ?? refresh)
  }

  /// Somebody needs a credential.
  package mutating func ask(_ waiter: UInt64, _ need: Need, at uptime: Duration) -> (Admission, [Effect]) {
    if let generation = need.rejected, generation == held?.cached.generation {
      // What the source said to this rejection is the answer to all of them, for as long as it is left alone.
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

  /// Asks the source.
  mutating func start(at uptime: Duration) -> [Effect] {
    flights += 1
    flight = Flight(number: flights, started: uptime)
    return [.tell(AuthEvent.Refresh(source: source, outcome: .started)), .start(flight: flights)]
  }

  /// Somebody does not wait any more.
  mutating func leave(_ waiter: UInt64) -> [Effect] {
    guard waiters.removeValue(forKey: waiter) != nil else { return [] }
    return [.answer(waiter: waiter, .failure(.waitCancelled(source)))]
  }

  /// Holds a new credential.
  ///
  /// - Parameter isFirst: Whether its renewal is to be spread, since a caller had to wait for it.
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

  /// Why somebody gets nothing: the source failed and, if there is a credential that lives, that it is too short.
  func refusal(of need: Need, because error: CredentialError, at uptime: Duration) -> CredentialError {
    guard let held, held.cached.generation != need.rejected, held.lives(.zero, at: uptime) else { return error }
    let short = tooShort(held, for: need.lasting, at: uptime)
    return CredentialError(
      error.code, source: source, short.message, remedy: short.remedy, isRetryable: error.isRetryable,
      declined: [error])
  }

  /// Why a credential that lives does not live long enough.
  func tooShort(_ held: Held, for duration: Duration, at uptime: Duration) -> CredentialError {
    let end = held.cached.credential.expiration
    let rest = held.end.map { $0 - uptime } ?? .zero
    let needed = end?.advanced(by: duration - rest)
    return CredentialError(
      .failed, source: source,
      "The newest credential ends at \(end?.iso8601 ?? "an unknown time"), but it has to live until "
        + "\(needed?.iso8601 ?? "later").",
      remedy: "Ask for a shorter time, or let the source issue credentials that live longer.")
  }
}
