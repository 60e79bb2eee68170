// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import Foundation
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import AsperaTransfer

/// Tests that secrets do not appear in arguments, files, the inherited environment or errors.
final class AscpSecrecyTests: XCTestCase {
  private static let password = "correct horse battery"
  private static let token = "ATM2_ACsecretTokenPayload_2MTA"

  // matrix: Aspera transfer (password): redaction
  // matrix: Aspera transfer (token): redaction
  func testArgumentsAndFilesOfARunningProcessContainNoSecret() async throws {
    let fake = try FakeAscp(self) {
      [
        .connect, .send(Frames.initial, Frames.statistics(1)), .describe(in: $0.file("started")), .expect("CANCEL"),
      ]
    }
    let running = fake.engine().start()
    let started = try await fake.start()
    #if os(Linux)
      let line = try Data(contentsOf: URL(filePath: "/proc/\(started.pid)/cmdline"))
      let listed = String(decoding: line, as: UTF8.self)
    #else
      let listed = started.arguments.joined(separator: "\0")
    #endif
    XCTAssertTrue(listed.contains("aspera.example.com"))
    let files = started.files.values.map(\.text).joined()
    for secret in [Self.password, Self.token] {
      XCTAssertFalse(listed.contains(secret))
      XCTAssertFalse(files.contains(secret))
    }
    XCTAssertEqual(started.environment["ASPERA_SCP_PASS"], Self.password)
    XCTAssertEqual(started.environment["ASPERA_SCP_TOKEN"], Self.token)
    running.cancel()
    _ = await running.failure
    XCTAssertEqual(try fake.leftovers, [])
  }

  // matrix: Aspera transfer (key): redaction
  func testKeyInMemoryIsOnlyInTheEnvironment() async throws {
    let fake = try FakeAscp(self) {
      [.describe(in: $0.file("started")), .connect, .send(Frames.error(19, "key MIIBsecretKeyLine refused")), .exit(1)]
    }
    var spec = TransferSpec.sample
    spec.fields["remote_password"] = nil
    let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIBsecretKeyLine\n-----END RSA PRIVATE KEY-----\n"
    spec.fields["ssh_private_key"] = .string(key)
    spec.fields["ssh_private_key_passphrase"] = .string("open sesame")
    let failure = await fake.engine().start(spec).failure
    let started = try await fake.start()
    XCTAssertFalse(started.arguments.joined().contains("MIIBsecretKeyLine"))
    XCTAssertFalse(started.files.values.contains { $0.text.contains("MIIBsecretKeyLine") })
    XCTAssertEqual(started.environment["ASPERA_SCP_KEY"], key)
    XCTAssertEqual(started.environment["ASPERA_SCP_PASS"], "open sesame")
    XCTAssertEqual(failure?.kind, .account)
    XCTAssertFalse("\(String(describing: failure))".contains("MIIBsecretKeyLine"))
  }

  func testFileListIsReadableOnlyByItsOwnerAndRemoved() async throws {
    let fake = try FakeAscp(self) { [.describe(in: $0.file("started")), .connect, .send(Frames.done)] }
    _ = try await fake.engine().start().value
    let started = try await fake.start()
    let list = try XCTUnwrap(started.files.first { $0.value.text == "/data/a\n/data/b" })
    XCTAssertEqual(list.value.mode, 0o600)
    XCTAssertEqual(list.value.folder, 0o700)
    XCTAssertFalse(FileManager.default.fileExists(atPath: list.key))
    XCTAssertEqual(try fake.leftovers, [])
  }

