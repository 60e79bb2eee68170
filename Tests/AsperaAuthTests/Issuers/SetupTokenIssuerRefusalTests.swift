// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

/// Tests the errors of the issuer that requests tokens from a node.
final class SetupTokenIssuerRefusalTests: XCTestCase {
  // matrix: Aspera transfer (issuer): bad input
  func testErrorContainsTheNodesMessage() async {
    let error = #"{"error":{"code":404,"reason":"Not Found","user_message":"No such path"}}"#
    let cases: [(reply: HTTPStreamingResponse, code: CredentialError.Code, says: String, isRetryable: Bool)] = [
      (.json(error, status: 404), .rejected, "HTTP 404, 404 Not Found No such path.", false),
      (.status(400), .rejected, "HTTP 400.", false), (.text("<html>", status: 404), .rejected, "HTTP 404.", false),
      (.status(500), .failed, "HTTP 500", true), (.json(error, status: 503), .failed, "HTTP 503, 404", true),
      (.status(429), .failed, "HTTP 429", true), (.status(408), .failed, "HTTP 408", true),
      (.json(#"{"transfer_specs":[\#(error)]}"#), .rejected, "up: 404 Not Found No such path.", false),
      (.json(#"{"transfer_specs":[{"transfer_spec":\#(error)}]}"#), .rejected, "up: 404 Not Found", false),
      (.json(#"{"transfer_specs":[{"error":{"code":"503"}}]}"#), .failed, "up: 503.", true),
      (.json(#"{"transfer_specs":[{"error":{"code":403}}]}"#), .rejected, "may transfer these paths", false),
    ]
    for item in cases {
      let node = SetupNode(item.reply)
      await assertRefuses(node.issuer(), item.code, item.says, isRetryable: item.isRetryable)
      XCTAssertEqual(node.transport.requests.count, 1)
    }
  }

  // matrix: Aspera transfer (issuer): bad input
  func testResponsesWithoutATokenAreRejected() async {
    let cases: [(body: String, says: String, isRetryable: Bool)] = [
      ("", "not JSON", true), ("<html>", "not JSON", true), (#"{"transfer_specs":[{"#, "not JSON", true),
      ("{}", "no array transfer_specs", true), (#"{"transfer_specs":[]}"#, "0 elements", true),
      (#"{"transfer_specs":[{"transfer_spec":{}}]}"#, "no token", false),
      (#"{"transfer_specs":[{"transfer_spec":{"token":null}}]}"#, "no token", false),
      (#"{"transfer_specs":[{"transfer_spec":{"token":""}}]}"#, "no token", false),
      (#"{"transfer_specs":[{"transfer_spec":{"token":["c4nary0"]}}]}"#, "no token", false),
      (#"{"transfer_specs":[{"transfer_spec":{"token":"c4nary0\nX"}}]}"#, "cannot be used", false),
    ]
    for item in cases {
      await assertRefuses(
        SetupNode(.json(item.body)).issuer(), .malformedResponse, item.says, isRetryable: item.isRetryable)
    }
  }

  // matrix: Aspera transfer (issuer): redaction
  func testSecretsThatTheNodeRepeatsAreMasked() async {
    let said = #"{"error":{"code":400,"reason":"c4nary0pass","user_message":"Basic bWlhOmM0bmFyeTBwYXNz\n\u0007"}}"#
    let error = await assertRefuses(SetupNode(.json(said, status: 400)).issuer(), .rejected, "HTTP 400")
    XCTAssertEqual(error?.message.contains("bWlhOmM0"), false)
    XCTAssertEqual(error?.message.contains { $0.isNewline }, false)
    let long = #"{"error":{"code":400,"user_message":"\#(String(repeating: "x", count: 9_000))"}}"#
    let cut = await assertRefuses(SetupNode(.json(long, status: 400)).issuer(), .rejected)
    XCTAssertLessThan(cut?.message.count ?? 0, 500)
  }

  func testRedirectIsNotFollowed() async {
    let node = SetupNode(.status(307, headers: ["Location": "https://elsewhere.example.com/"]), SetupNode.answer())
    await assertRefuses(node.issuer(), .failed, "redirect")
    XCTAssertEqual(node.transport.requests.count, 1)
  }

  func testOversizedResponseIsRejected() async {
    let node = SetupNode(.status(200, [UInt8](repeating: 0x20, count: (16 << 20) + 1)))
    await assertRefuses(node.issuer(), .malformedResponse, "longer than 16777216 bytes")
  }

  func testUnreachableNodeAndLostConnectionAreRetryable() async {
    await assertRefuses(SetupNode().issuer(), .failed, "no response left", isRetryable: true)
    await assertRefuses(
      SetupNode(SetupNode.answer().cut(afterBytes: 10)).issuer(), .failed, "connection was lost", isRetryable: true)
  }

  func testUnresponsiveNodeTimesOut() async {
    let node = SetupNode(SetupNode.answer())
    node.transport.hold()
    let access = CredentialCache(AsperaNodeAccess.basic(user: "mia", password: Secret("c4nary0")), time: ManualClock())
    let refusal = SetupNode.refusal(of: node.issuer(access: access))
    await node.transport.wait(forRequests: 1)
    await node.time.wait(forSleeps: 1)
    node.time.advance(by: .seconds(30))
    let code = await refusal.value
    XCTAssertEqual(code, .timeout)
  }

  func testWaitForANodeCanBeCancelled() async {
    let node = SetupNode(SetupNode.answer())
    node.transport.hold()
    let refusal = SetupNode.refusal(of: node.issuer())
    await node.transport.wait(forRequests: 1)
    refusal.cancel()
    let code = await refusal.value
    XCTAssertEqual(code, .cancelled)
  }

  func testWaitForAccessCanBeCancelled() async {
    let node = SetupNode(.status(401), SetupNode.answer())
    let time = node.time
    let access = ClosureCredentialProvider<AsperaNodeAccess>(source: "slow") {
      try await time.sleep(for: .seconds(1))
      return nil
    }
    let cache = CredentialCache(access, in: ProviderContext(time: time))
    cache.replace(with: .basic(user: "mia", password: Secret("c4nary0-old")))
    let refusal = SetupNode.refusal(of: node.issuer(access: cache))
    await node.transport.wait(forRequests: 1)
    refusal.cancel()
    let code = await refusal.value
    XCTAssertEqual(code, .cancelled)
    XCTAssertEqual(node.transport.requests.count, 1)
  }

  // matrix: Aspera transfer (issuer): atomicity
  func testInvalidConfigurationIsRejectedBeforeSending() async {
    let node = SetupNode(SetupNode.answer())
    for url in ["http://node.example.com:9091", "node.example.com", "ftp://node.example.com", "https://a:b@node", ""] {
      await assertRefuses(node.issuer(url: url), .failed)
    }
    await assertRefuses(node.issuer(url: "http://node.example.com"), .failed, "not encrypted")
    for life in [Duration.zero, .seconds(-1), .milliseconds(1_500), .seconds(400_000_000)] {
      await assertRefuses(node.issuer(life: life), .failed, "lifetime")
    }
    for specification in [TransferSpec(.receive, []), TransferSpec(fields: JSONObject())] {
      await assertRefuses(node.issuer(), .failed, for: TokenRequest(session: "1", specification: specification))
    }
    for (_, access) in NodeSamples.unusable {
      await assertRefuses(node.issuer(access: StaticCredentialProvider(access)), .failed)
    }
    let none = ClosureCredentialProvider<AsperaNodeAccess>(source: "empty vault") { nil }
    await assertRefuses(node.issuer(access: none), .unavailable, "empty vault", isRetryable: true)
    XCTAssertEqual(node.transport.requests.count, 0)
  }

  func testPlainHTTPIsAllowedForLoopbackOrExplicitly() async throws {
    let node = SetupNode(SetupNode.answer(), SetupNode.answer())
    _ = try await node.issuer(url: "http://127.0.0.1:9091").issue(for: SetupNode.download, in: .local)
    let allowing = node.bound(
      SetupTokenIssuer(node: "http://node.example.com:9091", access: SetupNode.fixed, allowsPlainHTTP: true))
    _ = try await allowing.issue(for: SetupNode.download, in: .local)
    XCTAssertEqual(node.transport.requests.count, 2)
  }
}
