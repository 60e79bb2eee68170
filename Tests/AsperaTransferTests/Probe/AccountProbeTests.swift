// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaTransfer
import Foundation
import StorageAuth
import StorageAuthTesting
import StorageCrypto
import StoragePrograms
import XCTest

/// Tests how a probe interprets the SSH client's output, some of which no real server causes.
final class AccountProbeTests: XCTestCase {
  static let password = "correct horse 7"
  static let ed25519 = "AAAAC3NzaC1lZDI1NTE5AAAAIMpDw8l2rd2c2WPZ0lxYdvvC7rN1HYO3YbVUeVjgKDKG"
  static let offer = "debug1: Authentications that can continue: publickey,password,keyboard-interactive\r\n"

  /// An account with a password.
  static func account(_ password: String = password, hostKey: HostKeyFingerprint? = nil) throws -> AsperaAccount {
    try AsperaAccount(host: "aspera.example.com", user: "mia", password: Secret(password), hostKey: hostKey)
  }

  /// Returns the outcome of a check and the commands that were run.
  static func check(
    _ account: AsperaAccount, _ script: @escaping ScriptedProbeRunner.Script
  ) async -> (Result<AccountProbeReport, TransferFailure>, [ProbeProgram]) {
    let runner = ScriptedProbeRunner(script)
    let machine = ProviderContext(transport: ScriptedTransport([]))
    let probe = AccountProbe(machine, runner: runner, temporaryFolder: nil)
    do {
      return (.success(try await probe.check(account)), runner.commands)
    } catch {
      return (.failure(error), runner.commands)
    }
  }

  /// The failure of an account when the client prints `errors` and exits.
  private func failure(
    _ errors: String, asking questions: [String] = [], account: AsperaAccount? = nil, line: UInt = #line
  ) async throws -> TransferFailure {
    let (outcome, _) = await Self.check(try account ?? Self.account()) { _, folder in
      if !questions.isEmpty { folder.write(questions.map { "\($0)\u{1e}" }.joined(), to: "prompts") }
      return ProbeProgramResult(status: 255, errors: errors)
    }
    guard case .failure(let failure) = outcome else {
      XCTFail("the account was accepted", line: line)
      return TransferFailure(.other, "", remedy: "")
    }
    return failure
  }

  func testBannerThatImitatesTheClientsOutputIsNoProof() async throws {
    let failure = try await failure(
      "Authenticated to aspera.example.com ([192.0.2.1]:33001) using \"password\".\r\n\(Self.offer)Permission denied.")
    XCTAssertEqual(failure.kind, .account)
  }

  func testSessionStatusDoesNotAffectAnAcceptedAccount() async throws {
    for status: Int32? in [1, 255, nil] {
      let (outcome, _) = await Self.check(try Self.account()) { _, folder in
        folder.accept()
        folder.ask("mia@server's password: ")
        return ProbeProgramResult(status: status, errors: "Permission denied, please try again.\n")
      }
      XCTAssertEqual(try outcome.get().notes.count, 2)
    }
  }

  func testUnfinishedSessionDoesNotAffectAnAcceptedAccount() async throws {
    for error in [ProbeProgramError.timeout, .outputTooLarge] {
      let (accepted, _) = await Self.check(try Self.account()) { _, folder in
        folder.accept()
        throw error
      }
      XCTAssertTrue(try accepted.get().notes.contains { $0.contains("did not end by itself") })
      let (other, _) = await Self.check(try Self.account()) { _, _ in throw error }
      XCTAssertThrowsError(try other.get()) { XCTAssertEqual(($0 as? TransferFailure)?.kind, .transport) }
    }
  }

  func testMethodIsReadFromOldAndNewClientsAndFromThePrompts() async throws {
    let cases: [(String, [String], AccountProbeReport.Method)] = [
      ("Authenticated to a ([192.0.2.1]:22) using \"keyboard-interactive\".\r\n", [], .keyboardInteractive),
      ("debug1: Authentication succeeded (password).\n", [], .password),
      ("Authenticated to a ([192.0.2.1]:22) using \"none\".\r\n", [], .none),
      ("", ["(mia@server) Password: "], .keyboardInteractive), ("", ["mia@server's password: "], .password),
      ("", [], .none),
    ]
    for (errors, questions, method) in cases {
      let (outcome, _) = await Self.check(try Self.account()) { _, folder in
        folder.accept()
        if let question = questions.first { folder.ask(question) }
        return ProbeProgramResult(status: 0, errors: errors)
      }
      let report = try outcome.get()
      XCTAssertEqual(report.method, method)
      XCTAssertEqual(report.notes.contains { $0.contains("without a credential") }, method == .none)
    }
  }

  func testSecondPromptIsNotAnsweredAndExplained() async throws {
    let first = "(mia@server) Password: "
    let cases = [
      ("mia@server's password: ", "refused the password of mia"), ("(mia@server) New password: ", "has expired"),
      ("(mia@server) Current password: ", "has expired"),
      ("(mia@server) Verification \u{1b}[2Jcode: ", "more than a password: “(mia@server) Verification  [2Jcode: ”"),
      ("You sent \(Self.password). Why?", "You sent \(Secret.mask). Why?"),
    ]
    for (second, words) in cases {
      let failure = try await failure(Self.offer, asking: [first, second])
      XCTAssertEqual(failure.kind, .account)
      XCTAssertTrue(failure.message.contains(words), failure.message)
      XCTAssertFalse(failure.message.contains(Self.password), failure.message)
    }
  }

