// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import AsperaTransfer
import ClientTestSupport
import Foundation
import StorageClient
import XCTest

/// Tests transfers to a server without a node.
final class AccountTransferTests: XCTestCase {
  func testFileThatGrowsDuringItsUploadIsAnError() async throws {
    let file = try TemporaryDirectory(self).write([1], to: "app.log")
    let account = try AsperaAccount(host: "files.example.com", user: "mia", password: Secret("not-a-password"))
    let transfers = AccountTransfers(account, engine: AppendingEngine())
    await assertThrows(StorageError.self, { try await transfers.upload(file, to: "in/app.log") }) {
      XCTAssertEqual($0.code, .sourceChanged)
    }
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
