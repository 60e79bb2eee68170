internal import AsperaAuth
internal import StorageAuth

/// What one run of ascp has come to: frames, timers and ends go in, and what to do about them comes out.
///
/// It decides alone, and touches nothing.
struct AscpAttempt: Sendable {
  /// What happened.
  enum Event: Sendable {
    /// ascp has connected to the management port.
    case connected
    /// It sent a frame.
    case frame(ManagementFrame)
    /// It sent something that is no frame.
    case unreadable(ManagementFrameParser.Problem)
    /// The connection is closed, or there will be none any more.
    case disconnected
    /// ascp has ended, or has at least closed its standard output and error.
    case ended
    /// The time that was waited for is over.
    case elapsed
    /// Nobody wants the transfer any more.
    case cancelled
    /// No more paths are added to a persistent session.
    case concluded
  }

  /// What is to be done.
  enum Effect: Sendable {
    case report(TransferReport)
    /// Send a frame.
    case tell(ManagementFrame)
    /// Let `elapsed` happen after this time, or never, and not when it was to happen before.
    case wait(Duration?)
    /// Close the connection, and the port.
    case disconnect
    /// Send SIGTERM to the process group.
    case terminate
    /// Send SIGKILL to the process group.
    case kill
  }

  /// How far it is.
  private enum Stage {
    case starting, talking
    /// ascp is expected to end by itself: it has said its last word, or closed the connection, or was told to.
    case leaving
    /// It was sent SIGTERM.
    case terminating
    case killed
  }

  /// How many things that are no frames may come between frames.
  private static let tolerance = 16

  let limits: AscpLimits
  let mask: SecretMask
  var progress = AscpProgress()
  private(set) var verdict: Verdict?
  /// Whether ascp did not end by itself, so that its exit status says nothing.
  private(set) var wasStopped = false
  private(set) var isAuthenticated = false
  private(set) var problem: ManagementFrameParser.Problem?
  private var problems = 0
  private var hasRead = false
  private var mayBeSilent: Bool
  private var stage = Stage.starting
  private var isDisconnected = false
  private var hasEnded = false

  /// - Parameters:
  ///   - limits: How long is waited.
  ///   - mask: Takes the secrets out of what ascp says.
  ///   - isPersistent: Whether paths are added while the session runs.
  init(limits: AscpLimits, mask: SecretMask, isPersistent: Bool) {
    self.limits = limits
    self.mask = mask
    mayBeSilent = isPersistent
  }

  /// What is to be done as ascp is started.
  func begin() -> [Effect] { [.report(.connecting), .wait(limits.connect)] }

  /// Whether nothing more is to be heard from ascp.
  var isOver: Bool { hasEnded && (isDisconnected || stage == .killed) }

  /// Whether processes that ascp started may go on; nothing of a transfer that failed may.
  var mayLeaveOthers: Bool { verdict == .done }

  /// Takes in what happened.
  mutating func handle(_ event: Event) -> [Effect] {
    switch event {
    case .connected: return connected()
    case .frame(let frame): return take(frame)
    case .unreadable(let problem): return unreadable(problem)
    case .disconnected: return disconnected()
    case .ended: return ended()
    case .elapsed: return elapsed()
    case .cancelled: return cancelled()
    case .concluded:
      mayBeSilent = false
      return stage == .talking ? [.wait(silence)] : []
    }
  }

  private var silence: Duration? { mayBeSilent && isAuthenticated ? nil : limits.silence }

  /// The first verdict stands.
  mutating func settle(_ new: Verdict) {
    if verdict == nil { verdict = new }
  }

  /// Marks that the server has taken account and token.
  mutating func authenticated() -> [Effect] {
    guard !isAuthenticated else { return [] }
    isAuthenticated = true
    return [.report(.running)]
  }

  private mutating func connected() -> [Effect] {
    guard stage == .starting else { return [] }
    stage = .talking
    return [.wait(limits.silence)]
  }

  /// A text with a line break may spoil a frame.
  ///
  /// Who begins with something else, or goes on like that, is not ascp.
  private mutating func unreadable(_ problem: ManagementFrameParser.Problem) -> [Effect] {
    self.problem = self.problem ?? problem
    problems += 1
    guard !hasRead || problems > Self.tolerance else { return [] }
    settle(.fault(.unreadable(problem)))
    return [.disconnect] + stop()
  }

  private mutating func take(_ frame: ManagementFrame) -> [Effect] {
    hasRead = true
    let effects = read(frame)
    if hasEnded, verdict != nil, !isDisconnected { return effects + hangUp() }
    guard stage == .talking else { return effects }
    if verdict != nil {
      stage = .leaving
      return effects + [.wait(limits.exit)]
    }
    return effects + [.wait(silence)]
  }

  private mutating func disconnected() -> [Effect] {
    isDisconnected = true
    guard stage == .starting || stage == .talking || hasEnded else { return [] }
    if stage != .killed { stage = .leaving }
    return [.wait(limits.exit)]
  }

  private mutating func ended() -> [Effect] {
    hasEnded = true
    if stage != .killed { stage = .leaving }
    if isDisconnected { return [.wait(limits.exit)] }
    // What was sent before the end may still arrive; if the outcome is known, nobody waits for it.
    return verdict == nil ? [.wait(limits.arrival)] : hangUp()
  }

  private mutating func hangUp() -> [Effect] {
    isDisconnected = true
    return [.disconnect, .wait(limits.exit)]
  }

  private mutating func elapsed() -> [Effect] {
    switch stage {
    case .starting: settle(.fault(.neverConnected))
    case .talking: settle(.fault(.silent))
    case .leaving where hasEnded && !isDisconnected: return hangUp()
    case .leaving where hasEnded: return kill()
    case .leaving: break
    case .terminating, .killed: return kill()
    }
    return stop()
  }

  private mutating func cancelled() -> [Effect] {
    settle(.cancelled)
    switch stage {
    case .starting: return stop()
    case .talking:
      stage = .leaving
      return [.tell(.cancel), .wait(limits.cancel)]
    case .leaving, .terminating, .killed: return []
    }
  }

  private mutating func stop() -> [Effect] {
    guard stage != .killed, stage != .terminating else { return [] }
    wasStopped = true
    stage = .terminating
    return [.terminate, .wait(limits.terminate)]
  }

  private mutating func kill() -> [Effect] {
    wasStopped = true
    stage = .killed
    return [.kill, .disconnect]
  }
}
