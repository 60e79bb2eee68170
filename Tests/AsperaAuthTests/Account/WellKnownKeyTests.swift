// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import Foundation
import StorageAuth
import StorageCrypto
import XCTest

/// Tests that the files of public keys such as IBM's may be readable by other users, and no other key files.
///
/// A committed key of this package stands for IBM's.
final class WellKnownKeyTests: XCTestCase {
  /// Returns a key in a file that other users can read or write, where the RSA key of this package is well-known.
  private func key(
    _ name: String, passphrase: Secret? = nil, mode: Int = 0o644, in folder: KeyFolder
  ) async throws -> AsperaPrivateKey {
    AsperaPrivateKey(
      .file(try folder.file(name, mode: mode)), passphrase: passphrase, wellKnownKeys: try await Self.wellKnown())
  }

  private static func wellKnown() async throws -> WellKnownKeys {
    WellKnownKeys(fingerprints: [try await KeyFolder.fingerprint("rsa")])
  }

  private func assertExposed(_ key: AsperaPrivateKey, _ remedy: String, line: UInt = #line) async {
    for client in [nil] + PrivateKeyReport.Client.allCases.map({ $0 }) {
      let error = await asperaError {
        guard let client else { return _ = try await key.check(on: .forKeys()) }
        _ = try key.converted(for: client, on: .forKeys())
      }
      XCTAssertEqual(error?.code, .insecureKeyFile, line: line)
      XCTAssertTrue(error?.remedy.contains(remedy) == true, "\(String(describing: error))", line: line)
    }
  }

  func testShippedFingerprintsAreThoseOfTwoKeys() throws {
    XCTAssertEqual(WellKnownKeys.ibm.fingerprints.count, 2)
    for fingerprint in WellKnownKeys.ibm.fingerprints {
      XCTAssertTrue(fingerprint.hasPrefix("SHA256:"))
      // OpenSSH omits the padding.
      let digest = try XCTUnwrap(Data(base64Encoded: "\(fingerprint.dropFirst("SHA256:".count))="))
      XCTAssertEqual(digest.count, 32)
    }
  }

  func testWellKnownKeyIsAcceptedFromAFileThatOthersCanRead() async throws {
    let folder = try KeyFolder()
    for (name, passphrase) in [
      ("rsa", nil), ("rsa-pkcs8", nil), ("rsa-openssh", nil), ("rsa-aes128", KeyFolder.passphrase),
      ("rsa-pkcs8-scrypt", KeyFolder.passphrase),
    ] {
      for mode in [0o644, 0o664] {
        let key = try await key(name, passphrase: passphrase, mode: mode, in: folder)
        _ = try await key.check(on: .forKeys())
        // The SSH client refuses such a file, and ascp reads it.
        let inMemory = try key.converted(for: .ssh, on: .forKeys())
        XCTAssertEqual(inMemory.source, .pem(Secret(bytes: try KeyFolder.text(name))))
        XCTAssertEqual(inMemory.passphrase, passphrase)
        if name != "rsa-openssh" { XCTAssertEqual(try key.converted(for: .ascp, on: .forKeys()), key) }
      }
    }
    let restricted = try await key("rsa", mode: 0o600, in: folder)
    XCTAssertEqual(try restricted.converted(for: .ssh, on: .forKeys()), restricted)
  }

  func testFileIsNotTrustedForItsName() async throws {
    let folder = try KeyFolder()
    let stranger = try XCTUnwrap(PrivateKey.generateRSA(bits: 2_048).traditionalPEM)
    let text = [UInt8](writing: { writer in stranger.withBytes { writer.append($0) } })
    let path = try folder.file("aspera_tokenauth_id_rsa", text, mode: 0o644)
    await assertExposed(
      AsperaPrivateKey(.file(path), passphrase: nil, wellKnownKeys: try await Self.wellKnown()), "chmod 600 \(path).")
    await assertExposed(.file(path), "chmod 600 \(path).")
  }

  func testEncryptedKeyIsRecognizedOnlyWithItsPassphrase() async throws {
    let folder = try KeyFolder()
    for passphrase in [nil, Secret("wrong")] {
      await assertExposed(try await key("rsa-aes128", passphrase: passphrase, in: folder), "give its passphrase")
    }
    // The public key in this format is not encrypted, but does not prove what the private key is.
    await assertExposed(
      try await key("rsa-openssh-ctr", passphrase: KeyFolder.passphrase, in: folder), "chmod 600")
  }

  func testPublicPartOfAWellKnownKeyDoesNotMakeAnotherKeyWellKnown() async throws {
    let folder = try KeyFolder()
    let stranger = try PrivateKey.generateRSA(bits: 2_048)
    let wellKnown = try PrivateKey(pem: String(decoding: try KeyFolder.text("rsa"), as: UTF8.self))
    let pem = try XCTUnwrap(stranger.openSSHPEM())
    let lines = String(writing: { writer in pem.withBytes { writer.append($0) } }).split(separator: "\n")
    var container = try XCTUnwrap(Data(base64Encoded: lines.dropFirst().dropLast().joined()))
    let own = Data(try XCTUnwrap(stranger.publicKey.sshBlob))
    let other = Data(try XCTUnwrap(wellKnown.publicKey.sshBlob))
    container.replaceSubrange(try XCTUnwrap(container.range(of: own)), with: other)
    let base64 = container.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    let text = "\(lines[0])\n\(base64)\n\(lines[lines.count - 1])\n"
    let path = try folder.file("mixed", Array(text.utf8), mode: 0o644)
    await assertExposed(
      AsperaPrivateKey(.file(path), passphrase: nil, wellKnownKeys: try await Self.wellKnown()), "chmod 600")
  }
}
