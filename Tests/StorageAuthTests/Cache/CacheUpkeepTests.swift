// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuthTesting
import XCTest

@testable import StorageAuth

/// The upkeep of a cache without callers: its pauses, and its end.
final class CacheUpkeepTests: XCTestCase {
  func testCacheIsCheckedAgainAfterASecondWhileARequestIsInFlight() async {
    let fixture = UpkeepFixture()
    let upkeep = Task { await fixture.cache.keepFresh() }
    await fixture.answer("first")
    await fixture.clock.steps.wait(forSleeps: 1)
    fixture.clock.steps.advance(by: .seconds(24))
    await fixture.clock.steps.wait(forSleeps: 2)
    XCTAssertEqual(fixture.clock.pauses, [.seconds(24), .seconds(1)], "the credential would expire in the pause")
    await fixture.answer("second")
    await until("the second credential arrived") { fixture.cache.current()?.credential.name == "second" }
    upkeep.cancel()
    await upkeep.value
  }

  func testUpkeepEndsAfterTheShutdown() async {
    let fixture = UpkeepFixture()
    let hasEnded = Lock(false)
    let upkeep = Task {
      await fixture.cache.keepFresh()
      hasEnded.withLock { $0 = true }
    }
    await fixture.answer("it")
    await fixture.clock.steps.wait(forSleeps: 1)
    fixture.cache.shutdown()
    fixture.clock.steps.advance(by: .seconds(60))
    await until("the upkeep checked the cache") { hasEnded.withLock { $0 } || fixture.clock.pauses.count == 2 }
    XCTAssertEqual(fixture.clock.pauses, [.seconds(24)], "the upkeep goes on after the shutdown")
    upkeep.cancel()
    await upkeep.value
  }
}

/// A cache whose credentials live for half a minute, and are refreshed after 24 seconds.
private struct UpkeepFixture {
  let clock = UpkeepClock()
  private let source = HeldSource()
  let cache: CredentialCache<Token>

  init() {
    cache = CredentialCache(
      source, ProviderContext(time: clock), CredentialCacheConfiguration(timeout: UpkeepClock.timeout), EventHub(),
      random: { 0 })
  }

  /// Responds to the oldest request, as soon as one exists.
  func answer(_ name: String) async {
    await source.answer(name, expiration: clock.now.advanced(by: .seconds(30)), issuerTime: clock.now)
  }
}

/// A stepped clock that wakes only the upkeep of a cache: the time limits of requests wait on a clock that stands still.
private final class UpkeepClock: SigningClock {
  static let timeout = Duration.seconds(1000)

  let steps = ManualClock()
  private let standstill = ManualClock()
  private let startedPauses = Lock<[Duration]>([])

  var now: Timestamp { steps.now }
  var uptime: Duration { steps.uptime }

  /// The pauses of the upkeep that have started.
  var pauses: [Duration] { startedPauses.withLock { $0 } }

  func sleep(for duration: Duration) async throws {
    guard duration != Self.timeout else { return try await standstill.sleep(for: duration) }
    startedPauses.withLock { $0.append(duration) }
    try await steps.sleep(for: duration)
  }
}
