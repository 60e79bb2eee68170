// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import Foundation
import StorageAuth
import XCTest

@testable import AsperaTransfer
@testable import StoragePrograms

#if os(Linux)
  /// Tests that ascp exits when the process that started it is killed.
  final class AscpOrphanTests: XCTestCase {
    private static let variable = "ASCP_ORPHAN_TEST_PROGRAM"

    func testKilledProcessClosesTheManagementPortWhichStopsAscp() async throws {
      let fake = try FakeAscp(self) {
        [
          .ignoreTermination, .connect, .send(Frames.initial, Frames.statistics(1)), .describe(in: $0.file("started")),
          .expectEnd, .note("", in: $0.file("ended")),
        ]
      }
      let other = Process()
      other.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      other.arguments = ["AsperaTransferTests.AscpOrphanTests/testTransferInTheProcessThatIsKilled"]
      other.environment = ProcessInfo.processInfo.environment.merging([Self.variable: fake.program]) { $1 }
      other.standardOutput = FileHandle.nullDevice
      try other.run()
      let started = try await fake.start()
      XCTAssertTrue(Processes.isAlive("\(started.pid)"))
      kill(other.processIdentifier, SIGKILL)
      _ = try await fake.text(of: "ended")
      try await Processes.ended("\(started.pid)")
      other.waitUntilExit()
    }

    /// Returns immediately unless the other test starts it in a process that it kills.
    func testTransferInTheProcessThatIsKilled() async throws {
      guard let program = ProcessInfo.processInfo.environment[Self.variable] else { return }
      let folder = URL(filePath: program).deletingLastPathComponent().appending(path: "temporary").path
      let engine = AscpEngine(ascp: program, temporaryFiles: folder)
      _ = try await engine.run(.sample, additions: nil) { _ in }
    }
  }
#endif
