// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

/// Tests the issuer that authorizes transfers with the credential of the Node API.
final class NodeAccessTokenIssuerTests: XCTestCase {
  private let time = ManualClock()
  private let spec = TransferSpec(.receive, [TransferPath("/a")])

  private func request(_ session: String, _ reason: TokenRequest.Reason = .initial) -> TokenRequest {
    TokenRequest(session: session, specification: spec, reason: reason)
  }

  // matrix: Aspera transfer (issuer): header
  func testBearerBecomesATokenWithTags() async throws {
    let end = time.now.advanced(by: .seconds(600))
    for text in ["eJc4nary0", "Bearer eJc4nary0"] {
      let access = AsperaNodeAccess(.bearer(token: Secret(text), accessKey: "ak"), expiration: end)
      let issuer = NodeAccessTokenIssuer(access: StaticCredentialProvider(access), fileID: "42")
      let grant = try await issuer.issue(for: request("1"), in: ProviderContext(time: time)).credential
      XCTAssertEqual(grant.token?.secret.reveal(), "Bearer eJc4nary0")
      XCTAssertEqual(grant.expiration, end)
      XCTAssertEqual(
        grant.specification.map { JSONValue.object($0.fields) },
        ["remote_user": "xfer", "tags": ["aspera": ["node": ["access_key": "ak", "file_id": "42"]]]])
    }
  }

  func testAccessKeyBecomesABasicToken() async throws {
    let issuer: NodeAccessTokenIssuer = .access(
      StaticCredentialProvider(AsperaNodeAccess.accessKey(id: "ak", secret: Secret("secret"))), fileID: "1")
    let grant = try await issuer.issue(for: request("1"), in: ProviderContext(time: time)).credential
    XCTAssertEqual(grant.token?.secret.reveal(), "Basic YWs6c2VjcmV0")
    XCTAssertNil(grant.expiration)
  }

  func testFurtherFieldsAndTagsAreMergedAndCannotReplaceTheFolder() async throws {
    var more = TransferSpec(fields: ["remote_user": "asp1", "remote_host": "h"])
    more.tags = ["aspera": ["app": "files", "node": ["file_id": "7", "extra": true]]]
    let access = AsperaNodeAccess.bearer(Secret("eJc4nary0"), accessKey: "ak")
    let issuer = NodeAccessTokenIssuer(
      access: StaticCredentialProvider(access), fileID: "42", specification: more)
    let fields = try await issuer.issue(for: request("1"), in: ProviderContext(time: time)).credential.specification?
      .fields
    XCTAssertEqual(
      fields.map { JSONValue.object($0) },
      [
        "remote_user": "asp1", "remote_host": "h",
        "tags": ["aspera": ["app": "files", "node": ["file_id": "42", "extra": true, "access_key": "ak"]]],
      ])
  }

  func testFurtherTagsThatAreNullDoNotRemoveTheRequiredTags() async throws {
    let access = AsperaNodeAccess.bearer(Secret("eJc4nary0"), accessKey: "ak")
    let issuer = NodeAccessTokenIssuer(
      access: StaticCredentialProvider(access), fileID: "42", specification: TransferSpec(fields: ["tags": .null]))
    let grant = try await issuer.issue(for: request("1"), in: ProviderContext(time: time)).credential
    XCTAssertEqual(
      grant.specification?.tags.map { JSONValue.object($0) },
      ["aspera": ["node": ["access_key": "ak", "file_id": "42"]]])
  }

  // matrix: Aspera transfer (issuer): bad input
  func testPasswordOfANodeUserIsNoToken() async throws {
    let issuer = NodeAccessTokenIssuer(access: SetupNode.fixed, fileID: "1")
    await assertRefuses(issuer, .rejected, "node user mia", "authorizes no transfers")
  }

  // matrix: Aspera transfer (issuer): forced refresh
  func testBearerThatExpiresTooSoonForASessionIsRefreshed() async throws {
    let provider = NumberedBearers(time: time, life: .seconds(3_600))
    let issuer = NodeAccessTokenIssuer(access: provider, fileID: "1")
    _ = try await issuer.issue(for: request("1"), in: ProviderContext(time: time))
    let token = try await issuer.issue(for: request("1", .expired), in: ProviderContext(time: time)).credential.token
    XCTAssertEqual(token?.secret.reveal(), "Bearer eJ2")
  }

