// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaTransfer
import Foundation
import StorageAuth
import StorageAuthTesting
import StorageCrypto
import StoragePrograms
import XCTest

/// Tests the arguments, environment and files that a probe passes to the programs of OpenSSH.
final class AccountProbeCommandTests: XCTestCase {
  private static let scanned = """
    # aspera.example.com:33001 SSH-2.0-OpenSSH_9.2p1
    [aspera.example.com]:33001 ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAAwEAAQ==
    [aspera.example.com]:33001 ssh-ed25519 \(AccountProbeTests.ed25519)
    [aspera.example.com]:33001 ecdsa-sha2-nistp256 \(AccountProbeTests.ed25519)
    [aspera.example.com]:33001 ssh-ed25519 no-base64

    """

  /// The fingerprint of the Ed25519 key.
  private static func fingerprint() throws -> HostKeyFingerprint {
    HostKeyFingerprint(ofKey: Array(try XCTUnwrap(Data(base64Encoded: AccountProbeTests.ed25519))))
  }

  private static func options(_ command: ProbeProgram) -> Set<String> {
    Set(zip(command.arguments, command.arguments.dropFirst()).filter { $0.0 == "-o" }.map { $0.1 })
  }

  func testUsersSSHConfigurationIsNotUsed() async throws {
    let (_, commands) = await AccountProbeTests.check(try AccountProbeTests.account()) { _, folder in
      folder.accept()
      return ProbeProgramResult(status: 0)
    }
    let command = try XCTUnwrap(commands.first)
    XCTAssertEqual(commands.count, 1)
    XCTAssertEqual(command.arguments.first, "ssh")
    XCTAssertEqual(command.arguments.suffix(7), ["-p", "33001", "-l", "mia", "--", "aspera.example.com", "exit"])
    XCTAssertTrue(zip(command.arguments, command.arguments.dropFirst()).contains { $0 == ("-F", "/dev/null") })
    let options = Self.options(command)
    for option in [
      "IdentitiesOnly=yes", "IdentityAgent=none", "GlobalKnownHostsFile=/dev/null", "UserKnownHostsFile=known_hosts",
      "ControlMaster=no", "ControlPath=none", "ProxyCommand=none", "ForwardAgent=no", "ForwardX11=no",
      "ClearAllForwardings=yes", "NumberOfPasswordPrompts=1", "PubkeyAuthentication=no", "UpdateHostKeys=no",
      "PreferredAuthentications=password,keyboard-interactive", "GSSAPIAuthentication=no",
    ] {
      XCTAssertTrue(options.contains(option), option)
    }
    XCTAssertFalse(options.contains("BatchMode=yes"), "BatchMode would keep the client from prompting for the password")
    XCTAssertEqual(
      command.environment,
      [
        "LC_ALL": "C", "SHELL": "/bin/sh", "DISPLAY": "none", "SSH_ASKPASS": "./askpass",
        "SSH_ASKPASS_REQUIRE": "force",
      ])
  }

  func testSecretIsOnlyInTheEnvironmentAndNotShown() async throws {
    let (_, commands) = await AccountProbeTests.check(try AccountProbeTests.account()) { _, folder in
      XCTAssertFalse((folder.read("askpass") ?? "").contains(AccountProbeTests.password))
      return ProbeProgramResult(status: 255)
    }
    let command = try XCTUnwrap(commands.first)
    XCTAssertEqual(command.secret?.value.reveal(), AccountProbeTests.password)
    XCTAssertFalse(command.arguments.joined().contains(AccountProbeTests.password))
    XCTAssertEqual(DisplayedTexts(of: command).containing([AccountProbeTests.password]), [])
  }

