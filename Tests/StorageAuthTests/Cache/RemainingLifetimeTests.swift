// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuthTesting
import XCTest

@testable import StorageAuth

/// Selection of the clock that determines the lifetime of a credential.
final class RemainingLifetimeTests: XCTestCase {
  private let noon = Timestamp(unixSeconds: 1_800_000_000)

  private func lifetime(
    start: Int64? = nil, end: Int64?, issuer: Int64? = nil, wall: Int64
  ) -> RemainingLifetime {
    func time(_ seconds: Int64) -> Timestamp { noon.advanced(by: .seconds(seconds)) }
    return RemainingLifetime(
      of: Token(name: "", start: start.map(time), expiration: end.map(time)), issuerTime: issuer.map(time),
      wallClock: time(wall))
  }

  // matrix: Credential cache: clock
  func testIssuersClockTakesPrecedenceOverAWrongWallClock() {
    for wall: Int64 in [-1_000_000, -1200, 0, 1200, 1_000_000] {
      XCTAssertEqual(lifetime(end: 900, issuer: 0, wall: wall), .expires(after: .seconds(900)))
      XCTAssertEqual(lifetime(start: -500, end: 900, issuer: 600, wall: wall), .expires(after: .seconds(300)))
      XCTAssertEqual(lifetime(end: 900, issuer: 900, wall: wall), .expired)
    }
  }

  func testWallClockOutsideOfTheValidityPeriodIsIgnored() {
    XCTAssertEqual(lifetime(start: 0, end: 900, wall: -1200), .expires(after: .seconds(900)))
    XCTAssertEqual(lifetime(start: 0, end: 900, wall: 900), .expires(after: .seconds(900)))
    XCTAssertEqual(lifetime(start: 0, end: 900, wall: 300), .expires(after: .seconds(600)))
    XCTAssertEqual(lifetime(start: 900, end: 900, wall: 0), .expired)
  }

  func testWallClockIsUsedUnlessTheCredentialAppearsExpired() {
    XCTAssertEqual(lifetime(end: 900, wall: 0), .expires(after: .seconds(900)))
    XCTAssertEqual(lifetime(end: 900, wall: 901), .unlimited)
    XCTAssertEqual(lifetime(end: nil, wall: 0), .unlimited)
  }

  // matrix: Credential cache: clock
  func testWrongWallClockDoesNotChangeTheLifetime() async throws {
    for wrong: Int64 in [-1200, 1200] {
      let fixture = CacheFixture()
      let server = fixture.time.now
      fixture.time.setWallClock(to: server.advanced(by: .seconds(wrong)))
      async let cached = fixture.cache.credential(lasting: .zero)
      await fixture.source.answer("it", expiration: server.advanced(by: .seconds(900)), issuerTime: server)
      _ = try await cached
      fixture.time.advance(by: .seconds(899))
      XCTAssertNotNil(fixture.cache.current())
      await fixture.source.fail()
      fixture.time.advance(by: .seconds(1))
      XCTAssertNil(fixture.cache.current())
    }
  }

  func testDurationOfTheRequestIsDeductedFromTheLifetime() async throws {
    let fixture = CacheFixture()
    let server = fixture.time.now
    async let cached = fixture.cache.credential(lasting: .zero)
    await until("the provider received a request") { fixture.source.open == 1 }
    fixture.time.advance(by: .seconds(10))
    await fixture.source.answer("it", expiration: server.advanced(by: .seconds(900)), issuerTime: server)
    _ = try await cached
    XCTAssertNotNil(fixture.cache.current(lasting: .seconds(890)))
    XCTAssertEqual(fixture.cache.state.withLock { $0.machine.entry?.expiration }, .seconds(900))
  }

  func testCacheInFrontOfACacheCountsTheSameLifetimeAndNamesTheSource() async throws {
    let time = ManualClock()
    let server = time.now
    time.setWallClock(to: server.advanced(by: .seconds(7200)))
    let token = Token(name: "it", expiration: server.advanced(by: .seconds(3600)))
    let vault = ScriptedProvider([.credential(token, issuerTime: server)], source: "vault")
    let configuration = CredentialCacheConfiguration(spreadsFirstRenewal: false)
    let inner = CredentialCache(
      CredentialChain<Token>([vault]), in: ProviderContext(time: time), configuration: configuration)
    _ = try await inner.credential()
    time.advance(by: .seconds(600))
    let outer = CredentialCache(inner, in: ProviderContext(time: time), configuration: configuration)
    let cached = try await outer.credential(lasting: .zero)
    XCTAssertEqual(cached.source, "vault")
    XCTAssertEqual(outer.state.withLock { $0.machine.entry?.expiration }, .seconds(3600))
    XCTAssertEqual(vault.calls, 1)
  }

  func testExpiredCredentialFromTheProviderIsMalformed() async throws {
    let fixture = CacheFixture()
    let task = fixture.ask()
    let now = fixture.time.now
    await fixture.source.answer("old", expiration: now, issuerTime: now.advanced(by: .seconds(1)))
    let error = await failure(task)
    XCTAssertEqual(error?.code, .malformedResponse)
    XCTAssertTrue(error?.message.contains(now.iso8601) == true)
  }
}
