// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import AsperaTransfer

/// Tests the events of sessions and their observers.
final class QueueEventTests: XCTestCase {
  private static let eight = [
    "willActivate", "didActivate", "willStartRunning", "didStartRunning", "willStopRunning", "didStopRunning",
    "willDeactivate", "didDeactivate",
  ]

  // matrix: Aspera transfer (password): header
  // matrix: Aspera transfer (key): header
  func testSessionHasTheEightEventsInOrder() async throws {
    let bench = try QueueBench()
    bench.queue.add(.sample("a"))
    let result = await bench.finished("a")
    XCTAssertEqual(result, .success(TransferSummary(bytes: 10, files: 1)))
    XCTAssertEqual(bench.words(of: "a"), Self.eight + ["done"])
  }

  func testAttemptThatFailsWhileConnectingHasTheShortSequence() async throws {
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        attempt.report(.connecting)
        throw TransferFailure(ascpCode: 19, text: "failed to authenticate")
      })
    bench.queue.add(.sample("a"))
    _ = await bench.finished("a")
    XCTAssertEqual(
      bench.words(of: "a"),
      [
        "willActivate", "didActivate", "willStartRunning", "didStopRunning", "willDeactivate", "didDeactivate",
        "failed",
      ])
  }

  func testRetryRemainsInOneActivation() async throws {
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        attempt.report(.running)
        if attempt.number < 3 { throw .lostConnection }
        return TransferSummary()
      })
    bench.queue.add(.sample("a"))
    await bench.step(by: .seconds(1)) { bench.ends.count == 1 }
    let attempt = Self.eight[2...5].joined(separator: " ")
    XCTAssertEqual(
      bench.words(of: "a").joined(separator: " "),
      "willActivate didActivate \(attempt) retry(transport) \(attempt) retry(transport) \(attempt) "
        + "willDeactivate didDeactivate done")
  }

  func testBytesAndFilesProveThatASessionRuns() async throws {
    for report in [
      TransferReport.progress(TransferProgressReport(bytes: 1)),
      .file(TransferFileReport(file: "x", outcome: .skipped)),
    ] {
      let bench = try QueueBench(
        ScriptedEngine { attempt throws(TransferFailure) in
          attempt.report(report)
          throw TransferFailure(ascpCode: 25, text: "no space")
        })
      bench.queue.add(.sample("a"))
      _ = await bench.finished("a")
      XCTAssertTrue(bench.words(of: "a").contains("didStartRunning"), "\(bench.words(of: "a"))")
      XCTAssertEqual(EventOrder.problems(in: bench.kinds(of: "a")), [])
    }
  }

  func testEngineThatOnlyReportsCompletionHasRun() async throws {
    let bench = try QueueBench(ScriptedEngine { _ in TransferSummary() })
    bench.queue.add(.sample("a"))
    _ = await bench.finished("a")
    XCTAssertEqual(bench.words(of: "a"), Self.eight + ["done"])
  }

  func testObserversReceiveTheSameEventsAndASlowOneMissesOnlyOldProgress() async throws {
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        attempt.report(.running)
        for bytes in 1...10_000 { attempt.report(.progress(TransferProgressReport(bytes: Int64(bytes)))) }
        attempt.report(.file(TransferFileReport(file: "f", outcome: .done)))
        for bytes in 10_001...20_000 { attempt.report(.progress(TransferProgressReport(bytes: Int64(bytes)))) }
        return TransferSummary()
      })
    let slow = bench.queue.events
    let other = EventLog(bench.queue.events)
    bench.queue.add(.sample("a"))
    _ = await bench.finished("a")
    await bench.queue.shutdown()
    var seen: [TransferEvent.Kind] = []
    for await event in slow { seen.append(event.kind) }
    let words = Array(Self.eight[0...3]) + ["progress", "file", "progress"] + Array(Self.eight[4...7]) + ["done"]
    XCTAssertEqual(seen.map(\.word), words)
    let bytes: [Int64] = seen.compactMap { if case .progress(let progress) = $0 { progress.bytes } else { nil } }
    XCTAssertEqual(bytes, [10_000, 20_000])
    await eventually("the other sequence ends") { other.isOver }
    XCTAssertEqual(
      other.events.map(\.kind.word).filter { $0 != "progress" }, seen.map(\.word).filter { $0 != "progress" })
  }

  func testCancelledObserverReceivesNoMoreEvents() async throws {
    let bench = try QueueBench()
    let log = EventLog(bench.queue.events)
    bench.queue.add(.sample("a"))
    await eventually("the events arrive") { log.events.last?.kind.word == "done" }
    log.cancel()
    await eventually("the log stops") { log.isOver }
    let count = log.events.count
    bench.queue.add(.sample("b"))
    _ = await bench.finished("b")
    XCTAssertEqual(log.events.count, count)
  }

  func testCancelledIteratorEndsTheOtherIteratorsOfItsSequence() async throws {
    let bench = try QueueBench()
    let events = bench.queue.events
    let cancelled = EventLog(events)
    let other = EventLog(events)
    cancelled.cancel()
    await eventually("both iterators end") { cancelled.isOver && other.isOver }
  }

  func testOtherIteratorsOfACancelledRunReceiveTheEndsOfItsSessions() async throws {
    let bench = try QueueBench(ScriptedEngine(QueueControlTests.held))
    let events = bench.queue.run([.sample("a"), .sample("b")])
    let cancelled = EventLog(events)
    let other = EventLog(events)
    await bench.reaches(.running, "a")
    cancelled.cancel()
    await eventually("both iterators end") { cancelled.isOver && other.isOver }
    XCTAssertEqual(other.events.filter { $0.kind.word == "cancelled" }.map(\.session).sorted(), ["a", "b"])
    XCTAssertEqual(bench.queue.sessions, [])
  }

  func testRunReportsItsOwnSessionsAndEndsWithThem() async throws {
    let bench = try QueueBench()
    bench.queue.add(.sample("other"))
    var ends: [String] = []
    for await event in bench.queue.run([.sample("a"), .sample("b"), .sample("a")]) {
      XCTAssertNotEqual(event.session, "other")
      if case .finished(.success) = event.kind { ends.append(event.session) }
    }
    XCTAssertEqual(ends, ["a", "b", "a-2"])
    _ = await bench.finished("other")
    XCTAssertEqual(bench.queue.sessions, ["other"])
  }

  func testSessionsThatShareAnIDAreNumbered() {
    let state = TransferQueue.State(machine: QueueMachine(configuration: TransferQueueConfiguration()))
    XCTAssertEqual(state.unusedIDs(for: ["a", "a-2", "a", "b", "a"]), ["a", "a-2", "a-3", "b", "a-4"])
    let ids = state.unusedIDs(for: Array(repeating: "a", count: 2_500))
    XCTAssertEqual(Set(ids).count, 2_500)
    XCTAssertEqual(ids.last, "a-2500")
  }

  func testRunAcceptsSpecificationsWithoutSessions() async throws {
    let bench = try QueueBench()
    var ends: [String] = []
    let specs = ["x", "y"].map { TransferSpec(.send, [TransferPath("/data/\($0)")], destinationRoot: "/\($0)") }
    for try await event in bench.queue.run(specs) {
      if case .finished = event.kind { ends.append(event.session) }
    }
    XCTAssertEqual(ends, ["1", "2"])
    for await event in bench.queue.run([TransferSession]()) { XCTFail("\(event)") }
  }

  func testCancelledRunCancelsItsSessions() async throws {
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        attempt.report(.running)
        try await attempt.hold()
        return TransferSummary()
      })
    let reader = Task { [queue = bench.queue] in
      for await event in queue.run([.sample("a"), .sample("b")]) {
        if case .didStartRunning = event.kind { return }
      }
    }
    await reader.value
    _ = await bench.finished("a")
    _ = await bench.finished("b")
    XCTAssertEqual(bench.ends.map(\.result), [.failure(.cancelled), .failure(.cancelled)])
    XCTAssertEqual(bench.queue.sessions, [])
    XCTAssertEqual(bench.engine.running, 0)
  }

  func testRefreshesRetriesAndTransfersAreReportedAsAuthEvents() async throws {
    let time = ManualClock()
    let issuer = ScriptedIssuer(life: .seconds(3600), time: time)
    let events = EventHub()
    let recorder = EventRecorder(events)
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        attempt.report(.progress(TransferProgressReport(bytes: 7)))
        throw attempt.number == 1 ? .deniedToken : TransferFailure(ascpCode: 25, text: "no space")
      }, issuer: issuer, time: time, authEvents: events)
    bench.queue.add(.sample("a"))
    _ = await bench.finished("a")
    await eventually("the transfer is reported") { recorder.transfers.count == 1 }
    XCTAssertEqual(recorder.refreshes.map(\.source), ["desk", "desk", "desk", "desk"])
    XCTAssertEqual(recorder.retries.map(\.attempt), [2])
    XCTAssertEqual(recorder.retries.map(\.delay), [.zero])
    XCTAssertEqual(recorder.signatures.map(\.identity), ["mia", "mia"])
    let transfer = try XCTUnwrap(recorder.transfers.first)
    XCTAssertEqual(transfer.subject, "send aspera://mia@aspera.test")
    XCTAssertEqual(transfer.bytes, 7)
    XCTAssertEqual(transfer.failure?.contains("no space"), true)
  }

  // matrix: Aspera transfer (password): redaction
  // matrix: Aspera transfer (key): redaction
  // matrix: Aspera transfer (token): redaction
  // matrix: Aspera transfer (issuer): redaction
  func testEventsOfAQueueContainNoSecret() async throws {
    let time = ManualClock()
    let issuer = ScriptedIssuer(life: nil, time: time)
    let events = EventHub()
    let recorder = EventRecorder(events)
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        throw TransferFailure(
          ascpCode: 34, text: "token \(attempt.token) denied for pass-word", masking: [Secret("pass-word")])
      }, issuer: issuer, time: time, authEvents: events)
    let session = TransferSession.sample("a", token: .fixed(.sample("fixed")))
    bench.queue.add(session)
    await bench.step(by: .seconds(1)) { bench.ends.count == 1 }
    let secrets = ["pass-word", "ATM2_", "a-1_AAA"]
    for value in bench.events as [Any] + recorder.events as [Any] + [session, bench.queue, bench.queue.events] {
      XCTAssertEqual(DisplayedTexts(of: value).containing(secrets), [])
    }
  }
}
