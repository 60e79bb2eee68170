// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import AsperaTransfer
@testable import StoragePrograms

/// Tests the login test of ascp.
final class AscpLoginTests: XCTestCase {
  private let account: AsperaAccount? = try? AsperaAccount(
    host: "aspera.example.com", user: "mia", password: Secret("correct horse battery"), sshPort: 33009,
    hostKey: HostKeyFingerprint("AB:CD:EF:01:23:45:67:89:AB:CD:EF:01:23:45:67:89:AB:CD:EF:01"), requiresToken: true)

  func testAcceptedLogin() async throws {
    let fake = try FakeAscp(self) { [.describe(in: $0.file("started")), .exit(0)] }
    let login = await fake.engine().testLogin(try XCTUnwrap(account))
    XCTAssertEqual(login, .accepted)
    let started = try await fake.start()
    XCTAssertTrue(started.arguments.contains("--mode=test-login"))
    XCTAssertFalse(started.arguments.contains("-M"))
    XCTAssertTrue(started.arguments.contains("abcdef0123456789abcdef0123456789abcdef01"))
    XCTAssertFalse(started.arguments.joined().contains("correct horse"))
    XCTAssertEqual(started.environment["ASPERA_SCP_PASS"], "correct horse battery")
    XCTAssertNil(started.environment["ASPERA_SCP_TOKEN"])
    XCTAssertEqual(started.input, "")
    XCTAssertEqual(try fake.leftovers, [])
  }

  // matrix: Aspera transfer (key): bad input
  func testRejectedLoginReportsTheReasonWithoutSecrets() async throws {
    let cases: [(String, TransferFailure.Kind)] = [
      ("ascp: failed to authenticate, exiting.", .account), ("Remote host is not who we expected", .hostKey),
      ("Failed to open TCP connection for SSH", .transport), ("something about correct horse battery", .other),
    ]
    for (text, kind) in cases {
      let fake = try FakeAscp(self, .print("\(text)\n"), .exit(1))
      let login = await fake.engine().testLogin(try XCTUnwrap(account))
      guard case .refused(let failure) = login else { return XCTFail("\(login)") }
      XCTAssertEqual(failure.kind, kind, text)
      XCTAssertFalse("\(failure)".contains("correct horse"), text)
    }
  }

  func testLoginWithoutAResponseTimesOut() async throws {
    let fake = try FakeAscp(self) { [.ignoreTermination, .note("", in: $0.file("ready")), .pause] }
    let time = ManualClock()
    let account = try XCTUnwrap(account)
    let testing = Task { [engine = fake.engine(time: time)] in await engine.testLogin(account) }
    _ = try await fake.text(of: "ready")
    await time.wait(forSleeps: 1)
    time.advance(by: AscpLimits().login)
    guard case .refused(let failure) = await testing.value else { return XCTFail("accepted") }
    XCTAssertEqual(failure.kind, .transport)
  }

  func testLoginIsCancelledWithItsTask() async throws {
    let fake = try FakeAscp(self) { [.ignoreTermination, .describe(in: $0.file("started")), .pause] }
    let account = try XCTUnwrap(account)
    let testing = Task { [engine = fake.engine()] in await engine.testLogin(account) }
    let started = try await fake.start()
    testing.cancel()
    let login = await testing.value
    XCTAssertEqual(login, .refused(.cancelled))
    XCTAssertFalse(Processes.isAlive("\(started.pid)"))
  }

  func testMissingProgramIsTheCallersError() async throws {
    let engine = AscpEngine(ascp: "/no/such/ascp", time: ManualClock())
    guard case .refused(let failure) = await engine.testLogin(try XCTUnwrap(account)) else {
      return XCTFail("accepted")
    }
    XCTAssertEqual(failure.kind, .caller)
  }
}
