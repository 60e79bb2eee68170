// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import AsperaTransfer
@testable import StoragePrograms

/// Tests transfers of the engine with a scripted ascp process.
final class AscpEngineTests: XCTestCase {
  func testTransferReportsItsStepsInOrderAndItsSummary() async throws {
    let fake = try FakeAscp(
      self, .connect, .send(Frames.initial, Frames.session, Frames.total(300), Frames.statistics(100)),
      .send(
        Frames.stop("/data/a", size: 100), Frames.statistics(300, of: "/data/b"), Frames.stop("/data/b", size: 200)),
      .send(Frames.done))
    let reports = Reports()
    let summary = try await fake.engine().run(.sample, additions: nil, report: reports.add)
    XCTAssertEqual(summary, TransferSummary(bytes: 300, files: 2))
    XCTAssertEqual(
      reports.all,
      [
        .connecting, .running, .progress(TransferProgressReport(bytes: 0, totalBytes: 300)),
        .progress(TransferProgressReport(bytes: 100, totalBytes: 300, file: "/data/a")),
        .file(TransferFileReport(file: "/data/a", bytes: 100, outcome: .done)),
        .progress(TransferProgressReport(bytes: 300, totalBytes: 300, file: "/data/b")),
        .file(TransferFileReport(file: "/data/b", bytes: 200, outcome: .done)),
      ])
    XCTAssertEqual(try fake.leftovers, [])
  }

  // matrix: Aspera transfer (password): bad input
  func testSessionFrameDoesNotMeanThatTheAccountWasAccepted() async throws {
    let fake = try FakeAscp(
      self, .connect, .send(Frames.initial, Frames.session, Frames.error(19, "failed to authenticate")),
      .print("ascp: failed to authenticate, exiting.\nPermission denied (publickey).\n"), .exit(1))
    let reports = Reports()
    let failure = await fake.engine().failure(report: reports.add)
    XCTAssertEqual(failure?.kind, .account)
    XCTAssertEqual(failure?.code, 19)
    XCTAssertEqual(failure?.message.contains("Permission denied (publickey)."), true, "\(String(describing: failure))")
    XCTAssertEqual(reports.all, [.connecting])
    XCTAssertEqual(try fake.leftovers, [])
  }

  // matrix: Aspera transfer (token): bad input
  func testCodeAndTextOfTheLastFrameClassifyTheFailure() async throws {
    let refused = "Server aborted session: Management authorization refused: "
    let cases: [(String, TransferFailure.Kind, Int)] = [
      (Frames.error(34, refused + "token denied by server"), .token(.rejected), 34),
      (Frames.error(34, refused + "undefined token"), .token(.missing), 34),
      (Frames.error(37, "Bearer token has expired"), .token(.expired), 37),
      (Frames.error(34, refused + "user usr1 denied by server"), .authorization, 34),
      (Frames.error(51, "Remote host is not who we expected"), .hostKey, 51),
      (Frames.error(44, "Failed to open TCP connection for SSH"), .transport, 44),
      (Frames.frame("DONE", "Code: 43", "Description: No such file or directory"), .caller, 43),
      (Frames.error(44, "Failed to open TCP connection for SSH") + Frames.done, .transport, 44),
    ]
    for (frames, kind, code) in cases {
      let fake = try FakeAscp(self, .connect, .send(Frames.initial + frames), .exit(1))
      let failure = await fake.engine().failure()
      XCTAssertEqual(failure?.kind, kind, frames)
      XCTAssertEqual(failure?.code, code, frames)
    }
  }

  func testFramesThatArriveByteByByteAreParsed() async throws {
    let fake = try FakeAscp(
      self, .connect, .trickle(Frames.initial, Frames.statistics(7), Frames.stop("/data/a", size: 7), Frames.done))
    let summary = try await fake.engine().run(.sample, additions: nil) { _ in }
    XCTAssertEqual(summary, TransferSummary(bytes: 300, files: 1))
  }

  func testFailedFileIsReportedAndItsCodeIsUsedWithAFailureStatus() async throws {
    let failed = Frames.frame("FILEERROR", "File: /data/a", "Code: 5", "Description: Permission denied")
    for status in [0, 1] {
      let fake = try FakeAscp(self, .connect, .send(Frames.initial, failed, Frames.done), .exit(status))
      let reports = Reports()
      let failure = await fake.engine().failure(report: reports.add)
      XCTAssertEqual(failure?.code, status == 0 ? nil : 5)
      XCTAssertEqual(
        reports.all.last { if case .file = $0 { true } else { false } },
        .file(TransferFileReport(file: "/data/a", outcome: .failed(code: 5, text: "Permission denied"))))
    }
  }

  func testManagementPortIsTheFirstArgument() async throws {
    let fake = try FakeAscp(self) { [.describe(in: $0.file("started")), .connect, .send(Frames.done)] }
    _ = try await fake.engine().run(.sample, additions: nil) { _ in }
    let started = try await fake.start()
    XCTAssertEqual(started.arguments.first, "-M")
    XCTAssertNotNil(started.arguments.dropFirst().first.flatMap { UInt16($0) })
    XCTAssertEqual(started.input, "")
    XCTAssertEqual(started.group, started.pid)
  }

  func testMissingOrUnrunnableProgramIsReported() async throws {
    let fake = try FakeAscp(self)
    for program in ["/no/such/ascp", fake.folder.path, fake.file("steps.json")] {
      let engine = AscpEngine(
        ascp: program, time: ManualClock(), temporaryFiles: fake.temporaryFiles, environment: { _ in nil })
      let failure = await engine.failure()
      XCTAssertEqual(failure?.kind, .caller, program)
      XCTAssertEqual(failure?.message.hasPrefix("ascp could not be started: "), true, "\(String(describing: failure))")
      XCTAssertEqual(try fake.leftovers, [])
    }
  }
}
