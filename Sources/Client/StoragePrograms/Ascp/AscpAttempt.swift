// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsperaTransfer
internal import StorageAuth

/// The state machine of one ascp run, which turns frames, timeouts and process ends into effects.
struct AscpAttempt: Sendable {
  enum Event: Sendable {
    case connected
    case frame(ManagementFrame)
    /// The management connection received data that are not a frame.
    case unreadable(ManagementFrameParser.Problem)
    /// The management connection has closed, or will no longer be established.
    case disconnected
    /// ascp has exited, or has closed its standard output and standard error.
    case processEnded
    /// The pending timeout has elapsed.
    case timeoutElapsed
    /// The transfer is to be cancelled.
    case cancelled
    /// No more paths will be added to a persistent session.
    case pathsFinished
  }

  /// An action that ``AscpRun`` performs for the state machine.
  enum Effect: Sendable {
    case report(TransferReport)
    case send(ManagementFrame)
    /// Replaces the pending timeout, or cancels it if the duration is `nil`.
    case setTimeout(Duration?)
    case disconnect
    /// Sends SIGTERM to ascp's process group.
    case terminate
    /// Sends SIGKILL to ascp's process group.
    case kill
  }

  /// The result of a transfer that ascp reported, or that the engine concluded from ascp's behavior.
  enum Verdict: Sendable, Hashable {
    case done
    case failed(code: Int, text: String)
    case cancelled
    case fault(Fault)
  }

  /// A violation of the protocol of ascp's management port.
  enum Fault: Sendable, Hashable {
    case neverConnected
    case silent
    /// ascp reported that a persistent session is done before it could know that no more paths follow.
    case endedEarly
    case unreadable(ManagementFrameParser.Problem)
  }

  private enum Stage {
    case starting, talking
    /// ascp must exit by itself: it has sent its last message, has hung up, or has received a cancel command.
    case leaving
    case terminating
    case killed
  }

  /// The maximum number of unreadable inputs that are tolerated after the first frame.
  ///
  /// A file name with a line break makes one frame unreadable. A peer that sends more of them is not ascp.
  private static let unreadableInputLimit = 16

  let limits: AscpLimits
  let mask: SecretMask
  private var progress = AscpProgress()
  private var verdict: Verdict?
  /// Whether the engine stopped ascp with a signal, in which case ascp's exit status is meaningless.
  private var wasStopped = false
  private var isAuthenticated = false
  private var firstProblem: ManagementFrameParser.Problem?
  private var unreadableInputCount = 0
  private var hasReceivedFrame = false
  /// Whether a persistent session expects further paths, for which ascp may wait without sending messages.
  private var expectsPaths: Bool
  private var stage = Stage.starting
  private var isDisconnected = false
  private var hasEnded = false

  init(limits: AscpLimits, mask: SecretMask, isPersistent: Bool) {
    self.limits = limits
    self.mask = mask
    expectsPaths = isPersistent
  }

  /// Whether no more output and no more frames are expected from ascp.
  var isOver: Bool { hasEnded && (isDisconnected || stage == .killed) }

  /// Whether processes that ascp started may continue to run, which is the case only after a successful transfer.
  var mayLeaveChildProcesses: Bool { verdict == .done }

  private var silenceTimeout: Duration? { expectsPaths && isAuthenticated ? nil : limits.silence }

  /// Returns the effects of the start of ascp.
  func begin() -> [Effect] { [.report(.connecting), .setTimeout(limits.connect)] }

  mutating func receive(_ event: Event) -> [Effect] {
    switch event {
    case .connected:
      guard stage == .starting else { return [] }
      stage = .talking
      return [.setTimeout(limits.silence)]
    case .frame(let frame): return accept(frame)
    case .unreadable(let problem): return recordUnreadableInput(problem)
    case .disconnected: return acceptDisconnection()
    case .processEnded: return acceptProcessEnd()
    case .timeoutElapsed: return acceptTimeout()
    case .cancelled: return cancelTransfer()
    case .pathsFinished:
      expectsPaths = false
      return stage == .talking ? [.setTimeout(silenceTimeout)] : []
    }
  }

