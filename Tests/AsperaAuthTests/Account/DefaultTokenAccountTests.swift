// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import Foundation
import StorageAuth
import XCTest

/// Tests the account with which transfers with tokens authenticate.
final class DefaultTokenAccountTests: XCTestCase {
  /// Creates a home directory with a key where Aspera Connect installs it.
  private func home(_ name: String) throws -> (home: TemporaryFolder, path: String) {
    let home = try TemporaryFolder()
    let place = try XCTUnwrap(TokenKeyLocations.all(on: .forKeys(home: home.path)).first { $0.hasPrefix("~/") })
    let path = home.path + place.dropFirst()
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(try KeyFolder.text(name)).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    return (home, path)
  }

  // matrix: Aspera transfer (token): header
  func testInstalledTokenKeyIsFound() async throws {
    let (home, path) = try home("rsa-aes128")
    let machine = ProviderContext.forKeys(environment: ["ASPERA_SCP_PASS": "correct horse"], home: home.path)
    let wellKnown = WellKnownKeys(fingerprints: [try await KeyFolder.fingerprint("rsa")])
    let key = try AsperaAccount.tokenKey(at: nil, passphrase: nil, wellKnown, on: machine)
    XCTAssertEqual(key.source, .file(path))
    XCTAssertEqual(key.passphrase, Secret("correct horse"))
    // The key is public knowledge: the permissions of its file matter only to the SSH client.
    _ = try await key.check(on: machine)
    XCTAssertEqual(try key.converted(for: .ascp, on: machine), key)
    let inMemory = try key.converted(for: .ssh, on: machine)
    XCTAssertEqual(inMemory.source, .pem(Secret(bytes: try KeyFolder.text("rsa-aes128"))))
    XCTAssertEqual(inMemory.passphrase, key.passphrase)
  }

  func testInstalledKeyThatIsNotWellKnownMustBePrivate() async throws {
    let (home, path) = try home("rsa")
    let machine = ProviderContext.forKeys(home: home.path)
    let error = await asperaError { try AsperaAccount.defaultTokenAccount(host: "node.example.com", on: machine) }
    XCTAssertEqual(error?.code, .insecureKeyFile)
    XCTAssertTrue(error?.remedy.hasPrefix("Restrict it: chmod 600 \(path).") == true, error?.remedy ?? "")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let account = try AsperaAccount.defaultTokenAccount(host: "node.example.com", on: machine)
    XCTAssertEqual(account.user, "xfer")
    XCTAssertEqual([account.sshPort, account.udpPort], [33_001, 33_001])
    XCTAssertTrue(account.requiresToken)
    guard case .privateKey(let key) = account.authentication else { return XCTFail("\(account)") }
    XCTAssertEqual(key.source, .file(path))
  }

  func testExplicitKeyAndUserTakePrecedence() throws {
    let (home, _) = try home("rsa-aes128")
    let folder = try KeyFolder()
    let path = try folder.file("rsa")
    let account = try AsperaAccount.defaultTokenAccount(
      host: "node.example.com", user: "faspex", keyPath: path, sshPort: 22, udpPort: 33_002,
      hostKey: HostKeyFingerprint(String(repeating: "ab", count: 20)), on: .forKeys(home: home.path))
    XCTAssertEqual(account.user, "faspex")
    XCTAssertEqual([account.sshPort, account.udpPort], [22, 33_002])
    XCTAssertNotNil(account.hostKey)
    guard case .privateKey(let key) = account.authentication else { return XCTFail("\(account)") }
    XCTAssertEqual(key.source, .file(path))
  }

  func testPassphraseOfTheEnvironmentIsUsedOnlyForEncryptedKeys() throws {
    let folder = try KeyFolder()
    let machine = ProviderContext.forKeys(environment: ["ASPERA_SCP_PASS": "of the user"])
    let account = try AsperaAccount.defaultTokenAccount(host: "h", keyPath: folder.file("rsa"), on: machine)
    guard case .privateKey(let key) = account.authentication else { return XCTFail("\(account)") }
    XCTAssertNil(key.passphrase)
    for name in ["rsa-des3", "rsa-openssh-ctr", "rsa-pkcs8-scrypt"] {
      let account = try AsperaAccount.defaultTokenAccount(
        host: "h", keyPath: folder.file(name), passphrase: KeyFolder.passphrase, on: machine)
      guard case .privateKey(let key) = account.authentication else { return XCTFail("\(account)") }
      XCTAssertEqual(key.passphrase, KeyFolder.passphrase)
    }
  }

  // matrix: Aspera transfer (token): bad input
  func testMissingKeyErrorListsTheSearchedLocations() async throws {
    let home = try TemporaryFolder()
    let machine = ProviderContext(
      environment: { $0 == "CONDA_PREFIX" ? "/conda" : nil }, home: home.path, files: NoFiles(),
      transport: ProviderContext.forKeys().transport)
    let error = await asperaError { try AsperaAccount.defaultTokenAccount(host: "h", on: machine) }
    XCTAssertEqual(error?.code, .keyNotFound)
    for place in TokenKeyLocations.all(on: machine) {
      let absolute = place.replacing("~", with: home.path)
      XCTAssertTrue(error?.message.contains(absolute) == true, absolute)
    }
  }

  func testEncryptedKeyWithoutAPassphraseIsRejected() async throws {
    let folder = try KeyFolder()
    let path = try folder.file("rsa-aes128", mode: 0o644)
    for environment in [[:], ["ASPERA_SCP_PASS": " "]] {
      let error = await asperaError {
        try AsperaAccount.defaultTokenAccount(host: "h", keyPath: path, on: .forKeys(environment: environment))
      }
      XCTAssertEqual(error?.code, .wrongPassphrase)
      XCTAssertTrue(error?.remedy.contains("ASPERA_SCP_PASS") == true)
    }
    let missing = await asperaError {
      try AsperaAccount.defaultTokenAccount(host: "h", keyPath: path + "x", on: .forKeys())
    }
    XCTAssertEqual(missing?.code, .keyNotFound)
  }

  func testKeyLocationsOfEachSystem() {
    let machine = ProviderContext.forKeys(environment: ["CONDA_PREFIX": "/conda", "LOCALAPPDATA": "C:\\Local"])
    XCTAssertTrue(TokenKeyLocations.all(.linux, on: machine).contains("/opt/aspera/var/aspera_tokenauth_id_rsa"))
    XCTAssertTrue(
      TokenKeyLocations.all(.linux, on: machine).contains("/conda/opt/aspera/connect/etc/aspera_tokenauth_id_rsa"))
    XCTAssertTrue(
      TokenKeyLocations.all(.macOS, on: machine).contains(
        "/Applications/Aspera Connect.app/Contents/Resources/aspera_tokenauth_id_rsa"))
    XCTAssertTrue(
      TokenKeyLocations.all(.windows, on: machine).contains(
        "C:\\Local\\Programs\\Aspera\\Aspera Connect\\etc\\aspera_tokenauth_id_rsa"))
    for system in [TokenKeyLocations.System.linux, .macOS, .windows] {
      XCTAssertTrue(TokenKeyLocations.all(system, on: machine).contains("~/.aspera/sdk/aspera_bypass_rsa.pem"))
    }
  }

  private struct NoFiles: FileReader {
    func read(_ path: String, limit: Int) throws(FileReadError) -> FileContents { throw .notFound }
  }
}
