// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import COSAuth
internal import CredentialSources
internal import Foundation
internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests the local Tencent Cloud STS: accepted callers, successful responses, and error responses in the service's
/// format.
final class TencentSTSTests: ServicesTestCase {
  private static let policy = #"{"version":"2.0","statement":[{"effect":"allow","action":["*"],"resource":"*"}]}"#
  private static let assume = #"{"RoleArn":"\#(tencentRole)","RoleSessionName":"alice"}"#

  private let federation = ["Action": "GetFederationToken", "Name": "alice", "Policy": policy.percentEncoded]

  private func json(_ members: [String: String], durationSeconds: Int? = nil) -> String {
    var parts = members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\"\($0.value)\"" }
    if let durationSeconds { parts.append("\"DurationSeconds\":\(durationSeconds)") }
    return "{\(parts.joined(separator: ","))}"
  }

  private func refusal(
    _ client: ServicesClient, _ call: ServiceCall, _ code: String, file: StaticString = #filePath, line: UInt = #line
  ) async throws {
    let reply = try await client.send(call)
    XCTAssertEqual(reply.status, 200, file: file, line: line)
    XCTAssertEqual(reply.json("Response", "Error", "Code"), code, file: file, line: line)
    XCTAssertNotNil(reply.json("Response", "Error", "Message"), file: file, line: line)
    XCTAssertNotNil(reply.json("Response", "RequestId"), file: file, line: line)
    XCTAssertEqual(reply.header("content-type"), "application/json", file: file, line: line)
    XCTAssertEqual(reply.header("date"), clock.now.httpDate, file: file, line: line)
    XCTAssertNil(reply.json("Response", "ExpiredTime"), file: file, line: line)
  }

  func testV1AndTC3CallsReturnCredentialsValidOnlyForCOS() async throws {
    try await withServices { client in
      let named = json(["Name": "alice", "Policy": Self.policy.percentEncoded])
      for call in [
        try client.tc3("GetFederationToken", named), client.v1(federation), client.v1(federation, method: "HmacSHA256"),
        try client.tc3("AssumeRole", Self.assume),
      ] {
        let reply = try await client.send(call)
        XCTAssertEqual(reply.status, 200)
        let key = try XCTUnwrap(reply.tencentKey, reply.text)
        XCTAssertTrue(key.id.string.hasPrefix("AKID"))
        let seconds = try XCTUnwrap(reply.json("Response", "ExpiredTime").flatMap { Int64($0) })
        XCTAssertEqual(reply.json("Response", "Expiration"), Timestamp(unixSeconds: seconds).iso8601)
        let cos = try await storage(.cos, of: client, with: key).send(.put, "a", body: [1])
        XCTAssertEqual(cos.status, 200, cos.text)
        let oss = try await storage(.oss, of: client, with: key).send(.get)
        XCTAssertEqual(try oss.errorCode, "InvalidAccessKeyId")
      }
      XCTAssertEqual(client.cloud.statistics.verified[.tc3], 2)
      XCTAssertEqual(client.cloud.statistics.verified[.tencentV1], 2)
      XCTAssertEqual(client.cloud.statistics[.sts].issued, 4)
    }
  }

  func testCallerIdentityIsThatOfTheKey() async throws {
    try await withServices { client in
      let account = try await client.send(client.tc3("GetCallerIdentity", "{}"))
      XCTAssertEqual(account.json("Response", "Type"), "CAMUser")
      XCTAssertEqual(account.json("Response", "Arn"), "qcs::cam:1250000000:uin/1250000000")
      var session = client
      let issued = try await client.send(client.tc3("AssumeRole", Self.assume)).tencentKey
      session.key = try XCTUnwrap(issued)
      let role = try await session.send(session.tc3("GetCallerIdentity", "{}"))
      XCTAssertEqual(role.json("Response", "Type"), "CAMRole")
      XCTAssertEqual(role.json("Response", "UserId")?.hasSuffix(":alice"), true)
      XCTAssertEqual(role.json("Response", "AccountId"), "1250000000")
      session.key = AccessKey(id: "unknown", secret: "x")
      try await refusal(client, session.tc3("GetCallerIdentity", "{}"), "AuthFailure.SecretIdNotFound")
    }
  }

  func testPolicyIsStoredDecoded() async throws {
    try await withServices { client in
      for text in [Self.policy.percentEncoded, Self.policy, Self.policy.percentEncoded.replacing("%20", with: "+")] {
        let reply = try await client.send(client.v1(federation.merging(["Policy": text]) { _, new in new }))
        let session = try XCTUnwrap(client.cloud.session(of: XCTUnwrap(reply.tencentKey, reply.text).id))
        XCTAssertEqual(session.policy, Self.policy)
        XCTAssertEqual(session.name, "alice")
        XCTAssertNil(session.role)
        XCTAssertEqual(session.expiration, clock.now.advanced(by: .seconds(1800)))
      }
    }
  }

  func testUnknownKeysAndWrongSignaturesAreRejected() async throws {
    try await withServices { client in
      var other = client
      for key in [AccessKey(id: "unknown", secret: "x"), Self.keyOfAnotherAccount] {
        other.key = key
        try await refusal(client, other.tc3("AssumeRole", Self.assume), "AuthFailure.SecretIdNotFound")
        try await refusal(client, other.v1(federation), "AuthFailure.SecretIdNotFound")
      }
      other.key = AccessKey(id: Self.key.id, secret: "wrong")
      try await refusal(client, other.tc3("AssumeRole", Self.assume), "AuthFailure.SignatureFailure")
      try await refusal(client, other.v1(federation), "AuthFailure.SignatureFailure")
      var changed = try client.tc3("AssumeRole", Self.assume)
      changed.body.append(UInt8(ascii: " "))
      try await refusal(client, changed, "AuthFailure.SignatureFailure")
      changed.request.headerFields[.authorization] = "TC3-HMAC-SHA256 Credential=\(Self.key.id)"
      try await refusal(client, changed, "AuthFailure.InvalidAuthorization")
      changed.request.headerFields[.authorization] = nil
      try await refusal(client, changed, "AuthFailure.InvalidAuthorization")
      XCTAssertEqual(client.cloud.statistics[.sts].unsigned, 1)
      XCTAssertEqual(client.cloud.statistics[.sts].issued, 0)
    }
  }

  func testAuthorizationOfAnotherScopeOrWithTooFewHeadersIsRejected() async throws {
    try await withServices { client in
      for (service, names, code) in [
        ("cvm", ["content-type", "host"], "AuthFailure.SignatureFailure"),
        ("sts", ["host"], "AuthFailure.InvalidAuthorization"),
      ] {
        var call = try client.tc3("AssumeRole", Self.assume)
        let scheme = TC3Signature(service: service, date: clock.now)
        let signature = try scheme.signature(of: call, signing: names, secret: Self.key.secret)
        call.request.headerFields[.authorization] =
          "TC3-HMAC-SHA256 Credential=\(Self.key.id)/\(scheme.scope), SignedHeaders=\(names.joined(separator: ";")), "
          + "Signature=\(signature)"
        try await refusal(client, call, code)
      }
    }
  }

  func testTemporaryCredentialsRequireTheirTokenAndGetNoFederationToken() async throws {
    try await withServices { client in
      var second = client
      let issued = try await client.send(client.tc3("AssumeRole", Self.assume)).tencentKey
      second.key = try XCTUnwrap(issued)
      let reply = try await second.send(second.tc3("AssumeRole", Self.assume))
      XCTAssertNotNil(reply.tencentKey, reply.text)
      try await refusal(client, second.v1(federation), "UnauthorizedOperation")
      var other = second
      other.key = AccessKey(id: second.key.id, secret: second.key.secret)
      try await refusal(client, other.tc3("AssumeRole", Self.assume), "AuthFailure.TokenFailure")
      other.key = AccessKey(id: second.key.id, secret: second.key.secret, sessionToken: Secret("another"))
      try await refusal(client, other.tc3("AssumeRole", Self.assume), "AuthFailure.TokenFailure")
      clock.advance(by: .seconds(7200))
      try await refusal(client, second.tc3("AssumeRole", Self.assume), "AuthFailure.TokenFailure")
    }
  }

  func testCallIsAcceptedOnlyWithinTheClockTolerance() async throws {
    try await withServices { client in
      for offset in [Duration.seconds(301), .seconds(-301)] {
        let header = try client.tc3("AssumeRole", Self.assume)
        let form = client.v1(federation)
        clock.advance(by: offset)
        try await refusal(client, header, "AuthFailure.SignatureExpire")
        try await refusal(client, form, "AuthFailure.SignatureExpire")
        clock.advance(by: .zero - offset)
      }
      let early = try client.tc3("AssumeRole", Self.assume)
      clock.advance(by: .seconds(300))
      let reply = try await client.send(early)
      XCTAssertNotNil(reply.tencentKey, reply.text)
    }
  }

  func testRequestParametersAreValidated() async throws {
    let role = ["RoleArn": Self.tencentRole, "RoleSessionName": "alice"]
    try await withServices { client in
      func assume(_ changes: [String: String], _ seconds: Int? = nil) throws -> ServiceCall {
        let members = role.merging(changes) { _, new in new }
        return try client.tc3("AssumeRole", json(members, durationSeconds: seconds))
      }
      try await refusal(client, assume(["RoleArn": ""]), "MissingParameter")
      try await refusal(client, assume(["RoleSessionName": ""]), "MissingParameter")
      try await refusal(
        client, assume(["RoleArn": "qcs::cam::uin/1:roleName/no"]), "ResourceNotFound.RoleNotFound")
      try await refusal(client, assume(["RoleArn": Self.foreignTencentRole.arn]), "UnauthorizedOperation")
      try await refusal(client, assume([:], 43_201), "InvalidParameter.OverTimeError")
      try await refusal(client, assume([:], 0), "InvalidParameter.OverTimeError")
      try await refusal(client, assume(["Policy": "%7B"]), "InvalidParameter.StrategyFormatError")
      try await refusal(
        client, assume(["Policy": #"{"statement":[{"principal":{"qcs":"*"}}]}"#.percentEncoded]),
        "InvalidParameter.StrategyInvalid")
      let long = #"{"version":""# + String(repeating: "1", count: 6200) + #""}"#
      try await refusal(client, assume(["Policy": long.percentEncoded]), "InvalidParameter.PolicyTooLong")
      var federation = federation
      federation["DurationSeconds"] = "129601"
      try await refusal(client, client.v1(federation), "InvalidParameter.OverTimeError")
      federation["Policy"] = nil
      try await refusal(client, client.v1(federation), "MissingParameter")
      try await refusal(client, client.tc3("DropRole", "{}"), "InvalidAction")
      try await refusal(client, client.tc3("AssumeRole", "{"), "InvalidParameter")
      XCTAssertEqual(client.cloud.statistics[.sts].issued, 0)
    }
  }

  func testConfiguredLifetimeAppliesToAllCredentials() async throws {
    var configuration = configuration
    configuration.services.tokenLifetime = .seconds(5)
    try await withServices(configuration) { client in
      for call in [client.v1(federation), try client.tc3("AssumeRole", Self.assume)] {
        let reply = try await client.send(call)
        XCTAssertEqual(reply.json("Response", "ExpiredTime"), String(clock.now.unixSeconds + 5))
      }
    }
  }

  func testUnsignedIdentityTokenExchangeReturnsCredentials() async throws {
    try await withServices { client in
      func exchange(_ token: String, headers: [String: String]) -> ServiceCall {
        let body = json([
          "RoleArn": Self.tencentRole, "RoleSessionName": "pod", "ProviderId": "tke", "WebIdentityToken": token,
        ])
        let fixed = [
          "content-type": "application/json", "X-TC-Action": "AssumeRoleWithWebIdentity", "X-TC-Version": "2018-08-13",
        ]
        return client.call(.post, headers: fixed.merging(headers) { first, _ in first }, body: body)
      }
      for headers in [["Authorization": "SKIP"], [:]] {
        let reply = try await client.send(exchange(Self.identityToken, headers: headers))
        let key = try XCTUnwrap(reply.tencentKey, reply.text)
        let cos = try await storage(.cos, of: client, with: key).send(.get)
        XCTAssertEqual(cos.status, 200)
      }
      XCTAssertEqual(client.cloud.statistics[.sts].unsigned, 0)
      try await refusal(client, exchange("forged", headers: [:]), "InvalidParameter.WebIdentityTokenError")
      try await refusal(client, exchange("", headers: [:]), "MissingParameter")
    }
  }
}

extension String {
  /// The string with every character except letters and digits percent-encoded.
  fileprivate var percentEncoded: String {
    addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }
}
