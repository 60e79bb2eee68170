// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import Foundation
import StorageAuth
import StorageAuthTesting
import StorageCrypto
import XCTest

/// Tests signed assertions against tokens that PyJWT signed, and the keys that can sign them.
final class AssertionTests: XCTestCase {
  private func vectors() throws -> JSONValue {
    let found = Bundle.module.url(forResource: "assertions", withExtension: "json", subdirectory: "Vectors")
    let url = try XCTUnwrap(found)
    return try JSONValue(parsing: Data(contentsOf: url))
  }

  private var grant: JWTGrant {
    var grant = GrantSample.grant
    grant.claims["jti"] = "jti-1"
    return grant
  }

  func testDeterministicAssertionsEqualThoseOfPyJWT() async throws {
    let vectors = try vectors()["assertions"]?.array ?? []
    XCTAssertEqual(vectors.compactMap { $0["algorithm"]?.string }, JWTAlgorithm.all.map(\.name))
    for vector in vectors {
      let algorithm = try XCTUnwrap(vector["algorithm"]?.string.flatMap { JWTAlgorithm($0) })
      var grant = grant
      grant.algorithm = algorithm
      let sample = GrantSample(GrantSample.answer())
      _ = try await sample.provider(grant, key: XCTUnwrap(vector["key"]?.string)).credential()
      let sent = try XCTUnwrap(sample.form()["assertion"])
      let expected = try XCTUnwrap(vector["assertion"]?.string)
      if algorithm.name.hasPrefix("RS") {
        XCTAssertEqual(sent, expected, "\(algorithm)")
      } else {
        XCTAssertEqual(sent.split(separator: ".").prefix(2), expected.split(separator: ".").prefix(2), "\(algorithm)")
        XCTAssertNotEqual(sent, expected, "\(algorithm)")
      }
    }
  }

  func testSignaturesOfPyJWTVerifyWithTheirOwnAlgorithmAndKeyOnly() throws {
    for vector in try vectors()["assertions"]?.array ?? [] {
      let token = try XCTUnwrap(vector["assertion"]?.string.flatMap { JSONWebToken($0) })
      let own = try XCTUnwrap(token.algorithm)
      XCTAssertEqual(own.name, vector["algorithm"]?.string)
      let key = try PublicKey(pem: GrantSample.key(XCTUnwrap(vector["key"]?.string)).publicKeyPEM)
      for algorithm in JWTAlgorithm.all {
        XCTAssertEqual(token.isSigned(by: key, with: algorithm), algorithm == own, "\(own) as \(algorithm)")
      }
      let other = try PrivateKey.generateRSA(bits: 2_048).publicKey
      XCTAssertFalse(token.isSigned(by: other, with: own), "\(own)")
      let changed = token.secret.reveal().replacing(".eyJpc3Mi", with: ".eyJpc3Qi")
      let damaged = try XCTUnwrap(JSONWebToken(changed))
      XCTAssertNotNil(damaged.claims["ist"], "the name of the first claim is changed")
      XCTAssertFalse(damaged.isSigned(by: key, with: own))
    }
  }

  func testEachRequestHasAnAssertionOfItsOwn() async throws {
    let sample = GrantSample(GrantSample.answer(), GrantSample.answer())
    let provider = try sample.provider()
    _ = try await provider.credential()
    _ = try await provider.credential()
    let ids = try [sample.claims(0)["jti"]?.string, sample.claims(1)["jti"]?.string]
    XCTAssertNotEqual(ids[0], ids[1])
    XCTAssertNotNil(ids[0].flatMap { UUID(uuidString: $0) })
  }

  func testClaimsAllowForAClockThatIsFastOrSlow() async throws {
    var grant = GrantSample.grant
    grant.clockTolerance = .seconds(60)
    grant.assertionLifetime = .seconds(600)
    grant.claims["org"] = "acme"
    let sample = GrantSample(GrantSample.answer())
    _ = try await sample.provider(grant).credential()
    XCTAssertEqual(
      try sample.claims().filter { $0.name != "jti" }.map { "\($0.name)=\($0.value.code ?? "")" },
      [
        "iss=client-1", "sub=user:mia@example.com", "aud=client-1", "exp=1800000600", "nbf=1799999940",
        "iat=1799999940", "org=acme",
      ])
  }

  func testKeysInEveryFormatSign() throws {
    let publicKey = try GrantSample.key("rsa").publicKeyPEM
    for name in ["rsa-pkcs8", "rsa-openssh"] {
      XCTAssertEqual(try JWTSigningKey(pem: GrantSample.pem(name)).publicKeyPEM, publicKey, name)
    }
    for name in ["rsa-aes128", "rsa-pkcs8-pbkdf2", "rsa-pkcs8-scrypt"] {
      let key = try JWTSigningKey(pem: GrantSample.pem(name), passphrase: Secret("correct horse"))
      XCTAssertEqual(key.publicKeyPEM, publicKey, name)
      assertRefused(.wrongPassphrase, "passphrase") { try JWTSigningKey(pem: GrantSample.pem(name)) }
      assertRefused(.wrongPassphrase, "passphrase") {
        try JWTSigningKey(pem: GrantSample.pem(name), passphrase: Secret("wrong"))
      }
    }
    let names = ["ecdsa-256", "ecdsa-384", "ecdsa-521", "rsa"]
    let algorithms = try names.map { try GrantSample.key($0).standardAlgorithm }
    XCTAssertEqual(algorithms, [.es256, .es384, .es512, .rs256])
  }

  func testUnsuitableKeysAreRefusedWithTheirReason() throws {
    assertRefused(.unsupportedKey, "2048") { try JWTSigningKey(pem: GrantSample.pem("rsa-768")) }
    assertRefused(.unsupportedKey, "neither an RSA key") { try JWTSigningKey(pem: GrantSample.pem("ed25519-pkcs8")) }
    assertRefused(.unsupportedKey, "neither an RSA key") { try JWTSigningKey(pem: GrantSample.pem("secp256k1")) }
    assertRefused(.unsupportedKey, "OpenSSH's own format") {
      try JWTSigningKey(pem: GrantSample.pem("rsa-openssh-ctr"), passphrase: Secret("correct horse"))
    }
    assertRefused(.malformedKey, "public key") { try JWTSigningKey(pem: GrantSample.pem("rsa.spki")) }
    assertRefused(.malformedKey, "no private key") { try JWTSigningKey(pem: Secret("c4nary0")) }
  }

  func testAlgorithmOfAnotherKindOfKeyIsRefused() async throws {
    var grant = GrantSample.grant
    grant.algorithm = .es256
    await assertRefuses(try GrantSample().provider(grant), .failed, "cannot sign with ES256", "RS256")
  }

  func testMalformedTokensAreNotParsed() {
    for text in ["", ".", "..", "a.b.c", "e30.e30", "e30.e30.e30.e30", "e30=.e30.e30", "W10.e30.e30", "e30.W10.e30"] {
      XCTAssertNil(JSONWebToken(text), text)
    }
    XCTAssertNotNil(JSONWebToken("e30.e30."))
    XCTAssertNil(JSONWebToken("e30.e30.e30")?.algorithm)
    for name in ["none", "HS256", "rs256", "RS257", "EdDSA", ""] { XCTAssertNil(JWTAlgorithm(name), name) }
  }
}
