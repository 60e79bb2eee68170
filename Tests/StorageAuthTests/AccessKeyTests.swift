// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth
import StorageCrypto
import XCTest

/// Expiration, equality, derived signing keys and redaction of access keys.
final class AccessKeyTests: XCTestCase {
  private let now = Timestamp(unixSeconds: 1_000)

  func testOnlyTheAnonymousConstantIsAnonymous() {
    XCTAssertTrue(AccessKey.anonymous.isAnonymous)
    XCTAssertFalse(AccessKey(id: "", secret: "", sessionToken: "").isAnonymous)
    XCTAssertNotEqual(AccessKey(id: "", secret: ""), .anonymous)
    XCTAssertFalse(AccessKey(id: "a", secret: "").isAnonymous)
    XCTAssertFalse(AccessKey(id: "", secret: "a").isAnonymous)
    XCTAssertFalse(AccessKey(id: "", secret: "", sessionToken: "a").isAnonymous)
    XCTAssertEqual("\(AccessKey.anonymous)", "AccessKey.anonymous")
  }

  func testEmptySessionTokenBecomesNil() {
    XCTAssertNil(AccessKey(id: "a", secret: "b", sessionToken: "").sessionToken)
    XCTAssertNil(AccessKey(id: "a", secret: "b", sessionToken: "").identity.sessionToken)
    XCTAssertNil(AccessKey(id: "a", secret: "b", sessionToken: "").encodedTokenField(named: .cookie))
  }

  func testKeyExpiresAtItsExpirationAndNotBefore() {
    let key = AccessKey(id: "a", secret: "b", expiration: Timestamp(unixSeconds: 1_300))
    XCTAssertTrue(key.expires(within: .seconds(300), at: now))
    XCTAssertFalse(key.expires(within: .milliseconds(299_999), at: now))
    XCTAssertFalse(key.expires(within: .zero, at: Timestamp(unixSeconds: 1_299)))
    XCTAssertTrue(key.expires(within: .zero, at: Timestamp(unixSeconds: 1_300)))
    XCTAssertTrue(key.expires(within: .seconds(-10), at: Timestamp(unixSeconds: 1_310)))
    XCTAssertFalse(AccessKey(id: "a", secret: "b").expires(within: .seconds(Int64.max), at: now))
    XCTAssertTrue(key.expires(within: .seconds(Int64.max), at: now))
  }

  func testKeysAreEqualOnlyIfEveryPropertyIsEqual() {
    func key(
      _ id: String = "a", _ secret: String = "b", _ token: String? = "c", _ start: Int64? = 1, _ end: Int64? = 2
    ) -> AccessKey {
      AccessKey(
        id: id, secret: secret, sessionToken: token, start: start.map { Timestamp(unixSeconds: $0) },
        expiration: end.map { Timestamp(unixSeconds: $0) })
    }
    XCTAssertEqual(key(), key())
    for other in [
      key("x"), key("a", "x"), key("a", "b", "x"), key("a", "b", nil), key("a", "b", "c", 3), key("a", "b", "c", nil),
      key("a", "b", "c", 1, 3), key("a", "b", "c", 1, nil),
    ] {
      XCTAssertNotEqual(other, key())
    }
    XCTAssertEqual(key().identity, key("a", "other").identity)
  }

  func testSigningKeyIsDerivedOncePerScopeAndTheOldestIsEvicted() {
    let key = AccessKey(id: "a", secret: "b")
    var derivations: [Int64] = []
    func use(_ day: Int64) -> HMACKey<SHA256> {
      key.signingKey(for: KeyScope(from: day, to: day)) { secret in
        derivations.append(day)
        return HMACKey(secret)
      }
    }
    let first = use(1)
    XCTAssertTrue(first === use(1))
    XCTAssertEqual(derivations, [1])
    for day: Int64 in [2, 3, 4, 1] { _ = use(day) }
    XCTAssertEqual(derivations, [1, 2, 3, 4])
    _ = use(5)
    _ = use(1)
    XCTAssertEqual(derivations, [1, 2, 3, 4, 5, 1])
    let copy = key
    _ = copy.signingKey(for: KeyScope(from: 5, to: 5)) { (secret) -> HMACKey<SHA256> in
      XCTFail("the copy derives the key again")
      return HMACKey(secret)
    }
  }

  func testDerivedKeysAreReleasedWithTheirAccessKey() {
    weak var derived: HMACKey<SHA1>?
    do {
      let key = AccessKey(id: "a", secret: "b")
      derived = key.signingKey(for: KeyScope()) { (secret) -> HMACKey<SHA1> in HMACKey(secret) }
      XCTAssertNotNil(derived)
      withExtendedLifetime(key) {}
    }
    XCTAssertNil(derived)
  }

  func testScopesAreEqualOnlyIfEveryPropertyIsEqual() {
    let scopes = [
      KeyScope(), KeyScope(from: 1), KeyScope(to: 1), KeyScope(region: "a"), KeyScope(service: "a"),
      KeyScope(from: 1, to: 1),
    ]
    for (index, scope) in scopes.enumerated() {
      XCTAssertEqual(scopes.firstIndex(of: scope), index)
    }
  }

  func testTokenFieldCarriesTheTokenUnderAnyHeaderName() {
    let key = AccessKey(id: "a", secret: "b", sessionToken: "t/+=")
    for name in [HTTPField.Name.cookie, .location, .cookie] {
      let field = HTTPField(name: name, value: "t/+=")
      for _ in 0..<2 {
        let encoded = key.encodedTokenField(named: name)
        XCTAssertEqual(encoded?.field, field)
        XCTAssertEqual(
          encoded?.encodedToken?.withBytes { bytes in String(writing: { $0.append(bytes) }) }, "t%2F%2B%3D")
      }
      XCTAssertEqual(key.tokenField(named: name), field)
    }
    XCTAssertNil(AccessKey(id: "a", secret: "b").tokenField(named: .cookie))
  }

  func testDescriptionOfAKeyContainsOnlyItsIdAndTimes() {
    let key = AccessKey(
      id: "LTAIexample", secret: "marker1", sessionToken: "marker2", start: now,
      expiration: Timestamp(unixSeconds: 2_000))
    XCTAssertEqual(
      key.description,
      "AccessKey(id: LTAIexample, secret: \(Secret.mask), sessionToken: \(Secret.mask), start: 1970-01-01T00:16:40Z, "
        + "expiration: 1970-01-01T00:33:20Z)")
  }

  func testStaticProviderReturnsItsKey() async throws {
    let key = AccessKey(id: "a", secret: "b")
    let provided = try await StaticCredentialProvider(key).credential()
    XCTAssertEqual(provided, key)
  }

  func testCheckRejectsOversizedKeys() throws {
    XCTAssertNoThrow(
      try AccessKey(
        id: String(repeating: "a", count: 1_024), secret: String(repeating: "s", count: 16_384),
        sessionToken: String(repeating: "t", count: 16_384)
      ).check())
    for key in [
      AccessKey(id: String(repeating: "a", count: 1_025), secret: "secret"),
      AccessKey(id: "id", secret: String(repeating: "s", count: 16_385)),
      AccessKey(id: "id", secret: "secret", sessionToken: String(repeating: "t", count: 16_385)),
    ] {
      XCTAssertThrowsError(try key.check()) { error in
        XCTAssertEqual((error as? SigningError)?.code, .invalidCredential)
        XCTAssertFalse("\(error)".contains("ssss") || "\(error)".contains("tttt"))
      }
    }
  }
}
