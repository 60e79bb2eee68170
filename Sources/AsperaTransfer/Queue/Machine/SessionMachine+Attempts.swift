internal import AsperaAuth
internal import StorageAuth

extension SessionMachine {
  /// The issuer answered.
  ///
  /// - Parameter issuance: What came, if it is a token that the session did not have before.
  mutating func answered(_ number: UInt64, _ issuance: TokenIssuance?) -> [Effect] {
    guard number == ticket, case .asking = state else { return [] }
    tries.issuer = 0
    return (issuance.map { [.tell(.tokenIssued($0))] } ?? []) + ready()
  }

  /// The issuer failed.
  ///
  /// - Parameter pause: How long it wants to be left alone.
  mutating func refused(
    _ number: UInt64, _ error: CredentialError, pause: Duration, random: Double
  ) -> [Effect] {
    guard number == ticket, case .asking(let need) = state else { return [] }
    let failure = TransferFailure(issuer: error)
    guard error.isRetryable, tries.issuer < configuration.issuerRetries else { return end(.failure(failure)) }
    tries.issuer += 1
    let delay = pause > .zero ? pause : configuration.delay(beforeRepetition: tries.issuer, random: random)
    return retry(.issuer, failure, number: tries.issuer, delay: delay, before: .ask(need))
  }

  /// The token was looked at for the last time.
  mutating func checked(_ number: UInt64, _ check: Check) -> [Effect] {
    guard number == ticket, state == .checking else { return [] }
    switch check {
    case .ready(let issuance):
      tries.stale = 0
      tries.beginAttempt()
      hasStarted = false
      ticket += 1
      state = .connecting
      return (issuance.map { [.tell(.tokenIssued($0))] } ?? []) + [.tell(.willStartRunning), .run]
    case .stale:
      tries.stale += 1
      guard tries.stale <= max(1, configuration.tokenRenewals) else {
        return end(.failure(.tokensTooShort(tries.stale)))
      }
      let need = Need(reason: .expired)
      return begin(.asking(need), .ask(need))
    case .failed(let failure):
      return end(.failure(failure))
    }
  }

  /// The engine tells something.
  mutating func reported(_ number: UInt64, _ report: TransferReport) -> [Effect] {
    guard number == ticket else { return [] }
    switch report {
    case .connecting:
      return []
    case .running:
      return prove()
    case .progress(let progress):
      let proof = progress.bytes > 0 ? prove() : []
      tries.note(bytes: progress.bytes)
      return proof + (state == .running ? [.tell(.progress(progress))] : [])
    case .file(let file):
      if case .failed = file.outcome { return isAttempting ? [.tell(.file(file))] : [] }
      let proof = prove()
      tries.noteFile()
      return proof + (hasStarted ? [.tell(.file(file))] : [])
    }
  }

  /// The attempt has ended, and nothing of it is left.
  mutating func attemptEnded(
    _ number: UInt64, _ result: Result<TransferSummary, TransferFailure>, random: Double
  ) -> [Effect] {
    guard number == ticket, isAttempting else { return [] }
    var effects: [Effect] = []
    if case .success = result, !hasStarted {
      hasStarted = true
      effects += [.tell(.didStartRunning), .tell(.willStopRunning)]
    } else if state == .running {
      effects.append(.tell(.willStopRunning))
    }
    effects.append(.tell(.didStopRunning))
    hasStarted = false
    ticket += 1
    return effects + conclude(result, random: random)
  }

  /// What follows from how an attempt ended; a transfer that was done before it could be stopped is done.
  private mutating func conclude(
    _ result: Result<TransferSummary, TransferFailure>, random: Double
  ) -> [Effect] {
    guard case .failure(let failure) = result else { return end(result) }
    switch state {
    case .stopping(.cancel):
      return end(.failure(.cancelled))
    case .stopping(.interrupt) where failure.kind == .cancelled:
      state = .interrupted(before: .start)
      return []
    case .stopping(.interrupt):
      let effects = recover(from: failure, random: random)
      guard case .pausing(let step) = state else { return effects }
      ticket += 1
      state = .interrupted(before: step)
      return effects.filter { if case .sleep = $0 { false } else { true } }
    default:
      return recover(from: failure, random: random)
    }
  }

  /// Tries again what can be tried again.
  private mutating func recover(from failure: TransferFailure, random: Double) -> [Effect] {
    tries.settle()
    switch failure.kind {
    case .token(let reason) where means == .issuer && tries.token < configuration.tokenRenewals:
      tries.token += 1
      let need = Need(reason: reason == .initial ? .rejected : reason, isRefused: true)
      let wait = configuration.delay(beforeRepetition: tries.token - 1, random: random)
      return retry(.token, failure, number: tries.token, delay: tries.token == 1 ? .zero : wait, before: .ask(need))
    case .transport where tries.transport < configuration.transportRetries:
      tries.transport += 1
      let wait = configuration.delay(beforeRepetition: tries.transport, random: random)
      return retry(.transport, failure, number: tries.transport, delay: wait, before: .start)
    case .token where means == .issuer && tries.token > 0:
      return end(.failure(failure.after(tries.token + 1, "tokens were refused in a row")))
    case .token where means == .fixed:
      return end(.failure(failure.withoutIssuer))
    case .transport where tries.transport > 0:
      return end(.failure(failure.after(tries.transport + 1, "attempts failed in a row")))
    default:
      return end(.failure(failure))
    }
  }

  private mutating func retry(
    _ cause: TransferRetry.Cause, _ failure: TransferFailure, number: Int, delay: Duration, before step: Step
  ) -> [Effect] {
    let retry = TransferRetry(cause: cause, failure: failure, number: number, delay: delay)
    return [.tell(.retry(retry))] + begin(.pausing(before: step), .sleep(delay))
  }

  /// Whether an attempt is under way.
  private var isAttempting: Bool {
    switch state {
    case .connecting, .running, .stopping: true
    default: false
    }
  }

  /// The server has taken account and token, unless the attempt is being stopped.
  private mutating func prove() -> [Effect] {
    guard state == .connecting else { return [] }
    state = .running
    hasStarted = true
    return [.tell(.didStartRunning)]
  }
}
