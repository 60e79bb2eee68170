// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import CredentialSources
import Foundation
import StorageAuth
import StorageAuthTesting
import XCTest

/// Tests the requests to Tencent Cloud STS, and the handling of error responses.
final class TencentSTSTests: XCTestCase {
  private let time = ManualClock(now: RemoteService.now)
  private let role = "qcs::cam::uin/100000000001:roleName/cos-role"
  private let policy = #"{"version":"2.0","statement":[{"effect":"allow","action":["name/cos:*"],"resource":["*"]}]}"#

  private func federation(
    _ transport: ScriptedTransport, name: String = "phone", policy: String? = nil, duration: Duration = .seconds(1800),
    keys: StaticCredentialProvider<AccessKey> = RemoteService.ownKey, endpoint: TencentSTSEndpoint = .standard
  ) -> BoundCredentialProvider<TencentFederationProvider> {
    TencentFederationProvider(
      name: name, policy: policy ?? self.policy, credentials: keys, duration: duration, endpoint: endpoint
    ).bound(to: ProviderContext(transport: transport, time: time))
  }

  private func assumeRole(
    _ transport: ScriptedTransport, role: String? = nil, session: String = "alice", duration: Duration = .seconds(7200),
    policy: String? = nil, region: String = "ap-guangzhou"
  ) -> BoundCredentialProvider<TencentAssumeRoleProvider> {
    TencentAssumeRoleProvider(
      roleARN: role ?? self.role, sessionName: session, credentials: RemoteService.ownTemporaryKey, duration: duration,
      policy: policy, region: region
    ).bound(to: ProviderContext(transport: transport, time: time))
  }

  private func assertSigned(_ sent: RecordedRequest, by id: String, line: UInt = #line) throws {
    let authorization = try XCTUnwrap(sent.header("Authorization").flatMap(ServiceAuthorization.init), line: line)
    XCTAssertEqual(authorization.credential, "\(id)/2027-01-15/sts/tc3_request", line: line)
    XCTAssertEqual(authorization.signedHeaders, ["content-type", "host", "x-tc-action"], line: line)
    let expected = try TC3Signature(service: "sts", date: RemoteService.now).signature(
      of: ServiceCall(sent.head, body: sent.body), signing: authorization.signedHeaders,
      secret: Secret(RemoteService.ownSecret))
    XCTAssertEqual(authorization.signature, expected, line: line)
    XCTAssertEqual(sent.header("X-TC-Timestamp"), "1800000000", line: line)
    XCTAssertEqual(sent.header("X-TC-Version"), "2018-08-13", line: line)
    XCTAssertEqual(sent.header("Content-Length"), "\(sent.body.count)", line: line)
  }

  private func fields(_ sent: RecordedRequest) throws -> [String: String] {
    let object = try JSONSerialization.jsonObject(with: Data(sent.body)) as? [String: Any]
    return try XCTUnwrap(object).mapValues { "\($0)" }
  }

  func testFederationTokenIsRequestedWithAPolicy() async throws {
    let transport = ScriptedTransport([.json(RemoteService.tencentRole.answer)])
    let provider = federation(transport)
    _ = try await provider.credential()
    let sent = try XCTUnwrap(transport.requests.first)
    XCTAssertEqual(sent.url, "https://sts.tencentcloudapi.com/")
    XCTAssertEqual(sent.header("X-TC-Action"), "GetFederationToken")
    XCTAssertEqual(sent.header("X-TC-Region"), "ap-guangzhou")
    XCTAssertNil(sent.header("X-TC-Token"))
    try assertSigned(sent, by: "LTAIasks")
    let fields = try fields(sent)
    XCTAssertEqual(fields.keys.sorted(), ["DurationSeconds", "Name", "Policy"])
    XCTAssertEqual(fields["Name"], "phone")
    XCTAssertEqual(fields["DurationSeconds"], "1800")
    let encoded = try XCTUnwrap(fields["Policy"])
    XCTAssertEqual(encoded.removingPercentEncoding, policy)
    XCTAssertFalse(encoded.contains("{"))
    XCTAssertEqual(provider.source, "Tencent STS GetFederationToken (phone)")
  }

  func testRoleIsAssumed() async throws {
    let transport = ScriptedTransport([.json(RemoteService.tencentRole.answer)])
    let provider = TencentAssumeRoleProvider(
      roleARN: role, sessionName: "alice", credentials: RemoteService.ownTemporaryKey, duration: .seconds(43_200),
      externalID: "é/1", region: "ap-beijing", endpoint: .internal
    ).bound(to: ProviderContext(transport: transport, time: time))
    _ = try await provider.credential()
    let sent = try XCTUnwrap(transport.requests.first)
    XCTAssertEqual(sent.url, "https://sts.internal.tencentcloudapi.com/")
    XCTAssertEqual(sent.header("X-TC-Action"), "AssumeRole")
    XCTAssertEqual(sent.header("X-TC-Region"), "ap-beijing")
    XCTAssertEqual(sent.header("X-TC-Token"), RemoteService.ownToken)
    try assertSigned(sent, by: "STS.asks")
    XCTAssertEqual(
      try fields(sent),
      ["RoleArn": role, "RoleSessionName": "alice", "DurationSeconds": "43200", "ExternalId": "é/1"])
  }

