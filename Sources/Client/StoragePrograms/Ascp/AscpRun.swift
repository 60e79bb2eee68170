// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

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
  /// Sends SIGKILL to ascp's process group; set after the start of the process, which needs this run.
  private var kill: @Sendable () -> Void = {}
  private var connection: ManagementConnection?
  private var deadline: Duration?
  /// The task that fires at an uptime, which is not later than the deadline.
  private var timer: (fireTime: Duration, task: Task<Void, Never>)?
  private var waiters: [CheckedContinuation<Void, Never>] = []
  private var hasReceivedFrame = false
  /// Whether the process has ended and was reaped, after which no event counts.
  ///
  /// ``AscpAttempt/isOver`` is `true` earlier: when ascp has ended, but processes of its group may still run.
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

  func outcome(of ending: AscpProcess.Ending, printed: String) -> Result<TransferSummary, TransferFailure> {
    attempt.outcome(of: ending, printed: printed)
  }

  /// Starts the timeout for the connection of ascp, which has been started and which `kill` ends with SIGKILL.
  func startTimeouts(kill: @escaping @Sendable () -> Void) {
    self.kill = kill
    performEffects(attempt.begin())
  }

  /// Waits for ascp's connection, and passes on what arrives until the connection closes.
  func receiveFrames() async {
    if let connection = await listener.connection() {
      self.connection = connection
      receive(.connected)
      await connection.read { bytes in
        for item in self.parser.feed(bytes) { self.receiveItem(item) }
      }
      if let lastItem = parser.finish() { receiveItem(lastItem) }
    }
    receive(.disconnected)
  }

  func receive(_ event: AscpAttempt.Event) {
    guard !isFinished else { return }
    performEffects(attempt.receive(event))
    if attempt.isOver { resumeWaiters() }
  }

  /// Records that ascp has ended, waits until no more frames are expected, and returns the fate of its child processes.
  func recordEndAndWaitUntilOver() async -> AscpProcess.ChildTreatment {
    receive(.processEnded)
    await wait { self.attempt.isOver }
    return attempt.mayLeaveChildProcesses ? .leave : .kill
  }

  /// Sends paths that are added to a persistent session, and ends the session after the last path.
  func sendPaths(_ additions: AsyncStream<[TransferPath]>) async {
    // Before the first frame, there may be no connection, or one of a program that is not ascp.
    await wait { self.hasReceivedFrame }
    // The paths remain in the sequence if ascp can no longer receive them.
    guard !isFinished else { return }
    // The engine cancels this task when ascp has exited, which ends the loop without taking further paths.
    for await paths in additions {
      for path in paths { await sendPath(path) }
    }
    guard !Task.isCancelled else { return }
    // The response of ascp can arrive before the system has accepted all of the frame.
    receive(.pathsFinished)
    await connection?.send(ManagementFrame.finish.text)
  }

  /// Cancels the timeout, closes the management connection, and resumes the waiters after ascp has exited.
  func finish() {
    isFinished = true
    timer?.task.cancel()
    performEffects([.disconnect])
    resumeWaiters()
  }

  /// Sends a path, and waits until the system has accepted it, so that any number of paths needs little memory.
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

  /// Performs effects without waiting, so that no other event comes between those of one event.
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
    guard let deadline, timer.map({ $0.fireTime > deadline }) ?? true else { return }
    timer?.task.cancel()
    startTimer(firingAt: deadline)
  }

  private func startTimer(firingAt fireTime: Duration) {
    let task = Task { [time] in
      // The sleep fails only if the timer is cancelled.
      guard (try? await time.sleep(for: fireTime - time.uptime)) != nil else { return }
      self.timerFired(at: fireTime)
    }
    timer = (fireTime, task)
  }

  private func timerFired(at fireTime: Duration) {
    guard timer?.fireTime == fireTime, !isFinished else { return }
    timer = nil
    guard let deadline else { return }
    if deadline <= time.uptime {
      self.deadline = nil
      receive(.timeoutElapsed)
    } else {
      startTimer(firingAt: deadline)
    }
  }

  /// Waits until a condition that ``resumeWaiters()`` follows is true, or the run is finished.
  private func wait(until condition: () -> Bool) async {
    while !condition(), !isFinished { await withCheckedContinuation { waiters.append($0) } }
  }

  private func resumeWaiters() {
    defer { waiters = [] }
    for waiter in waiters { waiter.resume() }
  }
}
