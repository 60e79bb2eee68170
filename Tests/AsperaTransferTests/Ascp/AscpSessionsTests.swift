// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import AsperaTransfer
@testable import StoragePrograms

/// Tests transfers with several concurrent sessions (`multi_session`).
final class AscpSessionsTests: XCTestCase {
  private let time = ManualClock()
  private let starts = Starts()
  private let gate = SessionGate()

  /// The uptimes at which sessions started, by their numbers.
  private final class Starts: Sendable {
    private let state = Lock<[Int: Duration]>([:])

    var all: [Int: Duration] { state.withLock { $0 } }

    func note(_ index: Int, at uptime: Duration) { state.withLock { $0[index] = uptime } }
  }

  /// Runs sessions that record their start, and end when the test opens them: successfully, or with a failure.
  private func begin(
    _ count: Int, _ reports: Reports = Reports(), failing: [Int: TransferFailure] = [:]
  ) -> Task<TransferSummary, any Error> {
    let sessions = AscpSessions(count: count, spacing: .seconds(2), clock: time)
    return Task { [time, starts, gate] in
      try await sessions.run(report: reports.add) { index, report throws(TransferFailure) in
        starts.note(index, at: time.uptime)
        report(.connecting)
        report(.running)
        report(.progress(TransferProgressReport(bytes: Int64(index), totalBytes: 10, file: "/\(index)")))
        report(.file(TransferFileReport(file: "/\(index)", bytes: 10, outcome: .done)))
        do {
          try await gate.pass("\(index)")
        } catch {
          throw .cancelled
        }
        if let failure = failing[index] { throw failure }
        return TransferSummary(bytes: 10, files: index)
      }
    }
  }

  private func running(_ count: Int) async {
    await eventually("\(count) sessions run") { gate.held.count == count }
  }

  func testSessionsStartInTurnAndAreReportedAsOne() async throws {
    let reports = Reports()
    let transfer = begin(3, reports)
    for count in 1...3 {
      await running(count)
      await eventually("the others wait") { time.sleepers == 3 - count }
      time.advance(by: .seconds(2))
    }
    XCTAssertEqual(starts.all, [1: .zero, 2: .seconds(2), 3: .seconds(4)])
    for index in 1...3 { gate.open("\(index)") }
    let summary = try await transfer.value
    XCTAssertEqual(summary, TransferSummary(bytes: 30, files: 6))
    XCTAssertEqual(reports.all.filter { $0 == .connecting || $0 == .running }, [.connecting, .running])
    XCTAssertEqual(
      reports.all.compactMap { if case .progress(let progress) = $0 { progress } else { nil } },
      [
        TransferProgressReport(bytes: 1, totalBytes: nil, file: "/1"),
        TransferProgressReport(bytes: 3, totalBytes: nil, file: "/2"),
        TransferProgressReport(bytes: 6, totalBytes: 30, file: "/3"),
      ])
  }

  func testFailureOfASessionEndsTheTransferOnceAndCancelsTheOthers() async throws {
    let transfer = begin(3, failing: [2: .lostConnection])
    await running(1)
    await eventually("the others wait") { time.sleepers == 2 }
    time.advance(by: .seconds(2))
    await running(2)
    gate.open("2")
    let failure = await transfer.failure
    XCTAssertEqual(failure, .lostConnection)
    XCTAssertEqual(starts.all.keys.sorted(), [1, 2], "the third session must not start")
    XCTAssertEqual(gate.held, [])
    XCTAssertEqual(time.sleepers, 0)
  }

  func testCancellationEndsAllSessions() async throws {
    let transfer = begin(2)
    await running(1)
    transfer.cancel()
    let failure = await transfer.failure
    XCTAssertEqual(failure?.kind, .cancelled)
    XCTAssertEqual(gate.held, [])
  }

  private func engine(_ fake: FakeAscp, _ options: AscpOptions = AscpOptions()) -> AscpEngine {
    AscpEngine(
      ascp: fake.program, options: options, time: time, temporaryFiles: fake.temporaryFiles
    ) { $0 == "PATH" ? "/usr/bin:/bin" : nil }
  }

