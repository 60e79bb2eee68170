// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import Foundation
import LocalCloud
import StorageClient
import XCTest

/// Tests the checks of files with callers, accounts and tokens on the command line: their permissions and contents.
final class CommandLineSecretTests: XCTestCase {
  private static let role = "acs:ram::1250000000:role/localcloud"
  private static let variables = ["OSS_ACCESS_KEY_ID": key.id.string, "OSS_ACCESS_KEY_SECRET": key.secret.reveal()]

  private func tokenServer(_ callers: String, _ more: String...) async throws -> Programs.Outcome {
    try await Programs.storageAuth(
      [
        "token-server", "--provider", "oss", "--bucket", "photos", "--role", Self.role, "--callers", callers,
      ] + more, Self.variables)
  }

  func testPrefixThatLetsOneCallerReachAnotherIsRejected() async throws {
    for prefix in [
      "{caller}", "users/{caller}", "{caller}-", "{caller}_x", "{caller}{caller}", "{caller}0/", "a/{caller}b",
    ] {
      let outcome = try await tokenServer("/nowhere", "--prefix", prefix)
      XCTAssertEqual(outcome.status, 64, prefix)
      XCTAssertTrue(outcome.errors.contains("alicex"), outcome.errors)
    }
    for prefix in ["{caller}/", "users/{caller}/", "{caller}/x", "{caller}.", "x-{caller}{caller}/", "shared/", ""] {
      let outcome = try await tokenServer("/nowhere", "--prefix", prefix)
      XCTAssertEqual(outcome.status, 64, prefix + outcome.errors)
      XCTAssertTrue(outcome.errors.contains("/nowhere cannot be read"), outcome.errors)
    }
  }

  func testInvalidURLOfRedisIsRejectedWithoutItsPassword() async throws {
    for url in ["http://:hunter2@cache.example", "redis://hunter2@cache.example", "redis://:hunter2@cache.example/x"] {
      let outcome = try await tokenServer("/nowhere", "--redis", url)
      XCTAssertEqual(outcome.status, 64, url)
      XCTAssertTrue(outcome.errors.contains("URL of Redis"), outcome.errors)
      XCTAssertFalse((outcome.errors + outcome.output).contains("hunter2"), outcome.errors)
    }
    let alone = try await tokenServer("/nowhere", "--redis-password-file", "/nowhere")
    XCTAssertEqual(alone.status, 64, alone.errors)
  }

  func testAuthoritiesOfRedisWithoutTLSAreRejected() async throws {
    let plain = try await tokenServer("/nowhere", "--redis", "redis://cache.example", "--redis-ca", "/nowhere/ca.pem")
    XCTAssertEqual(plain.status, 64, plain.errors)
    XCTAssertTrue(plain.errors.contains("--redis-ca has an effect only with a rediss:// URL."), plain.errors)
    let encrypted = try await tokenServer("/nowhere", "--redis", "rediss://cache.example", "--redis-ca", "/nowhere/ca")
    XCTAssertTrue(encrypted.errors.contains("/nowhere cannot be read"), encrypted.errors)
  }

  func testInvalidCallerListIsRejected() async throws {
    let directory = try TemporaryDirectory(self)
    for (text, words) in [
      ("alice token-012345678901\nbob token-012345678901\n", "Line 2 of"),
      ("alice token-012345678901\nalice token-112345678901\n", "repeats the name of a caller"),
      ("alice/.. token-012345678901\n", "Line 1 of"), (".. token-012345678901\n", "Line 1 of"),
      ("* token-012345678901\n", "Line 1 of"), ("al?ce token-012345678901\n", "Line 1 of"),
      ("\u{212A}im token-012345678901\n", "Line 1 of"), ("ali\u{301}ce token-012345678901\n", "Line 1 of"),
      ("alice short\n", "Line 1 of"), ("# nothing\n", "contains no caller"),
    ] {
      let path = try directory.write(Array(text.utf8), to: "callers").string
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      let outcome = try await tokenServer(path)
      XCTAssertEqual(outcome.status, 64, text)
      XCTAssertTrue(outcome.errors.contains(words), outcome.errors)
      XCTAssertFalse(outcome.errors.contains("12345678901"), outcome.errors)
    }
  }

  func testFileWritableByOthersIsRejected() async throws {
    let directory = try TemporaryDirectory(self)
    let callers = try directory.write(Array("alice token-012345678901\n".utf8), to: "callers").string
    let accounts = try directory.write(Array("id:secret-of-account\n".utf8), to: "accounts").string
    let folder = URL(filePath: callers).deletingLastPathComponent().path
    func set(_ permissions: Int, _ path: String) throws {
      try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    }
    for (file, above) in [(0o620, 0o700), (0o602, 0o700), (0o666, 0o700), (0o600, 0o777), (0o600, 0o770)] {
      try set(file, callers)
      try set(file, accounts)
      try set(above, folder)
      for outcome in [
        try await tokenServer(callers), try await Programs.storageAuth(["serve", "--account-file", accounts]),
        try await Programs.storageAuth(["cp", "x", "aspera://mia@host/k", "--password-file", accounts]),
      ] {
        XCTAssertEqual(outcome.status, 64, outcome.output)
        XCTAssertTrue(outcome.errors.contains("is rejected because others could have written it"), outcome.errors)
        XCTAssertTrue(outcome.errors.contains("chmod go-w"), outcome.errors)
        XCTAssertFalse(outcome.errors.contains("secret-of-account"), outcome.errors)
      }
    }
    try set(0o700, folder)
    try set(0o600, callers)
    let link = folder + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: callers)
    let cloud = try await LocalCloud.start(.init(accounts: [.init(key)]))
    let port = try XCTUnwrap(cloud.ossEndpoint.authority.split(separator: ":").last.map(String.init))
    let outcome = try await tokenServer(link, "--port", port)
    XCTAssertTrue(outcome.errors.contains("cannot listen on"), outcome.errors)
    await cloud.stop()
  }

  func testInvalidAccountFileIsRejectedWithItsLine() async throws {
    let directory = try TemporaryDirectory(self)
    for (text, words) in [
      ("a:secret-word\nsecret-word\n", "Line 2 of"), ("password secret-word\n", "Line 1 of"),
      ("account\n", "Line 1 of"), ("account secret-word\n", "A value of --account"),
      ("app-token secret-word\napp-token secret-wort\n", "more than one token"),
    ] {
      let path = try directory.write(Array(text.utf8), to: "accounts").string
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      let outcome = try await Programs.storageAuth(["serve", "--account-file", path])
      XCTAssertNotEqual(outcome.status, 0, text)
      XCTAssertTrue(outcome.errors.contains(words), outcome.errors)
      XCTAssertFalse(outcome.errors.contains("secret-wor"), outcome.errors)
    }
  }

  func testAccountsFromStandardInputAreReadOnce() async throws {
    // Two tokens end the command after it has read the accounts that another address requires.
    let outcome = try await Programs.storageAuth(
      ["serve", "--listen", "127.0.0.2", "--account-file", "-"], input: "id:secret\napp-token a\napp-token b\n")
    XCTAssertEqual(outcome.status, 64, outcome.errors)
    XCTAssertTrue(outcome.errors.contains("more than one token"), outcome.errors)
  }
}
