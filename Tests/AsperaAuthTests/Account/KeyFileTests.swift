// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import Foundation
import StorageAuth
import StorageCrypto
import XCTest

/// Tests key files: paths, permissions and public key files.
final class KeyFileTests: XCTestCase {
  // matrix: Aspera transfer (key): bad input
  func testFileAccessibleByOthersIsRejectedByName() async throws {
    let folder = try KeyFolder()
    for mode in [0o644, 0o640, 0o604, 0o620, 0o602, 0o601] {
      let path = try folder.file("rsa", mode: mode)
      let error = await asperaError { try await AsperaPrivateKey.file(path).check(on: .forKeys()) }
      XCTAssertEqual(error?.code, .insecureKeyFile)
      XCTAssertTrue(
        error?.message.contains("\(path) is accessible to other users (mode 0\(String(mode, radix: 8)))") == true)
      XCTAssertTrue(error?.remedy.hasPrefix("Restrict it: chmod 600 \(path).") == true, error?.remedy ?? "")
    }
    for mode in [0o600, 0o400, 0o700] {
      _ = try await AsperaPrivateKey.file(try folder.file("rsa", mode: mode)).check(on: .forKeys())
    }
  }

  func testFileOfAnAppBundleOrOfAReadOnlyVolumeMayBeReadableByOthers() async throws {
    let path = "/Photos.app/key.pem"
    for (place, mode) in [(FixedPlace.appBundle, 0o644), (.readOnlyVolume, 0o444), (.readOnlyVolume, 0o755)] {
      let machine = ProviderContext.forKeys(files: try OneFile("rsa", mode: UInt16(mode), place: place))
      let key = AsperaPrivateKey.file(path)
      let report = try await key.check(on: machine)
      XCTAssertEqual(report.kind, .rsa(bits: 2_048))
      let account = try AsperaAccount(host: "example.com", user: "mia", privateKey: key)
      _ = try await account.check(on: machine)
      _ = try AsperaAccount.defaultTokenAccount(host: "example.com", keyPath: path, on: machine)
      _ = try JWTSigningKey(key, on: machine)
      _ = try NodeBearerKey(key, on: machine)
      XCTAssertEqual(try key.converted(for: .ascp, on: machine), key)
      // The SSH client refuses a file that others may read.
      guard case .pem = try key.converted(for: .ssh, on: machine).source else { return XCTFail("\(place)") }
    }
    let machine = ProviderContext.forKeys(files: try OneFile("rsa", mode: 0o644, place: nil))
    let error = await asperaError { try await AsperaPrivateKey.file(path).check(on: machine) }
    XCTAssertEqual(error?.code, .insecureKeyFile)
    XCTAssertEqual(error?.remedy.contains("volume"), true, error?.remedy ?? "")
  }

  func testContentsThatAreNoPrivateKeyAreNamedBeforeTheirAccess() async throws {
    let folder = try KeyFolder()
    for (name, word) in [("rsa.pub", "holds a public key"), ("dsa", "DSA"), ("rsa.spki", "holds a public key")] {
      let path = try folder.file(name, mode: 0o644)
      let error = await asperaError { try await AsperaPrivateKey.file(path).check(on: .forKeys()) }
      XCTAssertTrue(error?.message.contains(word) == true, "\(String(describing: error))")
      XCTAssertFalse(error?.remedy.contains("chmod") == true)
    }
  }

  func testMissingUnreadableAndOversizedFilesAreRejected() async throws {
    let folder = try KeyFolder()
    let missing = await asperaError { try await AsperaPrivateKey.file("\(folder.path)/none").check(on: .forKeys()) }
    XCTAssertEqual(missing?.code, .keyNotFound)
    XCTAssertEqual(missing?.message, "The key file \(folder.path)/none does not exist.")
    let directory = await asperaError { try await AsperaPrivateKey.file(folder.path).check(on: .forKeys()) }
    XCTAssertEqual(directory?.code, .keyUnreadable)
    let long = try folder.file("long", [UInt8](repeating: 0x41, count: 1 << 16 + 1))
    let tooLong = await asperaError { try await AsperaPrivateKey.file(long).check(on: .forKeys()) }
    XCTAssertEqual(tooLong?.code, .malformedKey)
    let memory = await asperaError {
      try await AsperaPrivateKey.pem(Secret(String(repeating: "A", count: 1 << 16 + 1))).check(on: .forKeys())
    }
    XCTAssertTrue(memory?.message.contains("longer than 65536 bytes") == true)
  }

