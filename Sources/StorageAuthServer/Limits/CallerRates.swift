// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The rate limit for callers, with the store that counts their requests.
struct CallerRates: Sendable {
  /// The rate limit of each caller, or `nil` for no limit.
  let limit: RateLimit?
  let store: any RateStore
  let time: any SigningClock

  /// Counts a request of a caller.
  ///
  /// - Throws: A `TokenServiceError/tooManyRequests(after:)` if the caller exceeds its rate limit.
  func take(_ caller: String) async throws(TokenServiceError) {
    guard let limit, let delay = await store.take(caller, limit: limit, at: time.uptime) else { return }
    throw .tooManyRequests(after: delay)
  }
}
