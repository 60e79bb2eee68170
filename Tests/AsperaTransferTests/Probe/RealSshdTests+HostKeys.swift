// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaTransfer
import Foundation
import StorageAuth
import StoragePrograms
import XCTest

/// Tests host key fingerprints.
extension RealSshdTests {
  func testFingerprintOfAnyHostKeyPinsTheConnectionToThatKey() async throws {
    let key = AsperaPrivateKey.file(try fixture.keys.path("rsa-pem"))
    for (name, type) in [("rsa", "ssh-rsa"), ("ecdsa", "ecdsa-sha2-nistp256"), ("ed25519", "ssh-ed25519")] {
      let fingerprint = try servers.hostKey(name)
      let report = try await check(servers.account(key: key, hostKey: fingerprint))
      XCTAssertEqual(report.hostKey?.type, type)
      XCTAssertEqual(report.hostKey?.fingerprint, fingerprint)
      XCTAssertTrue(report.isHostKeyPinned)
      XCTAssertEqual(report.notes, [])
    }
  }

  func testOtherFingerprintEndsTheCheckBeforeAuthentication() async throws {
    let other = try HostKeyFingerprint(String(repeating: "0f", count: 20))
    let key = AsperaPrivateKey.file(try fixture.keys.path("ed25519-openssh"))
    let before = try servers.log("keys").split(whereSeparator: \.isNewline).count
    let failure = try await failure(servers.account(key: key, hostKey: other))
    XCTAssertEqual(failure.kind, .hostKey)
    XCTAssertTrue(failure.message.contains(other.description), failure.message)
    for name in ["rsa", "ecdsa", "ed25519"] {
      XCTAssertTrue(failure.message.contains(try servers.hostKey(name).description), failure.message)
    }
    let log = try servers.log("keys").split(whereSeparator: \.isNewline).dropFirst(before)
    let user = try servers.user
    XCTAssertFalse(log.contains { $0.contains(" \(user) ") }, "\(log)")
  }

  func testServerThatProvesItsHostKeyOnlyWithSHA1IsNamed() async throws {
    let key = AsperaPrivateKey.file(try fixture.keys.path("ed25519-openssh"))
    for hostKey in [nil, try servers.hostKey("rsa")] {
      let failure = try await failure(servers.account("sha1-host", key: key, hostKey: hostKey))
      XCTAssertEqual(failure.kind, .hostKey)
      XCTAssertTrue(failure.message.contains("signs with SHA-1 alone to prove its host key (ssh-rsa)"), failure.message)
    }
  }

  func testWithoutAFingerprintAnyHostKeyIsAcceptedAndNoted() async throws {
    let key = AsperaPrivateKey.file(try fixture.keys.path("ed25519-openssh"))
    let report = try await check(servers.account(key: key))
    XCTAssertFalse(report.isHostKeyPinned)
    let hostKey = try XCTUnwrap(report.hostKey)
    XCTAssertEqual(hostKey.fingerprint, try servers.hostKey("ed25519"))
    XCTAssertTrue(hostKey.sha256.hasPrefix("SHA256:"))
    XCTAssertTrue(report.notes.contains { $0.contains(hostKey.fingerprint.description) }, "\(report.notes)")
  }
}
