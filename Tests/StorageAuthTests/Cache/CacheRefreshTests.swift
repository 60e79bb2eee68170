// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuthTesting
import XCTest

@testable import StorageAuth

/// Refresh schedule of the cache: margin, random spread, backoff and replacement of credentials.
final class CacheRefreshTests: XCTestCase {
  // matrix: Credential cache: answers
  func testCredentialIsRefreshedInTheBackgroundFiveMinutesBeforeItsExpiration() async throws {
    let fixture = CacheFixture()
    _ = try await fixture.fill("old", life: .seconds(3600))
    fixture.time.advance(by: .seconds(3299))
    XCTAssertEqual(fixture.cache.current()?.credential.name, "old")
    XCTAssertEqual(fixture.source.questions, 1, "a fresh credential is not refreshed")
    fixture.time.advance(by: .seconds(1))
    XCTAssertEqual(fixture.cache.current()?.credential.name, "old", "the credential is served during its refresh")
    for _ in 0..<100 { XCTAssertNotNil(fixture.cache.current()) }
    await fixture.source.answer("new")
    await until("the new credential arrived") { fixture.cache.current()?.credential.name == "new" }
    XCTAssertEqual(fixture.source.questions, 2)
  }

  func testShortLivedCredentialIsRefreshedAfterFourFifthsOfItsLifetime() async throws {
    let fixture = CacheFixture()
    _ = try await fixture.fill("old", life: .seconds(5))
    fixture.time.advance(by: .milliseconds(3999))
    XCTAssertNotNil(fixture.cache.current())
    XCTAssertNil(fixture.cache.state.withLock { $0.machine.requestInFlight })
    fixture.time.advance(by: .milliseconds(1))
    XCTAssertNotNil(fixture.cache.current())
    await until("the provider received a request") { fixture.source.questions == 2 }
    await fixture.source.fail()
  }

  // matrix: Credential cache: answers
  func testRandomSpreadUpToDoublesTheRefreshMargin() async throws {
    for (random, age) in [(0, 3300), (0.5, 3150), (1, 3000)] {
      let configuration = CredentialCacheConfiguration(spreadsFirstRenewal: false)
      let fixture = CacheFixture(configuration: configuration, random: random)
      _ = try await fixture.fill("old", life: .seconds(3600))
      XCTAssertEqual(fixture.cache.state.withLock { $0.machine.entry?.refreshTime }, .seconds(age))
    }
  }

  // matrix: Credential cache: answers
  func testFirstRefreshOfAnAwaitedCredentialIsSpreadRandomly() async throws {
    for (random, expected) in [(0, 3300), (0.5, 3150 * 0.5625), (1, 375)] {
      let fixture = CacheFixture(random: random)
      _ = try await fixture.fill("first", life: .seconds(3600))
      let age = try fixture.renewal()
      assertClose(age, expected)
      fixture.time.advance(by: age)
      XCTAssertEqual(fixture.cache.current()?.credential.name, "first")
      let now = fixture.time.now
      await fixture.source.answer("second", expiration: now.advanced(by: .seconds(3600)), issuerTime: now)
      await until("the second credential arrived") { fixture.cache.current()?.credential.name == "second" }
      assertClose(try fixture.renewal() - age, 3300 - 300 * random, "a background refresh keeps the spread")
      let second = try XCTUnwrap(fixture.cache.current())
      let task = fixture.ask(replacing: second.generation)
      let later = fixture.time.now
      await fixture.source.answer("third", expiration: later.advanced(by: .seconds(3600)), issuerTime: later)
      _ = try await task.value
      assertClose(try fixture.renewal() - age, expected, "a rejection may reach all clients at once")
    }
  }

  func testManuallySetCredentialIsRefreshedAtTheRegularMargin() {
    let fixture = CacheFixture(random: 1)
    fixture.cache.replace(with: Token(name: "by hand", expiration: fixture.time.now.advanced(by: .seconds(3600))))
    XCTAssertEqual(fixture.cache.state.withLock { $0.machine.entry?.refreshTime }, .seconds(3000))
  }

