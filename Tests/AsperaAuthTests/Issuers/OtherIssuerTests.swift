// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

/// Tests issuers of bearer tokens, fixed tokens and tokens of an app's function.
final class OtherIssuerTests: XCTestCase {
  private struct Private: Error { let text = "c4nary0" }

  private let spec = TransferSpec(.receive, [TransferPath("/a")])

  // matrix: Aspera transfer (issuer): header, expiry
  func testMintedTokenComesWithTheTagsThatServersRequire() async throws {
    let time = ManualClock()
    let key = try TokenVectors().bearerKey()
    let issuer = BearerTokenIssuer(
      accessKey: "ak", userID: "mia", fileID: "42", key: key, lifetime: .seconds(600))
    let issued = try await issuer.issue(
      for: TokenRequest(session: "1", specification: spec), in: ProviderContext(time: time))
    let token = try XCTUnwrap(issued.credential.token)
    XCTAssertEqual(token.kind, .bearer)
    XCTAssertEqual(token.expiration, time.now.advanced(by: .seconds(600)))
    XCTAssertEqual(issued.credential.expiration, token.expiration)
    XCTAssertEqual(issued.issuerTime, time.now)
    XCTAssertEqual(
      issued.credential.specification.map { JSONValue.object($0.fields) },
      ["remote_user": "xfer", "tags": ["aspera": ["node": ["file_id": "42", "access_key": "ak"]]]])
    let minted = try NodeBearerToken(token.secret)
    XCTAssertEqual(minted.claims.userID, "mia")
    XCTAssertEqual(minted.claims.scope, NodeScope(accessKey: "ak", role: "user:all"))
    try minted.verify(with: key.publicKeyPEM)
  }

  // matrix: Aspera transfer (issuer): forced refresh
  func testEachTokenIsMintedSeparately() async throws {
    let time = ManualClock()
    let issuer = BearerTokenIssuer(
      accessKey: "ak", userID: "mia", fileID: "1", key: try TokenVectors().bearerKey())
    let first = try await issuer.issue(
      for: TokenRequest(session: "1", specification: spec), in: ProviderContext(time: time))
    time.advance(by: .seconds(1))
    let request = TokenRequest(session: "1", specification: spec, reason: .rejected, attempt: 2)
    let second = try await issuer.issue(for: request, in: ProviderContext(time: time))
    XCTAssertNotEqual(first.credential.token, second.credential.token)
    XCTAssertEqual(second.credential.expiration, time.now.advanced(by: .seconds(3_600)))
  }

  func testUnsuitableKeyAndInvalidLifetimeAreRejected() async throws {
    let short = try NodeBearerKey(pem: Secret(BearerKeys.short))
    await assertRefuses(
      BearerTokenIssuer(accessKey: "ak", userID: "mia", fileID: "1", key: short), .failed, "too short")
    let key = try TokenVectors().bearerKey()
    for life in [Duration.zero, .seconds(-5), .milliseconds(999), .seconds(40_000_000)] {
      let issuer: BearerTokenIssuer = .bearer(accessKey: "ak", userID: "mia", fileID: "1", key: key, lifetime: life)
      await assertRefuses(issuer, .failed, "lifetime")
    }
  }

  // matrix: Aspera transfer (token): header
  // matrix: Aspera transfer (token): forced refresh
  func testFixedTokenIsNotIssuedAgainAfterRejection() async throws {
    let token = try AsperaToken(Secret("ATM2_c4nary0_2MTA"))
    let issuer = FixedTokenIssuer(token)
    for reason in [TokenRequest.Reason.initial, .missing] {
      let issued = try await issuer.issue(
        for: TokenRequest(session: "1", specification: spec, reason: reason), in: .local)
      XCTAssertEqual(issued.credential, TransferCredential(token: token))
    }
    for (reason, says) in [(TokenRequest.Reason.rejected, "rejected by the server"), (.expired, "has expired")] {
      await assertRefuses(
        issuer, .rejected, says,
        for: TokenRequest(session: "1", specification: spec, reason: reason, attempt: 2))
    }
  }

