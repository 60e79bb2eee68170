// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import LocalCloud
import XCTest

@testable import storage_auth

/// The list of requests and its listeners: replay, bounds, and listeners that read too slowly.
final class RequestLogTests: XCTestCase {
  private func limits(_ change: (inout RequestLog.Limits) -> Void) -> RequestLog.Limits {
    var limits = RequestLog.Limits()
    change(&limits)
    return limits
  }

  /// Adds requests to a log, by sending them to a cloud.
  private func fill(_ log: RequestLog, _ count: Int) async throws {
    let bench = try await ConsoleBench(self, withConsole: false)
    var events = bench.cloud.requests().makeAsyncIterator()
    for _ in 0..<count {
      _ = try await bench.send(bench.signed("a", of: .oss))
      let event = await events.next()
      log.append(RequestReport(try XCTUnwrap(event)))
    }
  }

  private func numbers(_ events: [ServerEvent]) -> [Int] {
    events.compactMap { event in
      String(decoding: event.bytes, as: UTF8.self).firstMatch(of: /"n":(\d+)/).flatMap { Int($0.1) }
    }
  }

  private func lastID(_ events: [ServerEvent]) throws -> String {
    let texts = events.map { String(decoding: $0.bytes, as: UTF8.self) }
    return String(try XCTUnwrap(texts.compactMap { $0.firstMatch(of: /\nid: (.+)\n/)?.1 }.last))
  }

  // matrix: Console: replay
  func testNewListenerReceivesTheKeptRequestsAndContinuesAfterItsLastOne() async throws {
    let log = RequestLog()
    try await fill(log, 3)
    let first = try XCTUnwrap(log.addListener(after: nil))
    XCTAssertEqual(numbers(first.firstEvents), [1, 2, 3])
    XCTAssertTrue(String(decoding: first.firstEvents[0].bytes, as: UTF8.self).contains(#""continues":false"#))
    let id = try lastID(first.firstEvents)
    try await fill(log, 2)
    let again = try XCTUnwrap(log.addListener(after: id))
    XCTAssertEqual(numbers(again.firstEvents), [4, 5])
    XCTAssertTrue(String(decoding: again.firstEvents[0].bytes, as: UTF8.self).contains(#""continues":true"#))
  }

  func testIDOfAnotherConsoleStartsAnew() async throws {
    let log = RequestLog()
    try await fill(log, 2)
    let id = try lastID(try XCTUnwrap(log.addListener(after: nil)).firstEvents)
    let other = RequestLog()
    try await fill(other, 3)
    for strange in [
      id, "", "x", id + "9", id.replacing(/\d+$/, with: "-1"), id.replacing(/\d+$/, with: "99999999999999999999"),
    ] {
      let log = strange == id ? other : log
      let listener = try XCTUnwrap(log.addListener(after: strange))
      XCTAssertEqual(numbers(listener.firstEvents), strange == id ? [1, 2, 3] : [1, 2], strange)
      XCTAssertTrue(String(decoding: listener.firstEvents[0].bytes, as: UTF8.self).contains("false"), strange)
      listener.cancel()
    }
  }

  // matrix: Console: limits
  func testListKeepsTheLatestRequests() async throws {
    let log = RequestLog(limits { $0.requests = 2 })
    try await fill(log, 5)
    XCTAssertEqual(numbers(try XCTUnwrap(log.addListener(after: nil)).firstEvents), [4, 5])
    XCTAssertEqual((0...6).map { log.detail(of: $0) != nil }, [false, false, false, false, true, true, false])
    XCTAssertNil(log.detail(of: .min))
    XCTAssertNil(log.detail(of: .max))
    let small = RequestLog(limits { $0.byteCount = 1 })
    try await fill(small, 2)
    XCTAssertEqual(numbers(try XCTUnwrap(small.addListener(after: nil)).firstEvents), [])
  }

  func testNumberOfListenersIsLimited() async throws {
    let log = RequestLog(limits { $0.listeners = 2 })
    let first = try XCTUnwrap(log.addListener(after: nil))
    let second = try XCTUnwrap(log.addListener(after: nil))
    XCTAssertNil(log.addListener(after: nil))
    first.cancel()
    XCTAssertEqual(log.listenerCount, 1)
    XCTAssertNotNil(log.addListener(after: nil))
    withExtendedLifetime(second) {}
  }

  // matrix: Console: limits
  func testListenerThatReadsTooSlowlyIsDroppedAndCatchesUp() async throws {
    let log = RequestLog(limits { $0.waitingEvents = 2 })
    let slow = try XCTUnwrap(log.addListener(after: nil))
    try await fill(log, 3)
    XCTAssertEqual(log.listenerCount, 0, "the third event did not fit")
    // The sequence has ended already; otherwise the test would wait here instead of failing.
    slow.cancel()
    var received: [ServerEvent] = []
    for await event in slow.laterEvents { received.append(event) }
    XCTAssertEqual(numbers(received), [1, 2])
    let again = try XCTUnwrap(log.addListener(after: try lastID(received)))
    XCTAssertEqual(numbers(again.firstEvents), [3])
  }

  func testSignsOfLifeReachListenersAndDropThoseThatDoNotRead() throws {
    let log = RequestLog(limits { $0.waitingEvents = 1 })
    let listener = try XCTUnwrap(log.addListener(after: nil))
    log.sendHeartbeat()
    XCTAssertEqual(log.listenerCount, 1)
    log.sendHeartbeat()
    XCTAssertEqual(log.listenerCount, 0)
    withExtendedLifetime(listener) {}
  }

  func testFinishedLogEndsItsListenersAndAcceptsNone() async throws {
    let log = RequestLog()
    let listener = try XCTUnwrap(log.addListener(after: nil))
    log.finish()
    let watching = Task {
      try await Task.sleep(for: .seconds(60))
      XCTFail("the sequence does not end")
      listener.cancel()
    }
    for await _ in listener.laterEvents { XCTFail("there is no event") }
    watching.cancel()
    XCTAssertNil(log.addListener(after: nil))
  }

  /// Cancelling a task holds a lock of the runtime, for which the delivery of an event to the task waits.
  func testListenersCanBeCancelledWhileEventsAreDelivered() async throws {
    let log = RequestLog()
    let sender = Task.detached {
      while !Task.isCancelled { log.sendHeartbeat() }
    }
    for _ in 1...20_000 {
      let listener = try XCTUnwrap(log.addListener(after: nil))
      let reader = Task.detached { for await _ in listener.laterEvents {} }
      await Task.yield()
      reader.cancel()
      await reader.value
    }
    sender.cancel()
    await sender.value
    XCTAssertEqual(log.listenerCount, 0)
  }
}
