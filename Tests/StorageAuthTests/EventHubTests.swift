// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth
import XCTest

/// Tests what happens when observers and hubs are released.
final class EventHubTests: XCTestCase {
  /// An instrument, and its span, that owns an observation of a hub.
  private struct Owner: AuthInstrument, AuthSpan {
    let observation: EventHub.Observation

    func currentContext() -> (any Sendable)? { nil }
    func begin(_ activity: AuthActivity, in context: (any Sendable)?) -> any AuthSpan { self }
    func run<Value, Failure: Error>(_ body: () async throws(Failure) -> Value) async throws(Failure) -> Value {
      try await body()
    }
    func record(_ event: AuthEvent) {}
    func inject(into fields: inout HTTPFields) {}
    func end(_ outcome: AuthActivity.Outcome) {}
  }

  func testObserversAndInstrumentsCanOwnOtherObservationsOfTheirHub() {
    let hub = EventHub()
    func observation() -> EventHub.Observation { hub.observe { _ in XCTFail("an observer remained") } }
    let outer = hub.observe { [inner = observation()] _ in _ = inner }
    outer.cancel()
    let first = hub.install(Owner(observation: observation()))
    let second = hub.install(Owner(observation: observation()))
    first.cancel()
    second.cancel()
    XCTAssertNil(hub.instrument)
    let event = AuthEvent.Retry(subject: "s", attempt: 2, delay: .zero, reason: "r")
    hub.relay(.retry(event))
  }

  func testStreamEndsWithItsHub() async {
    for await event in EventHub().stream() { XCTFail("\(event)") }
  }
}