  func testPathInTheHomeDirectoryIsExpanded() async throws {
    let folder = try KeyFolder()
    _ = try folder.file("rsa")
    let report = try await AsperaPrivateKey.file("~/rsa").check(on: .forKeys(home: folder.path))
    XCTAssertEqual(report.kind, .rsa(bits: 2_048))
    let homeless = await asperaError { try await AsperaPrivateKey.file("~/rsa").check(on: .forKeys()) }
    XCTAssertEqual(homeless?.code, .keyNotFound)
  }

  func testPublicKeyFileMustMatchThePrivateKey() async throws {
    let folder = try KeyFolder()
    let spki = try folder.file("rsa.spki", mode: 0o644)
    let line = try folder.file("rsa.pub", mode: 0o644)
    for publicKey in [spki, line] {
      for name in ["rsa", "rsa-pkcs8-scrypt", "rsa-openssh", "rsa-openssh-gcm"] {
        let passphrase = ["rsa-pkcs8-scrypt", "rsa-openssh-gcm"].contains(name) ? KeyFolder.passphrase : nil
        let key = AsperaPrivateKey.file(
          try folder.file(name), passphrase: passphrase, publicKeyFile: publicKey)
        _ = try await key.check(on: .forKeys())
      }
      let other = AsperaPrivateKey.file(try folder.file("ecdsa-256"), publicKeyFile: publicKey)
      let error = await asperaError { try await other.check(on: .forKeys()) }
      XCTAssertEqual(error?.code, .publicKeyMismatch)
      XCTAssertTrue(error?.message.contains(publicKey) == true)
    }
  }

  func testPublicKeyFileOfAnotherKeyOfTheSameKindIsRejected() async throws {
    let folder = try KeyFolder()
    let stranger = try XCTUnwrap(PrivateKey.generateRSA(bits: 2_048).publicKey.pem)
    let publicKey = try folder.file("stranger.pem", Array(stranger.utf8))
    let key = AsperaPrivateKey.file(try folder.file("rsa"), publicKeyFile: publicKey)
    let error = await asperaError { try await key.check(on: .forKeys()) }
    XCTAssertEqual(error?.code, .publicKeyMismatch)
  }

  func testRelativePathStartsInTheWorkingDirectory() async throws {
    let folder = try KeyFolder()
    let path = try folder.file("rsa")
    let up = FileManager.default.currentDirectoryPath.split(separator: "/").map { _ in ".." }.joined(separator: "/")
    let report = try await AsperaPrivateKey.file(up + path).check(on: .forKeys())
    XCTAssertEqual(report.kind, .rsa(bits: 2_048))
  }

  func testPublicKeyFileWithoutAPublicKeyIsRejected() async throws {
    let folder = try KeyFolder()
    let rsa = try folder.file("rsa")
    let damaged = try folder.file("damaged.pub", Array("ssh-rsa AAAAB3NzaC1yc2EAAAADAQAB".utf8))
    let misnamed = try folder.file(
      "misnamed.pub",
      Array(String(decoding: try KeyFolder.text("rsa.pub"), as: UTF8.self).replacing("ssh-rsa", with: "ssh-dss").utf8))
    for (path, code) in [
      (rsa, AsperaError.Code.malformedKey), (damaged, .malformedKey), (misnamed, .malformedKey),
      ("\(folder.path)/none", .keyNotFound),
    ] {
      let key = AsperaPrivateKey.file(rsa, publicKeyFile: path)
      let error = await asperaError { try await key.check(on: .forKeys()) }
      XCTAssertEqual(error?.code, code)
      XCTAssertTrue(error?.message.hasPrefix("The public key file \(path) ") == true)
    }
  }
}
