// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageCrypto
import XCTest

/// Tests which texts are rejected as private keys, and the reasons given.
final class KeyRefusalTests: XCTestCase {
  private func error(_ text: [UInt8], passphrase: Secret? = nil) async -> AsperaError? {
    await asperaError {
      try await AsperaPrivateKey.pem(Secret(bytes: text), passphrase: passphrase).check(on: .forKeys())
    }
  }

  private func assertRefused(
    _ text: [UInt8], _ code: AsperaError.Code, _ word: String, passphrase: Secret? = nil, line: UInt = #line
  ) async {
    let error = await error(text, passphrase: passphrase)
    XCTAssertEqual(error?.code, code, word, line: line)
    XCTAssertTrue(error?.description.contains(word) == true, "\(String(describing: error))", line: line)
  }

  // matrix: Aspera transfer (key): bad input
  func testKeyTypesThatSSHDoesNotSupportAreRejectedByName() async throws {
    for name in ["dsa", "dsa-pkcs8", "dsa-openssh", "dsa-aes128"] {
      await assertRefused(try KeyFolder.text(name), .unsupportedKey, "DSA")
    }
    await assertRefused(try KeyFolder.text("rsa-768"), .unsupportedKey, "768 bits")
    await assertRefused(try KeyFolder.text("secp256k1"), .unsupportedKey, "secp256k1")
    await assertRefused(try KeyFolder.text("ed448"), .unsupportedKey, "ED448")
    await assertRefused(try KeyFolder.text("rsa-pss"), .unsupportedKey, "RSA-PSS")
    await assertRefused(
      Array("-----BEGIN ANY PRIVATE KEY-----\nAAAA\n-----END ANY PRIVATE KEY-----\n".utf8), .unsupportedKey,
      "ANY PRIVATE KEY")
  }

  func testPublicKeyIsRejectedAsAPrivateKey() async throws {
    for name in ["rsa.pub", "rsa.spki", "rsa.pkcs1-public", "ecdsa-256.pub", "ecdsa-256.spki", "ed25519.pub"] {
      await assertRefused(try KeyFolder.text(name), .malformedKey, "public key")
    }
    await assertRefused(Array("---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n".utf8), .malformedKey, "public key")
  }

  func testOtherFileFormatsAreRecognised() async throws {
    for version in [2, 3] {
      await assertRefused(
        Array("PuTTY-User-Key-File-\(version): ssh-rsa\r\nEncryption: none\r\n".utf8), .unsupportedKey, "PuTTY")
    }
    await assertRefused(Array("---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n".utf8), .unsupportedKey, "SSH.COM")
    await assertRefused(
      Array("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n".utf8), .malformedKey, "certificate")
    await assertRefused([0x30, 0x82, 0x00, 0x03, 0x02, 0x01, 0x00], .malformedKey, "DER")
    await assertRefused([], .malformedKey, "empty")
    await assertRefused(Array("not a key at all".utf8), .malformedKey, "no private key")
  }

  func testTextThatBeginsWithAZeroIsNotBinary() async {
    for text in ["0", "0 is not a key", "01" + String(repeating: "2", count: 100)] {
      await assertRefused(Array(text.utf8), .malformedKey, "no private key")
    }
  }

  func testEscapedLineBreaksAreRecognised() async throws {
    let lines = String(decoding: try KeyFolder.text("rsa"), as: UTF8.self).split(separator: "\n")
    let text = lines.joined(separator: "\\n")
    let contents = lines.dropFirst().dropLast().joined(separator: "\\n")
    for text in [
      text, text + "\\n", "KEY=\"\(text)\"", "\(lines.first ?? "")\n\(contents)\n\(lines.last ?? "")\n",
    ] {
      await assertRefused(Array(text.utf8), .malformedKey, "backslash")
    }
  }

  func testLabelContainsNoPartOfAKeyInOneLine() {
    let text = "-----BEGIN PRIVATE KEY-----\\nTUFSSw==\\n-----END PRIVATE KEY-----"
    XCTAssertEqual(PEMBlock.blocks(in: Array(text.utf8)).map(\.label), [])
  }

  func testOpenSSHKeyMustStartTheFile() async throws {
    await assertRefused(
      Array("\n".utf8) + (try KeyFolder.text("ed25519-openssh")), .malformedKey, "before the key")
    await assertRefused(
      Array("# mine\n".utf8) + (try KeyFolder.text("ed25519-openssh")), .malformedKey, "before the key")
    let report = try await AsperaPrivateKey.pem(Secret(bytes: Array("# mine\n".utf8) + KeyFolder.text("rsa")))
      .check(on: .forKeys())
    XCTAssertEqual(report.kind, .rsa(bits: 2_048))
  }

  func testSeveralKeysInOneFileAreRejected() async throws {
    await assertRefused(
      try KeyFolder.text("rsa") + KeyFolder.text("rsa-pkcs8"), .unsupportedKey, "holds 2 private keys")
  }

  func testWindowsLineEndingsAreAccepted() async throws {
    for name in ["rsa", "rsa-aes128", "rsa-pkcs8", "ed25519-openssh"] {
      let text = String(decoding: try KeyFolder.text(name), as: UTF8.self).replacing("\n", with: "\r\n")
      let key = AsperaPrivateKey.pem(Secret(text), passphrase: name == "rsa-aes128" ? KeyFolder.passphrase : nil)
      _ = try await key.check(on: .forKeys())
    }
  }

  func testExcessiveKeyDerivationIsRejected() async throws {
    for (name, cost) in [("pkcs8-endless", "cost 2147483647"), ("pkcs8-endless-scrypt", "cost 2147483646")] {
      await assertRefused(try KeyFolder.text(name), .unsupportedKey, cost, passphrase: KeyFolder.passphrase)
    }
  }
}
