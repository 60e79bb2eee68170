// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import AsperaTransfer
@testable import StoragePrograms

/// Tests persistent sessions, whose paths are added while they run.
final class AscpPersistentTests: XCTestCase {
  private var session: TransferSpec {
    var spec = TransferSpec.sample
    spec.paths = []
    return spec
  }

  func testPathsAreSentAsTheyAreAddedAndTheSessionEndsWithTheSequence() async throws {
    let fake = try FakeAscp(self) {
      [
        .describe(in: $0.file("started")), .connect, .send(Frames.initial, Frames.total(10)),
        .expect("Destination: /up/b"), .send(Frames.stop("/data/a b.txt", size: 1)),
        .expect("Type: DONE\n\n", into: $0.file("told")), .send(Frames.done),
      ]
    }
    let (additions, continuation) = AsyncStream.makeStream(of: [TransferPath].self)
    let reports = Reports()
    let running = fake.engine().start(session, additions: additions, report: reports.add)
    continuation.yield([TransferPath("/data/a b.txt", to: "/up/a b.txt"), TransferPath("/data/b", to: "/up/b")])
    try await reports.contains(.file(TransferFileReport(file: "/data/a b.txt", bytes: 1, outcome: .done)))
    continuation.yield([TransferPath("/data/c")])
    continuation.finish()
    let summary = try await running.value
    XCTAssertEqual(summary, TransferSummary(bytes: 300, files: 1))
    let told = try await fake.text(of: "told")
    XCTAssertEqual(
      told,
      "FASPMGR 2\nType: START\nSource: /data/a b.txt\nDestination: /up/a b.txt\n\n"
        + "FASPMGR 2\nType: START\nSource: /data/b\nDestination: /up/b\n\n"
        + "FASPMGR 2\nType: START\nSource: /data/c\n\nFASPMGR 2\nType: DONE\n\n")
    let started = try await fake.start()
    XCTAssertTrue(started.arguments.contains("--keepalive"))
  }

  func testInvalidPathIsReportedAndTheOthersContinue() async throws {
    let fake = try FakeAscp(self) {
      [
        .connect, .send(Frames.initial), .expect("Type: DONE\n\n", into: $0.file("told")), .send(Frames.done),
      ]
    }
    let (additions, continuation) = AsyncStream.makeStream(of: [TransferPath].self)
    continuation.yield([TransferPath("/data/a\nType: CANCEL"), TransferPath("/data/b")])
    continuation.finish()
    let reports = Reports()
    _ = try await fake.engine().start(session, additions: additions, report: reports.add).value
    let told = try await fake.text(of: "told")
    XCTAssertEqual(told, "FASPMGR 2\nType: START\nSource: /data/b\n\nFASPMGR 2\nType: DONE\n\n")
    let failed = reports.all.compactMap { if case .file(let file) = $0 { file } else { nil } }
    XCTAssertEqual(failed.count, 1)
    guard case .failed(code: 56, _)? = failed.first?.outcome else { return XCTFail("\(failed)") }
  }

  func testSessionWithoutPathsMayBeSilentUntilItsSequenceEnds() async throws {
    let fake = try FakeAscp(self) {
      [
        .connect, .send(Frames.initial, Frames.statistics(1)), .expect("Type: DONE\n\n", into: $0.file("told")), .pause,
      ]
    }
    let time = ManualClock()
    let (additions, continuation) = AsyncStream.makeStream(of: [TransferPath].self)
    let reports = Reports()
    let running = fake.engine(time: time).start(session, additions: additions, report: reports.add)
    try await reports.contains(.running)
    time.advance(by: .seconds(86_400))
    continuation.yield([TransferPath("/data/c")])
    continuation.finish()
    _ = try await fake.text(of: "told")
    let failure = await running.failure(advancing: time, by: AscpLimits().silence)
    XCTAssertEqual(failure?.kind, .transport)
  }

  func testCancellationEndsASessionThatAwaitsPaths() async throws {
    let fake = try FakeAscp(self) {
      [
        .connect, .send(Frames.initial, Frames.statistics(1)), .expect("\n\n", into: $0.file("told")),
        .send(Frames.error(28, "cancelled")), .exit(1),
      ]
    }
    let (additions, continuation) = AsyncStream.makeStream(of: [TransferPath].self)
    let reports = Reports()
    let running = fake.engine().start(session, additions: additions, report: reports.add)
    try await reports.contains(.running)
    running.cancel()
    let failure = await running.failure
    XCTAssertEqual(failure, .cancelled)
    let told = try await fake.text(of: "told")
    XCTAssertEqual(told, "FASPMGR 2\nType: CANCEL\n\n")
    continuation.finish()
  }

  func testFailedSessionDoesNotWaitForMorePaths() async throws {
    let fake = try FakeAscp(self, .connect, .send(Frames.initial, Frames.error(19, "failed to authenticate")), .exit(1))
    let (additions, continuation) = AsyncStream.makeStream(of: [TransferPath].self)
    let failure = await fake.engine().start(session, additions: additions).failure
    XCTAssertEqual(failure?.kind, .account)
    continuation.finish()
  }
}
