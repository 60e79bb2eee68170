// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import XCTest

@testable import AsperaTransfer
@testable import StoragePrograms

/// Tests how the frames of one attempt become reports and a summary.
final class AscpAttemptTests: XCTestCase {
  private func attempt(isPersistent: Bool = false) -> AscpAttempt {
    AscpAttempt(limits: AscpLimits(), mask: SecretMask([]), isPersistent: isPersistent)
  }

  /// The reports that frames cause.
  private func reports(_ attempt: inout AscpAttempt, _ text: String) -> [TransferReport] {
    var parser = ManagementFrameParser()
    return parser.feed(Array(text.utf8)).flatMap { item -> [AscpAttempt.Effect] in
      switch item {
      case .frame(let frame): attempt.receive(.frame(frame))
      case .problem(let problem): attempt.receive(.unreadable(problem))
      }
    }.compactMap { if case .report(let report) = $0 { report } else { nil } }
  }

  private func summary(_ attempt: AscpAttempt) throws -> TransferSummary {
    try attempt.outcome(of: .exited(0), printed: "").get()
  }

  func testByteCountsPerFileOfOldAscpAreAddedUp() throws {
    var attempt = attempt()
    let told = reports(
      &attempt,
      Frames.frame("STATS", "Bytescont: 60", "File: a") + Frames.frame("STOP", "File: a", "Size: 100")
        + Frames.frame("STATS", "Bytescont: 50", "File: b") + Frames.frame("STOP", "File: b", "Size: 50")
        + Frames.frame("DONE"))
    XCTAssertEqual(
      told,
      [
        .running, .progress(TransferProgressReport(bytes: 60, file: "a")),
        .file(TransferFileReport(file: "a", bytes: 100, outcome: .done)),
        .progress(TransferProgressReport(bytes: 150, file: "b")),
        .file(TransferFileReport(file: "b", bytes: 50, outcome: .done)),
      ])
    XCTAssertEqual(try summary(attempt), TransferSummary(bytes: 150, files: 2))
  }

  func testExistingBytesAreCountedAndProgressIsMonotonic() throws {
    var attempt = attempt()
    let told = reports(
      &attempt,
      Frames.frame("STATS", "TransferBytes: 10", "StartByte: 90") + Frames.statistics(40) + Frames.total(50)
        + Frames.total(50) + Frames.frame("DONE", "TransferBytes: 30", "StartByte: 90", "TransfersPassed: 1"))
    XCTAssertEqual(
      told,
      [
        .running, .progress(TransferProgressReport(bytes: 100)),
        .progress(TransferProgressReport(bytes: 100, totalBytes: 100)),
      ])
    XCTAssertEqual(try summary(attempt), TransferSummary(bytes: 120, files: 1))
  }

  func testInvalidByteCountsAreIgnored() throws {
    var attempt = attempt()
    let greatest: Int64 = 1 << 60
    let told = reports(
      &attempt,
      Frames.frame("STATS", "TransferBytes: -5") + Frames.frame("STATS", "TransferBytes: 99999999999999999999")
        + Frames.frame("STATS", "TransferBytes: many") + Frames.frame("NOTIFICATION", "PreTransferBytes: -1")
        + Frames.frame("STOP", "File: a", "Size: \(greatest)") + Frames.frame("STOP", "File: b", "Size: \(greatest)")
        + Frames.frame("STATS", "Bytescont: \(greatest)") + Frames.frame("DONE"))
    XCTAssertEqual(told.first, .running)
    XCTAssertEqual(told.last, .progress(TransferProgressReport(bytes: 3 * greatest)))
    XCTAssertEqual(try summary(attempt), TransferSummary(bytes: 3 * greatest, files: 2))
  }

  func testSkippedAndFailedFilesAreDistinguished() throws {
    var attempt = attempt()
    let told = reports(
      &attempt,
      Frames.frame("SKIP", "File: a", "Size: 7") + Frames.frame("STOP", "File: b", "Code: 36", "Description: disk")
        + Frames.frame("FILEERROR", "Source: c", "Code: 43", "Description: gone") + Frames.frame("ARGSTOP")
        + Frames.frame("SOMETHING", "New: Yes"))
    XCTAssertEqual(
      told,
      [
        .running, .file(TransferFileReport(file: "a", bytes: 7, outcome: .skipped)),
        .file(TransferFileReport(file: "b", outcome: .failed(code: 36, text: "disk"))),
        .file(TransferFileReport(file: "c", outcome: .failed(code: 43, text: "gone"))),
      ])
  }

  func testPersistentSessionIsDoneOnlyIfNoPathsCanFollow() {
    for knowsEnd in [false, true] {
      var attempt = attempt(isPersistent: true)
      _ = reports(&attempt, Frames.statistics(10))
      if knowsEnd { _ = attempt.receive(.pathsFinished) }
      _ = reports(&attempt, Frames.frame("DONE"))
      // Paths that are added, and an end that is announced, while ascp exits do not reach it.
      _ = attempt.receive(.pathsFinished)
      switch attempt.outcome(of: .exited(0), printed: "") {
      case .success(let summary): XCTAssertTrue(knowsEnd, "\(summary)")
      case .failure(let failure): XCTAssertEqual([knowsEnd, failure.kind == .transport], [false, true], "\(failure)")
      }
    }
  }

  func testOnlyProgressFramesAndSuccessProveAuthentication() {
    let proofs = [
      Frames.statistics(0), Frames.frame("NOTIFICATION"), Frames.frame("STOP"), Frames.frame("SKIP"),
      Frames.frame("DONE"),
    ]
    for proof in proofs {
      var attempt = attempt()
      XCTAssertEqual(reports(&attempt, proof).first, .running, proof)
    }
    let others = [
      Frames.initial, Frames.session, Frames.error(19, ""), Frames.frame("DONE", "Code: 19"), Frames.frame("FILEERROR"),
      Frames.frame("START"), Frames.frame("NOP"), "garbage\n",
    ]
    for other in others {
      var attempt = attempt()
      XCTAssertFalse(reports(&attempt, other).contains(.running), other)
    }
  }
}
