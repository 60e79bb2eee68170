// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import AsperaTransfer
@testable import StoragePrograms

/// Tests programs that misbehave: each is reported as a failure, and none blocks the engine.
final class AscpMisbehaviourTests: XCTestCase {
  private let limits = AscpLimits()

  func testProgramThatNeverConnectsIsStopped() async throws {
    let fake = try FakeAscp(self) {
      [.noteTermination(in: $0.file("stopped")), .note("", in: $0.file("ready")), .pause]
    }
    let time = ManualClock()
    let running = fake.engine(time: time).start()
    _ = try await fake.text(of: "ready")
    await time.wait(forSleeps: 1)
    time.advance(by: limits.connect)
    let failure = await running.failure
    XCTAssertEqual(failure?.kind, .other)
    XCTAssertEqual(failure?.message, "ascp did not connect to its management port within \(limits.connect).")
    let stopped = try await fake.text(of: "stopped")
    XCTAssertEqual(stopped, "SIGTERM")
    XCTAssertEqual(try fake.leftovers, [])
  }

  func testProgramThatExitsBeforeItConnectsIsReportedWithItsOutput() async throws {
    let fake = try FakeAscp(self, .print("\u{1b}[31mascp: no license found\u{7}\n\n"), .exit(1))
    let time = ManualClock()
    let running = fake.engine(time: time).start()
    // The time in which a connection that was opened before the exit may still arrive.
    await time.wait(forSleeps: 2)
    time.advance(by: limits.arrival)
    let failure = await running.failure
    XCTAssertEqual(failure?.kind, .license)
    XCTAssertNil(failure?.code)
    XCTAssertEqual(
      failure?.message.hasSuffix("ascp: no license found (it ended with status 1)."), true,
      "\(String(describing: failure))")
  }

  func testProgramThatCrashesBeforeItConnectsIsReported() async throws {
    let fake = try FakeAscp(self, .crash)
    let time = ManualClock()
    let running = fake.engine(time: time).start()
    await time.wait(forSleeps: 2)
    time.advance(by: limits.arrival)
    let failure = await running.failure
    XCTAssertEqual(failure?.message, "ascp was ended by signal 11 and did not report that the transfer is done.")
  }

  func testOnlyTheEndOfTheOutputIsReported() async throws {
    let fake = try FakeAscp(
      self, .flood(8 << 20), .connect, .send(Frames.initial), .flood(8 << 20), .print("the last words\n"), .exit(1))
    let failure = await fake.engine().failure()
    XCTAssertEqual(failure?.message.contains("the last words (it ended with status 1)"), true)
  }

  func testPrintedTailKeepsOnlyTheLastBytes() {
    var tail = PrintedTail(limit: 10)
    for _ in 0..<1_000 { tail.append(Array("abc\n".utf8)) }
    XCTAssertEqual(tail.text, "c\nabc\nabc")
    tail.append(Array("0123456789ABCDEF".utf8))
    XCTAssertEqual(tail.text, "6789ABCDEF")
    for (limit, kept) in [(Int.max, "ab"), (0, ""), (-1, "")] {
      var tail = PrintedTail(limit: limit)
      tail.append(Array("ab".utf8))
      XCTAssertEqual(tail.text, kept)
    }
    var controls = PrintedTail(limit: 10)
    controls.append(Array("a\tb\u{9b}c\u{7f}".utf8))
    XCTAssertEqual(controls.text, "a bc")
  }

  func testProgramThatDoesNotStartWithAFrameIsStopped() async throws {
    let fake = try FakeAscp(self, .connect, .noise(1 << 20), .pause)
    let reports = Reports()
    let failure = await fake.engine().failure(report: reports.add)
    XCTAssertEqual(failure?.kind, .other)
    XCTAssertEqual(
      failure?.message.hasPrefix("The data on the management port do not come from ascp"), true,
      "\(String(describing: failure))")
    XCTAssertEqual(reports.all, [.connecting])
  }

  func testInvalidDataAfterFramesStopsTheProgram() async throws {
    let noise = String(repeating: "no frame\n\n", count: 100)
    let fake = try FakeAscp(self, .connect, .send(Frames.initial, Frames.statistics(1), noise), .pause)
    let failure = await fake.engine().failure()
    XCTAssertEqual(failure?.message.hasPrefix("The data on the management port"), true)
  }

  func testLineBreakInAFieldInvalidatesOnlyItsFrame() async throws {
    let broken = Frames.frame("NOTIFICATION", "Description: two\nlines")
    let fake = try FakeAscp(self, .connect, .send(Frames.initial, broken, Frames.statistics(300), Frames.done))
    let summary = try await fake.engine().run(.sample, additions: nil) { _ in }
    XCTAssertEqual(summary.bytes, 300)
  }

