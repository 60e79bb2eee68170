// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsperaTransfer
internal import StorageAuth

/// An actor that passes events to an ``AscpAttempt`` one after another, and performs the resulting effects.
actor AscpRun {
  /// The ascp error code (`ILLEGAL_CHARS_IN_PATH`) that is reported for a path that cannot be encoded in a frame.
  private static let illegalPathCode = 56

  private var attempt: AscpAttempt
  private var parser = ManagementFrameParser()
  private let listener: ManagementListener
  private let time: any SigningClock
  private let report: @Sendable (TransferReport) -> Void
  private let terminate: @Sendable () -> Void
  private var kill: @Sendable () -> Void = {}
  private var connection: ManagementConnection?
  /// The uptime at which the pending timeout elapses, or `nil` if there is none.
  private var deadline: Duration?
  private var timer: (end: Duration, task: Task<Void, Never>)?
  private var waiters: [CheckedContinuation<Void, Never>] = []
  private var hasReceivedFrame = false
  private var isFinished = false

  init(
    _ attempt: AscpAttempt, listener: ManagementListener, time: any SigningClock,
    report: @escaping @Sendable (TransferReport) -> Void, terminate: @escaping @Sendable () -> Void
  ) {
    self.attempt = attempt
    self.listener = listener
    self.time = time
    self.report = report
    self.terminate = terminate
  }

  /// The state machine, which contains the result after ascp has exited.
  var result: AscpAttempt { attempt }

  /// Starts the timeout for the connection of ascp, whose process group `kill` ends with SIGKILL.
  func startTimeouts(kill: @escaping @Sendable () -> Void) {
    self.kill = kill
    performEffects(attempt.begin())
  }

  /// Receives the frames of ascp until the management connection closes.
  func receiveFrames() async {
    if let connection = await listener.connection() {
      self.connection = connection
      receive(.connected)
      await connection.read { bytes in
        for item in self.parser.feed(bytes) { self.receiveItem(item) }
      }
      if let rest = parser.finish() { receiveItem(rest) }
    }
    receive(.disconnected)
  }

  func receive(_ event: AscpAttempt.Event) {
    guard !isFinished else { return }
    performEffects(attempt.receive(event))
    if attempt.isOver { resumeWaiters() }
  }

  /// Waits until no more frames are expected, and returns whether the rest of ascp's process group must be killed.
  func waitUntilOver() async -> Bool {
    receive(.processEnded)
    await wait { self.attempt.isOver }
    return !attempt.mayLeaveChildProcesses
  }

  /// Sends paths that are added to a persistent session, and ends the session after the last path.
  func sendPaths(_ additions: AsyncStream<[TransferPath]>) async {
    await wait { self.hasReceivedFrame }
    // The paths remain in the sequence if ascp can no longer receive them.
    guard !isFinished else { return }
    for await paths in additions {
      for path in paths { await sendPath(path) }
    }
    guard !Task.isCancelled else { return }
    await connection?.send(ManagementFrame.finish.text)
    receive(.pathsFinished)
  }

  /// Cancels the timeout, closes the management connection, and resumes the waiters after ascp has exited.
  func finish() async {
    isFinished = true
    timer?.task.cancel()
    performEffects([.disconnect])
    resumeWaiters()
  }

  private func sendPath(_ path: TransferPath) async {
    do throws(AsperaError) {
      await connection?.send(try ManagementFrame.start(source: path.source, destination: path.destination).text)
    } catch {
      report(
        .file(TransferFileReport(file: path.source, outcome: .failed(code: Self.illegalPathCode, text: error.message))))
    }
  }

  private func receiveItem(_ item: ManagementFrameParser.Item) {
    switch item {
    case .frame(let frame):
      receive(.frame(frame))
      hasReceivedFrame = true
      resumeWaiters()
    case .problem(let problem): receive(.unreadable(problem))
    }
  }

  private func performEffects(_ effects: [AscpAttempt.Effect]) {
    for effect in effects {
      switch effect {
      case .report(let transferReport): report(transferReport)
      case .send(let frame): connection?.post(frame.text)
      case .setTimeout(let duration): setTimeout(duration)
      case .disconnect:
        listener.close()
        connection?.close()
      case .terminate: terminate()
      case .kill: kill()
      }
    }
  }

  /// Sets the pending timeout; a timer that fires earlier is kept, and is restarted for the remaining time.
  private func setTimeout(_ duration: Duration?) {
    deadline = duration.map { time.uptime + $0 }
    guard let deadline, timer.map({ $0.end > deadline }) ?? true else { return }
    timer?.task.cancel()
    startTimer(until: deadline)
  }

  private func startTimer(until end: Duration) {
    let task = Task { [time] in
      guard (try? await time.sleep(for: end - time.uptime)) != nil else { return }
      self.timerFired(at: end)
    }
    timer = (end, task)
  }

  private func timerFired(at end: Duration) {
    guard timer?.end == end, !isFinished else { return }
    timer = nil
    guard let deadline else { return }
    if deadline <= time.uptime {
      self.deadline = nil
      receive(.timeoutElapsed)
    } else {
      startTimer(until: deadline)
    }
  }

  private func wait(until condition: () -> Bool) async {
    while !condition(), !isFinished {
      await withCheckedContinuation { waiters.append($0) }
    }
  }

  private func resumeWaiters() {
    defer { waiters = [] }
    for waiter in waiters { waiter.resume() }
  }
}
