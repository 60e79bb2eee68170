// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import StorageCrypto
import XCTest

/// Tests that invalid tokens, claims and keys are rejected with a reason and without a crash.
final class NodeBearerTokenRefusalTests: XCTestCase {
  private func packed(_ plaintext: some Sequence<UInt8>) throws -> String {
    let packed = try XCTUnwrap(Zlib.compress(Array(plaintext)))
    return String(writing: { $0.append(base64: packed) })
  }

  // matrix: Aspera Node (bearer): bad input
  func testInvalidTokensAreRejected() throws {
    let vector = try TokenVectors().text("node_bearer_token", "token")
    let cases: [(token: String, says: String)] = [
      ("", "zlib"), ("Bearer ", "zlib"), ("é", "Base64"), ("abc", "Base64"), ("eJ\neJ", "Base64"),
      (vector.replacing("J", with: "-"), "Base64"), (String(vector.prefix(40)), "zlib"), ("AAAA", "zlib"),
      (vector + "AAAA", "Base64"), (String(repeating: "A", count: 65_540), "Base64"),
      (try packed([UInt8](repeating: 0x20, count: 65_537)), "more than 65536"),
      (try packed(#"{"user_id":"a"}"#.utf8), "separates"), (try packed("".utf8), "separates"),
      (try packed("{}\n==SIGNATURE==\n".utf8), "no signature"),
      (try packed("{}\n==SIGNATURE==\n???\n".utf8), "no signature"),
      (try packed("{}\n==SIGNATURE==\n".utf8), "no signature"),
      (try packed([0x7b, 0x7d] + "\n==SIGNATURE==\n".utf8 + [0xff, 0xfe]), "no signature"),
      (try packed("\n==SIGNATURE==\nAAAA".utf8), "JSON object"),
      (try packed("[]==SIGNATURE==AAAA".utf8), "JSON object"),
      (try packed("{==SIGNATURE==AAAA".utf8), "JSON object"),
      (try packed([0xff] + "==SIGNATURE==AAAA".utf8), "JSON object"),
      (try packed(#"{"a":1,"a":2}==SIGNATURE==AAAA"#.utf8), "JSON object"),
    ]
    for (token, says) in cases { assertRefused(.invalidToken, says) { try NodeBearerToken(Secret(token)) } }
  }

  func testRandomTokensAreParsedWithoutACrash() throws {
    let vector = Array(try TokenVectors().text("node_bearer_token", "token").utf8)
    var random = SeededGenerator(seed: 7)
    for _ in 0..<2_000 {
      var bytes = vector
      for _ in 0..<(1 + random.next() % 4) {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      if random.next() % 4 == 0 { bytes.removeLast(Int(random.next() % UInt64(bytes.count))) }
      let token = try? NodeBearerToken(Secret(bytes: bytes))
      XCTAssertTrue(token == nil || bytes == vector || token?.claims.userID != nil)
      _ = try? AsperaToken(Secret(bytes: bytes))
    }
  }

  func testClaimsThatServersRejectAreNotSigned() throws {
    let key = try TokenVectors().bearerKey()
    let end = Timestamp(unixSeconds: 1_893_456_000)
    let good = NodeBearerClaims(userID: "mia", scope: NodeScope(accessKey: "ak"), expiration: end)
    for name in ["user_id", "scope", "expires_at"] {
      for value in [nil, "" as JSONValue, [:], .null] {
        var claims = good
        claims.fields[name] = value
        assertRefused(.invalidToken, "no \(name)") { try NodeBearerToken(claims, signedWith: key) }
      }
    }
    for id in ["a==SIGNATURE==b", String(repeating: "a", count: 40_000)] {
      let claims = NodeBearerClaims(userID: id, scope: NodeScope(accessKey: "ak"), expiration: end)
      assertRefused(.invalidToken, "the signature delimiter") { try NodeBearerToken(claims, signedWith: key) }
    }
  }

  func testOtherSignatureOrPayloadIsRejected() throws {
    let vectors = try TokenVectors()
    let (publicKey, key) = (try vectors.text("node_bearer_token", "public_key_pem"), try vectors.bearerKey())
    let other = try NodeBearerKey(pem: Secret(BearerKeys.encrypted), passphrase: Secret(BearerKeys.passphrase))
    let token = try NodeBearerToken(Secret(try vectors.text("node_bearer_token", "token")))
    let forged = try NodeBearerToken(token.claims, signedWith: other)
    assertRefused(.invalidToken, "signature") { try forged.verify(with: publicKey) }
    assertRefused(.invalidToken, "signature") { try token.verify(with: other.publicKeyPEM) }
    let plaintext = try vectors.text("node_bearer_token", "plaintext_before_deflate")
    for change in [
      ("666", "667"), ("user:all", "admin:all"), ("2030", "2031"), ("}\n==", "} \n=="), ("G+664", "G+665"),
    ] {
      let changed = try NodeBearerToken(Secret(try packed(plaintext.replacing(change.0, with: change.1).utf8)))
      assertRefused(.invalidToken, "signature") { try changed.verify(with: publicKey) }
    }
    assertRefused(.malformedKey, "not a public key") { try token.verify(with: "") }
    assertRefused(.malformedKey, "not a public key") { try token.verify(with: BearerKeys.short) }
    let elliptic = try XCTUnwrap(PrivateKey(pem: BearerKeys.elliptic).publicKey.pem)
    assertRefused(.unsupportedKey, "not an RSA key") { try token.verify(with: elliptic) }
    try NodeBearerToken(token.claims, signedWith: key).verify(with: publicKey)
  }

  func testUnsuitableKeyIsRejected() throws {
    let encrypted = Secret(BearerKeys.encrypted)
    assertRefused(.malformedKey, "not a private key") { try NodeBearerKey(pem: Secret("")) }
    assertRefused(.malformedKey, "not a private key") { try NodeBearerKey(pem: Secret("c4nary0key")) }
    assertRefused(.wrongPassphrase, "no passphrase") { try NodeBearerKey(pem: encrypted) }
    assertRefused(.wrongPassphrase, "no passphrase") { try NodeBearerKey(pem: encrypted, passphrase: Secret(" ")) }
    assertRefused(.wrongPassphrase, "does not open") { try NodeBearerKey(pem: encrypted, passphrase: Secret("wrong")) }
    assertRefused(.unsupportedKey, "not an RSA key") { try NodeBearerKey(pem: Secret(BearerKeys.elliptic)) }
    let claims = NodeBearerClaims(
      userID: "mia", scope: NodeScope(accessKey: "ak"), expiration: Timestamp(unixSeconds: 1_893_456_000))
    let short = try NodeBearerKey(pem: Secret(BearerKeys.short))
    assertRefused(.unsupportedKey, "too short") { try NodeBearerToken(claims, signedWith: short) }
  }
}
