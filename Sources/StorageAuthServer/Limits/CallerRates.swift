/// How often each caller may ask, and how often they did.
struct CallerRates: Sendable {
  /// Nothing for no limit.
  let limit: RateLimit?
  let store: any RateStore
  let time: any SigningClock

  /// Counts a request of a caller.
  ///
  /// - Throws: `tooManyRequests` if there were too many.
  func take(_ caller: String) async throws(TokenServiceError) {
    guard let limit, let delay = await store.take(caller, limit: limit, at: time.uptime) else { return }
    throw .tooManyRequests(after: delay)
  }
}
