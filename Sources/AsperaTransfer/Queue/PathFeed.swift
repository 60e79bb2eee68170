internal import AsperaAuth

/// The paths of a persistent session: those that are not known to be done are given to each attempt again.
struct PathFeed {
  private var pending: [TransferPath] = []
  private(set) var isFinished = false
  private var continuation: AsyncStream<[TransferPath]>.Continuation?

  /// Adds paths, for the attempt that is under way and for those that may follow.
  mutating func add(_ paths: [TransferPath]) {
    pending += paths
    continuation?.yield(paths)
  }

  /// No paths follow.
  mutating func finish() {
    isFinished = true
    continuation?.finish()
  }

  /// A file is done, by the name that the engine gives it.
  mutating func done(_ file: String) {
    guard let index = pending.firstIndex(where: { $0.source == file }) else { return }
    pending.remove(at: index)
  }

  /// The paths for a new attempt, and those that are added while it goes on.
  mutating func open() -> AsyncStream<[TransferPath]> {
    let (stream, continuation) = AsyncStream.makeStream(of: [TransferPath].self)
    if !pending.isEmpty { continuation.yield(pending) }
    if isFinished { continuation.finish() }
    self.continuation = continuation
    return stream
  }

  /// The attempt is over.
  mutating func close() {
    continuation?.finish()
    continuation = nil
  }
}
