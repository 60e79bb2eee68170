// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import AsperaTransfer

/// A queue with a scripted engine on stepped time, and all its events.
final class QueueBench: Sendable {
  let time: ManualClock
  let engine: ScriptedEngine
  let queue: TransferQueue
  private let log: EventLog

  init(
    _ engine: ScriptedEngine = ScriptedEngine(), account: AsperaAccount? = nil,
    accounts: CredentialCache<AsperaAccount>? = nil, issuer: (any TokenIssuer)? = nil,
    configuration: TransferQueueConfiguration = TransferQueueConfiguration(), time: ManualClock = ManualClock(),
    authEvents: EventHub = EventHub()
  ) throws {
    self.time = time
    self.engine = engine
    let account = try account ?? .sample()
    queue = TransferQueue(
      engine: engine, accounts: accounts ?? CredentialCache(account, time: time), issuer: issuer,
      configuration: configuration, authEvents: authEvents, context: ProviderContext(time: time), random: { 0 },
      makeSigner: { TransferSigner(account: $0) })
    log = EventLog(queue.events)
  }

  /// All events so far.
  var events: [TransferEvent] { log.events }

  /// Whether the queue has sent its last event and the bench has received it.
  var isOver: Bool { log.isOver }

  /// The events of a session so far.
  func kinds(of session: String) -> [TransferEvent.Kind] { events.filter { $0.session == session }.map(\.kind) }

  /// The names of the events of a session so far, without progress.
  func words(of session: String) -> [String] {
    kinds(of: session).filter { if case .progress = $0 { false } else { true } }.map(\.word)
  }

  /// The results of the sessions in the order in which they finished.
  var ends: [(session: String, result: Result<TransferSummary, TransferFailure>)] {
    events.compactMap { if case .finished(let result) = $0.kind { ($0.session, result) } else { nil } }
  }

  /// The retries of a session.
  func retries(of session: String) -> [TransferRetry] {
    kinds(of: session).compactMap { if case .retry(let retry) = $0 { retry } else { nil } }
  }

  /// The tokens issued for a session.
  func issuances(of session: String) -> [TokenIssuance] {
    kinds(of: session).compactMap { if case .tokenIssued(let issuance) = $0 { issuance } else { nil } }
  }

  /// Waits until a session has finished and its events have been received.
  func finished(
    _ session: String, _ count: Int = 1, file: StaticString = #filePath, line: UInt = #line
  ) async -> Result<TransferSummary, TransferFailure>? {
    await eventually("\(session) finishes", file: file, line: line) {
      self.ends.count { $0.session == session } >= count
    }
    return ends.last { $0.session == session }?.result
  }

  /// Waits until a session has a status.
  func reaches(
    _ status: TransferStatus, _ session: String, file: StaticString = #filePath, line: UInt = #line
  ) async {
    await eventually("\(session) is \(status)", file: file, line: line) { self.queue.status(of: session) == status }
  }

  /// Advances the clocks whenever all tasks wait for them, until a condition holds.
  func step(
    by duration: Duration, until isDone: () -> Bool, file: StaticString = #filePath, line: UInt = #line
  ) async {
    while !isDone() {
      await eventually("all tasks wait", file: file, line: line) { isDone() || isQuiet }
      if isDone() { return }
      time.advance(by: duration)
    }
  }

  /// Whether progress requires that the clocks advance or that the test resumes a session.
  private var isQuiet: Bool {
    let held = engine.gate.held
    let sleeping = time.sleepers
    return queue.state.withLock { state in
      let waiting = state.machine.sessions.values.count { if case .waitingToRetry = $0.state { true } else { false } }
      return sleeping >= max(1, waiting)
        && state.machine.sessions.allSatisfy { id, session in
          switch session.state {
          case .waiting, .queued, .waitingToRetry, .interrupted, .ended: true
          case .connecting, .running: held.contains(id)
          case .requestingToken, .checkingToken, .stopping: false
          }
        }
    }
  }
}

/// Receives events as long as it exists.
final class EventLog: Sendable {
  private final class Store: Sendable {
    let events = Lock<[TransferEvent]>([])
    let isOver = Lock(false)
  }

  private let store = Store()
  private let reading: Task<Void, Never>

  init(_ events: TransferEvents) {
    reading = Task { [store] in
      for await event in events { store.events.withLock { $0.append(event) } }
      store.isOver.withLock { $0 = true }
    }
  }

  deinit { reading.cancel() }

  /// All events so far.
  var events: [TransferEvent] { store.events.withLock { $0 } }

  /// Whether the sequence has ended.
  var isOver: Bool { store.isOver.withLock { $0 } }

  /// Stops receiving events.
  func cancel() { reading.cancel() }
}

/// Waits until a condition holds, and fails after half a minute.
func eventually(
  _ what: String, file: StaticString = #filePath, line: UInt = #line, _ isSo: () -> Bool
) async {
  let end = ContinuousClock.now + .seconds(30)
  while !isSo() {
    if ContinuousClock.now > end { return XCTFail("condition not met: \(what)", file: file, line: line) }
    await Task.yield()
  }
}

extension AsperaAccount {
  static func sample(host: String = "aspera.test", requiresToken: Bool = false) throws -> AsperaAccount {
    try AsperaAccount(host: host, user: "mia", password: Secret("pass-word"), requiresToken: requiresToken)
  }
}

extension TransferSession {
  static func sample(_ id: String, token: TokenSource = .queueDefault, isPersistent: Bool = false) -> TransferSession {
    let paths = isPersistent ? [] : [TransferPath("/data/\(id)")]
    return TransferSession(
      TransferSpec(.send, paths, destinationRoot: "/\(id)"), token: token, isPersistent: isPersistent, id: id)
  }
}

extension Result<TransferSummary, TransferFailure> {
  var failure: TransferFailure? { if case .failure(let failure) = self { failure } else { nil } }
  var isSuccess: Bool { failure == nil }
}
