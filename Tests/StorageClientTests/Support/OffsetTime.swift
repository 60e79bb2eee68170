// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageClient

/// The clocks of a machine whose wall clock is wrong.
struct OffsetTime: SigningClock {
  let base: any SigningClock
  let offset: Duration

  var now: Timestamp { base.now.advanced(by: offset) }
  var uptime: Duration { base.uptime }

  func sleep(for duration: Duration) async throws {
    try await base.sleep(for: duration)
  }
}