  func testIdentityTokenIsSentUnsigned() async throws {
    let transport = ScriptedTransport([.json(RemoteService.tencentRole.answer)])
    let provider = TencentWebIdentityProvider(
      roleARN: role, providerID: "tke", sessionName: "pod", endpoint: .international,
      token: RemoteService.readIdentity
    ).bound(to: ProviderContext(transport: transport, time: time))
    _ = try await provider.credential()
    let sent = try XCTUnwrap(transport.requests.first)
    XCTAssertEqual(sent.url, "https://sts.intl.tencentcloudapi.com/")
    XCTAssertEqual(sent.header("Authorization"), "SKIP")
    XCTAssertEqual(sent.header("X-TC-Action"), "AssumeRoleWithWebIdentity")
    XCTAssertEqual(sent.header("X-TC-Timestamp"), "1800000000")
    XCTAssertEqual(
      try fields(sent),
      [
        "ProviderId": "tke", "WebIdentityToken": RemoteService.identityToken, "RoleArn": role,
        "RoleSessionName": "pod", "DurationSeconds": "7200",
      ])
  }

  func testParametersBeyondTheLimitsAreNotSent() async throws {
    let transport = ScriptedTransport([])
    let cases: [(any CredentialProvider<AccessKey>, String)] = [
      (federation(transport, duration: .seconds(129_601)), "1 to 129600"),
      (federation(transport, duration: .zero), "1 to 129600"), (federation(transport, name: ""), "1 to 128"),
      (federation(transport, name: "two words"), "1 to 128"), (federation(transport, policy: ""), "JSON object"),
      (federation(transport, policy: policy.percentEncodedForTest), "JSON object"),
      (federation(transport, keys: RemoteService.ownTemporaryKey), "permanent key"),
      (assumeRole(transport, duration: .seconds(43_201)), "1 to 43200"),
      (assumeRole(transport, session: "a"), "2 to 128"), (assumeRole(transport, policy: "[]"), "JSON object"),
      (assumeRole(transport, region: ""), "region"), (assumeRole(transport, region: "ap guangzhou"), "region"),
      (assumeRole(transport, role: "acs:ram::1:role/x"), "qcs::cam::"),
      (assumeRole(transport, role: "qcs::cam::uin/1:roleName/"), "qcs::cam::"),
      (assumeRole(transport, role: "qcs::cam::uin/1:user/x"), "qcs::cam::"),
    ]
    for (provider, text) in cases {
      let error = await failure(of: provider, text)
      XCTAssertEqual(error?.code, .failed, text)
      XCTAssertEqual(error?.description.contains(text), true, "\(text): \(error?.description ?? "")")
    }
    XCTAssertTrue(transport.requests.isEmpty)
  }

  // matrix: Tencent STS: clock
  func testWrongClockIsCorrectedOnceAndTheCorrectionRetained() async throws {
    let answer = RemoteService.tencentRole.answer
    let replies = Tick()
    let transport = ScriptedTransport { _ in
      replies.next() == 0
        ? tencentRefusal("AuthFailure.SignatureExpire", date: "Fri, 15 Jan 2027 07:40:00 GMT") : .json(answer)
    }
    let provider = federation(transport)
    _ = try await provider.credential()
    time.advance(by: .seconds(10))
    _ = try await provider.credential()
    XCTAssertEqual(
      transport.requests.map { $0.header("X-TC-Timestamp") }, ["1800000000", "1799998800", "1799998810"])
  }

  func testPersistentClockErrorIsRetriedOnce() async throws {
    let replies = Tick()
    let transport = ScriptedTransport { _ in
      tencentRefusal("AuthFailure.SignatureExpire", date: "Fri, 15 Jan 2027 0\(replies.next()):00:00 GMT")
    }
    let error = await failure(of: assumeRole(transport))
    XCTAssertEqual(error?.code, .rejected)
    XCTAssertEqual(error?.remedy, "Set this machine's clock.")
    XCTAssertEqual(transport.requests.count, 2)
  }

  // matrix: Tencent STS: refusal
  func testErrorsAreReportedWithCodeRequestIDAndRemedy() async throws {
    let cases: [(String, CredentialError.Code, String)] = [
      ("AuthFailure.SignatureFailure", .rejected, "secret"),
      ("AuthFailure.SecretIdNotFound", .rejected, "ID of the signing key"),
      ("AuthFailure.TokenFailure", .rejected, "new temporary key"), ("UnauthorizedOperation", .rejected, "policies"),
      ("InvalidParameter.StrategyInvalid", .rejected, "parameter"), ("RequestLimitExceeded", .failed, "later"),
      ("InternalError.SystemError", .failed, "later"), ("SomethingNew", .rejected, "vendor"),
    ]
    for service in [RemoteService.tencentFederation, .tencentRole, .tencentWebIdentity] {
      for (code, kind, remedy) in cases {
        let error = await failure(of: service.answering(tencentRefusal(code)), code)
        XCTAssertEqual(error?.code, kind, code)
        XCTAssertEqual(error?.isRetryable, kind == .failed, code)
        XCTAssertEqual(error?.message.contains("\(code): No. (request R-7)"), true, error?.message ?? "")
        XCTAssertEqual(error?.remedy.contains(remedy), true, error?.remedy ?? "")
      }
    }
  }

  func testMissingObjectInAResponseIsNamed() async throws {
    for (body, name) in [("{}", "Response"), (#"{"Response":{}}"#, "Credentials"), (#"{"Response":3}"#, "Response")] {
      let error = await failure(of: RemoteService.tencentRole.answering(.json(body)))
      XCTAssertEqual(error?.code, .malformedResponse)
      XCTAssertEqual(error?.message.contains(name), true)
    }
  }
}
