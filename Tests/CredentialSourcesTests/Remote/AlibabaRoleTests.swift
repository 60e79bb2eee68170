// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import CredentialSources
import HTTPTypes
import OSSAuth
import StorageAuth
import StorageAuthTesting
import XCTest

/// Tests the requests that assume a role of Alibaba Cloud, and the handling of error responses.
final class AlibabaRoleTests: XCTestCase {
  private let time = ManualClock(now: RemoteService.now)
  private let role = "acs:ram::1234567890123456:role/uploader"

  private func assumeRole(
    _ transport: ScriptedTransport, session: String = "alice", duration: Duration = .seconds(3600),
    policy: String? = nil, externalID: String? = nil, endpoint: AlibabaSTSEndpoint = .global, role: String? = nil
  ) -> BoundCredentialProvider<AlibabaAssumeRoleProvider> {
    AlibabaAssumeRoleProvider(
      roleARN: role ?? self.role, sessionName: session, credentials: RemoteService.ownTemporaryKey, duration: duration,
      policy: policy, externalID: externalID, endpoint: endpoint
    ).bound(to: ProviderContext(transport: transport, time: time))
  }

  func testCallIsSignedAndContainsAllParameters() async throws {
    let transport = ScriptedTransport([.json(RemoteService.alibabaRole.answer)])
    let policy = #"{"Version":"1","Statement":[{"Effect":"Allow","Action":["oss:*"],"Resource":["*"]}]}"#
    let provider = assumeRole(transport, duration: .seconds(900), policy: policy, externalID: "a/b+c")
    _ = try await provider.credential()
    let sent = try XCTUnwrap(transport.requests.first)
    XCTAssertEqual(provider.source, "Alibaba STS AssumeRole (\(role))")
    XCTAssertEqual(sent.method, .post)
    XCTAssertTrue(sent.url.hasPrefix("https://sts.aliyuncs.com/?"))
    XCTAssertEqual(
      FormPair.read(String(sent.path.dropFirst(2))),
      [
        FormPair("RoleArn", role), FormPair("RoleSessionName", "alice"), FormPair("DurationSeconds", "900"),
        FormPair("Policy", policy), FormPair("ExternalId", "a/b+c"),
      ])
    XCTAssertEqual(sent.header("x-acs-action"), "AssumeRole")
    XCTAssertEqual(sent.header("x-acs-version"), "2015-04-01")
    XCTAssertEqual(sent.header("x-acs-date"), "2027-01-15T08:00:00Z")
    XCTAssertEqual(sent.header("x-acs-security-token"), RemoteService.ownToken)
    XCTAssertEqual(sent.header("Content-Length"), "0")
    let authorization = try XCTUnwrap(sent.header("Authorization").flatMap(ServiceAuthorization.init))
    XCTAssertEqual(authorization.credential, "STS.asks")
    XCTAssertEqual(
      authorization.signedHeaders,
      [
        "host", "x-acs-action", "x-acs-content-sha256", "x-acs-date", "x-acs-security-token", "x-acs-signature-nonce",
        "x-acs-version",
      ])
    let expected = try ACS3Signature.signature(
      of: ServiceCall(sent.head, body: sent.body), signing: authorization.signedHeaders,
      secret: Secret(RemoteService.ownSecret))
    XCTAssertEqual(authorization.signature, expected)
  }

  func testEachEndpointIsRequested() async throws {
    for (endpoint, host) in [
      (AlibabaSTSEndpoint.global, "https://sts.aliyuncs.com/"),
      (.region("cn-beijing"), "https://sts.cn-beijing.aliyuncs.com/"),
      (.vpc("cn-beijing"), "https://sts-vpc.cn-beijing.aliyuncs.com/"),
      (.url("http://127.0.0.1:8080"), "http://127.0.0.1:8080/"),
    ] {
      let transport = ScriptedTransport([.json(RemoteService.alibabaRole.answer)])
      _ = try await assumeRole(transport, endpoint: endpoint).credential()
      XCTAssertEqual(transport.requests.first?.url.hasPrefix(host + "?"), true)
    }
    let plain = await failure(of: assumeRole(ScriptedTransport([]), endpoint: .url("http://sts.example.com")))
    XCTAssertEqual(plain?.message.contains("not encrypted"), true)
  }

