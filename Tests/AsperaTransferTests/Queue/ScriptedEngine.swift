// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaTransfer
import StorageAuth
import StoragePrograms
import XCTest

/// An engine that runs a test's script and records its attempts.
///
/// A session is identified by the destination root, which `TransferSession.sample` derives from the session's
/// identifier.
final class ScriptedEngine: TransferEngine {
  /// One attempt, as the script receives it.
  struct Attempt: Sendable {
    let session: String
    /// The number of the attempt within its session, starting at 1.
    let number: Int
    let spec: TransferSpec
    let additions: AsyncStream<[TransferPath]>?
    let report: @Sendable (TransferReport) -> Void
    fileprivate let engine: ScriptedEngine

    var token: String { spec.token?.reveal() ?? "" }

    /// Waits until the test resumes the session.
    func hold() async throws(TransferFailure) {
      do {
        try await engine.gate.pass(session)
      } catch {
        throw TransferFailure(.cancelled, "Stopped.", remedy: "Run it again.")
      }
    }
  }

  typealias Script = @Sendable (Attempt) async throws(TransferFailure) -> TransferSummary

  private struct State {
    var attempts: [(session: String, token: String)] = []
    var running: Set<String> = []
    var mostRunning = 0
  }

  let gate = SessionGate()
  private let script: Script
  private let state = Lock(State())

  init(_ script: @escaping Script = ScriptedEngine.succeeding) {
    self.script = script
  }

  /// Connects, runs and succeeds.
  static let succeeding: Script = { attempt in
    attempt.report(.connecting)
    attempt.report(.running)
    attempt.report(.progress(TransferProgressReport(bytes: 10, totalBytes: 10)))
    return TransferSummary(bytes: 10, files: 1)
  }

  /// The sessions and tokens of all attempts, in the order in which they began.
  var attempts: [(session: String, token: String)] { state.withLock { $0.attempts } }

  /// The highest number of concurrent attempts.
  var mostRunning: Int { state.withLock { $0.mostRunning } }

  /// The number of current attempts.
  var running: Int { state.withLock { $0.running.count } }

  func attempts(of session: String) -> Int { attempts.count { $0.session == session } }

  func run(
    _ spec: TransferSpec, additions: AsyncStream<[TransferPath]>?,
    report: @escaping @Sendable (TransferReport) -> Void
  ) async throws(TransferFailure) -> TransferSummary {
    let session = String((spec.destinationRoot ?? "").dropFirst())
    let number = state.withLock { state in
      state.attempts.append((session, spec.token?.reveal() ?? ""))
      XCTAssertTrue(state.running.insert(session).inserted, "two attempts of \(session) at a time")
      state.mostRunning = max(state.mostRunning, state.running.count)
      return state.attempts.count { $0.session == session }
    }
    defer { state.withLock { _ = $0.running.remove(session) } }
    return try await script(
      Attempt(session: session, number: number, spec: spec, additions: additions, report: report, engine: self))
  }
}

/// Suspends sessions until a test resumes them.
final class SessionGate: Sendable {
  private struct State {
    var open: Set<String> = []
    var held: [String: CheckedContinuation<Void, any Error>] = [:]
  }

  private let state = Lock(State())

  var held: Set<String> { state.withLock { Set($0.held.keys) } }

  /// Resumes a session once: the suspended one, or the next to arrive.
  func open(_ session: String) {
    let held = state.withLock { state in
      if let held = state.held.removeValue(forKey: session) { return held as CheckedContinuation<Void, any Error>? }
      state.open.insert(session)
      return nil
    }
    held?.resume()
  }

  func pass(_ session: String) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<Void, any Error>? = state.withLock { state in
          if Task.isCancelled { return .failure(CancellationError()) }
          if state.open.remove(session) != nil { return .success(()) }
          state.held[session] = continuation
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      state.withLock { $0.held.removeValue(forKey: session) }?.resume(throwing: CancellationError())
    }
  }
}

extension TransferFailure {
  static let expiredToken = TransferFailure(ascpCode: 34, text: "Token expired 12 seconds ago")
  static let deniedToken = TransferFailure(
    ascpCode: 34, text: "Management authorization refused: token denied by server")
  static let undefinedToken = TransferFailure(ascpCode: 37, text: "Authorization refused: undefined token")
  static let lostConnection = TransferFailure(ascpCode: 16, text: "Data connection lost")
}
