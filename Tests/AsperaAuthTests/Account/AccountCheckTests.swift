// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import StorageCrypto
import XCTest

/// Tests the checks of an account's host, user, ports and credential.
final class AccountCheckTests: XCTestCase {
  // matrix: Aspera transfer (password): bad input
  func testAccountHasExactlyOneCredential() async throws {
    let key = AsperaPrivateKey.pem(Secret(bytes: try KeyFolder.text("rsa")))
    for (password, key, code) in [
      (Secret("p"), key, AsperaError.Code.ambiguousCredential), (nil, nil, .missingCredential),
      (Secret(""), nil, .missingCredential), (Secret("  "), nil, .missingCredential),
    ] as [(Secret?, AsperaPrivateKey?, AsperaError.Code)] {
      let error = await asperaError { try AsperaAccount(host: "h", user: "u", password: password, privateKey: key) }
      XCTAssertEqual(error?.code, code)
    }
    let account = try AsperaAccount(host: "h", user: "u", password: Secret(" "), privateKey: key)
    XCTAssertEqual(account.authentication, .privateKey(key))
  }

  func testPasswordCanBeText() throws {
    let account = try AsperaAccount(host: "example.com", user: "usr1", password: "testpw")
    XCTAssertEqual(account.authentication, .password(Secret("testpw")))
  }

  func testInvalidHostUserOrPortsAreRejected() async throws {
    for (host, user, ssh, udp) in [
      ("", "u", 1, 1), ("h", "", 1, 1), ("-h", "u", 1, 1), ("h", "-u", 1, 1), ("h\n", "u", 1, 1), ("h", "u v", 1, 1),
      ("h", "u", 0, 1), ("h", "u", 1, 65_536), ("h", "u", -1, 1),
    ] {
      let error = await asperaError {
        try AsperaAccount(host: host, user: user, password: Secret("p"), sshPort: ssh, udpPort: udp)
      }
      XCTAssertEqual(error?.code, .invalidAccount, "\(host) \(user) \(ssh) \(udp)")
    }
  }

  func testPasswordWithUnsupportedBytesIsRejected() async throws {
    for password in [Array("two\nlines".utf8), Array("line\n".utf8), Array("a\r".utf8), [0x61, 0], [0xff, 0xfe]] {
      let account = try AsperaAccount(host: "h", user: "u", password: Secret(bytes: password))
      let error = await asperaError { try await account.check(on: .forKeys()) }
      XCTAssertEqual(error?.code, .invalidAccount)
    }
    let account = try AsperaAccount(
      host: "h", user: "u", password: Secret("pass wörd"),
      hostKey: HostKeyFingerprint(String(repeating: "0", count: 40)))
    let report = try await account.check(on: .forKeys())
    XCTAssertEqual(report.authentication, .password)
    XCTAssertEqual(report.notes, [])
  }

  func testReportContainsNotesAboutMissingChecks() async throws {
    let key = AsperaPrivateKey.pem(
      Secret(bytes: try KeyFolder.text("ecdsa-256-openssh-ctr")), passphrase: KeyFolder.passphrase)
    let account = try AsperaAccount(host: "h", user: "u", privateKey: key)
    let report = try await account.check(on: .forKeys(commands: nil))
    XCTAssertEqual(report.notes.count, 3)
    XCTAssertTrue(report.notes[0].contains("any server at h"))
    XCTAssertTrue(report.notes[1].contains("ECDSA"))
    XCTAssertTrue(report.notes[2].contains("was not checked: this program runs no commands"))
  }

  func testUnsupportedKeyIsAnErrorOfTheAccount() async throws {
    let key = AsperaPrivateKey.pem(Secret(bytes: try KeyFolder.text("dsa")))
    let account = try AsperaAccount(host: "h", user: "u", privateKey: key)
    let error = await asperaError { try await account.check(on: .forKeys()) }
    XCTAssertEqual(error?.code, .unsupportedKey)
  }

  func testDynamicKeyIsAnRSAPairThatEveryClientReads() async throws {
    let key = try DynamicKey(bits: 2_048)
    let report = try await key.privateKey.check(on: .forKeys())
    XCTAssertEqual(report.publicKey, key.publicKey)
    XCTAssertEqual(report.kind, .rsa(bits: 2_048))
    XCTAssertEqual(report.format, .traditional)
    XCTAssertEqual(report.limits, [])
    XCTAssertNotEqual(try DynamicKey(bits: 2_048), key)
    for bits in [0, 1_024, 20_000] {
      let error = await asperaError { try DynamicKey(bits: bits) }
      XCTAssertEqual(error?.code, .unsupportedKey)
    }
  }

  // matrix: Aspera transfer (key): redaction
  func testNoDescriptionContainsAKeyOrAPassphrase() async throws {
    let text = String(decoding: try KeyFolder.text("rsa"), as: UTF8.self)
    let encrypted = AsperaPrivateKey.pem(
      Secret(bytes: try KeyFolder.text("rsa-aes128")), passphrase: KeyFolder.passphrase)
    let account = try AsperaAccount(host: "h", user: "u", privateKey: encrypted)
    let dynamic = try DynamicKey(bits: 2_048)
    let parsed = try PrivateKey(pem: text)
    let secrets =
      text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("-----") } + ["correct horse"]
    let openSSH = AsperaPrivateKey.pem(Secret(bytes: try KeyFolder.text("rsa-openssh")))
    let error = await asperaError {
      try await AsperaPrivateKey.pem(Secret(text), passphrase: KeyFolder.passphrase).check(on: .forKeys())
    }
    let shown: [Any] = [
      encrypted, account, dynamic, parsed, try await encrypted.check(on: .forKeys()),
      try await account.check(on: .forKeys()), try openSSH.converted(for: .ascp, on: .forKeys()), error as Any,
      try AsperaAccount(host: "h", user: "u", password: KeyFolder.passphrase),
    ]
    for value in shown {
      XCTAssertEqual(DisplayedTexts(of: value).containing(secrets), [])
    }
    guard case .pem(let made) = dynamic.privateKey.source else { return XCTFail("\(dynamic)") }
    let lines = made.reveal().split(separator: "\n").map(String.init).filter { !$0.hasPrefix("-----") }
    XCTAssertEqual(DisplayedTexts(of: dynamic).containing(lines), [])
  }
}