  // matrix: Credential cache: clock
  func testEndOfAManuallySetCredentialIsAnnouncedOnceBeforeIt() async throws {
    let time = ManualClock()
    func token(_ name: String) -> Token { Token(name: name, expiration: time.now.advanced(by: .seconds(3600))) }
    let cache = CredentialCache(token("first"), time: time)
    let recorder = EventRecorder(cache.events)
    func refreshes() -> [AuthEvent.Refresh.Outcome] {
      recorder.events.compactMap { if case .refresh(let refresh) = $0 { refresh.outcome } else { nil } }
    }
    time.advance(by: .seconds(60))
    cache.replace(with: token("second"))
    let second = try XCTUnwrap(cache.current()).generation
    XCTAssertEqual(refreshes(), [.succeeded(second, lifetime: .seconds(3600))])
    time.advance(by: .seconds(3300))
    for _ in 0..<3 {
      XCTAssertEqual(cache.current()?.credential.name, "second")
      _ = try await cache.credential(lasting: .seconds(10))
      time.advance(by: .seconds(1))
    }
    XCTAssertEqual(refreshes().dropFirst(), [.ending(second, lifetime: .seconds(300))])
    cache.replace(with: token("third"))
    time.advance(by: .seconds(3300))
    _ = try await cache.credential()
    XCTAssertEqual(refreshes().count, 4, "the end of the next credential is announced too")
  }

  func testZeroMarginDisablesBackgroundRefresh() async throws {
    let fixture = CacheFixture(configuration: CredentialCacheConfiguration(refreshMargin: .zero), random: 1)
    _ = try await fixture.fill("old", life: .seconds(3600))
    XCTAssertEqual(fixture.cache.state.withLock { $0.machine.entry?.refreshTime }, .seconds(3600))
  }

  // matrix: Credential cache: refusal
  func testFailedRefreshesArePostponedWhileTheCredentialIsValid() async throws {
    let fixture = CacheFixture()
    _ = try await fixture.fill("old", life: .seconds(3600))
    fixture.time.advance(by: .seconds(3300))
    var (uptime, pauses, renewals) = (Duration.seconds(3300), [Duration](), [Duration]())
    for _ in 0..<3 {
      XCTAssertNotNil(fixture.cache.current())
      await fixture.source.fail()
      await until("the failure was processed") { fixture.cache.state.withLock { $0.machine.requestInFlight } == nil }
      pauses.append(fixture.cache.remainingBackoff)
      let next = try XCTUnwrap(fixture.cache.state.withLock { $0.machine.failure?.refreshBackoffEnd })
      renewals.append(next)
      fixture.time.advance(by: next - uptime)
      uptime = next
    }
    XCTAssertEqual(pauses, [1, 2, 4].map { .seconds($0) }, "backoff of a caller that needs a new credential")
    XCTAssertEqual(renewals, [3375, 3450, 3600].map { .seconds($0) }, "the last refresh is at the expiration")
    XCTAssertNil(fixture.cache.current())
  }

  // matrix: Credential cache: refusal
  func testFailingProviderReceivesOneRequestPerBackoffWhileTheCredentialIsServed() async throws {
    let fixture = CacheFixture()
    _ = try await fixture.fill("old", life: .seconds(3600))
    fixture.time.advance(by: .seconds(3300))
    var asked: [Int64] = []
    var seconds: Int64 = 0
    while seconds < 290 {
      let before = fixture.source.questions
      XCTAssertEqual(fixture.cache.current()?.credential.name, "old")
      if fixture.cache.state.withLock({ $0.machine.requestInFlight }) != nil {
        await fixture.source.fail()
        await until("the failure was processed") { fixture.cache.state.withLock { $0.machine.requestInFlight } == nil }
        XCTAssertEqual(fixture.source.questions, before + 1)
        asked.append(seconds)
      }
      fixture.time.advance(by: .seconds(1))
      seconds += 1
    }
    XCTAssertEqual(asked, [0, 75, 150])
  }