  func testFolderIsPrivateAndRemoved() async throws {
    let pem = try XCTUnwrap(PrivateKey.generateECDSA(.nistp256).traditionalPEM)
    let text = String(writing: { writer in pem.withBytes { writer.append($0) } })
    // The key as pasted from a web form: with Windows line endings, and without the last one.
    let pasted = text.split(separator: "\n").joined(separator: "\r\n")
    let (_, commands) = await AccountProbeTests.check(
      try AsperaAccount(host: "aspera.example.com", user: "mia", privateKey: .pem(Secret(pasted)))
    ) { _, folder in
      XCTAssertEqual(folder.permissions(), 0o700)
      XCTAssertEqual(folder.permissions(of: "key"), 0o600)
      XCTAssertEqual(folder.permissions(of: "askpass"), 0o700)
      XCTAssertEqual(folder.read("key"), text)
      return ProbeProgramResult(status: 255)
    }
    let command = try XCTUnwrap(commands.first)
    XCTAssertNil(command.secret)
    XCTAssertTrue(Self.options(command).isSuperset(of: ["BatchMode=yes", "PreferredAuthentications=publickey"]))
    XCTAssertFalse(FileManager.default.fileExists(atPath: command.folder))
  }

  func testConnectionAcceptsOnlyThePinnedHostKey() async throws {
    let (outcome, commands) = await AccountProbeTests.check(
      try AccountProbeTests.account(hostKey: Self.fingerprint())
    ) { program, folder in
      if program == "ssh-keyscan" { return ProbeProgramResult(status: 0, output: Self.scanned) }
      XCTAssertEqual(folder.read("known_hosts"), "server ssh-ed25519 \(AccountProbeTests.ed25519)\n")
      folder.accept()
      return ProbeProgramResult(status: 0)
    }
    XCTAssertEqual(commands.map(\.arguments.first), ["ssh-keyscan", "ssh"])
    XCTAssertNil(commands.first?.secret)
    let options = Self.options(try XCTUnwrap(commands.last))
    XCTAssertTrue(options.isSuperset(of: ["StrictHostKeyChecking=yes", "HostKeyAlgorithms=ssh-ed25519"]))
    XCTAssertEqual(try outcome.get().hostKey?.fingerprint, try Self.fingerprint())
  }

  func testHostKeyChangedAfterTheScanIsAFailure() async throws {
    let (outcome, _) = await AccountProbeTests.check(
      try AccountProbeTests.account(hostKey: Self.fingerprint())
    ) { program, _ in
      program == "ssh-keyscan"
        ? ProbeProgramResult(status: 0, output: Self.scanned)
        : ProbeProgramResult(status: 255, errors: "Host key verification failed.\r\n")
    }
    XCTAssertThrowsError(try outcome.get()) { XCTAssertEqual(($0 as? TransferFailure)?.kind, .hostKey) }
  }

  func testScanWithoutThePinnedKeyListsTheOfferedKeysAndStops() async throws {
    let (outcome, commands) = await AccountProbeTests.check(
      try AccountProbeTests.account(hostKey: HostKeyFingerprint(String(repeating: "a", count: 40)))
    ) { _, _ in ProbeProgramResult(status: 0, output: Self.scanned) }
    XCTAssertEqual(commands.count, 1)
    XCTAssertThrowsError(try outcome.get()) { error in
      XCTAssertEqual((error as? TransferFailure)?.kind, .hostKey)
      let keys = "\(error)".components(separatedBy: "it offers ").last ?? ""
      XCTAssertEqual(keys.components(separatedBy: " (").count, 3, "two keys: \(keys)")
    }
  }

  func testEmptyScanIsExplainedByAConnectionWithoutACredential() async throws {
    let account = try AccountProbeTests.account(hostKey: Self.fingerprint())
    for (errors, words) in [
      ("ssh: connect to host aspera.example.com port 33001: Connection refused", "refused the connection"),
      ("Host key verification failed.", "to ssh but not to ssh-keyscan"),
    ] {
      let (outcome, commands) = await AccountProbeTests.check(account) { program, _ in
        program == "ssh" ? ProbeProgramResult(status: 255, errors: errors) : ProbeProgramResult(status: 1)
      }
      XCTAssertEqual(commands.count, 2)
      let command = try XCTUnwrap(commands.last)
      XCTAssertNil(command.secret)
      XCTAssertTrue(
        Self.options(command).isSuperset(of: ["PreferredAuthentications=none", "StrictHostKeyChecking=yes"]))
      XCTAssertThrowsError(try outcome.get()) { error in
        XCTAssertEqual((error as? TransferFailure)?.kind, .transport)
        XCTAssertTrue("\(error)".contains(words), "\(error)")
      }
    }
  }
}
