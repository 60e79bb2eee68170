// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import XCTest

@testable import StorageAuth

/// Invariants of the cache's state machine under random events.
final class CacheMachineTests: XCTestCase {
  private struct Walk {
    var machine = CacheMachine<Token>(source: "walk", configuration: CredentialCacheConfiguration())
    var generator: SystemRandomNumberGenerator = SystemRandomNumberGenerator()
    var uptime = Duration.zero
    var flights: Set<UInt64> = []
    var waiting: [UInt64: CacheMachine<Token>.Need] = [:]
    var nextWaiter: UInt64 = 0
    var served = 0
    var newest = CredentialGeneration(number: 0)

    mutating func take(_ effects: [CacheMachine<Token>.Effect]) {
      for effect in effects {
        switch effect {
        case .start(let flight):
          XCTAssertTrue(flights.isEmpty, "two requests are in flight")
          flights.insert(flight)
        case .abandon(let flight):
          XCTAssertNotNil(flights.remove(flight), "a request finishes once")
        case .response(let waiter, let result):
          let need = waiting.removeValue(forKey: waiter)
          XCTAssertNotNil(need, "a response for a caller that does not wait")
          if case .success(let cached) = result, let need { check(cached, need) }
        case .deliver: break
        }
      }
      XCTAssertEqual(machine.flight != nil, !flights.isEmpty)
      if !waiting.isEmpty { XCTAssertFalse(flights.isEmpty, "a caller waits without a request in flight") }
    }

    mutating func check(_ cached: CachedCredential<Token>, _ need: CacheMachine<Token>.Need) {
      served += 1
      XCTAssertGreaterThanOrEqual(cached.generation, newest)
      newest = cached.generation
      if let rejected = need.rejected { XCTAssertGreaterThan(cached.generation, rejected) }
      XCTAssertNotEqual(cached.generation, machine.rejected)
      if let end = machine.held?.expiration { XCTAssertGreaterThanOrEqual(end - uptime, need.lasting) }
    }

    private var isEndless: Bool { machine.ready(lasting: .zero, at: uptime) != nil && machine.held?.expiration == nil }

    /// Whether a caller at that uptime makes the machine start a request.
    private func asks(at uptime: Duration) -> Bool {
      var machine = machine
      return machine.ask(.max, CacheMachine.Need(lasting: .zero), at: uptime).1.contains {
        if case .start = $0 { true } else { false }
      }
    }

    /// Checks that the published state agrees with the machine for the next minutes.
    func checkServable() {
      let next = machine.nextRequest(after: uptime)
      XCTAssertEqual(next == nil, machine.flight != nil || machine.isShutDown || isEndless)
      if let next { XCTAssertTrue(asks(at: next), "no request at the published refresh time") }
      if let next, next > uptime {
        XCTAssertFalse(asks(at: max(uptime, next - .nanoseconds(2))), "a request before the published refresh time")
      }
      for ahead in [Duration.zero, .seconds(1), .seconds(30), .seconds(60), .seconds(240), .seconds(301)] {
        let then = uptime + ahead
        XCTAssertEqual(
          machine.servable?.isDue(at: then) ?? false, machine.wantsRefresh(at: then))
        for duration in [Duration.zero, .seconds(2), .seconds(100)] {
          let servable = machine.servable.flatMap { $0.isValid(for: duration, at: then) ? $0.cached : nil }
          let ready = machine.ready(lasting: duration, at: then)
          XCTAssertEqual(servable?.generation, ready?.generation)
        }
      }
    }

    mutating func step() {
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<4:
        nextWaiter += 1
        var need = CacheMachine<Token>.Need(lasting: .seconds(Int.random(in: 0..<200, using: &generator)))
        if Bool.random(using: &generator) { need.rejected = machine.held?.cached.generation }
        let (admission, effects) = machine.ask(nextWaiter, need, at: uptime)
        if case .wait = admission { waiting[nextWaiter] = need }
        if case .serve(let cached) = admission { check(cached, need) }
        take(effects)
      case 4, 5:
        guard let flight = flights.first else { return }
        let end = uptime + .seconds(Int.random(in: -10..<300, using: &generator))
        let token = Token(name: "\(flight)", expiration: Timestamp(unixSeconds: end.components.seconds))
        let issued = IssuedCredential(token, issuerTime: Timestamp(unixSeconds: uptime.components.seconds))
        let result: Result<IssuedCredential<Token>, CredentialError> =
          Bool.random(using: &generator) ? .success(issued) : .failure(.outage)
        take(machine.finish(flight, result, at: uptime, wallClock: .now, random: 0.5))
      case 6:
        if let flight = flights.first { take(machine.timeOut(flight, at: uptime, random: 0.5)) }
      case 7:
        if let waiter = waiting.keys.randomElement(using: &generator) { take(machine.leave(waiter)) }
      case 8:
        uptime += .seconds(Int.random(in: 0..<90, using: &generator))
      default:
        if machine.wantsRefresh(at: uptime) { take(machine.start(at: uptime)) }
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
      XCTAssertTrue(walk.flights.isEmpty)
      served += walk.served
    }
    XCTAssertGreaterThan(served, 500)
  }

  func testLateResponseIsNotAttributedToTheNextRequest() {
    var machine = CacheMachine<Token>(source: "it", configuration: CredentialCacheConfiguration())
    _ = machine.ask(1, CacheMachine.Need(lasting: .zero), at: .zero)
    _ = machine.timeOut(1, at: .seconds(30), random: 0)
    _ = machine.ask(2, CacheMachine.Need(lasting: .zero), at: .seconds(60))
    let effects = machine.finish(
      1, .success(IssuedCredential(Token(name: "late"))), at: .seconds(61), wallClock: .now, random: 0)
    XCTAssertTrue(effects.isEmpty)
    XCTAssertNil(machine.held)
    XCTAssertEqual(machine.flight?.number, 2)
  }

  func testResponseOfATimedOutRequestIsDiscarded() {
    var machine = CacheMachine<Token>(source: "it", configuration: CredentialCacheConfiguration())
    _ = machine.ask(1, CacheMachine.Need(lasting: .zero), at: .zero)
    _ = machine.timeOut(1, at: .seconds(30), random: 0)
    let effects = machine.finish(
      1, .success(IssuedCredential(Token(name: "late"))), at: .seconds(31), wallClock: .now, random: 0)
    XCTAssertTrue(effects.isEmpty)
    XCTAssertNil(machine.held)
  }
}
