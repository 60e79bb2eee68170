// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests the local Alibaba Cloud STS: accepted callers, successful responses, and error responses in the service's
/// format.
final class AlibabaSTSTests: ServicesTestCase {
  private let parameters = ["RoleArn": alibabaRole, "RoleSessionName": "alice"]

  private func refusal(
    _ client: ServicesClient, _ call: ServiceCall, _ status: Int, _ code: String, file: StaticString = #filePath,
    line: UInt = #line
  ) async throws {
    let reply = try await client.send(call)
    XCTAssertEqual(reply.status, status, file: file, line: line)
    XCTAssertEqual(reply.json("Code"), code, file: file, line: line)
    XCTAssertEqual(reply.header("date"), clock.now.httpDate, file: file, line: line)
    for member in ["RequestId", "HostId", "Message", "Recommend"] {
      XCTAssertNotNil(reply.json(member), member, file: file, line: line)
    }
    XCTAssertNil(reply.json("Credentials", "AccessKeyId"), file: file, line: line)
  }

  func testACS3AndRPCCallsReturnCredentialsValidOnlyForOSS() async throws {
    try await withServices { client in
      for call in [try client.acs3(parameters), client.rpc(parameters)] {
        let reply = try await client.send(call)
        XCTAssertEqual(reply.status, 200, reply.text)
        let key = try XCTUnwrap(reply.alibabaKey)
        XCTAssertTrue(key.id.string.hasPrefix("STS."))
        XCTAssertEqual(reply.json("Credentials", "Expiration"), clock.now.advanced(by: .seconds(3600)).iso8601)
        XCTAssertEqual(reply.json("AssumedRoleUser", "Arn"), "\(Self.alibabaRole)/alice")
        XCTAssertEqual(reply.header("date"), clock.now.httpDate)
        let oss = try await storage(.oss, of: client, with: key).send(.put, "a", body: [1])
        XCTAssertEqual(oss.status, 200, oss.text)
        let cos = try await storage(.cos, of: client, with: key).send(.get)
        XCTAssertEqual(try cos.errorCode, "InvalidAccessKeyId")
      }
      XCTAssertEqual(client.cloud.statistics.verified[.acs3], 1)
      XCTAssertEqual(client.cloud.statistics.verified[.alibabaRPC], 1)
      XCTAssertEqual(client.cloud.statistics[.sts].issued, 2)
    }
  }

  func testActionHeaderIsIgnoredInRPCCalls() async throws {
    try await withServices { client in
      var call = client.rpc(parameters)
      call.request.headerFields[try XCTUnwrap(.init("x-acs-action"))] = "AssumeRoleWithOIDC"
      let reply = try await client.send(call)
      XCTAssertNotNil(reply.alibabaKey, reply.text)
    }
  }

  func testSessionStoresTheRequestedPolicyAndDuration() async throws {
    try await withServices { client in
      let policy = #"{"Version":"1","Statement":[]}"#
      let more = ["Policy": policy, "DurationSeconds": "900"]
      let reply = try await client.send(client.acs3(parameters.merging(more) { first, _ in first }))
      let session = try XCTUnwrap(client.cloud.session(of: XCTUnwrap(reply.alibabaKey).id))
      XCTAssertEqual(session.role, Self.alibabaRole)
      XCTAssertEqual(session.name, "alice")
      XCTAssertEqual(session.policy, policy)
      XCTAssertEqual(session.provider, .oss)
      XCTAssertEqual(session.expiration, clock.now.advanced(by: .seconds(900)))
    }
  }

  func testCallerIdentityIsThatOfTheKey() async throws {
    try await withServices { client in
      let account = try await client.send(client.acs3([:], action: "GetCallerIdentity"))
      XCTAssertEqual(account.json("IdentityType"), "Account")
      XCTAssertEqual(account.json("Arn"), "acs:ram::1250000000:root")
      XCTAssertEqual(account.json("AccountId"), "1250000000")
      var session = client
      let issued = try await client.send(client.acs3(parameters)).alibabaKey
      session.key = try XCTUnwrap(issued)
      let role = try await session.send(session.acs3([:], action: "GetCallerIdentity"))
      XCTAssertEqual(role.json("IdentityType"), "AssumedRoleUser")
      XCTAssertEqual(role.json("Arn"), "acs:ram::1250000000:assumed-role/localcloud/alice")
      session.key = AccessKey(id: "unknown", secret: "x")
      try await refusal(client, session.acs3([:], action: "GetCallerIdentity"), 404, "InvalidAccessKeyId.NotFound")
    }
  }

