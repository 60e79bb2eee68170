// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import AsperaTransfer
@testable import StoragePrograms

/// Tests the cancellation of running ascp processes.
final class AscpCancellationTests: XCTestCase {
  private let limits = AscpLimits()

  func testCancellationSendsACancelFrameFirst() async throws {
    let fake = try FakeAscp(self) {
      [
        .connect, .send(Frames.initial, Frames.statistics(1)), .expect("\n\n", into: $0.file("told")),
        .send(Frames.error(28, "cancelled")), .exit(1),
      ]
    }
    let reports = Reports()
    let running = fake.engine().start(report: reports.add)
    try await reports.contains(.running)
    running.cancel()
    let failure = await running.failure
    XCTAssertEqual(failure, .cancelled)
    let told = try await fake.text(of: "told")
    XCTAssertEqual(told, "FASPMGR 2\nType: CANCEL\n\n")
    XCTAssertEqual(try fake.leftovers, [])
  }

  func testProgramThatIgnoresCancellationReceivesSIGTERMThenSIGKILL() async throws {
    let fake = try FakeAscp(self) {
      [
        .ignoreTermination, .connect, .share, .spawn(notingIn: $0.file("child")),
        .send(Frames.initial, Frames.statistics(1)), .describe(in: $0.file("started")), .pause,
      ]
    }
    let time = ManualClock()
    let reports = Reports()
    let running = fake.engine(time: time).start(report: reports.add)
    try await reports.contains(.running)
    let started = try await fake.start()
    running.cancel()
    await time.wait(forSleeps: 2)
    time.advance(by: limits.cancel)
    await time.wait(forSleeps: 3)
    XCTAssertTrue(Processes.isAlive("\(started.pid)"))
    time.advance(by: limits.terminate)
    let failure = await running.failure
    XCTAssertEqual(failure, .cancelled)
    XCTAssertFalse(Processes.isAlive("\(started.pid)"))
    let child = try await fake.text(of: "child")
    try await Processes.ended(child)
    XCTAssertEqual(try fake.leftovers, [])
  }

  func testSIGTERMStopsAProgramThatIgnoresTheCancelFrame() async throws {
    let fake = try FakeAscp(self) {
      [.noteTermination(in: $0.file("stopped")), .connect, .send(Frames.initial, Frames.statistics(1)), .pause]
    }
    let time = ManualClock()
    let reports = Reports()
    let running = fake.engine(time: time).start(report: reports.add)
    try await reports.contains(.running)
    running.cancel()
    await time.wait(forSleeps: 2)
    time.advance(by: limits.cancel)
    let failure = await running.failure
    XCTAssertEqual(failure, .cancelled)
    let stopped = try await fake.text(of: "stopped")
    XCTAssertEqual(stopped, "SIGTERM")
  }

  func testProgramThatHasNotConnectedIsStoppedImmediately() async throws {
    let fake = try FakeAscp(self) {
      [.noteTermination(in: $0.file("stopped")), .note("", in: $0.file("ready")), .pause]
    }
    let running = fake.engine().start()
    _ = try await fake.text(of: "ready")
    running.cancel()
    let failure = await running.failure
    XCTAssertEqual(failure, .cancelled)
    let stopped = try await fake.text(of: "stopped")
    XCTAssertEqual(stopped, "SIGTERM")
  }

  func testCancelledTaskStartsNoProcess() async throws {
    let fake = try FakeAscp(self) { [.note("", in: $0.file("started"))] }
    let reports = Reports()
    let gate = AsyncStream.makeStream(of: Void.self)
    let running = Task { [engine = fake.engine()] in
      for await _ in gate.stream {}
      return try await engine.run(.sample, additions: nil, report: reports.add)
    }
    running.cancel()
    let failure = await running.failure
    XCTAssertEqual(failure, .cancelled)
    XCTAssertEqual(reports.all, [])
    XCTAssertFalse(FileManager.default.fileExists(atPath: fake.file("started")))
  }

  func testTransferCompletedBeforeCancellationSucceeds() async throws {
    let fake = try FakeAscp(self, .connect, .send(Frames.initial, Frames.done), .expectEnd)
    let time = ManualClock()
    let running = fake.engine(time: time).start()
    await time.wait(forSleeps: 2)
    running.cancel()
    time.advance(by: limits.exit)
    let summary = try await running.value
    XCTAssertEqual(summary, TransferSummary(bytes: 300, files: 2))
  }

  func testDoneAfterCancelIsCancelled() async throws {
    let fake = try FakeAscp(
      self, .connect, .send(Frames.initial, Frames.statistics(1)), .expect("CANCEL"), .send(Frames.done))
    let reports = Reports()
    let running = fake.engine().start(report: reports.add)
    try await reports.contains(.running)
    running.cancel()
    let failure = await running.failure
    XCTAssertEqual(failure, .cancelled)
  }

  func testCancellationFromWithinAReportDoesNotDeadlock() async throws {
    let fake = try FakeAscp(
      self, .connect, .send(Frames.initial, Frames.statistics(1)), .expect("CANCEL"), .exit(1))
    let task = Lock<Task<TransferSummary, any Error>?>(nil)
    let gate = AsyncStream.makeStream(of: Void.self)
    let running = Task { [engine = fake.engine()] in
      for await _ in gate.stream {}
      return try await engine.run(.sample, additions: nil) { report in
        if report == .running { task.withLock { $0 }?.cancel() }
      }
    }
    task.withLock { $0 = running }
    gate.continuation.finish()
    let failure = await running.failure
    XCTAssertEqual(failure, .cancelled)
  }
}