  private mutating func recordVerdict(_ newVerdict: Verdict) { if verdict == nil { verdict = newVerdict } }

  private mutating func recordAuthentication() -> [Effect] {
    guard !isAuthenticated else { return [] }
    isAuthenticated = true
    return [.report(.running)]
  }

  private mutating func recordUnreadableInput(_ problem: ManagementFrameParser.Problem) -> [Effect] {
    firstProblem = firstProblem ?? problem
    unreadableInputCount += 1
    guard !hasReceivedFrame || unreadableInputCount > Self.unreadableInputLimit else { return [] }
    recordVerdict(.fault(.unreadable(problem)))
    return [.disconnect] + requestTermination()
  }

  private mutating func accept(_ frame: ManagementFrame) -> [Effect] {
    hasReceivedFrame = true
    let effects = respond(to: frame)
    if hasEnded, verdict != nil, !isDisconnected { return effects + hangUp() }
    guard stage == .talking else { return effects }
    if verdict != nil {
      stage = .leaving
      return effects + [.setTimeout(limits.exit)]
    }
    return effects + [.setTimeout(silenceTimeout)]
  }

  private mutating func acceptDisconnection() -> [Effect] {
    isDisconnected = true
    guard stage == .starting || stage == .talking || hasEnded else { return [] }
    if stage != .killed { stage = .leaving }
    return [.setTimeout(limits.exit)]
  }

  private mutating func acceptProcessEnd() -> [Effect] {
    hasEnded = true
    if stage != .killed { stage = .leaving }
    if isDisconnected { return [.setTimeout(limits.exit)] }
    // Frames that ascp sent before it exited may still arrive. They do not matter if the result is known.
    return verdict == nil ? [.setTimeout(limits.arrival)] : hangUp()
  }

  /// Closes the management connection instead of waiting for ascp to close it.
  private mutating func hangUp() -> [Effect] {
    isDisconnected = true
    return [.disconnect, .setTimeout(limits.exit)]
  }

  /// Ends ascp more forcefully with each timeout: by hanging up if it has exited, with SIGTERM, and with SIGKILL.
  private mutating func acceptTimeout() -> [Effect] {
    switch stage {
    case .starting: recordVerdict(.fault(.neverConnected))
    case .talking: recordVerdict(.fault(.silent))
    case .leaving where hasEnded && !isDisconnected: return hangUp()
    case .leaving where hasEnded: return kill()
    case .leaving: break
    case .terminating, .killed: return kill()
    }
    return requestTermination()
  }

  private mutating func cancelTransfer() -> [Effect] {
    recordVerdict(.cancelled)
    switch stage {
    case .starting: return requestTermination()
    case .talking:
      stage = .leaving
      return [.send(.cancel), .setTimeout(limits.cancel)]
    case .leaving, .terminating, .killed: return []
    }
  }

  private mutating func requestTermination() -> [Effect] {
    guard stage != .killed, stage != .terminating else { return [] }
    wasStopped = true
    stage = .terminating
    return [.terminate, .setTimeout(limits.terminate)]
  }

  private mutating func kill() -> [Effect] {
    wasStopped = true
    stage = .killed
    return [.kill, .disconnect]
  }

  /// Returns the result of a transfer, for which frames count more than the exit status and the printed output.
  ///
  /// Only an exit status other than 0 turns a transfer that is done into a failure, unless the engine stopped ascp.
  func outcome(of ending: AscpProcess.Ending, printed: String) -> Result<TransferSummary, TransferFailure> {
    let printed = verdict == .done && ending == .exited(0) ? "" : mask.applied(to: printed)
    if case .notStarted(let reason) = ending { return .failure(.notStarted(reason)) }
    switch verdict {
    case .done?:
      guard case .exited(let status) = ending, status != 0, !wasStopped else { return .success(progress.summary) }
      guard let error = progress.fileErrors.last else { return .failure(.ended(ending, printed: printed)) }
      return .failure(TransferFailure(ascpCode: error.code, text: error.text))
    case .failed(let code, let text)?:
      return .failure(TransferFailure(ascpCode: code, text: Self.detailedText(text, printed: printed, code: code)))
    case .cancelled?: return .failure(.cancelled)
    case .fault(let fault)?: return .failure(.fault(fault, limits: limits, printed: printed))
    case nil:
      if let firstProblem { return .failure(.fault(.unreadable(firstProblem), limits: limits, printed: printed)) }
      return .failure(.ended(ending, printed: printed))
    }
  }

