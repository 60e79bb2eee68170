// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageClient

/// A clock of which the wall clock is wrong by a fixed duration.
struct ShiftedClock: SigningClock {
  let base: any SigningClock
  let offset: Duration

  var now: Timestamp { base.now.advanced(by: offset) }
  var uptime: Duration { base.uptime }

  func sleep(for duration: Duration) async throws { try await base.sleep(for: duration) }
}