  // matrix: Aspera transfer (issuer): forced refresh
  func testRejectedBearerIsRefreshedOnceForAllSessions() async throws {
    let provider = NumberedBearers(time: time, life: .seconds(3_600))
    let issuer = NodeAccessTokenIssuer(access: provider, fileID: "1")
    for session in ["1", "2", "3"] {
      let token = try await issuer.issue(for: request(session), in: ProviderContext(time: time)).credential.token
      XCTAssertEqual(token?.secret.reveal(), "Bearer eJ1")
    }
    for session in ["1", "2", "3"] {
      let token = try await issuer.issue(for: request(session, .rejected), in: ProviderContext(time: time)).credential
        .token
      XCTAssertEqual(token?.secret.reveal(), "Bearer eJ2")
    }
    let token = try await issuer.issue(for: request("2", .rejected), in: ProviderContext(time: time)).credential.token
    XCTAssertEqual(token?.secret.reveal(), "Bearer eJ3")
    XCTAssertEqual(provider.count, 3)
  }

  // matrix: Aspera transfer (issuer): early refresh
  func testBearerThatExpiresWithinTheMarginIsRefreshed() async throws {
    let provider = NumberedBearers(time: time, life: .seconds(600))
    let issuer = NodeAccessTokenIssuer(access: provider, fileID: "1")
    _ = try await issuer.issue(for: request("1"), in: ProviderContext(time: time))
    time.advance(by: .seconds(500))
    let token = try await issuer.issue(for: request("1"), in: ProviderContext(time: time)).credential.token
    XCTAssertEqual(token?.secret.reveal(), "Bearer eJ2")
  }

  func testBearerThatIsAlwaysShorterThanTheMarginIsUsed() async throws {
    let provider = NumberedBearers(time: time, life: .seconds(5))
    let issuer = NodeAccessTokenIssuer(access: provider, fileID: "1")
    var tokens: [Secret] = []
    for session in ["1", "2", "3"] {
      let grant = try await issuer.issue(for: request(session), in: ProviderContext(time: time)).credential
      XCTAssertGreaterThan(try XCTUnwrap(grant.expiration), time.now)
      tokens += (grant.token?.secret).map { [$0] } ?? []
      time.advance(by: .seconds(6))
    }
    XCTAssertEqual(Set(tokens.map { $0.reveal() }).count, 3)
  }

  // matrix: Aspera transfer (issuer): skew
  func testLifetimeOfABearerIsCountedByTheIssuersTime() async throws {
    let provider = NumberedBearers(time: time, life: .seconds(3_600), issuerDelay: .seconds(600))
    let issuer = NodeAccessTokenIssuer(access: provider, fileID: "1")
    for remaining in [3_600, 3_500] {
      let issued = try await issuer.issue(for: request("1"), in: ProviderContext(time: time))
      let issuerTime = try XCTUnwrap(issued.issuerTime)
      XCTAssertEqual(issuerTime, time.now.advanced(by: .seconds(-600)))
      XCTAssertEqual(issued.credential.expiration, issuerTime.advanced(by: .seconds(remaining)))
      time.advance(by: .seconds(100))
    }
    XCTAssertEqual(provider.count, 1)
  }

  // matrix: Aspera transfer (issuer): redaction
  func testDescriptionContainsNoToken() async throws {
    let access = AsperaNodeAccess.bearer(Secret("eJc4nary0"), accessKey: "ak")
    let issuer = NodeAccessTokenIssuer(access: StaticCredentialProvider(access), fileID: "1")
    _ = try await issuer.issue(for: request("1"), in: ProviderContext(time: time))
    XCTAssertEqual(DisplayedTexts(of: issuer).containing(["c4nary0"]), [])
    XCTAssertTrue("\(issuer)".contains("file ID: 1"))
  }
}

/// A provider of numbered bearer tokens with a fixed lifetime.
private final class NumberedBearers: CredentialProvider {
  let source = "bearer tokens that count"
  private let time: ManualClock
  private let life: Duration
  /// The duration by which the issuer's clock is behind this machine's.
  private let issuerDelay: Duration
  private let number = Lock(0)

  init(time: ManualClock, life: Duration, issuerDelay: Duration = .zero) {
    self.time = time
    self.life = life
    self.issuerDelay = issuerDelay
  }

  var count: Int { number.withLock { $0 } }

  func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AsperaNodeAccess> {
    let number = number.withLock { number in
      number += 1
      return number
    }
    let issuerTime = time.now.advanced(by: .zero - issuerDelay)
    return IssuedCredential(
      AsperaNodeAccess(
        .bearer(token: Secret("eJ\(number)"), accessKey: "ak"), expiration: issuerTime.advanced(by: life)),
      issuerTime: issuerTime)
  }
}
