public import AsperaAuth
internal import StorageAuth

extension TransferQueue {
  /// The ids of the sessions that are in the queue, in no order.
  public var sessions: [String] { state.withLock { Array($0.records.keys) } }

  /// Where a session stands; nothing if there is none with that id.
  public func status(of id: String) -> TransferStatus? {
    state.withLock { state in state.machine.sessions[id].map { TransferStatus($0.state) } }
  }

  /// How a session ended, when it has; nothing if there is none with that id.
  public func result(of id: String) async -> Result<TransferSummary, TransferFailure>? {
    await withCheckedContinuation { continuation in
      let answer: Result<TransferSummary, TransferFailure>?? = state.withLock { state in
        guard let session = state.machine.sessions[id] else { return .some(nil) }
        if case .ended(let result) = session.state { return result }
        state.records[id]?.waiters.append(continuation)
        return nil
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }

  /// Adds paths to a persistent session; it may be waiting or running.
  ///
  /// Paths that are not known to be done when an attempt fails are given to the next one again.
  ///
  /// - Parameters:
  ///   - paths: The files and folders.
  ///   - id: The session.
  /// - Throws: A ``TransferFailure`` if there is no such session, or if it takes no paths: it is not persistent, was
  ///   finished, or is over.
  public func addPaths(_ paths: [TransferPath], to id: String) throws(TransferFailure) {
    let reason: String? = state.withLock { state in
      guard let session = state.machine.sessions[id], var feed = state.records[id]?.feed else {
        return "There is no persistent session with the id \(id)."
      }
      if session.isEnded { return "The session \(id) is over." }
      if feed.isFinished { return "The session \(id) was finished." }
      feed.add(paths)
      state.records[id]?.feed = feed
      return nil
    }
    guard let reason else { return }
    throw TransferFailure(
      .caller, "The paths were not added. \(reason)", remedy: "Add paths to a persistent session before you finish it.")
  }

  /// Ends a persistent session when all its paths are done.
  public func finish(_ id: String) {
    state.withLock { state in state.records[id]?.feed?.finish() }
  }
}

extension TransferStatus {
  init(_ state: SessionMachine.State) {
    self =
      switch state {
      case .waiting: .waiting
      case .asking: .activating
      case .lined, .checking: .ready
      case .connecting: .connecting
      case .running: .running
      case .pausing: .retrying
      case .stopping: .stopping
      case .interrupted: .interrupted
      case .ended(let result): .ended(result)
      }
  }
}
