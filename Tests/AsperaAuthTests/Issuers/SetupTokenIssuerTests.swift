// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import HTTPTypes
import StorageAuth
import StorageAuthTesting
import XCTest

/// Tests the issuer that requests tokens from a node's setup calls.
final class SetupTokenIssuerTests: XCTestCase {
  // matrix: Aspera transfer (issuer): header
  func testTransferIsSetUpWithOneAuthenticatedCall() async throws {
    let node = SetupNode(SetupNode.answer(extra: #","destination_root":"/in","tags":null"#))
    let upload = TransferSpec(.send, [TransferPath("/home/mia/a")], destinationRoot: "/in")
    let issued = try await node.issuer().issue(for: TokenRequest(session: "1", specification: upload), in: .local)
    let sent = try XCTUnwrap(node.transport.requests.first)
    XCTAssertEqual(node.transport.requests.count, 1)
    XCTAssertEqual(sent.method, .post)
    XCTAssertEqual(sent.url, "https://node.example.com:9092/files/upload_setup")
    XCTAssertEqual(sent.header("Authorization"), "Basic bWlhOmM0bmFyeTBwYXNz")
    XCTAssertEqual(sent.header("Content-Type"), "application/json")
    XCTAssertEqual(sent.header("Accept"), "application/json")
    XCTAssertEqual(sent.header("Content-Length"), "\(sent.body.count)")
    XCTAssertEqual(sent.text, #"{"transfer_requests":[{"transfer_request":{"paths":[{"destination":"/in"}]}}]}"#)
    let grant = issued.credential
    XCTAssertEqual(grant.token?.secret.reveal(), SetupNode.token)
    XCTAssertEqual(grant.token?.kind, .transfer)
    XCTAssertEqual(grant.specification?.remoteUser, "asp1")
    XCTAssertEqual(grant.specification?.fields["tags"], .null)
    XCTAssertEqual(issued.source, "node https://node.example.com:9092/")
  }

  func testDownloadsHaveTheirOwnPathBelowTheNodesURL() async throws {
    for (url, path) in [
      ("https://shares.example.com/node_api", "/node_api/files/download_setup"),
      ("https://shares.example.com/node_api/", "/node_api/files/download_setup"),
      ("https://shares.example.com", "/files/download_setup"),
    ] {
      let node = SetupNode(SetupNode.answer())
      _ = try await node.issuer(url: url).issue(for: SetupNode.download, in: .local)
      XCTAssertEqual(node.transport.requests.map(\.path), [path])
    }
  }

  func testBearerTokenIsSentWithItsAccessKey() async throws {
    let node = SetupNode(SetupNode.answer())
    let access = StaticCredentialProvider(AsperaNodeAccess.bearer(Secret("c4nary0"), accessKey: "ak"))
    _ = try await node.issuer(access: access).issue(for: SetupNode.download, in: .local)
    XCTAssertEqual(node.transport.requests.first?.header("X-Aspera-AccessKey"), "ak")
    XCTAssertEqual(node.transport.requests.first?.header("Authorization"), "Bearer c4nary0")
  }

  // matrix: Aspera transfer (issuer): expiry
  func testTokenLifetimeIsTheRequestedOneOrADay() async throws {
    let day = SetupNode(SetupNode.answer())
    let assumed = try await day.issuer().issue(for: SetupNode.download, in: .local)
    XCTAssertEqual(assumed.credential.expiration, SetupNode.present.advanced(by: .seconds(86_400)))
    XCTAssertFalse(day.transport.requests[0].text.contains("token_life_seconds"))

    let minute = SetupNode(SetupNode.answer())
    let asked = try await minute.issuer(life: .seconds(60)).issue(for: SetupNode.download, in: .local)
    XCTAssertEqual(asked.credential.expiration, SetupNode.present.advanced(by: .seconds(60)))
    XCTAssertEqual(asked.credential.token?.expiration, asked.credential.expiration)
    XCTAssertTrue(minute.transport.requests[0].text.contains(#""token_life_seconds":60"#))

    let own = SetupNode(SetupNode.answer())
    var request = SetupNode.download
    request.specification.fields["token_life_seconds"] = 5
    let told = try await own.issuer().issue(for: request, in: .local)
    XCTAssertEqual(told.credential.expiration, SetupNode.present.advanced(by: .seconds(5)))

    for (life, shorter) in [(60, 5), (3, 3)] {
      let both = SetupNode(SetupNode.answer())
      let limited = try await both.issuer(life: .seconds(life)).issue(for: request, in: .local)
      XCTAssertEqual(limited.credential.expiration, SetupNode.present.advanced(by: .seconds(shorter)))
      XCTAssertTrue(both.transport.requests[0].text.contains("\"token_life_seconds\":\(shorter)"))
    }
  }

  // matrix: Aspera transfer (issuer): skew
  func testLifetimeStartsAtTheNodesTime() async throws {
    let ahead = SetupNode.present.advanced(by: .seconds(7_200))
    let node = SetupNode(SetupNode.answer(date: ahead), SetupNode.answer(date: nil))
    let issuer = node.issuer(life: .seconds(60))
    let heard = try await issuer.issue(for: SetupNode.download, in: .local)
    XCTAssertEqual(heard.issuerTime, ahead)
    XCTAssertEqual(heard.credential.expiration, ahead.advanced(by: .seconds(60)))
    let silent = try await issuer.issue(for: SetupNode.download, in: .local)
    XCTAssertNil(silent.issuerTime)
    XCTAssertEqual(silent.credential.expiration, SetupNode.present.advanced(by: .seconds(60)))
  }

  func testExpirationOfABearerTokenIsReadFromTheToken() async throws {
    let bearer = try TokenVectors().text("node_bearer_token", "authorization_header")
    let node = SetupNode(SetupNode.answer(token: bearer), SetupNode.answer(token: "Basic YWs6c2VjcmV0"))
    let issuer = node.issuer()
    let read = try await issuer.issue(for: SetupNode.download, in: .local)
    XCTAssertEqual(read.credential.expiration, Timestamp(iso8601: "2030-01-01T00:00:00Z"))
    let basic = try await issuer.issue(for: SetupNode.download, in: .local)
    XCTAssertNil(basic.credential.expiration)
  }

  // matrix: Aspera transfer (issuer): forced refresh
  func testRejectedAccessIsRefreshedOnce() async throws {
    for status in [401, 403] {
      let node = SetupNode(.status(status), SetupNode.answer())
      let access = ScriptedAccess()
      _ = try await node.issuer(access: access).issue(for: SetupNode.download, in: .local)
      XCTAssertEqual(access.questions, 2)
      let sent = node.transport.requests.map { $0.header("Authorization") }
      XCTAssertEqual(sent, ["Basic bWlhOmM0bmFyeTAtMQ==", "Basic bWlhOmM0bmFyeTAtMg=="])
    }
    let node = SetupNode(.status(401), .status(401), SetupNode.answer())
    let access = ScriptedAccess()
    await assertRefuses(node.issuer(access: access), .rejected, "HTTP 401")
    XCTAssertEqual(node.transport.requests.count, 2)
    XCTAssertEqual(access.questions, 2)
  }

  func testRejectedFixedAccessIsNotRetried() async throws {
    let node = SetupNode(.json(#"{"error":{"code":401,"reason":"Unauthorized","user_message":"no"}}"#, status: 401))
    let error = await assertRefuses(node.issuer(), .rejected, "HTTP 401, 401 Unauthorized no", "fixed credential")
    XCTAssertEqual(error?.declined.map(\.code), [.rejected])
    XCTAssertEqual(node.transport.requests.count, 1)
  }

  func testCacheIsSharedAndNotWrapped() async throws {
    let access = ScriptedAccess()
    let cache = CredentialCache(access)
    let node = SetupNode(SetupNode.answer(), SetupNode.answer())
    _ = try await node.issuer(access: cache).issue(for: SetupNode.download, in: .local)
    _ = try await node.issuer(access: cache).issue(for: SetupNode.download, in: .local)
    XCTAssertEqual(access.questions, 1)
    let current = cache.current()
    XCTAssertNotNil(current)
  }

  // matrix: Aspera transfer (issuer): early refresh
  func testExpiringAccessIsRefreshedBeforeItIsSent() async throws {
    let node = SetupNode(SetupNode.answer(), SetupNode.answer())
    let key = try TokenVectors().bearerKey()
    let access = BearerAccessProvider(accessKey: "ak", userID: "mia", key: key, lifetime: .seconds(60)).bound(
      to: ProviderContext(time: node.time))
    let issuer = node.issuer(access: access)
    _ = try await issuer.issue(for: SetupNode.download, in: .local)
    node.time.advance(by: .seconds(59))
    _ = try await issuer.issue(for: SetupNode.download, in: .local)
    let sent = node.transport.requests.compactMap { $0.header("Authorization") }
    let ends = try sent.map { try NodeBearerToken(Secret($0)).claims.expiration?.unixSeconds }
    XCTAssertEqual(ends, [1_800_000_060, 1_800_000_119])
  }

  func testResponseMayContainManyPaths() async throws {
    let paths = (0..<20_000).map { #"{"source":"/data/folder/file-\#($0)"}"# }.joined(separator: ",")
    let node = SetupNode(SetupNode.answer(extra: #","paths":[\#(paths)]"#))
    let issued = try await node.issuer().issue(for: SetupNode.download, in: .local)
    XCTAssertEqual(issued.credential.specification?.paths.count, 20_000)
  }

  // matrix: Aspera transfer (issuer): redaction
  func testIssuerDescriptionContainsOnlyItsNode() async throws {
    let node = SetupNode(SetupNode.answer())
    let issuer = node.issuer(url: "https://node.example.com/?login=c4nary0")
    XCTAssertEqual(DisplayedTexts(of: issuer).containing(["c4nary0"]), [])
    let issued = try await node.issuer().issue(for: SetupNode.download, in: .local)
    XCTAssertEqual(DisplayedTexts(of: issued).containing(["c4nary0"]), [])
    let short: SetupTokenIssuer = .setup(node: SetupNode.url, access: SetupNode.fixed)
    XCTAssertEqual("\(short)", "SetupTokenIssuer(node https://node.example.com:9092/)")
  }
}
