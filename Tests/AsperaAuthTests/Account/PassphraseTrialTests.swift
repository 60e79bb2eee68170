// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import Foundation
import StorageAuth
import XCTest

/// Tests how `ssh-keygen` verifies the passphrase of a key in OpenSSH's own format.
final class PassphraseTrialTests: XCTestCase {
  private func key(_ passphrase: String = "correct horse") throws -> AsperaPrivateKey {
    .pem(Secret(bytes: try KeyFolder.text("rsa-openssh-ctr")), passphrase: Secret(passphrase))
  }

  // matrix: Aspera transfer (key): redaction
  func testNoArgumentContainsASecretAndNoFileIsLeft() async throws {
    let runner = ProcessRunner()
    _ = try await key().check(on: .forKeys(commands: runner))
    _ = await asperaError { try await self.key("wrong").check(on: .forKeys(commands: runner)) }
    XCTAssertEqual(runner.calls.count, 2)
    for call in runner.calls {
      XCTAssertEqual(call.arguments.prefix(3), ["ssh-keygen", "-y", "-f"])
      XCTAssertEqual(call.arguments.count, 4)
      XCTAssertFalse(call.arguments.contains { $0.contains("horse") || $0.contains("wrong") })
      XCTAssertEqual(call.environment["SSH_ASKPASS_REQUIRE"], "force")
      XCTAssertFalse(FileManager.default.fileExists(atPath: call.arguments[3]))
      XCTAssertFalse(FileManager.default.fileExists(atPath: try XCTUnwrap(call.environment["SSH_ASKPASS"])))
    }
  }

  func testUnavailableTrialIsReportedAsUnchecked() async throws {
    let problems: [(any CommandRunner)?] = [
      nil, ScriptedRunner(answer: .failure(.notFound)), ScriptedRunner(answer: .failure(.notStarted("no"))),
      ScriptedRunner(answer: .failure(.timeout)), ScriptedRunner(answer: .failure(.outputTooLarge)),
      ScriptedRunner(answer: .success(CommandResult(.exited(255), standardOutput: [], standardErrorLength: 9))),
    ]
    var reasons: Set<String> = []
    for runner in problems {
      let report = try await key("never tried").check(on: .forKeys(commands: runner))
      guard case .unchecked(let reason) = report.passphrase else { return XCTFail("\(report)") }
      reasons.insert(reason)
      XCTAssertEqual(report.cipher, "aes256-ctr")
    }
    XCTAssertEqual(reasons.count, problems.count)
    XCTAssertTrue(reasons.contains("ssh-keygen is not installed"))
  }

  func testPassphraseWithALineBreakIsNotTried() async throws {
    let runner = ProcessRunner()
    let report = try await key("two\nlines").check(on: .forKeys(commands: runner))
    guard case .unchecked = report.passphrase else { return XCTFail("\(report)") }
    XCTAssertEqual(runner.calls.count, 0)
  }

  func testCancelledTrialIsAnError() async throws {
    let runner = ScriptedRunner(answer: .failure(.cancelled))
    let error = await asperaError { try await self.key().check(on: .forKeys(commands: runner)) }
    XCTAssertEqual(error?.code, .failed)
  }

  func testTrialOutputMustMatchThePublicKey() async throws {
    let other = try KeyFolder.text("ed25519.pub")
    let runner = ScriptedRunner(
      answer: .success(CommandResult(.exited(0), standardOutput: other, standardErrorLength: 0)))
    let error = await asperaError { try await self.key().check(on: .forKeys(commands: runner)) }
    XCTAssertEqual(error?.code, .malformedKey)
  }

  func testPassphraseWithShellCharactersIsPassedUnchanged() async throws {
    let passphrase = "a'b\"c $HOME `id` \\n %s ü"
    let folder = try KeyFolder()
    let path = try folder.file("key", try KeyFolder.text("ed25519-openssh"))
    let made = try await ProcessRunner().run(
      ["ssh-keygen", "-q", "-p", "-f", path, "-P", "", "-N", passphrase], environment: [:], timeout: .seconds(60),
      outputLimit: 100)
    XCTAssertEqual(made.ending, .exited(0))
    let report = try await AsperaPrivateKey.file(path, passphrase: Secret(passphrase)).check(on: .forKeys())
    XCTAssertEqual(report.passphrase, .correct)
  }
}
