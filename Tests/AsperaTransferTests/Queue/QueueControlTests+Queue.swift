// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import AsperaTransfer

/// Tests operations on the whole queue.
extension QueueControlTests {
  func testPausedQueueStartsNoSessionAndActiveOnesContinue() async throws {
    let bench = try QueueBench(ScriptedEngine(Self.held))
    for id in ["a", "b"] { bench.queue.add(.sample(id)) }
    await bench.reaches(.running, "a")
    bench.queue.pause()
    bench.engine.gate.open("a")
    _ = await bench.finished("a")
    XCTAssertEqual(bench.queue.status(of: "b"), .waiting)
    bench.queue.resume()
    await bench.reaches(.running, "b")
    bench.queue.pause(stopping: true)
    await bench.reaches(.interrupted, "b")
    bench.queue.resume()
    bench.engine.gate.open("b")
    let result = await bench.finished("b")
    XCTAssertEqual(result?.isSuccess, true)
    XCTAssertEqual(bench.engine.attempts.map(\.session), ["a", "b", "b"])
  }

  func testSessionRequestedDuringAPauseInterruptsAnotherAfterwards() async throws {
    let bench = try QueueBench(ScriptedEngine(Self.held))
    for id in ["a", "b"] { bench.queue.add(.sample(id)) }
    await bench.reaches(.running, "a")
    bench.queue.pause()
    bench.queue.run("b")
    XCTAssertEqual(bench.queue.status(of: "a"), .running)
    bench.queue.resume()
    await bench.reaches(.running, "b")
    XCTAssertEqual(bench.queue.status(of: "a"), .interrupted)
    for id in ["b", "a"] {
      bench.engine.gate.open(id)
      let result = await bench.finished(id)
      XCTAssertEqual(result?.isSuccess, true)
    }
  }

  func testRedundantResumeInterruptsNoSession() {
    var machine = QueueMachine(configuration: TransferQueueConfiguration(maximumActive: 1, startSpacing: .zero))
    for id in ["a", "b", "c"] { _ = machine.add(id, tokenSupply: .none, requiresToken: false, at: .zero) }
    func start(_ id: String) { _ = machine.checkEnded(id, machine.sessions[id]?.ticket ?? 0, .ready(nil), at: .zero) }
    start("a")
    // Both are requested before the attempt of the first session has stopped.
    _ = machine.run("b", at: .zero)
    _ = machine.run("c", at: .zero)
    let ticket = machine.sessions["a"]?.ticket ?? 0
    _ = machine.updateAndSchedule("a", at: .zero) { $0.attemptEnded(ticket, .failure(.cancelled), random: 0) }
    start("b")
    XCTAssertEqual(machine.sessions["b"]?.state, .connecting)
    let effects = machine.resume(at: .zero)
    XCTAssertTrue(effects.isEmpty, "\(effects)")
    XCTAssertEqual(machine.sessions["b"]?.state, .connecting)
    XCTAssertEqual(machine.urgentIDs, ["c"])
  }

  func testLateResultOfARemovedSessionIsNotThatOfAnotherWithItsID() async throws {
    let gate = SessionGate()
    let count = Lock(0)
    let issuer = ScriptedIssuer { _ throws(CredentialError) in
      let number = count.withLock { count in
        count += 1
        return count
      }
      try? await gate.pass("request \(number)")
      throw .outage(isRetryable: false)
    }
    let bench = try QueueBench(ScriptedEngine(Self.held), issuer: issuer)
    bench.queue.add(.sample("a"))
    await eventually("the issuer receives a request") { gate.held == ["request 1"] }
    bench.queue.remove("a")
    // The error of the cancelled request has not arrived yet.
    bench.queue.add(.sample("a"))
    await eventually("the issuer receives another request") { gate.held == ["request 2"] }
    for _ in 0..<200 { await Task.yield() }
    XCTAssertEqual(bench.queue.status(of: "a"), .activating)
    XCTAssertEqual(bench.ends.map(\.result), [.failure(.cancelled)])
    gate.open("request 2")
    _ = await bench.finished("a", 2)
  }

  func testRemovedSessionIsCancelledAndRemoved() async throws {
    let bench = try QueueBench(ScriptedEngine(Self.held))
    for id in ["a", "b"] { bench.queue.add(.sample(id)) }
    await bench.reaches(.running, "a")
    bench.queue.remove("a")
    let result = await bench.finished("a")
    XCTAssertEqual(result, .failure(.cancelled))
    await bench.reaches(.running, "b")
    XCTAssertNil(bench.queue.status(of: "a"))
    let none = await bench.queue.result(of: "a")
    XCTAssertNil(none)
    bench.queue.run("a")
    bench.queue.cancel("a")
    bench.engine.gate.open("b")
    _ = await bench.finished("b")
    bench.queue.remove("b")
    XCTAssertEqual(bench.queue.sessions, [])
  }