  func testParametersBeyondTheLimitsAreNotSent() async throws {
    let transport = ScriptedTransport([])
    let cases: [(BoundCredentialProvider<AlibabaAssumeRoleProvider>, String)] = [
      (assumeRole(transport, duration: .seconds(899)), "900 to 43200"),
      (assumeRole(transport, duration: .seconds(43_201)), "900 to 43200"),
      (assumeRole(transport, duration: .milliseconds(900_500)), "900 to 43200"),
      (assumeRole(transport, session: "a"), "2 to 64"),
      (assumeRole(transport, session: String(repeating: "a", count: 65)), "2 to 64"),
      (assumeRole(transport, session: "two words"), "2 to 64"), (assumeRole(transport, session: "jörg"), "2 to 64"),
      (assumeRole(transport, session: String(repeating: "a", count: 65)), "session name has 65 characters"),
      (assumeRole(transport, session: "two words"), "session name contains a character"),
      (assumeRole(transport, policy: #"{"a":""# + String(repeating: "x", count: 2048) + #""}"#), "2048"),
      (assumeRole(transport, policy: "allow everything"), "JSON object"),
      (assumeRole(transport, externalID: "x"), "2 to 1224"),
      (assumeRole(transport, externalID: String(repeating: "x", count: 1225)), "ID has 1225 characters"),
      (assumeRole(transport, externalID: "two words"), "digits and _+=,.@:/-"),
      (assumeRole(transport, externalID: "jörg"), "a character that the service does not allow"),
      (assumeRole(transport, externalID: "a\r\n"), "a character that the service does not allow"),
      (assumeRole(transport, role: ""), "acs:ram::"), (assumeRole(transport, role: "acs:ram::1:user/x"), "acs:ram::"),
      (assumeRole(transport, role: "acs:ram::1:role/"), "acs:ram::"),
      (assumeRole(transport, role: "acs:ram::1:role/a b"), "acs:ram::"),
      (assumeRole(transport, role: "qcs::cam::uin/1:roleName/x"), "acs:ram::"),
    ]
    for (provider, text) in cases {
      let error = await failure(of: provider, text)
      XCTAssertEqual(error?.code, .failed, text)
      XCTAssertEqual(error?.isRetryable, false, text)
      XCTAssertEqual(error?.description.contains(text), true, "\(text): \(error?.description ?? "")")
    }
    XCTAssertTrue(transport.requests.isEmpty)
  }

  func testParametersAtTheLimitsAreSent() async throws {
    let answer = RemoteService.alibabaRole.answer
    let transport = ScriptedTransport { _ in .json(answer) }
    let policy = #"{"a":""# + String(repeating: "x", count: 2040) + #""}"#
    XCTAssertEqual(policy.utf8.count, 2048)
    _ = try await assumeRole(transport, session: "ab", duration: .seconds(900), policy: policy).credential()
    _ = try await assumeRole(
      transport, session: String(repeating: "a", count: 64), duration: .seconds(43_200), externalID: "xy"
    ).credential()
    _ = try await assumeRole(transport, externalID: "aZ0_+=,.@:/-").credential()
    XCTAssertEqual(transport.requests.count, 3)
  }

  // matrix: Alibaba STS: clock
  func testWrongClockIsCorrectedOnceAndTheCorrectionRetained() async throws {
    let answer = RemoteService.alibabaRole.answer
    let replies = Tick()
    let transport = ScriptedTransport { _ in
      replies.next() == 0
        ? alibabaRefusal("InvalidTimeStamp.Expired", date: "Fri, 15 Jan 2027 08:20:00 GMT")
        : .json(answer, headers: ["Date": "Fri, 15 Jan 2027 08:20:00 GMT"])
    }
    let provider = assumeRole(transport)
    let issued = try await provider.issue(in: .local)
    XCTAssertEqual(issued.issuerTime, Timestamp(iso8601: "2027-01-15T08:20:00Z"))
    time.advance(by: .seconds(60))
    // A change of the wall clock has no effect: the service's time is advanced by the uptime.
    time.setWallClock(to: Timestamp(iso8601: "2030-01-01T00:00:00Z") ?? .now)
    _ = try await provider.issue(in: .local)
    XCTAssertEqual(
      transport.requests.map { $0.header("x-acs-date") },
      ["2027-01-15T08:00:00Z", "2027-01-15T08:20:00Z", "2027-01-15T08:21:00Z"])
    XCTAssertEqual(Set(transport.requests.map { $0.header("x-acs-signature-nonce") }).count, 3)
  }

  func testPersistentClockErrorIsRetriedOnce() async throws {
    let replies = Tick()
    let transport = ScriptedTransport { _ in
      let minutes = replies.next() == 0 ? "20" : "50"
      return alibabaRefusal("InvalidTimeStamp.Expired", date: "Fri, 15 Jan 2027 08:\(minutes):00 GMT")
    }
    let error = await failure(of: assumeRole(transport))
    XCTAssertEqual(error?.code, .rejected)
    XCTAssertEqual(error?.remedy, "Set this machine's clock.")
    XCTAssertEqual(transport.requests.count, 2)
  }

  func testClockErrorIsNotRetriedWithoutAUsableTime() async throws {
    for headers in [
      [:], ["Date": "Fri, 15 Jan 2027 08:00:20 GMT"], ["Date": "Thu, 01 Jan 1970 00:00:00 GMT"],
      ["Date": "Fri, 15 Jan 2027 08:20:00 GMT", "Age": "1200"],
    ] {
      let transport = ScriptedTransport { _ in
        .json(#"{"Code":"InvalidTimeStamp.Expired","Message":"No."}"#, status: 400, headers: headers)
      }
      let error = await failure(of: assumeRole(transport), "\(headers)")
      XCTAssertEqual(error?.code, .rejected)
      XCTAssertEqual(transport.requests.count, 1, "\(headers)")
    }
  }

  func testOtherErrorsDoNotChangeTheClock() async throws {
    let replies = Tick()
    let answer = RemoteService.alibabaRole.answer
    let transport = ScriptedTransport { _ in
      replies.next() == 0 ? alibabaRefusal("NoPermission", date: "Fri, 15 Jan 2027 08:20:00 GMT") : .json(answer)
    }
    let provider = assumeRole(transport)
    _ = await failure(of: provider)
    _ = try await provider.credential()
    XCTAssertEqual(transport.requests.last?.header("x-acs-date"), "2027-01-15T08:00:00Z")
  }

  // matrix: Alibaba STS: refusal
  func testErrorsAreReportedWithCodeRequestIDAndRemedy() async throws {
    let cases: [(String, CredentialError.Code, String)] = [
      ("NoPermission", .rejected, "AliyunSTSAssumeRoleAccess"), ("EntityNotExist.Role", .rejected, "name of the role"),
      ("InvalidAccessKeyId.NotFound", .rejected, "ID of the signing key"),
      ("SignatureDoesNotMatch", .rejected, "secret"),
      ("InvalidSecurityToken.Expired", .rejected, "new temporary key"), ("Throttling.User", .failed, "later"),
      ("SignatureNonceUsed", .failed, "later"), ("SomethingNew", .rejected, "vendor"),
    ]
    for (code, kind, remedy) in cases {
      let error = await failure(of: assumeRole(ScriptedTransport([alibabaRefusal(code)])), code)
      XCTAssertEqual(error?.code, kind, code)
      XCTAssertEqual(error?.isRetryable, kind == .failed, code)
      XCTAssertEqual(error?.message.contains("\(code): No. (request R-7)"), true, error?.message ?? "")
      XCTAssertEqual(error?.remedy.contains(remedy), true, error?.remedy ?? "")
    }
  }

  func testSecretInAnErrorResponseIsMasked() async throws {
    let token = RemoteService.ownToken
    let once = token.percentEncodedForTest
    let message =
      "server string is \(token) and \(once) and \(once.percentEncodedForTest) and \(RemoteService.ownSecret)"
    let error = await failure(of: assumeRole(ScriptedTransport([alibabaRefusal("SignatureDoesNotMatch", message)])))
    XCTAssertEqual(error?.message.contains("tokenThatAsks"), false)
    XCTAssertEqual(error?.message.contains("server string is \(Secret.mask)"), true)
  }

  func testMissingKeyOfTheCallerIsReported() async throws {
    let missing = CredentialError(.notConfigured, source: "environment", "Nothing is set.", remedy: "Set it.")
    let provider = AlibabaAssumeRoleProvider(
      roleARN: role, credentials: ScriptedProvider<AccessKey>([.failure(missing)])
    ).bound(to: ProviderContext(transport: ScriptedTransport([]), time: time))
    let error = await failure(of: provider)
    XCTAssertEqual(error?.code, .notConfigured)
    XCTAssertEqual(error?.declined, [missing])
    XCTAssertEqual(error?.remedy, "Set it.")

    for key in [AccessKey.anonymous, AccessKey(id: "a b", secret: "s")] {
      let transport = ScriptedTransport([])
      let unusable = AlibabaAssumeRoleProvider(
        roleARN: role, credentials: StaticCredentialProvider(key)
      ).bound(to: ProviderContext(transport: transport, time: time))
      let error = await failure(of: unusable)
      XCTAssertEqual(error?.code, .failed)
      XCTAssertTrue(transport.requests.isEmpty)
    }
  }
}
