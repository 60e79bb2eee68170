// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

/// Tests the bearer tokens of a node from Aspera on Cloud, and the grant with an API key of IBM Cloud.
final class OtherGrantTests: XCTestCase {
  func testNodeTokenComesWithItsAccessKeyAndExpiration() async throws {
    let key = try TokenVectors().bearerKey()
    let end = GrantSample.present.advanced(by: .seconds(900))
    let claims = NodeBearerClaims(userID: "7", scope: NodeScope(accessKey: "ak"), expiration: end)
    let token = try NodeBearerToken(claims, signedWith: key).secret.reveal()
    let sample = GrantSample(GrantSample.answer(token: token), GrantSample.answer(token: token))
    let grants = try JWTGrantProvider(
      .asperaOnCloud(organization: "acme", user: "mia", clientID: "c"), key: GrantSample.key())
    let issued = try await NodeGrantProvider(grants, accessKey: "ak").issue(in: sample.context)
    XCTAssertEqual(try sample.form()["scope"], "node.ak:user:all")
    XCTAssertEqual(issued.credential.method, .bearer(token: Secret(token), accessKey: "ak"))
    XCTAssertEqual(issued.credential.expiration, end)
    XCTAssertEqual(issued.issuerTime, GrantSample.present)
    let other = NodeGrantProvider(grants, accessKey: "ak", role: NodeScope.admin).bound(to: sample.context)
    await assertRefuses(other, .malformedResponse, "another scope")
    XCTAssertEqual(try sample.form(1)["scope"], "node.ak:admin:all")
  }

  // matrix: IBM Cloud: answers
  func testIBMCloudTakesAnAPIKey() async throws {
    let sample = GrantSample(GrantSample.answer(#","refresh_token":"not_supported","expires_in":3600"#))
    let provider = CloudKeyGrantProvider(apiKey: Secret("c4nary0-key")).bound(
      to: ProviderContext(transport: sample.transport, time: sample.time))
    let credential = try await provider.credential()
    XCTAssertEqual(sample.transport.requests.first?.url, "https://iam.cloud.ibm.com/identity/token")
    XCTAssertEqual(
      try sample.form(),
      [
        "grant_type": "urn:ibm:params:oauth:grant-type:apikey", "response_type": "cloud_iam", "apikey": "c4nary0-key",
      ])
    XCTAssertEqual(credential.expiration, GrantSample.present.advanced(by: .seconds(3_600)))
  }

  // matrix: IBM Cloud: refusal, credential redaction
  func testRefusedAPIKeyIsNotShown() async throws {
    let sample = GrantSample(
      GrantSample.refusal(#"{"errorCode":"BXNIM0415E","errorMessage":"c4nary0-key is not known."}"#))
    let provider = CloudKeyGrantProvider(apiKey: Secret("c4nary0-key")).bound(
      to: ProviderContext(transport: sample.transport, time: sample.time))
    await assertRefuses(provider, .rejected, "BXNIM0415E", "Check the API key")
    await assertRefuses(
      CloudKeyGrantProvider(apiKey: Secret("")).bound(to: ProviderContext(transport: sample.transport)), .failed,
      "is empty")
    XCTAssertEqual(DisplayedTexts(of: provider).containing(["c4nary0"]), [])
  }
}