  /// Adds ascp's printed output to the text of a failed login, because ascp sends one text for all failed logins.
  private static func detailedText(_ text: String, printed: String, code: Int) -> String {
    guard AscpErrorCode(code)?.failureClass == .account, let detail = printed.lastLines, !text.contains(detail) else {
      return text
    }
    return text.isEmpty ? detail : "\(text) (\(detail))"
  }

  /// Returns the effects of a management frame.
  ///
  /// `INIT` and `SESSION` do not prove authentication, because ascp sends them before the server has checked the
  /// account. They also precede an `ERROR` with code 19.
  private mutating func respond(to frame: ManagementFrame) -> [Effect] {
    switch frame.kind {
    case .statistics?, .notification?: return recordAuthentication() + progressReport(progress.update(from: frame))
    case .stop?:
      let code = frame.code ?? 0
      let outcome = code == 0 ? TransferFileReport.Outcome.done : .failed(code: code, text: maskedText(of: frame))
      return recordAuthentication() + fileReport(frame, outcome) + progressReport(progress.update(from: frame))
    case .skip?: return recordAuthentication() + fileReport(frame, .skipped)
    case .fileError?: return fileReport(frame, .failed(code: frame.code ?? 0, text: maskedText(of: frame)))
    case .done? where frame.provesAuthentication:
      progress.close(with: frame)
      guard verdict == nil else { return [] }
      recordVerdict(expectsPaths ? .fault(.endedEarly) : .done)
      return recordAuthentication()
    case .done?, .error?:
      recordVerdict(.failed(code: frame.code ?? 0, text: maskedText(of: frame)))
      return []
    default: return []
    }
  }

  private mutating func fileReport(_ frame: ManagementFrame, _ outcome: TransferFileReport.Outcome) -> [Effect] {
    [.report(.file(progress.finish(frame, outcome)))]
  }

  private func progressReport(_ progress: TransferProgressReport?) -> [Effect] {
    progress.map { [.report(.progress($0))] } ?? []
  }

  private func maskedText(of frame: ManagementFrame) -> String { mask.applied(to: frame.errorDescription ?? "") }
}

/// The progress of a transfer, which is calculated from the fields that different versions of ascp report.
///
/// `TransferBytes` counts the whole session, and `StartByte` counts the bytes that existed before. If these fields are
/// missing, the number of bytes is the sum of the sizes of the finished files and `Bytescont` of the current file.
struct AscpProgress: Sendable {
  private var byteCount: Int64 = 0
  private var totalByteCount: Int64?
  private var finishedByteCount: Int64 = 0
  private var fileCount = 0
  private(set) var fileErrors: [(code: Int, text: String)] = []

  /// Returns a progress report if a frame changes the progress, in which the number of bytes never decreases.
  mutating func update(from frame: ManagementFrame) -> TransferProgressReport? {
    let previous = (byteCount, totalByteCount)
    if let announced = frame.totalByteCount, announced > 0 { totalByteCount = max(totalByteCount ?? 0, announced) }
    // Versions of ascp that do not count the session count each file.
    let summedByteCount = frame.integer("Bytescont").map { finishedByteCount.saturatingAdding($0) }
    byteCount = max(byteCount, frame.transferredByteCount ?? summedByteCount ?? 0)
    guard previous != (byteCount, totalByteCount) else { return nil }
    return TransferProgressReport(
      bytes: byteCount, totalBytes: totalByteCount.map { max($0, byteCount) }, file: frame.filePath)
  }

