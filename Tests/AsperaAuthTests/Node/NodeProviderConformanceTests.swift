// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import CredentialSources
import StorageAuth
import StorageAuthTesting
import XCTest

/// Tests that providers of node access conform to the rules of credential providers.
final class NodeProviderConformanceTests: XCTestCase {
  private let path = "/home/mia/.aspera/storage-auth.json"

  private func assertConforms(
    _ provider: some CredentialProvider<AsperaNodeAccess>, failing: [any CredentialProvider<AsperaNodeAccess>],
    time: any SigningClock, secrets: [String] = ["c4nary0"]
  ) async {
    // None of these providers waits.
    let rules = ProviderRule.allCases.filter { $0 != .cancellation }
    let report = await ProviderConformance(
      provider, failing: failing, secrets: secrets, concurrency: 20, in: ProviderContext(time: time)
    )
    .report(rules)
    XCTAssertTrue(report.isConforming, "\(report)")
    XCTAssertFalse("\(report)".contains("not tried"), "\(report)")
  }

  // matrix: Environment: credential redaction
  func testEnvironmentProviderConforms() async {
    let machine = NodeMachine(environment: ["ASPERA_NODE_USER": "mia", "ASPERA_NODE_PASSWORD": "c4nary0"])
    let failing: [BoundCredentialProvider<AsperaEnvironmentProvider>] = [[:], ["ASPERA_NODE_PASSWORD": "c4nary0"]].map {
      AsperaEnvironmentProvider().bound(to: NodeMachine(environment: $0).access)
    }
    await assertConforms(AsperaEnvironmentProvider().bound(to: machine.access), failing: failing, time: machine.time)
  }

  // matrix: Files: credential redaction
  func testProfileProviderConforms() async {
    let machine = NodeMachine(files: [path: #"{"default":{"access_key_id":"ak","token":"c4nary0"}}"#])
    let failing = ["c4nary0", #"{"default":{"token":"c4nary0"}}"#, #"{"default":{"user":"a:b","password":"c4nary0"}}"#]
      .map { ProfileCredentialProvider.asperaProfile().bound(to: NodeMachine(files: [path: $0]).access) }
    await assertConforms(
      ProfileCredentialProvider.asperaProfile().bound(to: machine.access), failing: failing, time: machine.time)
  }

  // matrix: Aspera Node (bearer): redaction
  func testBearerAccessProviderConforms() async throws {
    let time = ManualClock()
    let key = try TokenVectors().bearerKey()
    let short = try NodeBearerKey(pem: Secret(BearerKeys.short))
    let provider = BearerAccessProvider(accessKey: "ak", userID: "mia", key: key).bound(to: ProviderContext(time: time))
    let secret = try await provider.credential()
    guard case .bearer(let token, _) = secret.method else { return XCTFail("\(secret)") }
    let failing = [
      BearerAccessProvider(accessKey: "ak", userID: "mia", key: short).bound(to: ProviderContext(time: time)),
      BearerAccessProvider(accessKey: "ak", userID: "", key: key).bound(to: ProviderContext(time: time)),
      BearerAccessProvider(accessKey: "ak", userID: "mia", key: key, lifetime: .milliseconds(1_500)).bound(
        to: ProviderContext(time: time)),
      BearerAccessProvider(accessKey: "ak", userID: "mia", key: key, lifetime: .zero).bound(
        to: ProviderContext(time: time)),
    ]
    await assertConforms(
      provider, failing: failing, time: time, secrets: [String(token.reveal().dropFirst(20).prefix(24))])
  }

  // matrix: Aspera Node (bearer): early refresh, forced refresh, expiry
  func testCacheRefreshesMintedTokensBeforeExpirationAndAfterRejection() async throws {
    let time = ManualClock()
    let key = try TokenVectors().bearerKey()
    let cache = CredentialCache(
      BearerAccessProvider(accessKey: "ak", userID: "mia", key: key, lifetime: .seconds(3_600)).bound(
        to: ProviderContext(time: time)), in: ProviderContext(time: time),
      configuration: CredentialCacheConfiguration(spreadsFirstRenewal: false))
    let first = try await cache.credential(lasting: .seconds(2))
    XCTAssertEqual(first.credential.expiration, time.now.advanced(by: .seconds(3_600)))
    time.advance(by: .seconds(1_800))
    let same = try await cache.credential(lasting: .seconds(2))
    XCTAssertEqual(same.generation, first.generation)
    let forced = try await cache.credential(lasting: .seconds(2), replacing: first.generation)
    XCTAssertGreaterThan(forced.generation, first.generation)
    XCTAssertEqual(forced.credential.expiration, time.now.advanced(by: .seconds(3_600)))
    time.advance(by: .seconds(3_599))
    let early = try await cache.credential(lasting: .seconds(2))
    XCTAssertEqual(early.credential.expiration, time.now.advanced(by: .seconds(3_600)))
    guard case .bearer(let token, let id) = early.credential.method else { return XCTFail("\(early)") }
    let decoded = try NodeBearerToken(token)
    XCTAssertEqual(id, "ak")
    XCTAssertEqual(decoded.claims.scope, NodeScope(accessKey: "ak"))
    try decoded.verify(with: key.publicKeyPEM)
  }

  // matrix: Aspera Node (basic): forced refresh
  func testRejectedPasswordIsReadAgain() async throws {
    let variables = Lock(["ASPERA_NODE_USER": "mia", "ASPERA_NODE_PASSWORD": "old"])
    var access = NodeMachine().access
    access.environment = { name in variables.withLock { $0[name] } }
    let cache = CredentialCache(AsperaEnvironmentProvider().bound(to: access))
    let old = try await cache.credential(lasting: .zero)
    variables.withLock { $0["ASPERA_NODE_PASSWORD"] = "new" }
    let new = try await cache.credential(lasting: .zero, replacing: old.generation)
    XCTAssertEqual(new.credential, .basic(user: "mia", password: Secret("new")))
  }
}
