// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth

/// A feed of a persistent session's paths to an attempt, which first receives those that are not known to be done.
struct PathFeed {
  /// The added paths that no attempt has reported as transferred.
  private var pendingPaths: [TransferPath] = []
  private(set) var isFinished = false
  /// The continuation of the current attempt's sequence, or `nil` if no attempt runs.
  private var continuation: AsyncStream<[TransferPath]>.Continuation?

  /// Adds paths for the current attempt and for later attempts.
  mutating func add(_ paths: [TransferPath]) {
    pendingPaths += paths
    continuation?.yield(paths)
  }

  /// Ends the sequence of the current attempt, and of later attempts after the pending paths.
  mutating func finish() {
    isFinished = true
    continuation?.finish()
  }

  /// Removes a path that is done, identified by the file name that the engine reports.
  mutating func remove(_ file: String) {
    guard let index = pendingPaths.firstIndex(where: { $0.source == file }) else { return }
    pendingPaths.remove(at: index)
  }

  /// Returns a sequence for a new attempt: the pending paths, and the paths that are added during the attempt.
  mutating func open() -> AsyncStream<[TransferPath]> {
    let (stream, continuation) = AsyncStream.makeStream(of: [TransferPath].self)
    if !pendingPaths.isEmpty { continuation.yield(pendingPaths) }
    if isFinished { continuation.finish() }
    self.continuation = continuation
    return stream
  }

  /// Ends the sequence of an attempt that has ended.
  mutating func close() {
    continuation?.finish()
    continuation = nil
  }
}
