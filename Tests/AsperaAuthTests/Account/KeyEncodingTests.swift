// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import Foundation
import StorageAuth
import XCTest

/// Tests keys in text encodings other than ASCII, as editors on Windows save them.
final class KeyEncodingTests: XCTestCase {
  private static let mark: [UInt8] = [0xef, 0xbb, 0xbf]

  /// Returns a text in UTF-16, with or without a byte order mark.
  private static func utf16(_ text: [UInt8], isBigEndian: Bool, isMarked: Bool) -> [UInt8] {
    let units = (isMarked ? [0xfeff] : []) + text.map { UInt16($0) }
    return units.flatMap { unit in
      let bytes = [UInt8(unit >> 8), UInt8(unit & 0xff)]
      return isBigEndian ? bytes : bytes.reversed()
    }
  }

  // matrix: Aspera transfer (key): bad input
  func testByteOrderMarkIsSkipped() async throws {
    let folder = try KeyFolder()
    for name in [
      "rsa", "rsa-aes128", "rsa-pkcs8", "rsa-pkcs8-pbkdf2", "ecdsa-256", "ed25519-openssh", "rsa-openssh-ctr",
    ] {
      let isEncrypted = name.contains(/aes|pbkdf2|ctr/)
      let passphrase = isEncrypted ? KeyFolder.passphrase : nil
      let text = try KeyFolder.text(name)
      let plain = try await AsperaPrivateKey.pem(Secret(bytes: text), passphrase: passphrase).check(on: .forKeys())
      for key in [
        AsperaPrivateKey.pem(Secret(bytes: Self.mark + text), passphrase: passphrase),
        .file(try folder.file(name, Self.mark + text), passphrase: passphrase),
      ] {
        let report = try await key.check(on: .forKeys())
        XCTAssertEqual(report.fingerprint, plain.fingerprint)
        for client in PrivateKeyReport.Client.allCases {
          XCTAssertTrue(report.limits.contains { $0.client == client && $0.reason.contains("byte order mark") })
          let converted = try key.converted(for: client, on: .forKeys())
          XCTAssertEqual(converted.source, .pem(Secret(bytes: text)), name)
          XCTAssertEqual(converted.passphrase, passphrase)
        }
      }
    }
  }

  func testByteOrderMarkInAPublicKeyFileIsSkipped() async throws {
    let folder = try KeyFolder()
    for name in ["rsa.pub", "rsa.spki"] {
      let path = try folder.file(name, Self.mark + KeyFolder.text(name), mode: 0o644)
      _ = try await AsperaPrivateKey.file(try folder.file("rsa"), publicKeyFile: path).check(on: .forKeys())
    }
  }

  func testUTF16IsNamed() async throws {
    let folder = try KeyFolder()
    for isBigEndian in [false, true] {
      for isMarked in [false, true] {
        func utf16(_ name: String) throws -> [UInt8] {
          Self.utf16(try KeyFolder.text(name), isBigEndian: isBigEndian, isMarked: isMarked)
        }
        for name in ["rsa", "ed25519-openssh", "rsa.pub"] {
          let error = await asperaError {
            try await AsperaPrivateKey.pem(Secret(bytes: utf16(name))).check(on: .forKeys())
          }
          XCTAssertEqual(error?.code, .malformedKey)
          XCTAssertTrue(error?.message.contains("UTF-16") == true, "\(String(describing: error))")
          XCTAssertTrue(error?.remedy.contains("iconv -f UTF-16") == true)
        }
        let publicKey = try folder.file("rsa.pub", utf16("rsa.pub"), mode: 0o644)
        let error = await asperaError {
          try await AsperaPrivateKey.file(try folder.file("rsa"), publicKeyFile: publicKey).check(on: .forKeys())
        }
        XCTAssertTrue(error?.message.contains("UTF-16") == true, "\(String(describing: error))")
        let bearer = await asperaError { try NodeBearerKey(pem: Secret(bytes: utf16("rsa"))) }
        XCTAssertTrue(bearer?.message.contains("UTF-16") == true, "\(String(describing: bearer))")
      }
    }
  }

  func testKeyForBearerTokensMayStartWithAByteOrderMark() throws {
    let text = try KeyFolder.text("rsa")
    XCTAssertEqual(
      try NodeBearerKey(pem: Secret(bytes: Self.mark + text)).publicKeyPEM,
      try NodeBearerKey(pem: Secret(bytes: text)).publicKeyPEM)
  }

  func testReportIsDescribedInWords() async throws {
    let report = try await AsperaPrivateKey.pem(
      Secret(bytes: try KeyFolder.text("rsa-pkcs8-pbkdf2")), passphrase: KeyFolder.passphrase
    ).check(on: .forKeys())
    XCTAssertEqual(
      "\(report.kind); \(report.format); \(report.passphrase)",
      "RSA, 2048 bits; PKCS #8; encrypted, and decrypted by the passphrase")
    XCTAssertEqual(
      "\(AccountReport.Authentication.privateKey(report))",
      "private key: RSA, 2048 bits, PKCS #8, encrypted, and decrypted by the passphrase")
    XCTAssertEqual("\(AccountReport.Authentication.password)", "password")
    XCTAssertEqual("\(PrivateKeyReport.Kind.ecdsa(curve: "nistp256"))", "ECDSA, nistp256")
    XCTAssertEqual("\(PrivateKeyReport.Kind.ed25519)", "Ed25519")
    XCTAssertEqual("\(PrivateKeyReport.Format.traditional)", "traditional PEM")
    XCTAssertEqual("\(PrivateKeyReport.Format.openSSH)", "OpenSSH's own format")
    XCTAssertEqual("\(PrivateKeyReport.Passphrase.none)", "not encrypted")
    XCTAssertEqual(
      "\(PrivateKeyReport.Passphrase.unchecked("there is no ssh-keygen"))",
      "encrypted, and the passphrase was not checked: there is no ssh-keygen")
  }
}
