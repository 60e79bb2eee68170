// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension CredentialCache {
  /// Keeps a valid credential in the cache until the task is cancelled, even while no caller requests one.
  ///
  /// A cache alone asks its provider only on behalf of a caller, so the first caller after a quiet period waits. With
  /// this function, a server responds to each caller at once, as long as the provider works. Failures of the provider
  /// are events; the function goes on after the backoff.
  ///
  /// ```swift
  /// let upkeep = Task { await cache.keepFresh() }
  /// ```
  @concurrent
  public func keepFresh() async {
    repeat {
      if current() == nil { _ = try? await credential() }
      let uptime = time.uptime
      let next = state.withLock { $0.machine.nextQuestion(after: uptime) }
      let delay = next.map { $0 - uptime } ?? longestPause
      guard (try? await time.sleep(for: min(max(delay, shortestPause), longestPause))) != nil else { return }
    } while !Task.isCancelled
  }
}

/// The limits of the time between two looks at a cache: the app can replace the credential at any time.
private let shortestPause = Duration.seconds(1)
private let longestPause = Duration.seconds(60)
