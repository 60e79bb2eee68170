// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaTransfer
import Foundation
import StorageAuth
import StorageAuthTesting
import StoragePrograms
import XCTest

/// Tests account checks against real SSH servers: Debian's openssh-server in separate namespaces.
///
/// Without a server the tests are skipped with a message. Users other than root have only the tests with keys.
final class RealSshdTests: XCTestCase {
  /// The state that all tests share, because it takes seconds to create.
  struct Fixture: Sendable {
    let folder: URL
    let keys: KeyFiles
    let servers: RealSSHServers
    /// The state of the machine's account files before the servers were started.
    let accountFiles: [String]

    init() throws {
      folder = FileManager.default.temporaryDirectory.appending(path: "real-sshd-\(UUID().uuidString)")
      accountFiles = RealSshdTests.accountFiles()
      do {
        for name in ["keys", "servers", "temporary"] {
          try FileManager.default.createDirectory(
            at: folder.appending(path: name), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        }
        keys = try KeyFiles(in: folder.appending(path: "keys"))
        servers = try RealSSHServers(
          folder: folder.appending(path: "servers"), authorizedKeys: keys.authorizedKeys())
      } catch {
        try? FileManager.default.removeItem(at: folder)
        throw error
      }
    }

    /// Checks an account.
    func check(_ account: AsperaAccount) async throws -> AccountProbeReport {
      let machine = ProviderContext(transport: ScriptedTransport([]))
      return try await AccountProbe(machine, runner: nil, temporaryFolder: temporary).check(account)
    }

    /// The folder for the checks' temporary folders.
    var temporary: String { folder.appending(path: "temporary").path }

    /// The names of the remaining temporary files.
    func leftovers() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: temporary) }
  }

  /// The maximum number of concurrent checks.
  static let concurrency = 6

  private static let shared = Result { try Fixture() }

  override class func setUp() {
    if case .failure(let error) = shared { print("RealSshdTests are not run. \(error)") }
  }

  override class func tearDown() {
    guard let fixture = try? shared.get() else { return }
    fixture.servers.stop()
    XCTAssertEqual(accountFiles(), fixture.accountFiles, "the account files of the machine have changed")
    try? FileManager.default.removeItem(at: fixture.folder)
  }

  var fixture: Fixture { get throws { try Self.shared.get() } }
  var servers: RealSSHServers { get throws { try fixture.servers } }

  /// Checks an account and asserts that no temporary files remain.
  func check(_ account: AsperaAccount) async throws -> AccountProbeReport {
    defer { XCTAssertEqual(try fixture.leftovers(), []) }
    return try await fixture.check(account)
  }

  /// Checks an account that must be rejected, and returns the failure.
  func failure(_ account: AsperaAccount, file: StaticString = #filePath, line: UInt = #line) async throws
    -> TransferFailure
  {
    do {
      let report = try await check(account)
      XCTFail("the account was accepted: \(report)", file: file, line: line)
      return TransferFailure(.other, "", remedy: "")
    } catch let failure as TransferFailure {
      return failure
    }
  }

  /// The modification dates and contents of the machine's account files, to detect changes.
  private static func accountFiles() -> [String] {
    ["passwd", "shadow", "group", "pam.d/sshd"].map { name in
      let attributes = try? FileManager.default.attributesOfItem(atPath: "/etc/\(name)")
      let contents = FileManager.default.contents(atPath: "/etc/\(name)")
      return "\(name) \(attributes?[.modificationDate] ?? "") \(contents?.hashValue ?? 0)"
    }
  }

  // matrix: Aspera transfer (password): header, verify
  func testPasswordIsAccepted() async throws {
    let report = try await check(servers.account("password", hostKey: servers.hostKey("ed25519")))
    XCTAssertEqual(report.method, .password)
    XCTAssertEqual(report.hostKey?.type, "ssh-ed25519")
    XCTAssertTrue(report.isHostKeyPinned)
    XCTAssertTrue(try XCTUnwrap(report.serverVersion).hasPrefix("OpenSSH_"))
    XCTAssertEqual(report.notes, [])
  }

  // matrix: Aspera transfer (password): bad input
  func testWrongPasswordIsSentOnceAndRejected() async throws {
    let account = try servers.account("password", password: "wrong")
    let before = try servers.log("password").split(whereSeparator: \.isNewline).count
    let failure = try await failure(account)
    XCTAssertEqual(failure.kind, .account)
    XCTAssertTrue(failure.message.contains("refused the password of xfer"), failure.message)
    let log = try servers.log("password").split(whereSeparator: \.isNewline).dropFirst(before)
    XCTAssertEqual(log.filter { $0.contains("Failed password") }.count, 1, "\(log)")
  }

  func testUnknownUserIsRejectedLikeAWrongPassword() async throws {
    let failure = try await failure(servers.account("password", user: "nobody-of-that-name"))
    XCTAssertEqual(failure.kind, .account)
    XCTAssertTrue(failure.message.contains("refused the password"), failure.message)
  }

  func testKeyboardInteractivePasswordIsAccepted() async throws {
    let report = try await check(servers.account("interactive"))
    XCTAssertEqual(report.method, .keyboardInteractive)
  }

  func testWrongKeyboardInteractivePasswordIsSentOnceAndRejected() async throws {
    let account = try servers.account("interactive", password: "wrong")
    let before = try servers.log("interactive").split(whereSeparator: \.isNewline).count
    let failure = try await failure(account)
    XCTAssertEqual(failure.kind, .account)
    XCTAssertTrue(failure.message.contains("refused the password"), failure.message)
    let log = try servers.log("interactive").split(whereSeparator: \.isNewline).dropFirst(before)
    XCTAssertEqual(log.filter { $0.contains("Authentication failure") }.count, 1, "\(log)")
  }

  func testWrongPasswordIsNotSentAgainWithAnotherMethod() async throws {
    let accepted = try await check(servers.account("both"))
    XCTAssertEqual(accepted.method, .password)
    let account = try servers.account("both", password: "wrong")
    let before = try servers.log("both").split(whereSeparator: \.isNewline).count
    let failure = try await failure(account)
    XCTAssertTrue(failure.message.contains("refused the password"), failure.message)
    let log = try servers.log("both").split(whereSeparator: \.isNewline).dropFirst(before)
    XCTAssertEqual(log.filter { $0.contains("Authentication failure") || $0.contains("Failed ") }.count, 1, "\(log)")
  }

  func testAccountWithoutAShellIsAcceptedAndNoted() async throws {
    let report = try await check(servers.account("password", user: "transfers"))
    XCTAssertEqual(report.method, .password)
    XCTAssertTrue(report.notes.contains { $0.contains("only for transfers") }, "\(report.notes)")
  }

  func testAccountThatMayNotLogInIsRejected() async throws {
    for (server, user) in [("interactive", "ended"), ("password", "locked"), ("interactive", "locked")] {
      let failure = try await failure(servers.account(server, user: user))
      XCTAssertEqual(failure.kind, .account, "\(user): \(failure)")
      XCTAssertTrue(failure.description.contains("locked"), "\(user): \(failure)")
    }
  }

  func testExpiredPasswordIsReported() async throws {
    for server in ["password", "interactive"] {
      let failure = try await failure(servers.account(server, user: "lapsed"))
      XCTAssertEqual(failure.kind, .account)
      XCTAssertTrue(failure.message.contains("has expired"), "\(server): \(failure)")
    }
  }

  func testUnsupportedMethodIsReported() async throws {
    let server = try servers.port("keys")
    let account = try AsperaAccount(
      host: "127.0.0.1", user: servers.user, password: Secret(RealSSHServers.password), sshPort: server)
    let failure = try await failure(account)
    XCTAssertEqual(failure.kind, .account)
    XCTAssertTrue(failure.message.contains("allow logins with a password; it offers publickey"), failure.message)
  }

  func testUnreachableServerIsATransportFailure() async throws {
    let free = try AsperaAccount(host: "127.0.0.1", user: "mia", password: Secret("p"), sshPort: 1)
    let refused = try await failure(free)
    XCTAssertEqual(refused.kind, .transport)
    XCTAssertTrue(refused.message.contains("refused the connection"), refused.message)
    let pinned = try AsperaAccount(
      host: "127.0.0.1", user: "mia", password: Secret("p"), sshPort: 1, hostKey: servers.hostKey("rsa"))
    let unseen = try await failure(pinned)
    XCTAssertEqual(unseen, refused)
    let nameless = try await failure(AsperaAccount(host: "aspera.invalid", user: "mia", password: Secret("p")))
    XCTAssertEqual(nameless.kind, .transport)
    XCTAssertTrue(nameless.message.contains("has no address"), nameless.message)
  }
}