  func testTemporaryCredentialsCanAssumeARole() async throws {
    try await withServices { client in
      var second = client
      let issued = try await client.send(client.acs3(parameters)).alibabaKey
      second.key = try XCTUnwrap(issued)
      let token = try XCTUnwrap(second.key.sessionToken).reveal()
      for call in [try second.acs3(parameters), second.rpc(parameters)] {
        let reply = try await second.send(call)
        XCTAssertNotNil(reply.alibabaKey, reply.text)
      }
      var wrong = second
      wrong.key = AccessKey(id: second.key.id, secret: "wrong", sessionToken: token)
      for call in [try wrong.acs3(parameters), wrong.rpc(parameters)] {
        let reply = try await wrong.send(call)
        XCTAssertEqual(reply.json("Code"), "SignatureDoesNotMatch")
        XCTAssertFalse(reply.text.contains(token.prefix(12)), "the response contains the session token")
      }
      wrong.key = AccessKey(id: second.key.id, secret: second.key.secret)
      try await refusal(client, wrong.acs3(parameters), 400, "MissingSecurityToken")
      wrong.key = AccessKey(id: second.key.id, secret: second.key.secret, sessionToken: Secret("another"))
      try await refusal(client, wrong.acs3(parameters), 400, "InvalidSecurityToken.MismatchWithAccessKey")
      try await refusal(client, wrong.rpc(parameters), 400, "InvalidSecurityToken.MismatchWithAccessKey")
      clock.advance(by: .seconds(3600))
      try await refusal(client, second.acs3(parameters), 400, "InvalidSecurityToken.Expired")
    }
  }

  func testUnknownAndDisabledKeysAreRejected() async throws {
    try await withServices { client in
      var client = client
      for key in [AccessKey(id: "unknown", secret: "x"), Self.keyOfAnotherAccount] {
        client.key = key
        try await refusal(client, client.acs3(parameters), 404, "InvalidAccessKeyId.NotFound")
        try await refusal(client, client.rpc(parameters), 404, "InvalidAccessKeyId.NotFound")
      }
      client.key = AccessKey(id: "disabled-id", secret: "disabled-secret")
      try await refusal(client, client.acs3(parameters), 400, "InvalidAccessKeyId.Inactive")
      let query = ["Action": "AssumeRole", "Version": "2015-04-01"]
      try await refusal(client, client.call(.post, query: query), 400, "MissingAccessKeyId")
      XCTAssertEqual(client.cloud.statistics[.sts].unsigned, 1)
      XCTAssertEqual(client.cloud.statistics[.sts].refused["InvalidAccessKeyId.NotFound"], 4)
      XCTAssertEqual(client.cloud.statistics[.sts].issued, 0)
    }
  }

  func testWrongSignatureIsRejectedWithTheServersStringToSign() async throws {
    try await withServices { client in
      var wrong = client
      wrong.key = AccessKey(id: Self.key.id, secret: "wrong")
      try await refusal(client, wrong.acs3(parameters), 400, "SignatureDoesNotMatch")
      try await refusal(client, wrong.rpc(parameters), 400, "SignatureDoesNotMatch")
      let text = try await client.send(wrong.rpc(parameters)).json("Message")
      XCTAssertTrue(text?.contains("POST&%2F&AccessKeyId%3Dtest-id%26Action%3DAssumeRole") == true, text ?? "")
      var changed = try client.acs3(parameters)
      changed.request.path? += "&DurationSeconds=901"
      try await refusal(client, changed, 400, "SignatureDoesNotMatch")
      changed = try client.acs3(parameters)
      changed.body = [1]
      try await refusal(client, changed, 400, "IncompleteSignature")
      changed = try client.acs3(parameters)
      changed.request.headerFields[.authorization] = "ACS3-HMAC-SHA256 Credential=\(Self.key.id)"
      try await refusal(client, changed, 400, "IncompleteSignature")
      changed = try client.acs3(parameters)
      changed.request.headerFields[try XCTUnwrap(.init("x-acs-extra"))] = "unsigned"
      try await refusal(client, changed, 400, "IncompleteSignature")
      try await refusal(
        client, client.rpc(parameters) { $0["SignatureVersion"] = "2.0" }, 400, "IncompleteSignature")
    }
  }

  func testCallIsAcceptedOnceAndOnlyWithinTheClockTolerance() async throws {
    try await withServices { client in
      let call = try client.acs3(parameters)
      let first = try await client.send(call)
      XCTAssertEqual(first.status, 200)
      try await refusal(client, call, 400, "SignatureNonceUsed")
      let form = client.rpc(parameters)
      let second = try await client.send(form)
      XCTAssertEqual(second.status, 200)
      try await refusal(client, form, 400, "SignatureNonceUsed")
      for offset in [Duration.seconds(901), .seconds(-901)] {
        let late = try client.acs3(parameters)
        let lateForm = client.rpc(parameters)
        clock.advance(by: offset)
        try await refusal(client, late, 400, "InvalidTimeStamp.Expired")
        try await refusal(client, lateForm, 400, "InvalidTimeStamp.Expired")
        clock.advance(by: .zero - offset)
      }
      let early = try client.acs3(parameters)
      clock.advance(by: .seconds(900))
      let reply = try await client.send(early)
      XCTAssertEqual(reply.status, 200)
      try await refusal(client, client.rpc(parameters) { $0["Timestamp"] = "today" }, 400, "InvalidTimeStamp.Format")
    }
  }

