// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
package import StorageClient

/// Clocks that advance by the duration of each sleep, without waiting.
///
/// A sleep as long as a timeout only ends when it is cancelled; otherwise it would end before any work.
package final class RushingTime: SigningClock {
  private struct State {
    var now = Timestamp(unixSeconds: 1_800_000_000)
    var uptime = Duration.zero
    var naps: [Duration] = []
  }

  /// The shortest timeout, which is longer than any delay between two attempts.
  private static let timeout = Duration.seconds(30)

  private let state = Lock(State())

  package init() {}

  package var now: Timestamp { state.withLock { $0.now } }
  package var uptime: Duration { state.withLock { $0.uptime } }

  /// The durations of all sleeps, in order.
  package var naps: [Duration] { state.withLock { $0.naps } }

  package func sleep(for duration: Duration) async throws {
    try Task.checkCancellation()
    if duration >= Self.timeout {
      let never = AsyncStream<Never> { _ in }
      for await _ in never {}
      throw CancellationError()
    }
    state.withLock { state in
      state.now = state.now.advanced(by: duration)
      state.uptime += duration
      state.naps.append(duration)
    }
  }
}