  func testEachSessionIsAProcessWithTheSameToken() async throws {
    let fake = try FakeAscp(self) { fake in
      [
        .describe(in: fake.file("started{session}")), .connect,
        .send(Frames.initial, Frames.statistics(300), Frames.done),
      ]
    }
    var spec = TransferSpec.sample
    spec.sessionCount = 2
    var options = AscpOptions()
    options.separatesPorts = true
    let reports = Reports()
    let summary = try await engine(fake, options).run(spec, additions: nil, report: reports.add)
    XCTAssertEqual(summary, TransferSummary(bytes: 600, files: 4))
    let whole = TransferProgressReport(bytes: 600, file: "/data/a")
    XCTAssertTrue(reports.all.contains(.progress(whole)), "\(reports.all)")
    for index in 1...2 {
      let text = try await fake.text(of: "started-\(index)")
      let start = try JSONDecoder().decode(FakeAscp.Start.self, from: Data(text.utf8))
      XCTAssertEqual(Array(start.arguments.dropFirst(2).prefix(3)), ["-O", "\(33000 + index)", "-C\(index):2"])
      XCTAssertEqual(start.environment["ASPERA_SCP_TOKEN"], "ATM2_ACsecretTokenPayload_2MTA")
      XCTAssertEqual(start.files.values.map(\.text), ["/data/a\n/data/b"])
    }
    XCTAssertEqual(try fake.leftovers, [])
  }

  func testSelectedSessionAndSingleSessionsAreOneProcess() async throws {
    let fake = try FakeAscp(self) { fake in
      [
        .describe(in: fake.file("started{session}")), .connect,
        .send(Frames.initial, Frames.statistics(1), Frames.done),
      ]
    }
    var spec = TransferSpec.sample
    spec.sessionCount = 1
    _ = try await engine(fake).run(spec, additions: nil) { _ in }
    _ = try await fake.text(of: "started")
    spec.sessionCount = 3
    var options = AscpOptions()
    options.part = .init(index: 2, of: 3)
    _ = try await engine(fake, options).run(spec, additions: nil) { _ in }
    let names = try FileManager.default.contentsOfDirectory(atPath: fake.folder.path).filter { $0.hasPrefix("started") }
    XCTAssertEqual(names.sorted(), ["started", "started-2"])
  }

  func testPersistentSessionIsNotDivided() async throws {
    let fake = try FakeAscp(self, .exit(1))
    var spec = TransferSpec.sample
    spec.sessionCount = 2
    let (paths, _) = AsyncStream.makeStream(of: [TransferPath].self)
    let failure = await engine(fake).start(spec, additions: paths).failure
    XCTAssertEqual(failure?.kind, .caller)
    XCTAssertEqual(failure?.message.contains("multi_session"), true)
  }

  func testFailedTransferIsRetriedAsAWholeWithOneSetOfEvents() async throws {
    let attempts = Lock(0)
    let fake = try FakeAscp(self) { fake in
      [.describe(in: fake.file("started{session}")), .connect, .send(Frames.initial, Frames.error(16, "lost"))]
    }
    let queue = TransferQueue(
      engine: engine(fake), account: try .sample(), configuration: TransferQueueConfiguration(transportRetries: 1),
      in: ProviderContext(time: time))
    var session = TransferSession.sample("a")
    session.specification.sessionCount = 2
    var words: [String] = []
    for await event in queue.run([session]) {
      words.append(event.kind.word)
      if case .retry = event.kind {
        attempts.withLock { $0 += 1 }
        await eventually("the queue pauses") { time.sleepers > 0 }
        time.advance(by: .seconds(60))
      }
    }
    XCTAssertEqual(attempts.withLock { $0 }, 1)
    XCTAssertEqual(
      words,
      [
        "willActivate", "didActivate", "willStartRunning", "didStopRunning", "retry(transport)", "willStartRunning",
        "didStopRunning", "willDeactivate", "didDeactivate", "failed",
      ])
  }
}
