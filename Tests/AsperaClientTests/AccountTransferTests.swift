// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaTransfer
import ClientTestSupport
import Foundation
import StorageAuth
import StorageClient
import XCTest

@testable import AsperaClient

/// Tests transfers to a server without a node, and what the result of a transfer of several files is.
final class AccountTransferTests: XCTestCase {
  func testFileThatGrowsDuringItsUploadIsAnError() async throws {
    let file = try TemporaryDirectory(self).write([1], to: "app.log")
    let account = try AsperaAccount(host: "files.example.com", user: "mia", password: Secret("not-a-password"))
    let transfers = AccountTransfers(account, engine: AppendingEngine())
    await assertThrows(StorageError.self, { try await transfers.upload(file, to: "in/app.log") }) {
      XCTAssertEqual($0.code, .sourceChanged)
    }
  }

  func testFailureOfAFileFailsTheTransferUnlessAnotherAttemptTransfersIt() async throws {
    let lost = TransferFailure(.transport, "Lost.", remedy: "Try again.")
    for (reports, failure, succeeds) in [
      ([TransferReport.failed("a"), .done("b")], nil, false), ([.failed("a")], lost, true), ([.done("a")], nil, true),
    ] {
      let attempts = Lock([(reports, failure), ([.done("a"), .done("b")], nil)])
      let engine = ReportingEngine { attempts.withLock { $0.removeFirst() } }
      let queue = TransferQueue(
        engine: engine, configuration: TransferQueueConfiguration(retryDelay: .zero),
        in: ProviderContext(time: RushingTime()))
      let session = TransferSession(
        TransferSpec(.receive, [TransferPath("a"), TransferPath("b")], destinationRoot: "/in"),
        account: try AsperaAccount(host: "files.example.com", user: "mia", password: Secret("not-a-password")))
      do {
        try await queue.runToEnd(session, size: nil, meter: nil)
        XCTAssertTrue(succeeds)
      } catch let error as TransferFailure {
        XCTAssertFalse(succeeds, "\(error)")
        XCTAssertEqual(error.code, 43)
      }
    }
  }
}

extension TransferReport {
  fileprivate static func done(_ file: String) -> TransferReport {
    .file(TransferFileReport(file: file, bytes: 1, outcome: .done))
  }
  fileprivate static func failed(_ file: String) -> TransferReport {
    .file(TransferFileReport(file: file, outcome: .failed(code: 43, text: "gone")))
  }
}

/// A transfer engine that reports what a test determines for each attempt.
private struct ReportingEngine: TransferEngine {
  let nextAttempt: @Sendable () -> (reports: [TransferReport], failure: TransferFailure?)

  func run(
    _ spec: TransferSpec, additions: AsyncStream<[TransferPath]>?,
    report: @escaping @Sendable (TransferReport) -> Void
  ) async throws(TransferFailure) -> TransferSummary {
    let (reports, failure) = nextAttempt()
    for next in [.connecting, .running] + reports { report(next) }
    if let failure { throw failure }
    return TransferSummary(bytes: 1, files: reports.count)
  }
}

/// A transfer engine that appends a byte to each file that it should send.
private struct AppendingEngine: TransferEngine {
  func run(
    _ spec: TransferSpec, additions: AsyncStream<[TransferPath]>?,
    report: @escaping @Sendable (TransferReport) -> Void
  ) async throws(TransferFailure) -> TransferSummary {
    report(.connecting)
    report(.running)
    for path in spec.paths {
      let file = FileHandle(forWritingAtPath: path.source)
      _ = try? file?.seekToEnd()
      try? file?.write(contentsOf: Data([1]))
      try? file?.close()
    }
    return TransferSummary(bytes: 1, files: spec.paths.count)
  }
}