  /// Records the end of a file, and returns the report about it.
  mutating func finish(_ frame: ManagementFrame, _ outcome: TransferFileReport.Outcome) -> TransferFileReport {
    let size = frame.fileByteCount ?? frame.integer("FileBytes") ?? frame.integer("Written")
    switch outcome {
    case .done:
      fileCount += 1
      finishedByteCount = finishedByteCount.saturatingAdding(size ?? 0)
    case .skipped: fileCount += 1
    case .failed(let code, let text): fileErrors.append((code, text))
    }
    return TransferFileReport(file: frame.filePath ?? "", bytes: size, outcome: outcome)
  }

  /// Takes the totals from the last frame of a successful transfer.
  mutating func close(with frame: ManagementFrame) {
    byteCount = max(byteCount, frame.transferredByteCount ?? 0)
    if fileCount == 0 { fileCount = frame.integer("TransfersPassed") ?? 0 }
  }

  var summary: TransferSummary { TransferSummary(bytes: max(byteCount, finishedByteCount), files: fileCount) }
}

extension TransferFailure {
  /// Creates a transfer failure from an error that occurred before ascp was started.
  init(unusable error: AsperaError) { self.init(.caller, error.message, remedy: error.remedy) }

  static let noManagementPort = TransferFailure(
    .other, "No port of the loopback interface can be opened for ascp to report to.",
    remedy: "See whether this process may open sockets, and whether it has too many files open.")

  static func notStarted(_ reason: String) -> TransferFailure {
    TransferFailure(
      .caller, "ascp could not be started: \(reason).",
      remedy: "See whether the program is there, may be executed, and is for this kind of machine.")
  }

  static func fault(_ fault: AscpAttempt.Fault, limits: AscpLimits, printed: String) -> TransferFailure {
    let detail = detail(from: printed)
    return switch fault {
    case .neverConnected:
      TransferFailure(
        .other, "ascp did not connect to its management port within \(limits.connect).\(detail)",
        remedy: "See whether the program is ascp, and whether connections to 127.0.0.1 are allowed.")
    case .silent:
      TransferFailure(
        .transport, "ascp sent no message for \(limits.silence) and was stopped.\(detail)",
        remedy: "Try again; if it happens again, see whether the network lets UDP through.")
    case .endedEarly: .endedEarly
    case .unreadable(let problem):
      TransferFailure(
        .other, "The data on the management port do not come from ascp: \(problem.rawValue).\(detail)",
        remedy: "See whether the program is ascp; another program of this machine may have connected before it.")
    }
  }

  static func noAnswer(within limit: Duration, printed: String) -> TransferFailure {
    TransferFailure(
      .transport, "ascp did not report the result of the login within \(limit).\(detail(from: printed))",
      remedy: "See whether the host and the SSH port are right, and whether a firewall drops connections to it.")
  }

  private static func detail(from printed: String) -> String { printed.lastLines.map { " It printed: \($0)" } ?? "" }

  /// The failure of an ascp that exited without a final frame, or whose exit status contradicts its final frame.
  static func ended(_ ending: AscpProcess.Ending, printed: String) -> TransferFailure {
    let manner =
      switch ending {
      case .exited(let status): "ended with status \(status)"
      case .signalled(let signal): "was ended by signal \(signal)"
      case .killed, .notStarted: "was killed"
      }
    guard let detail = printed.lastLines else {
      return TransferFailure(
        .other, "ascp \(manner) and did not report that the transfer is done.",
        remedy: "Try again; if it happens again, check ascp's log.")
    }
    return TransferFailure(ascpCode: nil, text: "\(detail) (it \(manner))")
  }
}

extension String {
  private static let lastLinesLimit = 200

  /// The last line and up to two lines before it, as far as they fit into an error text, or `nil` without a line.
  var lastLines: String? {
    let lines = split(whereSeparator: \.isNewline)
    guard let last = lines.last?.prefix(Self.lastLinesLimit) else { return nil }
    return lines.dropLast().suffix(2).reversed().reduce(String(last)) { text, line in
      text.count + line.count > Self.lastLinesLimit ? text : "\(line); \(text)"
    }
  }
}
