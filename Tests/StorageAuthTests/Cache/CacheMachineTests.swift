// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import XCTest

@testable import StorageAuth

/// Invariants of the cache's state machine under random events.
final class CacheMachineTests: XCTestCase {
  private struct Walk {
    var machine = CacheMachine<Token>(source: "walk", configuration: CredentialCacheConfiguration())
    var generator: SystemRandomNumberGenerator = SystemRandomNumberGenerator()
    var uptime = Duration.zero
    var requests: Set<UInt64> = []
    var waiting: [UInt64: CacheMachine<Token>.Requirement] = [:]
    var nextWaiter: UInt64 = 0
    var served = 0
    var newest = CredentialGeneration(number: 0)

    mutating func take(_ effects: [CacheMachine<Token>.Effect]) {
      for effect in effects {
        switch effect {
        case .startRequest(let request):
          XCTAssertTrue(requests.isEmpty, "two requests are in flight")
          requests.insert(request)
        case .cancelRequest(let request):
          XCTAssertNotNil(requests.remove(request), "a request finishes once")
        case .resume(let waiterNumber, let result):
          let requirement = waiting.removeValue(forKey: waiterNumber)
          XCTAssertNotNil(requirement, "a response for a caller that does not wait")
          if case .success(let cached) = result, let requirement { check(cached, requirement) }
        case .deliver: break
        }
      }
      XCTAssertEqual(machine.requestInFlight != nil, !requests.isEmpty)
      if !waiting.isEmpty { XCTAssertFalse(requests.isEmpty, "a caller waits without a request in flight") }
    }

    mutating func check(_ cached: CachedCredential<Token>, _ requirement: CacheMachine<Token>.Requirement) {
      served += 1
      XCTAssertGreaterThanOrEqual(cached.generation, newest)
      newest = cached.generation
      if let rejected = requirement.rejectedGeneration { XCTAssertGreaterThan(cached.generation, rejected) }
      XCTAssertNotEqual(cached.generation, machine.rejectedGeneration)
      if let end = machine.entry?.expiration { XCTAssertGreaterThanOrEqual(end - uptime, requirement.duration) }
    }

    private var isEndless: Bool {
      machine.servableCredential(lasting: .zero, at: uptime) != nil && machine.entry?.expiration == nil
    }

    /// Whether a caller at that uptime makes the machine start a request.
    private func asks(at uptime: Duration) -> Bool {
      var machine = machine
      return machine.admit(.max, CacheMachine.Requirement(lasting: .zero), at: uptime).effects.contains {
        if case .startRequest = $0 { true } else { false }
      }
    }

    /// Checks that the published state agrees with the machine for the next minutes.
    func checkServable() {
      switch machine.nextRequest(after: uptime) {
      case .due(at: let next):
        XCTAssertFalse(machine.requestInFlight != nil || machine.isShutDown || isEndless)
        XCTAssertTrue(asks(at: next), "no request at the published refresh time")
        if next > uptime {
          XCTAssertFalse(asks(at: max(uptime, next - .nanoseconds(2))), "a request before the published refresh time")
        }
      case .inFlight: XCTAssertNotNil(machine.requestInFlight)
      case .notNeeded: XCTAssertTrue(isEndless)
      case .shutDown: XCTAssertTrue(machine.isShutDown)
      }
      for ahead in [Duration.zero, .seconds(1), .seconds(30), .seconds(60), .seconds(240), .seconds(301)] {
        let then = uptime + ahead
        XCTAssertEqual(
          machine.servableEntry?.isRefreshDue(at: then) ?? false, machine.isRefreshDue(at: then))
        for duration in [Duration.zero, .seconds(2), .seconds(100)] {
          let servable = machine.servableEntry.flatMap {
            $0.isValid(for: duration, at: then) ? $0.cachedCredential : nil
          }
          let ready = machine.servableCredential(lasting: duration, at: then)
          XCTAssertEqual(servable?.generation, ready?.generation)
        }
      }
    }

    mutating func step() {
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<4:
        nextWaiter += 1
        var requirement = CacheMachine<Token>.Requirement(lasting: .seconds(Int.random(in: 0..<200, using: &generator)))
        if Bool.random(using: &generator) { requirement.rejectedGeneration = machine.entry?.generation }
        let (admission, effects) = machine.admit(nextWaiter, requirement, at: uptime)
        if case .wait = admission { waiting[nextWaiter] = requirement }
        if case .serve(let cached) = admission { check(cached, requirement) }
        take(effects)
      case 4, 5:
        guard let request = requests.first else { return }
        let end = uptime + .seconds(Int.random(in: -10..<300, using: &generator))
        let token = Token(name: "\(request)", expiration: Timestamp(unixSeconds: end.components.seconds))
        let issued = IssuedCredential(token, issuerTime: Timestamp(unixSeconds: uptime.components.seconds))
        let result: Result<IssuedCredential<Token>, CredentialError> =
          Bool.random(using: &generator) ? .success(issued) : .failure(.outage)
        take(machine.finishRequest(request, result, at: uptime, wallClock: .now, random: 0.5))
      case 6:
        if let request = requests.first { take(machine.timeOutRequest(request, at: uptime, random: 0.5)) }
      case 7:
        if let waiter = waiting.keys.randomElement(using: &generator) { take(machine.cancelWait(of: waiter)) }
      case 8:
        uptime += .seconds(Int.random(in: 0..<90, using: &generator))
      default:
        if machine.isRefreshDue(at: uptime) { take(machine.startRequest(at: uptime)) }
      }
    }
  }

  func testRandomEventsKeepOneRequestInFlightAndAnswerEveryWaiterOnce() {
    var served = 0
    for _ in 0..<100 {
      var walk = Walk()
      for _ in 0..<500 {
        walk.step()
        walk.checkServable()
      }
      walk.take(walk.machine.shutDown())
      walk.checkServable()
      XCTAssertTrue(walk.waiting.isEmpty)
      XCTAssertTrue(walk.requests.isEmpty)
      served += walk.served
    }
    XCTAssertGreaterThan(served, 500)
  }

  func testLateResponseIsNotAttributedToTheNextRequest() {
    var machine = CacheMachine<Token>(source: "it", configuration: CredentialCacheConfiguration())
    _ = machine.admit(1, CacheMachine.Requirement(lasting: .zero), at: .zero)
    _ = machine.timeOutRequest(1, at: .seconds(30), random: 0)
    _ = machine.admit(2, CacheMachine.Requirement(lasting: .zero), at: .seconds(60))
    let effects = machine.finishRequest(
      1, .success(IssuedCredential(Token(name: "late"))), at: .seconds(61), wallClock: .now, random: 0)
    XCTAssertTrue(effects.isEmpty)
    XCTAssertNil(machine.entry)
    XCTAssertEqual(machine.requestInFlight?.number, 2)
  }

  func testResponseOfATimedOutRequestIsDiscarded() {
    var machine = CacheMachine<Token>(source: "it", configuration: CredentialCacheConfiguration())
    _ = machine.admit(1, CacheMachine.Requirement(lasting: .zero), at: .zero)
    _ = machine.timeOutRequest(1, at: .seconds(30), random: 0)
    let effects = machine.finishRequest(
      1, .success(IssuedCredential(Token(name: "late"))), at: .seconds(31), wallClock: .now, random: 0)
    XCTAssertTrue(effects.isEmpty)
    XCTAssertNil(machine.entry)
  }
}
