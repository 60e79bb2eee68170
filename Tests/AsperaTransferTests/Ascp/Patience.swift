// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// Waits with a time limit for the effects of another process or task.
enum Patience {
  struct Exhausted: Error {}

  /// Waits until a condition holds.
  ///
  /// - Throws: ``Exhausted`` after a minute, so that a failing test does not hang.
  static func until(_ condition: () -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while !condition() {
      guard ContinuousClock.now < end else { throw Exhausted() }
      try Task.checkCancellation()
      await Task.yield()
    }
  }
}
