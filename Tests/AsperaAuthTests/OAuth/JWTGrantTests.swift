// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import HTTPTypes
import StorageAuth
import StorageAuthTesting
import XCTest

/// Tests the requests of JWT grants, and what is made of the responses.
final class JWTGrantTests: XCTestCase {
  // matrix: JWT grants: answers
  func testFaspexRequestIsThatOfItsDescription() async throws {
    let sample = GrantSample(GrantSample.answer(status: 201))
    let issued = try await sample.provider().issue(in: .local)
    let sent = try XCTUnwrap(sample.transport.requests.first)
    XCTAssertEqual(sent.method, .post)
    XCTAssertEqual(sent.url, "https://faspex.example.com/aspera/faspex/auth/token")
    XCTAssertEqual(sent.header("Content-Type"), "application/x-www-form-urlencoded")
    XCTAssertEqual(sent.header("Accept"), "application/json")
    XCTAssertNil(sent.header("Authorization"))
    let form = try sample.form()
    XCTAssertEqual(Set(form.keys), ["grant_type", "assertion", "client_id"])
    XCTAssertEqual(form["grant_type"], "urn:ietf:params:oauth:grant-type:jwt-bearer")
    XCTAssertEqual(form["client_id"], "client-1")
    XCTAssertEqual(issued.credential.token.reveal(), GrantSample.token)
    XCTAssertEqual(issued.credential.expiration, GrantSample.present.advanced(by: .seconds(3_600)))
    XCTAssertEqual(issued.issuerTime, GrantSample.present)
  }

  func testAsperaOnCloudRequestIsThatOfIBMsSamples() async throws {
    let grant = JWTGrant.asperaOnCloud(
      organization: "acme", user: "mia@example.com", clientID: "client 1", clientSecret: Secret("c4nary0:s"),
      scope: "node.ak:user:all", isGlobalClient: true)
    let sample = GrantSample(GrantSample.answer())
    _ = try await sample.provider(grant).credential()
    let sent = try XCTUnwrap(sample.transport.requests.first)
    XCTAssertEqual(sent.url, "https://api.ibmaspera.com/api/v1/oauth2/acme/token")
    XCTAssertEqual(sent.header("Authorization"), "Basic Y2xpZW50JTIwMTpjNG5hcnkwJTNBcw==")
    XCTAssertEqual(try sample.form()["scope"], "node.ak:user:all")
    let claims = try sample.claims()
    XCTAssertEqual(claims["aud"], "https://api.asperafiles.com/api/v1/oauth2/token")
    XCTAssertEqual(claims["iss"], "client 1")
    XCTAssertEqual(claims["sub"], "mia@example.com")
    XCTAssertEqual(claims["org"], "acme")
    XCTAssertNil(
      JWTGrant.asperaOnCloud(organization: "acme", user: "m", clientID: "c").claims["org"], "the client is not global")
    let elsewhere = JWTGrant.asperaOnCloud(
      organization: "acme", user: "m", clientID: "c", api: "https://api.qa.example.com/")
    XCTAssertEqual(
      elsewhere.tokenURL, "https://api.qa.example.com/api/v1/oauth2/acme/token")
  }

  func testCacheRenewsAnExpiredToken() async throws {
    let sample = GrantSample(GrantSample.answer(), GrantSample.answer(token: "second", date: nil))
    let cache = try CredentialCache(sample.provider(), in: ProviderContext(time: sample.time))
    let first = try await cache.credential(lasting: .zero)
    let again = try await cache.credential(lasting: .zero)
    XCTAssertEqual(first.generation, again.generation)
    sample.time.advance(by: .seconds(4_000))
    let second = try await cache.credential(lasting: .zero)
    XCTAssertEqual(second.credential.token.reveal(), "second")
    XCTAssertEqual(second.credential.expiration, sample.time.now.advanced(by: .seconds(3_600)))
    XCTAssertEqual(sample.transport.requests.count, 2)
  }

