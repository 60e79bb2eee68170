// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import CredentialSources
import HTTPTypes
import OSSAuth
import StorageAuth
import StorageAuthTesting
import XCTest

/// Tests the requests with an identity token to Alibaba Cloud STS.
final class AlibabaOIDCTests: XCTestCase {
  private let time = ManualClock(now: RemoteService.now)
  private let role = "acs:ram::1234567890123456:role/uploader"

  func testIdentityTokenIsReadForEachRequestAndSentUnsigned() async throws {
    let answer = RemoteService.alibabaRole.answer
    let transport = ScriptedTransport { _ in .json(answer) }
    let reads = Tick()
    let provider = AlibabaOIDCProvider(
      roleARN: role, providerARN: "acs:ram::1:oidc-provider/ack", sessionName: "pod"
    ) { () async throws(CredentialError) in Secret("token-\(reads.next())/+=\n") }.bound(
      to: ProviderContext(transport: transport, time: time))
    _ = try await provider.credential()
    _ = try await provider.credential()
    let sent = transport.requests
    XCTAssertEqual(sent.count, 2)
    for (index, request) in sent.enumerated() {
      XCTAssertEqual(request.method, .post)
      XCTAssertNil(request.header("Authorization"))
      XCTAssertEqual(request.header("Content-Type"), "application/x-www-form-urlencoded")
      XCTAssertEqual(request.parameter("Action"), "AssumeRoleWithOIDC")
      XCTAssertEqual(request.parameter("Version"), "2015-04-01")
      XCTAssertEqual(request.parameter("Format"), "JSON")
      XCTAssertEqual(request.parameter("Timestamp"), "2027-01-15T08%3A00%3A00Z")
      XCTAssertEqual(
        FormPair.read(request.text),
        [
          FormPair("RoleArn", role), FormPair("RoleSessionName", "pod"), FormPair("DurationSeconds", "3600"),
          FormPair("OIDCProviderArn", "acs:ram::1:oidc-provider/ack"), FormPair("OIDCToken", "token-\(index)/+="),
        ])
    }
  }

  func testUnreadableIdentityTokensAreReported() async throws {
    let missing = CredentialError(.notConfigured, source: "", "There is no file.", remedy: "Mount it.")
    for (token, code) in [
      (Result<Secret, CredentialError>.failure(missing), CredentialError.Code.notConfigured),
      (.success(Secret(" \n")), .failed),
    ] {
      let transport = ScriptedTransport([])
      let provider = AlibabaOIDCProvider(
        roleARN: role, providerARN: "acs:ram::1:oidc-provider/ack"
      ) { () async throws(CredentialError) in try token.get() }.bound(
        to: ProviderContext(transport: transport, time: time))
      do {
        _ = try await provider.credential()
        XCTFail("a key was issued without an identity token")
      } catch {
        XCTAssertEqual(error.code, code)
      }
      XCTAssertTrue(transport.requests.isEmpty)
    }
    let wrong = AlibabaOIDCProvider(
      roleARN: role, providerARN: "ack",
      token: RemoteService.readIdentity
    ).bound(to: ProviderContext(transport: ScriptedTransport([]), time: time))
    let error = await failure(of: wrong)
    XCTAssertEqual(error?.message.contains("oidc-provider"), true)
  }

  func testIdentityTokenInAnErrorResponseIsMasked() async throws {
    let reply = alibabaRefusal(
      "AuthenticationFail.NoPermission", "The token \(RemoteService.identityToken) is not ours.")
    let error = await failure(of: RemoteService.alibabaOIDC.answering(reply))
    XCTAssertEqual(error?.code, .rejected)
    XCTAssertEqual(error?.message.contains("is not ours"), true)
  }
}