  func testTruncatedFrameIsNotUsed() async throws {
    let fake = try FakeAscp(self, .connect, .send(Frames.initial, Frames.statistics(1), "FASPMGR 2\nType: DONE\n"))
    let failure = await fake.engine().failure()
    XCTAssertEqual(failure?.message.hasPrefix("The data on the management port"), true)
  }

  func testStatusZeroWithoutADoneFrameIsAFailure() async throws {
    let fake = try FakeAscp(self, .connect, .send(Frames.initial, Frames.session, Frames.statistics(300)), .exit(0))
    let failure = await fake.engine().failure()
    XCTAssertEqual(failure?.kind, .other)
    XCTAssertEqual(failure?.message, "ascp ended with status 0 and did not report that the transfer is done.")
  }

  func testDoneFrameWithAFailureStatusIsAFailure() async throws {
    let fake = try FakeAscp(self, .connect, .send(Frames.initial, Frames.done), .print("disk full\n"), .exit(1))
    let failure = await fake.engine().failure()
    XCTAssertEqual(failure?.message.contains("disk full (it ended with status 1)"), true)
  }

  func testProgramThatClosesTheConnectionAndKeepsRunningIsStopped() async throws {
    let fake = try FakeAscp(self, .connect, .send(Frames.initial, Frames.statistics(1)), .close, .pause)
    let time = ManualClock()
    let running = fake.engine(time: time).start()
    await time.wait(forSleeps: 2)
    time.advance(by: limits.exit)
    let failure = await running.failure
    XCTAssertEqual(failure?.kind, .other)
    XCTAssertEqual(failure?.message, "ascp was ended by signal 15 and did not report that the transfer is done.")
  }

  func testProgramThatKeepsRunningAfterADoneFrameIsStoppedAndSucceeds() async throws {
    let fake = try FakeAscp(self, .connect, .send(Frames.initial, Frames.done), .pause)
    let time = ManualClock()
    let running = fake.engine(time: time).start()
    await time.wait(forSleeps: 2)
    time.advance(by: limits.exit)
    let done = try await running.value
    XCTAssertEqual(done, TransferSummary(bytes: 300, files: 2))
  }

  func testSilentProgramIsStopped() async throws {
    let fake = try FakeAscp(self, .connect, .send(Frames.initial, Frames.statistics(1)), .pause)
    let time = ManualClock()
    let reports = Reports()
    let running = fake.engine(time: time).start(report: reports.add)
    try await reports.contains(.running)
    let failure = await running.failure(advancing: time, by: limits.silence)
    XCTAssertEqual(failure?.kind, .transport)
    XCTAssertEqual(failure?.message, "ascp sent no message for 300.0 seconds and was stopped.")
  }

  func testProgramThatIgnoresSIGTERMIsKilledWithItsChildren() async throws {
    let fake = try FakeAscp(self) {
      [
        .ignoreTermination, .connect, .share, .spawn(notingIn: $0.file("child")), .noise(1 << 16), .pause,
      ]
    }
    let time = ManualClock()
    let running = fake.engine(time: time).start()
    await time.wait(forSleeps: 2)
    time.advance(by: limits.terminate)
    let failure = await running.failure
    XCTAssertNotNil(failure)
    let child = try await fake.text(of: "child")
    try await Processes.ended(child)
    XCTAssertEqual(try fake.leftovers, [])
  }

  func testChildrenOfACrashedProgramAreKilled() async throws {
    let fake = try FakeAscp(self) {
      [
        .connect, .share, .spawn(notingIn: $0.file("child")), .send(Frames.initial, Frames.error(44, "no route")),
        .crash,
      ]
    }
    // The child holds the connection open, so that it does not close when the program exits.
    let failure = await fake.engine().failure()
    XCTAssertEqual(failure?.code, 44)
    let child = try await fake.text(of: "child")
    try await Processes.ended(child)
  }

  func testProgramThatClosesAllDescriptorsAndKeepsRunningIsKilled() async throws {
    let fake = try FakeAscp(self) {
      [
        .describe(in: $0.file("started")), .connect, .send(Frames.initial, Frames.done), .closeOutput, .expectEnd,
        .note("", in: $0.file("hung up")), .pause,
      ]
    }
    let time = ManualClock()
    let running = fake.engine(time: time).start()
    _ = try await fake.text(of: "hung up")
    // The order of the closed connection and the DONE frame is undefined, and therefore which timeouts are pending.
    let exit = limits.exit
    let clock = Task {
      while !Task.isCancelled {
        time.advance(by: exit)
        await Task.yield()
      }
    }
    defer { clock.cancel() }
    let done = try await running.value
    XCTAssertEqual(done.bytes, 300)
    let started = try await fake.start()
    XCTAssertFalse(Processes.isAlive("\(started.pid)"))
  }
}
