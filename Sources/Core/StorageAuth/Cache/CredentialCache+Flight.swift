// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension CredentialCache {
  typealias Machine = CacheMachine<Value>

  /// Waits for a credential that satisfies a caller's requirements; cancelling the task ends the wait.
  func wait(for need: Machine.Need) async throws(CredentialError) -> CachedCredential<Value> {
    let waiter = state.withLock { state in
      state.waiters += 1
      return state.waiters
    }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in ask(waiter, need, continuation) }
    } onCancel: {
      perform { $0.leave(waiter) }
    }
    return try result.get()
  }

  private func ask(
    _ waiter: UInt64, _ need: Machine.Need,
    _ continuation: CheckedContinuation<Result<CachedCredential<Value>, CredentialError>, Never>
  ) {
    let uptime = time.uptime
    var answer: Result<CachedCredential<Value>, CredentialError>?
    perform { (state: inout State) in
      if Task.isCancelled {
        answer = .failure(.waitCancelled(source))
        return []
      }
      let (admission, effects) = state.machine.ask(waiter, need, at: uptime)
      switch admission {
      case .serve(let cached): answer = .success(cached)
      case .refuse(let error): answer = .failure(error)
      case .wait: state.continuations[waiter] = continuation
      }
      return effects
    }
    if let answer { continuation.resume(returning: answer) }
  }

  func refreshInBackground() {
    let uptime = time.uptime
    perform { $0.wantsRefresh(at: uptime) ? $0.start(at: uptime) : [] }
  }

  /// Passes an event to the cache's state machine and performs the effects that the state machine returns.
  func perform(_ event: (inout Machine) -> [Machine.Effect]) {
    perform { (state: inout State) in event(&state.machine) }
  }

  private func perform(_ event: (inout State) -> [Machine.Effect]) {
    let context = events.traceContext
    let actions = state.withLock { state in
      let effects = event(&state)
      standing.withLock { $0 = state.machine.standing }
      return effects.compactMap { prepare($0, &state, context) }
    }
    tell()
    for action in actions { action() }
  }

  /// Notifies the observers of the pending refresh events.
  ///
  /// The events are delivered in order, on one thread at a time and without holding the lock. They are not added to the
  /// span of the task that delivers them, because they may belong to another task.
  private func tell() {
    var isTeller = false
    while true {
      let next: AuthEvent.Refresh? = state.withLock { state in
        guard isTeller || !state.isTelling else { return nil }
        state.isTelling = !state.untold.isEmpty
        return state.untold.isEmpty ? nil : state.untold.removeFirst()
      }
      guard let next else { return }
      isTeller = true
      events.relay(.refresh(next))
    }
  }

  /// Applies an effect to the cache's state.
  ///
  /// The result is the rest of the effect, which calls other code and must run after the lock is released, or `nil`.
  private func prepare(
    _ effect: Machine.Effect, _ state: inout State, _ context: (any Sendable)?
  ) -> (() -> Void)? {
    switch effect {
    case .start(let number):
      state.flight = tasks(of: number, in: context)
      return nil
    case .abandon(let number):
      guard let flight = state.flight, flight.number == number else { return nil }
      state.flight = nil
      return {
        flight.question.cancel()
        flight.alarm.cancel()
      }
    case .answer(let waiter, let result):
      guard let continuation = state.continuations.removeValue(forKey: waiter) else { return nil }
      return { continuation.resume(returning: result) }
    case .tell(let refresh):
      state.untold.append(refresh)
      return nil
    }
  }

  /// Creates the tasks of a request to the provider: one for the request, and one for its timeout.
  ///
  /// Both tasks are detached, so that they do not inherit a caller's actor, priority or task-local values. The request
  /// belongs to the caller's trace, whose context is passed on.
  private func tasks(of number: UInt64, in context: (any Sendable)?) -> FlightTasks {
    let question = Task.detached { [weak self, provider, events] in
      let result: Result<IssuedCredential<Value>, CredentialError>
      do throws(CredentialError) {
        let span = events.begin(AuthActivity(.refresh, provider.source), in: context)
        let issued = try await span.measure { () async throws(CredentialError) in
          try await provider.issue()
        } outcome: { result in
          guard case .failure(let error) = result else { return AuthActivity.Outcome() }
          return AuthActivity.Outcome(failure: "\(error)")
        }
        result = .success(issued)
      } catch {
        result = .failure(error)
      }
      guard let self else { return }
      let (uptime, wallClock, random) = (time.uptime, time.now, random())
      perform { $0.finish(number, result, at: uptime, wallClock: wallClock, random: random) }
    }
    let alarm = Task.detached { [weak self, time, timeout] in
      guard (try? await time.sleep(for: timeout)) != nil, let self else { return }
      let (uptime, random) = (time.uptime, random())
      perform { $0.timeOut(number, at: uptime, random: random) }
    }
    return FlightTasks(number: number, question: question, alarm: alarm)
  }
}
