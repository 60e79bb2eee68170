// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth

/// The paths of a persistent session; each attempt receives again those that are not known to be done.
struct PathFeed {
  private var pending: [TransferPath] = []
  private(set) var isFinished = false
  private var continuation: AsyncStream<[TransferPath]>.Continuation?

  /// Adds paths for the current attempt and for the attempts that may follow it.
  mutating func add(_ paths: [TransferPath]) {
    pending += paths
    continuation?.yield(paths)
  }

  /// Ends the feed; no paths are added afterwards.
  mutating func finish() {
    isFinished = true
    continuation?.finish()
  }

  /// Removes a file that is done, by the name that the engine reports.
  mutating func done(_ file: String) {
    guard let index = pending.firstIndex(where: { $0.source == file }) else { return }
    pending.remove(at: index)
  }

  /// Returns the paths for a new attempt: those that are pending, and those that are added while it runs.
  mutating func open() -> AsyncStream<[TransferPath]> {
    let (stream, continuation) = AsyncStream.makeStream(of: [TransferPath].self)
    if !pending.isEmpty { continuation.yield(pending) }
    if isFinished { continuation.finish() }
    self.continuation = continuation
    return stream
  }

  /// Ends the sequence of the current attempt.
  mutating func close() {
    continuation?.finish()
    continuation = nil
  }
}
