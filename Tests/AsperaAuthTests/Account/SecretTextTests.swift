// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import XCTest

/// Passwords, passphrases and tokens as text, in place of values of the type `Secret`.
final class SecretTextTests: XCTestCase {
  func testAccountsAcceptPasswordsAsText() throws {
    let password = ["test", "pw"].joined()
    let account = try AsperaAccount(host: "example.com", user: "usr1", password: password)
    XCTAssertEqual(account, try AsperaAccount(host: "example.com", user: "usr1", password: Secret("testpw")))
    XCTAssertEqual(account, try AsperaAccount(host: "example.com", user: "usr1", password: "testpw"))
    XCTAssertThrowsError(try AsperaAccount(host: "example.com", user: "usr1", password: " ")) {
      XCTAssertEqual(($0 as? AsperaError)?.code, .missingCredential)
    }
  }

  func testKeysAcceptPassphrasesAsText() {
    let passphrase = ["pass", "phrase"].joined()
    XCTAssertEqual(
      AsperaPrivateKey.file("id_rsa", passphrase: passphrase).passphrase, Secret("passphrase"))
    XCTAssertNil(AsperaPrivateKey.file("id_rsa").passphrase)
  }

  func testTokensAndAccessKeysAreAcceptedAsText() throws {
    let text = ["ATM2", "token"].joined(separator: "_")
    XCTAssertEqual(try AsperaToken(text).secret, Secret("ATM2_token"))
    XCTAssertThrowsError(try AsperaToken("two\nlines"))
    guard case .accessKey("id", let secret) = AsperaNodeAccess.accessKey(id: "id", secret: text).method,
      case .basic("mia", let password) = AsperaNodeAccess.basic(user: "mia", password: text).method,
      case .bearer(let token, "id") = AsperaNodeAccess.bearer(text, accessKey: "id").method
    else { return XCTFail("another method") }
    for value in [secret, password, token] { XCTAssertEqual(value, "ATM2_token") }
  }
}
