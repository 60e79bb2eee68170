// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaTransfer
internal import StorageAuth

/// The concurrent sessions of one transfer (`multi_session`), which report and end like one session.
///
/// The sessions start one after another, so that a server that limits simultaneous logins drops none of them. If a
/// session fails, the others are cancelled, because a transfer is complete only if all its sessions are. aspera-cli
/// spaces the starts in the same way (`spawn_delay_sec` of its `direct` agent).
struct AscpSessions: Sendable {
  /// A function that runs the session with the given number, starting at 1.
  typealias RunSession =
    @Sendable (_ number: Int, _ report: @escaping @Sendable (TransferReport) -> Void) async throws(TransferFailure) ->
    TransferSummary

  let count: Int
  let spacing: Duration
  let clock: any SigningClock

  func run(
    report: @escaping @Sendable (TransferReport) -> Void, session: @escaping RunSession
  ) async throws(TransferFailure) -> TransferSummary {
    let reports = SessionReports(count: count, report: report)
    let result = await withTaskGroup(of: Result<TransferSummary, TransferFailure>.self) { group in
      for number in 1...count {
        group.addTask { await runSession(number, session) { reports.passOn($0, from: number) } }
      }
      return await Self.totalResult(of: &group)
    }
    return try result.get()
  }

  private func runSession(
    _ number: Int, _ session: RunSession, report: @escaping @Sendable (TransferReport) -> Void
  ) async -> Result<TransferSummary, TransferFailure> {
    // The wait fails only if the task is cancelled.
    if number > 1, (try? await clock.sleep(for: spacing * (number - 1))) == nil { return .failure(.cancelled) }
    return await Result.catching { () async throws(TransferFailure) in try await session(number, report) }
  }

  /// Returns the sum of the results or the first failure, which cancels the other sessions.
  private static func totalResult(
    of group: inout TaskGroup<Result<TransferSummary, TransferFailure>>
  ) async -> Result<TransferSummary, TransferFailure> {
    var total = TransferSummary()
    var firstFailure: TransferFailure?
    for await result in group {
      switch result {
      case .success(let summary):
        total.bytes = total.bytes.saturatingAdding(summary.bytes)
        total.files = total.files.saturatingAdding(summary.files)
      case .failure(let failure):
        firstFailure = firstFailure ?? failure
        group.cancelAll()
      }
    }
    return firstFailure.map { .failure($0) } ?? .success(total)
  }
}

/// The reports of concurrent sessions, added up to reports about the whole transfer.
private final class SessionReports: Sendable {
  private struct State {
    var isConnecting = false
    var isRunning = false
    var progress: [Int: TransferProgressReport] = [:]
  }

  private let count: Int
  private let receiveReport: @Sendable (TransferReport) -> Void
  private let state = Lock(State())

  init(count: Int, report: @escaping @Sendable (TransferReport) -> Void) {
    self.count = count
    receiveReport = report
  }

  /// Passes on the report about the whole transfer that follows, under the lock so that reports arrive in order.
  func passOn(_ report: TransferReport, from number: Int) {
    state.withLock { state in
      if let merged = merge(report, from: number, &state) { receiveReport(merged) }
    }
  }

  /// Records a session's report, and returns the report about the whole transfer, or `nil` if there is none.
  ///
  /// The transfer connects and runs when its first session does. Its size is known when all sessions reported theirs.
  private func merge(_ report: TransferReport, from number: Int, _ state: inout State) -> TransferReport? {
    switch report {
    case .connecting:
      defer { state.isConnecting = true }
      return state.isConnecting ? nil : report
    case .running:
      defer { state.isRunning = true }
      return state.isRunning ? nil : report
    case .progress(let part):
      state.progress[number] = part
      let bytes = state.progress.values.map(\.bytes)
      let totals = state.progress.values.compactMap(\.totalBytes)
      return .progress(
        TransferProgressReport(
          bytes: Self.sum(bytes), totalBytes: totals.count == count ? Self.sum(totals) : nil, file: part.file))
    case .file: return report
    }
  }

  private static func sum(_ numbers: [Int64]) -> Int64 { numbers.reduce(0) { $0.saturatingAdding($1) } }
}
