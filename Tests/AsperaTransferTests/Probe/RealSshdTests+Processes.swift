// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaTransfer
import Foundation
import NIOCore
import NIOPosix
import ProcessWatching
import StorageAuth
import StorageAuthTesting
import StoragePrograms
import XCTest

/// Tests the processes of a check: arguments, timeouts and cancellation.
extension RealSshdTests {
  // matrix: Aspera transfer (password): redaction
  // matrix: Aspera transfer (key): redaction
  func testArgumentListsContainNoSecretDuringACheck() async throws {
    guard FileManager.default.fileExists(atPath: "/proc/self/cmdline") else { throw XCTSkip("There is no /proc.") }
    let keys = try fixture.keys
    let pem = try keys.text("ed25519-openssh-ctr")
    let accounts = [
      try servers.account("password"), try servers.account("interactive"),
      try servers.account(key: .pem(Secret(pem), passphrase: Secret(KeyFiles.passphrase))),
    ]
    let watch = ProcessWatch()
    defer { watch.end() }
    for account in accounts {
      // The check is repeated until the client was observed; otherwise the test would not cover it.
      let client = "-p \(account.sshPort) -l \(account.user)"
      repeat { _ = try await check(account) } while !watch.seen.contains { $0.contains(client) }
    }
    let secrets =
      [RealSSHServers.password, KeyFiles.passphrase] + pem.split(separator: "\n").dropFirst().map { String($0) }
    for list in watch.seen {
      XCTAssertFalse(secrets.contains { list.contains($0) }, list)
    }
  }

  /// Runs `body` with a port that accepts connections and never sends data.
  private func withSilentPort(_ body: (Int) async throws -> Void) async throws {
    let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: 0).get()
    try await body(try XCTUnwrap(channel.localAddress?.port))
    try await channel.close()
  }

  /// Whether the client for an account is running.
  private func isRunning(_ account: AsperaAccount) -> Bool {
    ProcessWatch.argumentLists().contains { $0.contains("-p \(account.sshPort) -l \(account.user)") }
  }

  func testSessionThatHangsDoesNotDelayTheReport() async throws {
    let temporary = try fixture.temporary
    for user in ["stuck", "forced"] {
      let account = try servers.account("password", user: user)
      let time = ManualClock()
      let machine = ProviderContext(transport: ScriptedTransport([]), time: time)
      let check = Task { try await AccountProbe(machine, runner: nil, temporaryFolder: temporary).check(account) }
      // The first sleep is the timeout of the check, and the second begins when the server has accepted the account.
      defer { check.cancel() }
      try await Patience.until { time.sleepers == 2 }
      time.advance(by: .seconds(2))
      try await Patience.until { time.sleepers == 0 }
      let report = try await check.value
      XCTAssertEqual(report.method, .password)
      XCTAssertNotNil(report.serverVersion)
      XCTAssertTrue(report.notes.contains { $0.contains("did not end by itself") }, "\(report.notes)")
      XCTAssertFalse(isRunning(account))
    }
    XCTAssertEqual(try fixture.leftovers(), [])
  }

  func testTimedOutCheckTerminatesItsProcesses() async throws {
    let temporary = try fixture.temporary
    try await withSilentPort { port in
      let account = try AsperaAccount(host: "127.0.0.1", user: "mia", password: Secret("p"), sshPort: port)
      let time = ManualClock()
      let machine = ProviderContext(transport: ScriptedTransport([]), time: time)
      let check = Task {
        try await AccountProbe(machine, timeout: .seconds(60), runner: nil, temporaryFolder: temporary).check(account)
      }
      while !isRunning(account) { await Task.yield() }
      await time.wait(forSleeps: 1)
      time.advance(by: .seconds(60))
      let outcome = await check.result
      XCTAssertThrowsError(try outcome.get()) { error in
        XCTAssertEqual((error as? TransferFailure)?.kind, .transport)
        XCTAssertTrue("\(error)".contains("within 60 seconds"), "\(error)")
      }
      XCTAssertFalse(isRunning(account))
    }
    XCTAssertEqual(try fixture.leftovers(), [])
  }

  func testCancelledCheckTerminatesItsProcesses() async throws {
    let temporary = try fixture.temporary
    try await withSilentPort { port in
      let account = try AsperaAccount(host: "127.0.0.1", user: "mia", password: Secret("p"), sshPort: port)
      let machine = ProviderContext(transport: ScriptedTransport([]))
      let check = Task { try await AccountProbe(machine, runner: nil, temporaryFolder: temporary).check(account) }
      while !isRunning(account) { await Task.yield() }
      check.cancel()
      let outcome = await check.result
      XCTAssertThrowsError(try outcome.get()) { XCTAssertEqual(($0 as? TransferFailure)?.kind, .cancelled) }
      XCTAssertFalse(isRunning(account))
    }
    XCTAssertEqual(try fixture.leftovers(), [])
  }
}