  func testShutdownEndsEverySessionOnceAndThenTheEvents() async throws {
    let bench = try QueueBench(
      ScriptedEngine(Self.held), configuration: TransferQueueConfiguration(maximumActive: 2, startSpacing: .zero))
    for id in ["a", "b", "c"] { bench.queue.add(.sample(id)) }
    await bench.reaches(.running, "a")
    await bench.reaches(.running, "b")
    let all = EventLog(bench.queue.events)
    let waiter = Task { [queue = bench.queue] in await queue.result(of: "a") }
    await bench.queue.shutdown()
    XCTAssertEqual(bench.engine.running, 0)
    let result = await waiter.value
    XCTAssertEqual(result, .failure(.cancelled))
    await eventually("the events end") { all.isOver && bench.isOver }
    XCTAssertEqual(all.events.filter { $0.kind.word == "cancelled" }.map(\.session).sorted(), ["a", "b", "c"])
    for id in ["a", "b", "c"] { XCTAssertEqual(EventOrder.problems(in: bench.kinds(of: id)), []) }
    bench.queue.add(.sample("late"))
    XCTAssertEqual(bench.queue.status(of: "late"), .ended(.failure(.cancelled)))
    for await event in bench.queue.events { XCTFail("\(event)") }
    await bench.queue.shutdown()
  }

  func testRunAfterTheShutdownReportsTheEndOfEverySession() async throws {
    let bench = try QueueBench()
    await bench.queue.shutdown()
    var events: [TransferEvent] = []
    for await event in bench.queue.run([.sample("a"), .sample("b")]) { events.append(event) }
    XCTAssertEqual(events.map { "\($0.session) \($0.kind.word)" }, ["a cancelled", "b cancelled"])
    XCTAssertEqual(bench.queue.sessions, [])
  }

  func testStartsAreSpacedWhileSeveralSessionsAreActive() async throws {
    let starts = Lock<[Duration]>([])
    let time = ManualClock()
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        starts.withLock { $0.append(time.uptime) }
        return try await Self.held(attempt)
      }, configuration: TransferQueueConfiguration(maximumActive: 4, startSpacing: .seconds(2)), time: time)
    for id in ["a", "b", "c", "d", "e"] { bench.queue.add(.sample(id)) }
    await bench.step(by: .milliseconds(500)) { starts.withLock { $0.count } == 4 }
    XCTAssertEqual(starts.withLock { $0 }, [0, 2, 4, 6].map { .seconds($0) })
    time.advance(by: .seconds(10))
    for id in ["a", "b", "c", "d", "e"] { bench.engine.gate.open(id) }
    _ = await bench.finished("e")
    XCTAssertEqual(bench.engine.mostRunning, 4)
  }

  func testSessionsStartTogetherUnlessSpacingIsConfigured() async throws {
    let bench = try QueueBench(
      ScriptedEngine(Self.held), configuration: TransferQueueConfiguration(maximumActive: 4))
    for id in ["a", "b", "c", "d", "e"] { bench.queue.add(.sample(id)) }
    await eventually("four sessions run") { bench.engine.running == 4 }
    XCTAssertEqual(bench.time.uptime, .zero)
    for id in ["a", "b", "c", "d", "e"] { bench.engine.gate.open(id) }
    _ = await bench.finished("e")
    XCTAssertEqual(bench.engine.mostRunning, 4)
  }

  func testTokenIsRequestedWhenItsSessionStarts() async throws {
    let time = ManualClock()
    let asked = Lock<[Duration]>([])
    let started = Lock<[Duration]>([])
    let issuer = ScriptedIssuer { request throws(CredentialError) in
      asked.withLock { $0.append(time.uptime) }
      return .token(request.session, expiration: time.now.advanced(by: .seconds(3)))
    }
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        started.withLock { $0.append(time.uptime) }
        return try await Self.held(attempt)
      }, issuer: issuer,
      configuration: TransferQueueConfiguration(
        maximumActive: 4, startSpacing: .seconds(2), tokenMargin: .seconds(1)), time: time)
    let ids = ["a", "b", "c", "d"]
    for id in ids { bench.queue.add(.sample(id)) }
    await bench.step(by: .milliseconds(500)) { started.withLock { $0.count } == 4 }
    XCTAssertEqual(asked.withLock { $0 }, [0, 2, 4, 6].map { .seconds($0) })
    XCTAssertEqual(started.withLock { $0 }, asked.withLock { $0 })
    for id in ids { bench.engine.gate.open(id) }
    for id in ids {
      let result = await bench.finished(id)
      XCTAssertEqual(result?.isSuccess, true, id)
    }
  }

  func testConsecutiveSessionsStartWithoutSpacing() async throws {
    let bench = try QueueBench()
    for id in ["a", "b", "c"] { bench.queue.add(.sample(id)) }
    _ = await bench.finished("c")
    XCTAssertEqual(bench.time.uptime, .zero)
    XCTAssertEqual(bench.engine.mostRunning, 1)
  }
}