  func testOnlyRequiredEnvironmentVariablesAreInherited() async throws {
    let fake = try FakeAscp(self) { [.describe(in: $0.file("started")), .connect, .send(Frames.done)] }
    let machine = [
      "PATH": "/usr/bin:/bin", "HOME": "/home/mia", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TMPDIR": "/tmp",
      "ASPERA_SCP_KEY": "another key", "ASPERA_SCP_FILEPASS": "another secret", "ASPERA_SCP_TOKEN": "another token",
      "SSH_AUTH_SOCK": "/run/agent", "AWS_SECRET_ACCESS_KEY": "key", "LD_PRELOAD": "/tmp/evil.so",
    ]
    _ = try await fake.engine(environment: machine).start().value
    let started = try await fake.start()
    for name in ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR"] {
      XCTAssertEqual(started.environment[name], machine[name], name)
    }
    XCTAssertEqual(started.environment["ASPERA_SCP_TOKEN"], Self.token)
    for name in ["ASPERA_SCP_KEY", "ASPERA_SCP_FILEPASS", "SSH_AUTH_SOCK", "AWS_SECRET_ACCESS_KEY", "LD_PRELOAD"] {
      XCTAssertNil(started.environment[name], name)
    }
  }

  func testMessagesOfAscpAreReportedWithoutSecrets() async throws {
    let said = "bad \(Self.token) for \(Self.password)"
    let frames = [
      Frames.error(37, said), Frames.frame("DONE", "Code: 8", "Description: \(said)"),
      Frames.frame("FILEERROR", "File: /data/a", "Code: 5", "Description: \(said)") + Frames.done, "",
    ]
    for last in frames {
      let fake = try FakeAscp(self, .connect, .send(Frames.initial + last), .print("\(said)\n"), .exit(1))
      let reports = Reports()
      let failure = await fake.engine().failure(report: reports.add)
      var shown = "\(String(describing: failure)) \(reports.all)"
      dump(failure, to: &shown)
      XCTAssertTrue(shown.contains("bad"), shown)
      for secret in [Self.password, Self.token, "ACsecretTokenPayload"] { XCTAssertFalse(shown.contains(secret), last) }
    }
  }

  func testOutputBeforeAnInvalidFrameIsReportedWithoutSecrets() async throws {
    let fake = try FakeAscp(self, .print("using \(Self.password)\n"), .connect, .noise(1 << 16), .pause)
    let failure = await fake.engine().failure()
    XCTAssertEqual(
      failure?.message.contains("It printed: using \(Secret.mask)"), true, "\(String(describing: failure))")
  }

  func testPartsOfATokenAndLinesOfAKeyAreMasked() {
    let mask = SecretMask([
      Secret("Basic dXNlcjpwYXNzd29yZA=="), Secret("-----BEGIN\nMIIBkeyline\n"), Secret(""), Secret("dXNl"),
    ])
    XCTAssertEqual(
      mask.applied(to: "got dXNlcjpwYXNzd29yZA== and MIIBkeyline"), "got \(Secret.mask) and \(Secret.mask)")
    XCTAssertEqual(mask.applied(to: "nothing"), "nothing")
  }

  // matrix: Aspera transfer (password): atomicity
  // matrix: Aspera transfer (key): atomicity
  // matrix: Aspera transfer (token): atomicity
  func testInvalidSpecificationStartsNoProcessAndLeavesNoFiles() async throws {
    let changes: [(inout TransferSpec) -> Void] = [
      { $0.fields["ssh_private_key"] = .string("another way to log in") },
      { $0.fields["remote_password"] = nil },
      {
        $0.fields["remote_password"] = nil; $0.fields["ssh_private_key_passphrase"] = .string("x")
      },
      { $0.token = Secret("with a\nline break") },
      { $0.sshfp = "SHA256:abc" },
      { $0.remoteHost = nil },
      { $0.paths = [] },
    ]
    for (index, change) in changes.enumerated() {
      let fake = try FakeAscp(self) { [.note("", in: $0.file("started"))] }
      var spec = TransferSpec.sample
      change(&spec)
      let reports = Reports()
      let failure = await fake.engine().start(spec, report: reports.add).failure
      XCTAssertEqual(failure?.kind, .caller, "\(index)")
      XCTAssertEqual(reports.all, [], "\(index)")
      XCTAssertFalse(FileManager.default.fileExists(atPath: fake.file("started")), "\(index)")
      XCTAssertEqual(try fake.leftovers, [], "\(index)")
    }
  }
}