  func testRequestParametersAreValidated() async throws {
    let cases: [(String, String?, Int, String)] = [
      ("RoleArn", nil, 400, "MissingRoleArn"),
      ("RoleSessionName", nil, 400, "MissingRoleSessionName"),
      ("RoleArn", "photos", 400, "InvalidParameter.RoleArn"),
      ("RoleArn", "acs:ram::1250000000:role/nobody", 404, "EntityNotExist.Role"),
      ("RoleArn", Self.foreignAlibabaRole.arn, 403, "NoPermission"),
      ("RoleSessionName", "a", 400, "InvalidParameter.RoleSessionName"),
      ("RoleSessionName", "a b", 400, "InvalidParameter.RoleSessionName"),
      ("DurationSeconds", "899", 400, "InvalidParameter.DurationSeconds"),
      ("DurationSeconds", "3601", 400, "InvalidParameter.DurationSeconds"),
      ("DurationSeconds", "soon", 400, "InvalidParameter.DurationSeconds"),
      ("Policy", "{", 400, "InvalidParameter.PolicyGrammar"),
      ("Policy", "[]", 400, "InvalidParameter.PolicyGrammar"),
      ("Policy", #"{"Version":""# + String(repeating: "1", count: 2036) + #""}"#, 400, "InvalidParameter.PolicySize"),
    ]
    try await withServices { client in
      for (name, value, status, code) in cases {
        var parameters = parameters
        parameters[name] = value
        try await refusal(client, client.acs3(parameters), status, code)
      }
      try await refusal(client, client.acs3(parameters, action: "DropRole"), 404, "InvalidAction.NotFound")
      let query = ["Action": "AssumeRole", "Version": "2014-01-01"]
      try await refusal(client, client.call(.get, query: query), 400, "InvalidVersion")
      try await refusal(client, client.call(.get), 400, "MissingAction")
      try await refusal(client, client.call(.get, "/?Action=a&Action=b"), 400, "InvalidParameter")
      let tooLong = String(repeating: "a", count: 300_000)
      try await refusal(client, client.call(.post, body: tooLong), 413, "InvalidParameter")
      XCTAssertEqual(client.cloud.statistics[.sts].issued, 0)
    }
  }

  func testConfiguredLifetimeAppliesToAllCredentialsAndOverridesTheMinimum() async throws {
    var configuration = configuration
    configuration.services.tokenLifetime = .seconds(5)
    try await withServices(configuration) { client in
      for duration in ["1", "900", "43200"] {
        let all = parameters.merging(["DurationSeconds": duration]) { first, _ in first }
        let reply = try await client.send(client.acs3(all))
        XCTAssertEqual(reply.json("Credentials", "Expiration"), clock.now.advanced(by: .seconds(5)).iso8601)
      }
      let zero = parameters.merging(["DurationSeconds": "0"]) { first, _ in first }
      try await refusal(client, client.acs3(zero), 400, "InvalidParameter.DurationSeconds")
    }
  }

  func testUnsignedIdentityTokenExchangeReturnsCredentials() async throws {
    try await withServices { client in
      func exchange(_ changes: [String: String]) -> ServiceCall {
        let body = [
          "RoleArn": Self.alibabaRole, "RoleSessionName": "pod", "OIDCProviderArn": "acs:ram::1:oidc-provider/ack",
          "OIDCToken": Self.identityToken,
        ].merging(changes) { _, new in new }
        return client.call(
          .post, query: ["Action": "AssumeRoleWithOIDC", "Version": "2015-04-01", "Format": "JSON"],
          headers: ["content-type": "application/x-www-form-urlencoded"],
          body: FormPair.written(body.map { FormPair($0.key, $0.value) }))
      }
      let reply = try await client.send(exchange([:]))
      let key = try XCTUnwrap(reply.alibabaKey, reply.text)
      let oss = try await storage(.oss, of: client, with: key).send(.get)
      XCTAssertEqual(oss.status, 200)
      XCTAssertEqual(client.cloud.statistics[.sts].unsigned, 0)
      try await refusal(client, exchange(["OIDCToken": "forged"]), 400, "AuthenticationFail.OIDCToken.Invalid")
      try await refusal(client, exchange(["OIDCToken": ""]), 400, "MissingOIDCToken")
      try await refusal(client, exchange(["OIDCProviderArn": ""]), 400, "MissingOIDCProviderArn")
      try await refusal(client, exchange(["RoleArn": "acs:ram::1:role/no"]), 404, "EntityNotExist.Role")
      try await refusal(client, exchange(["DurationSeconds": "60"]), 400, "InvalidParameter.DurationSeconds")
    }
  }
}
