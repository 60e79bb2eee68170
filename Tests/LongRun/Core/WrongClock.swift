// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageClient

/// The clocks of a machine whose wall clock has an offset that can change.
final class WrongClock: SigningClock {
  private let base: any SigningClock
  private let difference = Lock(Duration.zero)

  init(_ base: any SigningClock) {
    self.base = base
  }

  /// The offset by which the wall clock is ahead.
  var offset: Duration {
    get { difference.withLock { $0 } }
    set { difference.withLock { $0 = newValue } }
  }

  var now: Timestamp { base.now.advanced(by: offset) }
  var uptime: Duration { base.uptime }

  func sleep(for duration: Duration) async throws {
    try await base.sleep(for: duration)
  }
}