  func testCacheRecoversWhenTheProviderRecovers() async throws {
    let fixture = CacheFixture()
    _ = try await fixture.fill("old", life: .seconds(100))
    fixture.time.advance(by: .seconds(101))
    let first = fixture.ask()
    await fixture.source.fail()
    let error = await failure(first)
    XCTAssertEqual(error, .outage)
    let second = await failure(fixture.ask())
    XCTAssertEqual(second, .outage, "the failure is cached during the backoff")
    XCTAssertEqual(fixture.source.questions, 2)
    fixture.time.advance(by: .seconds(1))
    let third = fixture.ask()
    await fixture.source.answer("new")
    let cached = try await third.value
    XCTAssertEqual(cached.credential.name, "new")
    XCTAssertEqual(fixture.cache.state.withLock { $0.machine.failuresInARow }, 0)
  }

  func testFailedForcedRefreshIsSharedByLaterRejectionsDuringTheBackoff() async throws {
    let fixture = CacheFixture()
    let old = try await fixture.fill("old")
    let task = fixture.ask(replacing: old.generation)
    await fixture.source.fail()
    _ = await failure(task)
    for _ in 0..<100 {
      let error = await failure(fixture.ask(replacing: old.generation))
      XCTAssertEqual(error, .outage)
    }
    XCTAssertEqual(fixture.source.questions, 2)
  }

  // matrix: Credential cache: bad input
  func testForcedRefreshRejectsTheSameCredential() async throws {
    let fixture = CacheFixture()
    let old = try await fixture.fill("old")
    let task = fixture.ask(replacing: old.generation)
    await fixture.source.answer("old")
    let error = await failure(task)
    XCTAssertEqual(error?.code, .rejected)
    XCTAssertEqual(fixture.cache.current()?.credential.name, "old", "the credential stays, because the service decides")
    let known = await failure(fixture.ask(replacing: old.generation))
    XCTAssertEqual(known, error, "no further request during the backoff")
    XCTAssertEqual(fixture.cache.current()?.credential.name, "old", "other callers keep using the credential")
    XCTAssertEqual(fixture.source.questions, 2)
    fixture.time.advance(by: .seconds(1))
    let again = fixture.ask(replacing: old.generation)
    await fixture.source.answer("new")
    let cached = try await again.value
    XCTAssertEqual(cached.credential.name, "new")
  }

  func testCredentialUntilATimeIsMeasuredOnTheClockThatTheTimeComesFrom() async throws {
    let time = ManualClock()
    let key = AccessKey(id: "id", secret: "secret", expiration: time.now.advanced(by: .seconds(100)))
    let source = ScriptedProvider([.credential(key), .failure(.outage), .failure(.outage)])
    let cache = CredentialCache(source, in: ProviderContext(time: time))
    _ = try await cache.credential(until: time.now.advanced(by: .seconds(99)))
    // The service's clock is ahead by an hour.
    let ahead = time.now.advanced(by: .seconds(3600))
    let cached = try await cache.credential(until: ahead.advanced(by: .seconds(99)), from: ahead)
    XCTAssertEqual(cached.credential.id, key.id)
    XCTAssertEqual(source.calls, 1)
    do {
      _ = try await cache.credential(until: time.now.advanced(by: .seconds(101)))
      XCTFail("the credential expires too early")
    } catch {
      XCTAssertEqual(source.calls, 2)
    }
    let replacement = try? await cache.credential(until: time.now, replacing: cached.generation)
    XCTAssertNil(replacement, "the rejected credential was returned")
  }

  func testLifetimeErrorOfAFailingProviderNamesBothTimesAndTheCause() async throws {
    let fixture = CacheFixture()
    let end = fixture.time.now.advanced(by: .seconds(100))
    _ = try await fixture.fill("old", life: .seconds(100))
    let task = fixture.ask(lasting: .seconds(3600))
    await fixture.source.fail()
    let first = await failure(task)
    let second = await failure(fixture.ask(lasting: .seconds(3600)))
    for error in [first, second] {
      XCTAssertEqual(error?.declined, [.outage])
      XCTAssertTrue(error?.message.contains(end.iso8601) == true, "\(String(describing: error))")
    }
    XCTAssertEqual(fixture.source.questions, 2)
  }

