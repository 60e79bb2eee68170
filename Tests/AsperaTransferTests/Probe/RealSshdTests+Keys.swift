// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaTransfer
import Foundation
import StorageAuth
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
