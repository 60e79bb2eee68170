/// Waiting for what another process or another task does, which ends when it takes too long.
enum Patience {
  struct Exhausted: Error {}

  /// Waits until a condition holds.
  ///
  /// - Throws: ``Exhausted`` after a minute, so that a test that fails does not hang.
  static func until(_ condition: () -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while !condition() {
      guard ContinuousClock.now < end else { throw Exhausted() }
      try Task.checkCancellation()
      await Task.yield()
    }
  }
}