  func testExpirationIsTheEarliestThatIsKnown() async throws {
    let present = GrantSample.present
    // {"alg":"RS256"}.{"exp":1800000100}
    let token = "eyJhbGciOiJSUzI1NiJ9.eyJleHAiOjE4MDAwMDAxMDB9.c2ln"
    for (answer, seconds) in [
      (GrantSample.answer(#","expires_in":60"#), 60), (GrantSample.answer(#","expires_in":"60""#), 60),
      (GrantSample.answer(token: token, ""), 100), (GrantSample.answer(token: token, #","expires_in":60"#), 60),
      (GrantSample.answer(token: token, #","expires_in":600"#), 100), (GrantSample.answer(""), 1_800),
      (GrantSample.answer(#","expires_in":null,"token_type":"BEARER""#), 1_800),
    ] {
      let credential = try await GrantSample(answer).provider().credential()
      XCTAssertEqual(credential.expiration, present.advanced(by: .seconds(seconds)))
    }
  }

  // matrix: JWT grants: clock
  func testWrongClockIsLearntFromTheRefusalAndKept() async throws {
    let ahead = GrantSample.present.advanced(by: .seconds(7_200))
    let sample = GrantSample(
      GrantSample.refusal(date: ahead), GrantSample.answer(date: ahead), GrantSample.answer(date: ahead))
    let provider = try JWTGrantProvider(GrantSample.grant, key: GrantSample.key())
    let issued = try await provider.issue(in: sample.context)
    XCTAssertEqual(sample.transport.requests.count, 2)
    XCTAssertEqual(try sample.claims(0)["exp"]?.integer, 1_800_003_600)
    XCTAssertEqual(try sample.claims(1)["exp"]?.integer, 1_800_010_800)
    XCTAssertNotEqual(try sample.claims(0)["jti"], try sample.claims(1)["jti"])
    XCTAssertEqual(issued.credential.expiration, ahead.advanced(by: .seconds(3_600)))
    sample.time.advance(by: .seconds(10))
    _ = try await provider.requesting(scope: "admin:all").credential(in: sample.context)
    XCTAssertEqual(try sample.claims(2)["exp"]?.integer, 1_800_010_810, "the other scope has the same clock")
  }

  func testRefusalIsNotRepeatedWithoutAWrongClock() async throws {
    let near = GrantSample(GrantSample.refusal(date: GrantSample.present.advanced(by: .seconds(20))))
    await assertRefuses(try near.provider(), .rejected, "invalid_grant", "public key is registered")
    XCTAssertEqual(near.transport.requests.count, 1)
    let far = GrantSample.present.advanced(by: .seconds(7_200))
    let twice = GrantSample(GrantSample.refusal(date: far), GrantSample.refusal(date: far))
    await assertRefuses(try twice.provider(), .rejected, "invalid_grant")
    XCTAssertEqual(twice.transport.requests.count, 2)
    let client = GrantSample(GrantSample.refusal(#"{"error":"invalid_client"}"#, status: 401, date: far))
    await assertRefuses(try client.provider(), .rejected, "invalid_client", "secret of the API client")
    XCTAssertEqual(client.transport.requests.count, 1)
  }

  // matrix: JWT grants: refusal
  func testRefusalsNameTheirRemedy() async throws {
    for (body, status, says) in [
      (#"{"error":"invalid_grant","error_description":"Signature has expired"}"#, 400, "Set this machine's clock"),
      (#"{"error":"invalid_grant","error_description":"no such user"}"#, 400, "no such user"),
      (#"{"error":"unauthorized_client"}"#, 400, "Allow JWT grants"),
      (#"{"error":"invalid_scope"}"#, 400, "Check the scope"),
      (#"{"error":"unsupported_grant_type"}"#, 400, "token endpoint"),
      (#"{"error":"access_denied"}"#, 403, "HTTP 403, access_denied"),
      (#"{"status":"Forbidden","code":"2016","message":"subject"}"#, 403, "may act for the user"),
      (#"{"status":"Forbidden","code":"2017","message":"keys"}"#, 403, "Register the public key"),
      (#"{"status":"Forbidden","code":"2018","message":"flow"}"#, 403, "Allow JWT grants"),
      (#"{"status":"Bad Request","code":"2019","message":"payload"}"#, 400, "issuer and audience"),
      (#"{"status":"Bad Request","code":"2026","message":"secret"}"#, 400, "ID and the secret"),
      (#"{"error":{"code":404,"user_message":"no route"}}"#, 404, "no route"),
      ("<html>", 404, "HTTP 404."), ("", 400, "HTTP 400."),
      (#"{"error":"invalid_grant"}"#, 200, "public key is registered"),
    ] {
      await assertRefuses(try GrantSample(GrantSample.refusal(body, status: status)).provider(), .rejected, says)
    }
    for (body, status) in [("", 500), ("", 429), (#"{"error":"temporarily_unavailable"}"#, 400)] {
      let provider = try GrantSample(GrantSample.refusal(body, status: status)).provider()
      await assertRefuses(provider, .failed, "Try again later", retryable: true)
    }
  }

  // matrix: JWT grants: bad input
  func testMalformedResponsesAreRefused() async throws {
    for (body, says) in [
      (#"{"token_type":"bearer"}"#, "no access_token"), (#"{"access_token":""}"#, "no access_token"),
      (#"{"access_token":7}"#, "no access_token"), (#"{"access_token":"a b"}"#, "holds a blank"),
      (#"{"access_token":"c4nary0","token_type":"mac"}"#, "mac"),
      (#"{"access_token":"c4nary0","token_type":7}"#, "not a string"),
      (#"{"access_token":"c4nary0","expires_in":0}"#, "expires_in"),
      (#"{"access_token":"c4nary0","expires_in":-1}"#, "expires_in"),
      (#"{"access_token":"c4nary0","expires_in":99999999999999999999}"#, "expires_in"),
      (#"{"access_token":"c4nary0","expires_in":true}"#, "expires_in"),
    ] {
      await assertRefuses(try GrantSample(GrantSample.refusal(body, status: 200)).provider(), .malformedResponse, says)
    }
    await assertRefuses(
      try GrantSample(GrantSample.refusal("[]", status: 200)).provider(), .malformedResponse, "not a JSON object",
      retryable: true)
    let long = String(repeating: "a", count: 70_000)
    await assertRefuses(
      try GrantSample(GrantSample.answer(token: long)).provider(), .malformedResponse, "longer than 65536 bytes")
  }

  func testInvalidParametersAreRefusedBeforeARequest() async throws {
    var grants = [JWTGrant.faspex(url: "http://faspex.example.com", user: "m", clientID: "c")]
    grants.append(JWTGrant.faspex(url: "faspex.example.com", user: "m", clientID: "c"))
    grants.append(JWTGrant.faspex(url: GrantSample.url, user: "m", clientID: ""))
    for change in [
      { (grant: inout JWTGrant) in grant.assertionLifetime = .zero }, { $0.assertionLifetime = .seconds(90_000) },
      { $0.clockTolerance = .seconds(-1) }, { $0.clockTolerance = .milliseconds(1) },
      { $0.claims["org"] = .string(String(repeating: "a", count: 20_000)) },
    ] {
      var grant = GrantSample.grant
      change(&grant)
      grants.append(grant)
    }
    for grant in grants {
      let sample = GrantSample(GrantSample.answer())
      await assertRefuses(try sample.provider(grant), .failed)
      XCTAssertEqual(sample.transport.requests.count, 0, "\(grant)")
    }
    let local = GrantSample(GrantSample.answer())
    _ = try await local.provider(.faspex(url: "http://127.0.0.1:8080", user: "m", clientID: "c")).credential()
  }

  // matrix: JWT grants: time limit
  func testServerThatDoesNotRespondIsNotWaitedForLongerThanTheLimit() async throws {
    let sample = GrantSample(GrantSample.answer())
    sample.transport.hold()
    let provider = try JWTGrantProvider(
      GrantSample.grant, key: GrantSample.key()
    ).bound(to: ProviderContext(transport: sample.transport, time: sample.time, timeout: .seconds(7)))
    let refused = Task { () -> CredentialError? in
      do throws(CredentialError) {
        _ = try await provider.issue(in: .local)
        return nil
      } catch {
        return error
      }
    }
    await sample.time.wait(forSleeps: 1)
    sample.time.advance(by: .seconds(7))
    let error = await refused.value
    XCTAssertEqual(error?.code, .timeout)
    XCTAssertEqual(error?.isRetryable, true)
    sample.transport.release()
  }

  // matrix: JWT grants: credential redaction
  func testEchoedSecretsAreMasked() async throws {
    let grant = JWTGrant.asperaOnCloud(
      organization: "acme", user: "mia", clientID: "id", clientSecret: Secret("c4nary0-secret"))
    let transport = ScriptedTransport { request in
      let form = request.text.replacing("&", with: " ")
      return .json(
        #"{"error":"odd","error_description":"c4nary0-secret \#(request.header("Authorization") ?? "") \#(form)"}"#,
        status: 400)
    }
    let provider = try JWTGrantProvider(grant, key: GrantSample.key()).bound(to: ProviderContext(transport: transport))
    await assertRefuses(provider, .rejected, "odd", Secret.mask)
    XCTAssertEqual(DisplayedTexts(of: provider).containing(["c4nary0", "BEGIN"]), [])
    XCTAssertEqual(DisplayedTexts(of: grant).containing(["c4nary0"]), [])
  }

  func testProviderConforms() async throws {
    let time = ManualClock()
    func provider(_ reply: HTTPStreamingResponse) throws -> BoundCredentialProvider<JWTGrantProvider> {
      try JWTGrantProvider(
        GrantSample.grant, key: GrantSample.key()
      ).bound(to: ProviderContext(transport: ScriptedTransport { _ in reply }, time: time))
    }
    let failing = try [
      GrantSample.refusal(date: nil), GrantSample.refusal("c4nary0", status: 200, date: nil), .status(503),
    ].map { try provider($0) }
    let report = await ProviderConformance(
      try provider(GrantSample.answer(date: nil)), failing: failing, secrets: ["c4nary0"], concurrency: 20,
      in: ProviderContext(time: time)
    ).report(ProviderRule.allCases.filter { $0 != .cancellation })
    XCTAssertTrue(report.isConforming, "\(report)")
    XCTAssertFalse("\(report)".contains("not tried"), "\(report)")
  }
}
