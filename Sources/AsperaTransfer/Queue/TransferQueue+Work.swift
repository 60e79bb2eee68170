internal import AsperaAuth
internal import StorageAuth

extension TransferQueue {
  /// What the queue keeps of a session.
  func record(of session: TransferSession, batch: UInt64?) -> SessionRecord {
    SessionRecord(session, account: account, issuer: issuer, batch: batch)
  }

  /// How long the token of an account has to live on when an attempt starts.
  func tokenMargin(for account: AsperaAccount?) -> Duration {
    let now = time.now
    return configuration.tokenMargin ?? now.duration(to: makeSigner(account).requiredValidity(from: now))
  }

  /// Asks for a token, on a task of its own.
  func ask(_ tokens: SessionTokens, _ need: SessionMachine.Need, _ id: String, _ ticket: UInt64) -> Task<Void, Never> {
    Task.detached { [self] in
      do throws(CredentialError) {
        let issuance = try await tokens.obtain(need)
        perform { state, uptime in
          ((), state.machine.perform(id, at: uptime) { $0.answered(ticket, issuance) })
        }
      } catch {
        let (pause, random) = (tokens.pause, random())
        perform { state, uptime in
          ((), state.machine.perform(id, at: uptime) { $0.refused(ticket, error, pause: pause, random: random) })
        }
      }
    }
  }

  /// Looks at the token for the last time, and signs.
  func check(_ record: SessionRecord, _ id: String, _ ticket: UInt64) -> Task<Void, Never> {
    Task.detached { [self] in
      let (check, signed) = sign(record)
      perform { state, uptime in
        if state.machine.sessions[id]?.ticket == ticket { state.records[id]?.signed = signed }
        return ((), state.machine.checked(id, ticket, check, at: uptime))
      }
    }
  }

  private func sign(_ record: SessionRecord) -> (SessionMachine.Check, TransferSpec?) {
    var grant = TransferGrant(token: nil)
    var issuance: TokenIssuance?
    var generation: CredentialGeneration?
    var date = time.now
    if let tokens = record.tokens {
      guard let (cached, issued) = tokens.use() else {
        return (record.issuer == nil ? .failed(.fixedTokenEnded(record.fixed?.expiration)) : .stale, nil)
      }
      (grant, issuance, generation) = (cached.credential, issued, cached.generation)
      date = tokens.date(for: grant, now: date)
    }
    var specification = record.session.specification
    if record.issuer != nil { specification.token = nil }
    do throws(SigningError) {
      let signed = try makeSigner(record.account).signed(specification, with: grant, in: .at(date))
      if let generation {
        authEvents.emit(
          .signed(
            AuthEvent.Signature(
              subject: record.subject, identity: signed.remoteUser, generation: generation, date: date)))
      }
      return (.ready(issuance), signed)
    } catch {
      return (.failed(.unsignable(error)), nil)
    }
  }

  /// Begins an attempt.
  func run(_ id: String, _ ticket: UInt64, _ state: inout State) {
    guard let specification = state.records[id]?.signed else { return }
    state.records[id]?.signed = nil
    let additions = state.records[id]?.feed?.open()
    state.records[id]?.work = Task.detached { [self] in
      let result: Result<TransferSummary, TransferFailure>
      do throws(TransferFailure) {
        result = .success(
          try await engine.run(specification, additions: additions) { [self] report in
            hear(report, id, ticket)
          })
      } catch {
        result = .failure(error)
      }
      let (isCancelled, random) = (Task.isCancelled, random())
      perform { state, uptime in
        let judged = state.judge(result, of: id, isCancelled: isCancelled)
        state.records[id]?.feed?.close()
        return ((), state.machine.perform(id, at: uptime) { $0.attemptEnded(ticket, judged, random: random) })
      }
    }
  }

  private func hear(_ report: TransferReport, _ id: String, _ ticket: UInt64) {
    perform { state, uptime in
      if state.machine.sessions[id]?.ticket == ticket { state.records[id]?.note(report) }
      return ((), state.machine.perform(id, at: uptime) { $0.reported(ticket, report) })
    }
  }

  /// Waits before a session goes on.
  func pause(_ duration: Duration, _ id: String, _ ticket: UInt64) -> Task<Void, Never> {
    Task.detached { [self] in
      guard (try? await time.sleep(for: duration)) != nil else { return }
      perform { state, uptime in ((), state.machine.perform(id, at: uptime) { $0.wake(ticket) }) }
    }
  }

  /// Waits until the next start is due.
  func alarm(after duration: Duration) -> Task<Void, Never> {
    Task.detached { [self] in
      guard (try? await time.sleep(for: duration)) != nil else { return }
      perform { state, uptime in ((), state.machine.alarm(at: uptime)) }
    }
  }
}

extension TransferQueue.State {
  /// What the end of an attempt means, with what the queue knows beyond it.
  func judge(
    _ result: Result<TransferSummary, TransferFailure>, of id: String, isCancelled: Bool
  ) -> Result<TransferSummary, TransferFailure> {
    guard let record = records[id] else { return result }
    switch result {
    case .success:
      guard let feed = record.feed, !feed.isFinished else { return result }
      return .failure(isCancelled ? .cancelled : .endedEarly)
    case .failure(let failure):
      guard failure.kind == .account, machine.active.count > 1, accepted.contains(record.login) else { return result }
      return .failure(failure.underBurst)
    }
  }
}
