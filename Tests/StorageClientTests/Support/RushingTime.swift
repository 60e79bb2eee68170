import StorageClient
import Synchronization

/// Clocks that nobody has to step: whoever sleeps moves them on.
final class RushingTime: TimeSource {
  private struct State {
    var now = Timestamp(unixSeconds: 1_800_000_000)
    var uptime = Duration.zero
    var naps: [Duration] = []
  }

  private let state = Mutex(State())

  var now: Timestamp { state.withLock { $0.now } }
  var uptime: Duration { state.withLock { $0.uptime } }

  /// How long everybody slept, in order.
  var naps: [Duration] { state.withLock { $0.naps } }

  func sleep(for duration: Duration) async throws {
    try Task.checkCancellation()
    state.withLock { state in
      state.now = state.now.advanced(by: duration)
      state.uptime += duration
      state.naps.append(duration)
    }
  }
}
