// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The rate limit for callers, with the store that counts their requests.
struct CallerRates: Sendable {
  /// The rate limit of each caller, or `nil` for no limit.
  let limit: RateLimit?
  let store: any RateStore
  let time: any SigningClock

  /// Counts a request of a caller.
  ///
  /// - Throws: A `TokenServiceError/tooManyRequests(after:)` if the caller exceeds its rate limit, or an
  ///   `unavailable(_:after:)` if the store is out of reach.
  func take(_ caller: String) async throws(TokenServiceError) {
    guard let limit else { return }
    let delay: Duration?
    do {
      delay = try await store.take(caller, limit: limit, at: time.uptime)
    } catch {
      throw .unavailable(CredentialError(error, source: "rate store"), after: .seconds(1))
    }
    if let delay { throw .tooManyRequests(after: delay) }
  }
}

extension CredentialError {
  /// Creates the retryable error of a store that is out of reach.
  init(_ error: StoreError, source: String) {
    self.init(.failed, source: source, error.message, remedy: error.remedy, isRetryable: true)
  }
}
