// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

extension CredentialCache {
  /// Waits for a credential that satisfies a caller's requirement; cancelling the task ends the wait.
  func wait(for requirement: Machine.Requirement) async throws(CredentialError) -> CachedCredential<Value> {
    let waiterNumber = state.withLock { state in
      state.lastWaiterNumber += 1
      return state.lastWaiterNumber
    }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { admit(waiterNumber, requirement, resuming: $0) }
    } onCancel: {
      apply { $0.cancelWait(of: waiterNumber) }
    }
    return try result.get()
  }

  /// Resumes the continuation at once if the cache can serve the requirement or must refuse it; otherwise stores it.
  private func admit(
    _ waiterNumber: UInt64, _ requirement: Machine.Requirement,
    resuming continuation: CheckedContinuation<Machine.WaitResult, Never>
  ) {
    let uptime = time.uptime
    var immediateResult: Machine.WaitResult?
    changeState { state in
      // A cancellation before this check found no waiter; a later one waits for the lock, and finds it.
      if Task.isCancelled {
        immediateResult = .failure(.waitCancelled(source))
        return []
      }
      let (admission, effects) = state.machine.admit(waiterNumber, requirement, at: uptime)
      switch admission {
      case .serve(let cached): immediateResult = .success(cached)
      case .fail(let error): immediateResult = .failure(error)
      case .wait: state.continuations[waiterNumber] = continuation
      }
      return effects
    }
    if let immediateResult { continuation.resume(returning: immediateResult) }
  }

  /// Starts a background refresh, unless one has started since the caller found that a refresh is due.
  func refreshInBackground() {
    let uptime = time.uptime
    apply { $0.isRefreshDue(at: uptime) ? $0.startRefresh(at: uptime) : [] }
  }

  /// Applies an event to the state machine, and then carries out its effects.
  func apply(_ event: (inout Machine) -> [Machine.Effect]) {
    changeState { event(&$0.machine) }
  }

  /// Changes the state and carries out the effects; those that call other code follow after the lock is released.
  private func changeState(_ change: (inout State) -> [Machine.Effect]) {
    let traceContext = events.traceContext
    let actions = state.withLock { state in
      let effects = change(&state)
      servableEntry.withLock { $0 = state.machine.servableEntry }
      return effects.compactMap { carryOut($0, on: &state, in: traceContext) }
    }
    // The events are not added to the span of the task that delivers them, because they may belong to another task.
    state.deliver(\.pendingEvents) { events.relay(.refresh($0)) }
    for action in actions { action() }
  }

  /// Carries out an effect on the state, and returns the action, if any, that must wait until the lock is released.
  private func carryOut(
    _ effect: Machine.Effect, on state: inout State, in traceContext: (any Sendable)?
  ) -> (() -> Void)? {
    switch effect {
    case .startRequest(let number):
      state.requestTasks = startTasks(ofRequest: number, in: traceContext)
      return nil
    case .cancelRequest(let number):
      guard let tasks = state.requestTasks, tasks.number == number else { return nil }
      state.requestTasks = nil
      return {
        tasks.request.cancel()
        tasks.timeout.cancel()
      }
    case .resume(let waiterNumber, let result):
      guard let continuation = state.continuations.removeValue(forKey: waiterNumber) else { return nil }
      return { continuation.resume(returning: result) }
    case .deliver(let refresh):
      state.pendingEvents.append(refresh)
      return nil
    }
  }

  /// Starts the tasks of a request, detached, so that they inherit no actor, priority or task-local values of a caller.
  private func startTasks(ofRequest number: UInt64, in traceContext: (any Sendable)?) -> RequestTasks {
    let request = Task.detached { [weak self, provider, events, context] in
      let span = events.begin(AuthActivity(.refresh, provider.source), in: traceContext)
      let result = await Result.catching { () async throws(CredentialError) in
        try await span.measure { () async throws(CredentialError) in
          try await provider.issue(in: context)
        } outcome: { result in
          guard case .failure(let error) = result else { return AuthActivity.Outcome() }
          return AuthActivity.Outcome(failure: "\(error)")
        }
      }
      guard let self else { return }
      let (uptime, wallClock, random) = (time.uptime, time.now, random())
      apply { $0.finishRequest(number, result, at: uptime, wallClock: wallClock, random: random) }
    }
    let timeout = Task.detached { [weak self, time, timeout] in
      // The sleep throws an error only if the task is cancelled, because the request has ended.
      guard (try? await time.sleep(for: timeout)) != nil, let self else { return }
      let (uptime, random) = (time.uptime, random())
      apply { $0.timeOutRequest(number, at: uptime, random: random) }
    }
    return RequestTasks(number: number, request: request, timeout: timeout)
  }
}
