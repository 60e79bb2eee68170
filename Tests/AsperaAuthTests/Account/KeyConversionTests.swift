// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageCrypto
import XCTest

/// Tests the conversion of keys to a format that a client reads.
final class KeyConversionTests: XCTestCase {
  private func key(_ name: String, _ passphrase: Secret? = nil) throws -> AsperaPrivateKey {
    .pem(Secret(bytes: try KeyFolder.text(name)), passphrase: passphrase)
  }

  private func text(_ key: AsperaPrivateKey) -> String {
    guard case .pem(let text) = key.source else { return "" }
    return text.reveal()
  }

  func testEd25519KeyInPKCS8IsConvertedToTheOpenSSHFormat() async throws {
    for (name, passphrase) in [("ed25519-pkcs8", nil), ("ed25519-pkcs8-pbkdf2", KeyFolder.passphrase)] {
      let key = try key(name, passphrase)
      let before = try await key.check(on: .forKeys())
      XCTAssertTrue(before.limits.contains { $0.client == .ssh && $0.isConvertible })
      for client in PrivateKeyReport.Client.allCases {
        let converted = try key.converted(for: client, on: .forKeys())
        XCTAssertNil(converted.passphrase)
        let after = try await converted.check(on: .forKeys())
        XCTAssertEqual(after.format, .openSSH)
        XCTAssertEqual(after.publicKey, before.publicKey)
        XCTAssertFalse(after.limits.contains { $0.client == .ssh })
      }
    }
  }

  func testSSHKeygenReadsTheConvertedKey() async throws {
    let folder = try KeyFolder()
    let converted = try key("ed25519-pkcs8").converted(for: .ssh, on: .forKeys())
    let printed = try await keygen(try folder.file("converted", Array(text(converted).utf8)))
    XCTAssertEqual(printed.ending, .exited(0))
    let expected = String(decoding: try KeyFolder.text("ed25519.pub"), as: UTF8.self)
    XCTAssertTrue(expected.hasPrefix(String(decoding: printed.standardOutput, as: UTF8.self).dropLast()))
  }

  private func keygen(_ path: String) async throws(CommandError) -> CommandResult {
    try await ProcessRunner().run(
      ["ssh-keygen", "-y", "-P", "", "-f", path], environment: [:], timeout: .seconds(60), outputLimit: 1 << 16)
  }

  func testRSAKeyInTheOpenSSHFormatIsConvertedToPEMForAscp() async throws {
    let key = try key("rsa-openssh")
    let report = try await key.check(on: .forKeys())
    XCTAssertEqual(report.limits.map(\.client), [.ascp])
    XCTAssertEqual(report.limits.first?.isConvertible, true)
    let converted = try key.converted(for: .ascp, on: .forKeys())
    XCTAssertEqual(text(converted), String(decoding: try KeyFolder.text("rsa"), as: UTF8.self))
    XCTAssertEqual(try key.converted(for: .ssh, on: .forKeys()), key)
  }

  func testSupportedKeyIsReturnedUnchanged() async throws {
    for name in ["rsa", "rsa-pkcs8", "ecdsa-256", "ecdsa-256-pkcs8", "ecdsa-521-openssh", "ed25519-openssh"] {
      for client in PrivateKeyReport.Client.allCases {
        let key = try key(name)
        XCTAssertEqual(try key.converted(for: client, on: .forKeys()), key, "\(name) \(client)")
      }
    }
    let encrypted = try key("rsa-openssh-ctr", KeyFolder.passphrase)
    XCTAssertEqual(try encrypted.converted(for: .ascp, on: .forKeys()), encrypted)
    let report = try await encrypted.check(on: .forKeys())
    XCTAssertEqual(report.limits.map(\.isConvertible), [false])
  }

  func testKeyWithoutItsPassphraseIsNotConverted() async throws {
    for (passphrase, code) in [(nil, AsperaError.Code.wrongPassphrase), (Secret("wrong"), .wrongPassphrase)] {
      let key = try key("ed25519-pkcs8-pbkdf2", passphrase)
      let error = await asperaError { try key.converted(for: .ssh, on: .forKeys()) }
      XCTAssertEqual(error?.code, code)
    }
  }

  func testKeysOfEveryKindAreEncodedSoThatOpenSSHReadsThem() async throws {
    let folder = try KeyFolder()
    let keys = [
      try PrivateKey.generateRSA(bits: 1_024), try PrivateKey.generateECDSA(.nistp256),
      try PrivateKey.generateECDSA(.nistp384), try PrivateKey.generateECDSA(.nistp521),
      try PrivateKey.generateEd25519(),
    ]
    for key in keys {
      let text = try XCTUnwrap(key.openSSHPEM(comment: "mine")).withBytes { span in
        [UInt8](writing: { $0.append(span) })
      }
      let printed = try await keygen(try folder.file("key", text))
      XCTAssertEqual(printed.ending, .exited(0), "\(key)")
      let blob = try XCTUnwrap(key.publicKey.sshBlob)
      let base64 = String(writing: { $0.append(base64: blob) })
      XCTAssertTrue(String(decoding: printed.standardOutput, as: UTF8.self).contains(" \(base64)"), "\(key)")
    }
  }
}