  func testFailuresAreClassified() async throws {
    let question = ["mia@server's password: "]
    let cases: [(String, [String], TransferFailure.Kind, String)] = [
      (
        "debug1: Authentications that can continue: publickey,hostbased\nPermission denied", [], .account,
        "it offers pub"
      ),
      (
        "\(Self.offer)Received disconnect: Too many authentication failures", question, .account, "refused the password"
      ),
      ("\(Self.offer)Connection closed by 192.0.2.1 port 22", question, .account, "after it received the password"),
      ("\(Self.offer)Connection closed by 192.0.2.1 port 22", [], .transport, "broke the connection"),
      ("\(Self.offer)Connection reset by 192.0.2.1 port 22", question, .transport, "broke the connection"),
      ("ssh: connect to host a port 22: Connection timed out", [], .transport, "did not answer in time"),
      ("ssh: connect to host a port 22: No route to host", [], .transport, "cannot be reached"),
      ("ssh: connect to host a port 22: Network is unreachable", [], .transport, "cannot be reached"),
      ("kex_exchange_identification: Connection closed by remote host", [], .transport, "before it identified itself"),
      ("Unable to negotiate with a: no matching key exchange method found.", [], .transport, "no algorithm in common"),
      (
        "Unable to negotiate with a: no matching host key type found. Their offer: ssh-rsa,ssh-dss", [], .hostKey,
        "signs with SHA-1 alone to prove its host key (ssh-dss, ssh-rsa)"
      ),
      (
        "Unable to negotiate with a: no matching host key type found. Their offer: ssh-rsa,x@example.com", [], .hostKey,
        "it offers ssh-rsa,x@example.com"
      ),
      ("No user exists for uid 4711", [], .other, "“No user exists for uid 4711”"),
      ("debug1: nothing but this", [], .other, "gave up on aspera.example.com:33001."),
    ]
    for (errors, questions, kind, words) in cases {
      let failure = try await failure(errors, asking: questions)
      XCTAssertEqual(failure.kind, kind, errors)
      XCTAssertTrue(failure.message.contains(words), failure.message)
      XCTAssertFalse(failure.remedy.isEmpty)
    }
  }

  /// An account with a new key.
  private func account(with key: PrivateKey) throws -> AsperaAccount {
    let pem = try XCTUnwrap(key.openSSHPEM())
    let text = String(writing: { writer in pem.withBytes { writer.append($0) } })
    return try AsperaAccount(host: "aspera.example.com", user: "mia", privateKey: .pem(Secret(text)))
  }

  func testServerThatAnnouncesOnlySHA1IsNamed() async throws {
    let failure = try await failure(
      "\(Self.offer)debug1: send_pubkey_test: no mutual signature algorithm\r\nPermission denied",
      account: account(with: .generateRSA(bits: 2_048)))
    XCTAssertEqual(failure.kind, .account)
    XCTAssertTrue(failure.message.contains("SHA-1 alone (ssh-rsa)"), failure.message)
  }

  func testRejectedRSAKeyIsAskedForWithSHA1WithoutThePrivateKey() async throws {
    for (key, answer, words) in [
      (try PrivateKey.generateRSA(bits: 2_048), "debug1: Server accepts key: absent RSA", "SHA-1 alone (ssh-rsa)"),
      (try .generateRSA(bits: 2_048), Self.offer, "refused the key"), (try .generateEd25519(), nil, "refused the key"),
    ] {
      let (outcome, commands) = await Self.check(try account(with: key)) { _, folder in
        guard let publicKey = folder.read("absent.pub") else {
          return ProbeProgramResult(status: 255, errors: "\(Self.offer)Permission denied (publickey).")
        }
        XCTAssertTrue(publicKey.hasPrefix("ssh-rsa "), publicKey)
        XCTAssertNil(folder.read("absent"))
        return ProbeProgramResult(status: 255, errors: answer ?? "an unexpected connection")
      }
      XCTAssertThrowsError(try outcome.get()) { XCTAssertTrue("\($0)".contains(words), "\($0)") }
      XCTAssertEqual(commands.count, answer == nil ? 1 : 2)
      let question = commands.dropFirst().first
      XCTAssertEqual(question?.arguments.contains("PubkeyAcceptedKeyTypes=ssh-rsa"), answer.map { _ in true })
      XCTAssertEqual(question?.arguments.contains("IdentityFile=absent"), answer.map { _ in true })
    }
  }

  func testPasswordThatEqualsAnSSHMethodIsNotMistakenForIt() async throws {
    let failure = try await failure("\(Self.offer)Permission denied (password).", account: Self.account("password"))
    XCTAssertTrue(failure.message.contains("refused the password of mia"), failure.message)
  }

  func testMissingProgramIsNamed() async throws {
    let (ssh, _) = await Self.check(try Self.account()) { _, _ in throw ProbeProgramError.notStarted }
    XCTAssertThrowsError(try ssh.get()) { error in
      XCTAssertEqual((error as? TransferFailure)?.kind, .caller)
      XCTAssertTrue("\(error)".contains("The program ssh is"), "\(error)")
    }
    let pinned = try Self.account(hostKey: HostKeyFingerprint(String(repeating: "a", count: 40)))
    let (scan, _) = await Self.check(pinned) { _, _ in throw ProbeProgramError.notStarted }
    XCTAssertThrowsError(try scan.get()) { XCTAssertTrue("\($0)".contains("The program ssh-keyscan is"), "\($0)") }
  }

  func testPasswordThatCannotBeEnteredIsRejectedBeforeStarting() async throws {
    for password in ["one\ntwo", "one\rtwo", String(repeating: "x", count: 1_001)] {
      let (outcome, commands) = await Self.check(try Self.account(password)) { _, _ in ProbeProgramResult(status: 0) }
      XCTAssertThrowsError(try outcome.get()) { XCTAssertEqual(($0 as? TransferFailure)?.kind, .account) }
      XCTAssertTrue(commands.isEmpty)
    }
  }
}
