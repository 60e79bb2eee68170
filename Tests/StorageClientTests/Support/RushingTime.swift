import StorageClient
import Synchronization

/// Clocks that nobody has to step: whoever sleeps moves them on.
///
/// A timeout is no nap: it only ends when it is cancelled, for it would win against any work otherwise.
final class RushingTime: SigningClock {
  private struct State {
    var now = Timestamp(unixSeconds: 1_800_000_000)
    var uptime = Duration.zero
    var naps: [Duration] = []
  }

  /// As long as the shortest timeout, and longer than any pause between two attempts.
  private static let timeout = Duration.seconds(30)

  private let state = Mutex(State())

  var now: Timestamp { state.withLock { $0.now } }
  var uptime: Duration { state.withLock { $0.uptime } }

  /// How long everybody slept, in order.
  var naps: [Duration] { state.withLock { $0.naps } }

  func sleep(for duration: Duration) async throws {
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