  // matrix: Aspera transfer (token): header
  func testAccessKeyIsIssuedAsABasicToken() async throws {
    let issuer = try FixedTokenIssuer(accessKey: "ak", secret: Secret("secret"), fileID: "7")
    let grant = try await issuer.issue(for: SetupNode.download, in: .local).credential
    XCTAssertEqual(grant.token?.secret.reveal(), "Basic YWs6c2VjcmV0")
    XCTAssertNil(grant.expiration)
    XCTAssertEqual(
      grant.specification.map { JSONValue.object($0.fields) },
      ["remote_user": "xfer", "tags": ["aspera": ["node": ["access_key": "ak", "file_id": "7"]]]])
    let root: FixedTokenIssuer = try .accessKey("ak", secret: Secret("secret"))
    let whole = try await root.issue(for: SetupNode.download, in: .local).credential
    XCTAssertEqual(whole.specification?.fields["tags"], ["aspera": ["node": ["access_key": "ak"]]])
    assertRefused(.invalidToken, "colon") { try FixedTokenIssuer(accessKey: "a:b", secret: Secret("c4nary0")) }
  }

  // matrix: Aspera transfer (issuer): bad input
  func testFunctionThatReturnsNilOrThrowsIsAnError() async throws {
    let token = try AsperaToken(Secret("ATM2_c4nary0_2MTA"))
    let good = ClosureTokenIssuer(source: "my server") { request in
      XCTAssertEqual(request, SetupNode.download)
      return TransferCredential(token: token)
    }
    let issued = try await good.issue(for: SetupNode.download, in: .local)
    XCTAssertEqual(issued.credential.token, token)
    XCTAssertEqual(issued.source, "my server")
    await assertRefuses(
      ClosureTokenIssuer(source: "my server") { _ in nil }, .unavailable, "no token now", isRetryable: true)
    await assertRefuses(
      ClosureTokenIssuer(source: "my server") { _ in throw Private() }, .failed, "my server", "type Private",
      isRetryable: true)
    await assertRefuses(
      ClosureTokenIssuer(source: "my server") { _ in TransferCredential(token: try AsperaToken(Secret(""))) },
      .malformedResponse, "The token is empty.")
    await assertRefuses(ClosureTokenIssuer(source: "my server") { _ in throw CancellationError() }, .cancelled)
    let own = CredentialError(.rejected, source: "vault", "No.", remedy: "Ask nicely.")
    await assertRefuses(ClosureTokenIssuer(source: "my server") { _ in throw own }, .rejected, "vault")
  }

  func testErrorOfTheAppsFunctionReachesTheCallerWhole() async {
    for issuer in [
      ClosureTokenIssuer(source: "my server") { _ in throw Private() },
      ClosureTokenIssuer(source: "my server", blocking: { _ in throw Private() }),
    ] {
      do {
        _ = try await issuer.issue(for: SetupNode.download, in: .local)
        XCTFail("a token was issued")
      } catch {
        XCTAssertTrue(error.underlying is Private, "\(error)")
      }
    }
    do {
      let issuer = ClosureTokenIssuer(source: "my server") { _ in TransferCredential(token: try AsperaToken(Secret("")))
      }
      _ = try await issuer.issue(for: SetupNode.download, in: .local)
      XCTFail("a token was issued")
    } catch {
      XCTAssertTrue(error.underlying is AsperaError, "\(error)")
    }
  }

  // matrix: Aspera transfer (issuer): redaction
  // matrix: Aspera transfer (token): redaction
  func testIssuerDescriptionsContainNoSecret() throws {
    let pem = try TokenVectors().text("node_bearer_token", "private_key_pem_test_only")
    let line = String(pem.split(separator: "\n")[3])
    let token = try AsperaToken(Secret("ATM2_c4nary0_2MTA"))
    let grant = TransferCredential(token: token)
    let subjects: [Any] = [
      FixedTokenIssuer(token), try FixedTokenIssuer(accessKey: "ak", secret: Secret("c4nary0")),
      ClosureTokenIssuer(source: "my server") { _ in grant },
      BearerTokenIssuer(accessKey: "ak", userID: "mia", fileID: "1", key: try TokenVectors().bearerKey()),
      BearerAccessProvider(accessKey: "ak", userID: "mia", key: try TokenVectors().bearerKey()), grant,
    ]
    for subject in subjects { XCTAssertEqual(DisplayedTexts(of: subject).containing(["c4nary0", line]), []) }
  }
}