  // matrix: Credential cache: bad input
  func testTooShortFreshCredentialFailsWithBothTimes() async throws {
    let fixture = CacheFixture()
    let task = fixture.ask(lasting: .seconds(7200))
    await until("the caller waits") { fixture.cache.waiting == 1 }
    let now = fixture.time.now
    await fixture.source.answer("short", expiration: now.advanced(by: .seconds(3600)), issuerTime: now)
    let error = await failure(task)
    let message = try XCTUnwrap(error?.message)
    XCTAssertTrue(message.contains(now.advanced(by: .seconds(3600)).iso8601), message)
    XCTAssertTrue(message.contains(now.advanced(by: .seconds(7200)).iso8601), message)
    for _ in 0..<10 { _ = await failure(fixture.ask(lasting: .seconds(7200))) }
    XCTAssertEqual(fixture.source.questions, 1, "the same lifetime is not requested again")
    XCTAssertEqual(fixture.cache.current(lasting: .seconds(3600))?.credential.name, "short")
    fixture.time.advance(by: .seconds(61))
    _ = fixture.ask(lasting: .seconds(7200))
    await until("the provider received a further request") { fixture.source.questions == 2 }
    await fixture.source.fail()
  }

  func testCallerThatNeedsLessLifetimeIsServedDuringARefresh() async throws {
    let fixture = CacheFixture()
    _ = try await fixture.fill("old", life: .seconds(100))
    let task = fixture.ask(lasting: .seconds(1000))
    await until("the caller waits") { fixture.cache.waiting == 1 }
    let served = try await fixture.cache.credential(lasting: .seconds(10))
    XCTAssertEqual(served.credential.name, "old")
    await fixture.source.answer("long")
    _ = try await task.value
  }

  func testManuallySetCredentialResumesWaitersAndSupersedesALateResponse() async throws {
    let fixture = CacheFixture()
    let task = fixture.ask()
    await until("the provider received a request") { fixture.source.open == 1 }
    fixture.cache.replace(with: Token(name: "by hand"))
    let cached = try await task.value
    XCTAssertEqual(cached.credential.name, "by hand")
    await fixture.source.answer("late")
    for _ in 0..<1000 { await Task.yield() }
    XCTAssertEqual(fixture.cache.current()?.credential.name, "by hand")
  }

  func testExpiredCredentialWithoutAProviderFailsWithARemedy() async throws {
    let time = ManualClock()
    let end = time.now.advanced(by: .seconds(100))
    let cache = CredentialCache(Token(name: "by hand", expiration: end), time: time)
    XCTAssertEqual(cache.current()?.credential.name, "by hand")
    time.advance(by: .seconds(100))
    do {
      _ = try await cache.credential()
      XCTFail("the expired credential was returned")
    } catch {
      XCTAssertTrue(error.remedy.contains("replace(with:)"), "\(error)")
    }
    cache.replace(with: Token(name: "next"))
    XCTAssertEqual(cache.current()?.credential.name, "next")
  }

  func testEventsReportEveryRequestAndItsOutcome() async throws {
    let fixture = CacheFixture()
    let seen = Lock<[AuthEvent.Refresh]>([])
    let observation = fixture.cache.events.observe { event in
      if case .refresh(let refresh) = event { seen.withLock { $0.append(refresh) } }
    }
    let task = fixture.ask()
    await fixture.source.fail()
    _ = await failure(task)
    fixture.time.advance(by: .seconds(1))
    let cached = try await fixture.fill("it", life: .seconds(60))
    await until("all events arrived") { seen.withLock { $0.count } == 4 }
    observation.cancel()
    fixture.cache.replace(with: Token(name: "unseen"))
    XCTAssertEqual(
      seen.withLock { $0.map(\.outcome) },
      [
        .started, .failed(.outage, backoff: .seconds(1)), .started,
        .succeeded(cached.generation, lifetime: .seconds(60)),
      ])
    XCTAssertEqual(Set(seen.withLock { $0.map(\.source) }), ["held source"])
  }
}

extension CacheFixture {
  /// Returns the age at which the cached credential is refreshed.
  fileprivate func renewal() throws -> Duration {
    try XCTUnwrap(cache.state.withLock { $0.machine.entry?.refreshTime })
  }
}

/// Compares durations at microsecond precision, because a multiplied duration is rounded.
private func assertClose(_ duration: Duration, _ seconds: Double, _ message: String = "", line: UInt = #line) {
  XCTAssertEqual(duration / .seconds(1), seconds, accuracy: 1e-6, message, line: line)
}
