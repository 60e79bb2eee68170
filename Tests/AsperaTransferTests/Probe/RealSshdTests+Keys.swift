// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaTransfer
import Foundation
import StorageAuth
import StorageAuthTesting
import StoragePrograms
import XCTest

/// Tests accounts with private keys.
extension RealSshdTests {
  /// Returns a key in a file or in memory.
  private func key(_ name: String, inMemory: Bool, passphrase: String?) throws -> AsperaPrivateKey {
    let source: AsperaPrivateKey.Source =
      inMemory ? .pem(Secret(try fixture.keys.text(name))) : .file(try fixture.keys.path(name))
    return AsperaPrivateKey(source, passphrase: passphrase.map { Secret($0) })
  }

  // matrix: Aspera transfer (key): header, verify
  func testEveryKeyFormatIsAcceptedFromAFileAndFromMemory() async throws {
    let fixture = try fixture
    var accounts: [(String, AsperaAccount)] = []
    for file in fixture.keys.usable {
      for inMemory in [false, true] {
        let key = try key(file.name, inMemory: inMemory, passphrase: file.isEncrypted ? KeyFiles.passphrase : nil)
        accounts.append(("\(file.name), in memory: \(inMemory)", try fixture.servers.account(key: key)))
      }
    }
    XCTAssertGreaterThan(accounts.count, 30)
    await withTaskGroup(of: Void.self) { group in
      for (index, (name, account)) in accounts.enumerated() {
        if index >= Self.concurrency { await group.next() }
        group.addTask {
          do {
            let report = try await fixture.check(account)
            XCTAssertEqual(report.method, .publicKey, name)
          } catch {
            XCTFail("\(name): \(error)")
          }
        }
      }
    }
    XCTAssertEqual(try fixture.leftovers(), [])
  }

  // matrix: Aspera transfer (key): bad input
  func testWrongOrMissingPassphraseIsReported() async throws {
    for file in try fixture.keys.usable where file.isEncrypted {
      for passphrase in ["wrong", nil] {
        let key = try key(file.name, inMemory: false, passphrase: passphrase)
        let failure = try await failure(servers.account(key: key))
        XCTAssertEqual(failure.kind, .account, file.name)
        XCTAssertTrue(failure.message.contains("passphrase"), "\(file.name): \(failure)")
      }
    }
  }

  func testUnknownKeyIsRejected() async throws {
    let failure = try await failure(
      servers.account(key: key("stranger", inMemory: false, passphrase: nil)))
    XCTAssertEqual(failure.kind, .account)
    XCTAssertTrue(failure.message.contains("refused the key"), failure.message)
  }

  func testServerThatAcceptsOnlySHA1IsNamed() async throws {
    let before = try servers.log("sha1-keys")
    let rsa = try await failure(servers.account("sha1-keys", key: key("rsa-pem", inMemory: false, passphrase: nil)))
    XCTAssertEqual(rsa.kind, .account)
    XCTAssertTrue(rsa.message.contains("RSA signatures with SHA-1 alone (ssh-rsa)"), rsa.message)
    XCTAssertTrue(rsa.remedy.contains("Ed25519"), rsa.remedy)
    XCTAssertFalse(try servers.log("sha1-keys").dropFirst(before.count).contains("Accepted publickey"), "a signature")
    let other = try await check(
      servers.account("sha1-keys", key: key("ed25519-openssh", inMemory: false, passphrase: nil)))
    XCTAssertEqual(other.method, .publicKey)
  }

  func testUnknownRSAKeyIsNotBlamedOnSHA1() async throws {
    try fixture.keys.run("ssh-keygen -q -t rsa -b 2048 -m PEM -N '' -C stranger -f rsa-stranger")
    for server in ["keys", "sha1-keys"] {
      let failure = try await failure(
        servers.account(server, key: key("rsa-stranger", inMemory: false, passphrase: nil)))
      XCTAssertTrue(failure.message.contains("refused the key"), failure.message)
    }
  }

  func testKeyWithAByteOrderMarkIsAccepted() async throws {
    let keys = try fixture.keys
    for name in ["rsa-pem", "ed25519-openssh"] {
      try keys.run("{ printf '\\357\\273\\277'; cat \(name); } | tee \(name)-marked")
      let report = try await check(servers.account(key: key("\(name)-marked", inMemory: false, passphrase: nil)))
      XCTAssertEqual(report.method, .publicKey)
    }
  }

  func testWellKnownKeyThatOthersCanReadIsAccepted() async throws {
    let keys = try fixture.keys
    try keys.run("cp rsa-pem shared && chmod 644 shared")
    let fingerprint = try await AsperaPrivateKey.file(keys.path("rsa-pem"))
      .check(on: ProviderContext(transport: ScriptedTransport([]))).fingerprint
    let wellKnown = AsperaPrivateKey(
      .file(keys.path("shared")), passphrase: nil, wellKnownKeys: WellKnownKeys(fingerprints: [fingerprint]))
    let report = try await check(servers.account(key: wellKnown))
    XCTAssertEqual(report.method, .publicKey)
    let failure = try await failure(servers.account(key: .file(keys.path("shared"))))
    XCTAssertEqual(failure.kind, .account)
    XCTAssertTrue(failure.remedy.contains("chmod 600 \(keys.path("shared"))"), failure.remedy)
  }

  func testDSAKeyIsRejectedByName() async throws {
    try fixture.keys.run(
      "openssl dsaparam -genkey -out dsa-parameters 1024 && openssl dsa -in dsa-parameters -out dsa")
    for inMemory in [false, true] {
      let failure = try await failure(servers.account(key: key("dsa", inMemory: inMemory, passphrase: nil)))
      XCTAssertEqual(failure.kind, .account)
      XCTAssertTrue(failure.message.contains("DSA"), failure.message)
    }
  }

  func testOutdatedPublicKeyNextToTheFileIsIgnored() async throws {
    let keys = try fixture.keys
    try keys.run("cp ed25519-openssh twin && cp stranger.pub twin.pub")
    let report = try await check(servers.account(key: key("twin", inMemory: false, passphrase: nil)))
    XCTAssertEqual(report.method, .publicKey)
  }

  func testPathMayContainCharactersThatOpenSSHExpands() async throws {
    try fixture.keys.run("cp ed25519-openssh 'a %h ${HOME} \"b'")
    let report = try await check(servers.account(key: key("a %h ${HOME} \"b", inMemory: false, passphrase: nil)))
    XCTAssertEqual(report.method, .publicKey)
  }

  func testServerThatRequiresMoreThanAKeyIsReported() async throws {
    let key = try key("ed25519-openssh", inMemory: false, passphrase: nil)
    let failure = try await failure(servers.account("password", user: "both", key: key))
    XCTAssertEqual(failure.kind, .account)
    XCTAssertTrue(failure.message.contains("requires more: password"), failure.message)
  }
}
