// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import COSAuth
internal import HTTPTypes
internal import LocalCloud
internal import OSSAuth
internal import StorageAuth
internal import XCTest

/// Tests policy conditions over the wire, and how the token services validate policies.
final class PolicyConditionWireTests: PolicyTestCase {
  private func put(_ client: TestClient, _ headers: [String: String], _ count: Int) async throws -> Int {
    try await client.send(
      .put, "uploads/alice/a", headers: headers, body: [UInt8](repeating: 1, count: count)
    ).status
  }

  func testCOSEnforcesSizeAndTypeOfASimpleUpload() async throws {
    let policy = AccessPolicy([PolicyIntent.rule(.write, upTo: 4, types: ["image/*", "text/plain"])])
    try await withEachScope(policy, of: [.cos]) { scoped, _ in
      let tests: [([String: String], Int, Int)] = [
        (["Content-Type": "image/png"], 4, 200), (["Content-Type": "text/plain"], 0, 200),
        (["Content-Type": "image/png"], 5, 403), (["Content-Type": "text/html"], 4, 403), ([:], 4, 403),
      ]
      for (headers, count, status) in tests {
        let answered = try await put(scoped, headers, count)
        XCTAssertEqual(answered, status, "\(headers) \(count)")
      }
      let initiate = try await scoped.send(
        .post, "uploads/alice/a", query: ["uploads": nil], headers: ["Content-Type": "image/png"])
      XCTAssertEqual(initiate.status, 403, "parts have no size limit and must be rejected")
    }
  }

  func testExpirationAndAddressConditionsAreEnforced() async throws {
    for (network, allowed) in [("127.0.0.0/8", true), ("203.0.113.0/24", false)] {
      let policy = AccessPolicy([
        PolicyIntent.rule(
          .write, from: AddressRange(network).map { [$0] }, until: clock.now.advanced(by: .seconds(600)))
      ])
      try await withEachScope(policy) { scoped, _ in
        let first = try await put(scoped, [:], 1)
        XCTAssertEqual(first, allowed ? 200 : 403, network)
      }
    }
    let end = clock.now.advanced(by: .seconds(600))
    try await withServices { services in
      let policy = AccessPolicy([PolicyIntent.rule(.write, until: end)])
      var clients: [TestClient] = []
      for provider in [LocalCloud.Provider.oss, .cos] {
        clients.append(try await client(of: provider, services, policy: document(of: policy, for: provider)))
      }
      for (seconds, status) in [(599, 200), (1, 403)] {
        clock.advance(by: .seconds(seconds))
        for client in clients {
          let answered = try await put(client, [:], 1)
          XCTAssertEqual(answered, status, client.provider.rawValue)
        }
      }
    }
  }

  func testUnsupportedPolicyIsRejectedByTheTokenService() async throws {
    let ram = { (statement: String) in #"{"Version":"1","Statement":[{"Effect":"Allow",\#(statement)}]}"# }
    let cam = { (statement: String) in #"{"version":"2.0","statement":[{"effect":"allow",\#(statement)}]}"# }
    let any = (#""Action":"*","Resource":"*""#, #""action":"*","resource":"*""#)
    let tests: [(LocalCloud.Provider, String)] = [
      (.oss, "[]"), (.oss, "{"), (.oss, #"{"Statement":[]}"#), (.oss, #"{"Version":"2","Statement":[]}"#),
      (.oss, #"{"Version":"1","Statement":{}}"#), (.oss, #"{"version":"1","statement":[]}"#),
      (.oss, ram(#""Action":"*""#)), (.oss, ram(#""Resource":"*""#)), (.oss, ram(#""Action":[],"Resource":"*""#)),
      (.oss, ram(#""Action":"PutObject","Resource":"*""#)), (.oss, ram(#""Action":"*","NotResource":"*""#)),
      (.oss, ram(#""Action":"*","Resource":"photos/*""#)), (.oss, ram(#"\#(any.0),"Principal":"*""#)),
      (.oss, ram(#"\#(any.0),"Condition":{"StringMatches":{"oss:Prefix":"a"}}"#)),
      (.oss, ram(#"\#(any.0),"Condition":{"StringLike":{"oss:Suffix":"a"}}"#)),
      (.oss, ram(#"\#(any.0),"Condition":{"IpAddress":{"acs:SourceIp":"here"}}"#)),
      (.oss, ram(#"\#(any.0),"Condition":{"DateLessThan":{"acs:CurrentTime":"soon"}}"#)),
      (.oss, ram(#"\#(any.0),"Condition":{"IpAddress":{"acs:SourceIp":[]}}"#)),
      (.oss, #"{"Version":"1","Statement":[{"Effect":"allow",\#(any.0)}]}"#),
      (.cos, "[]"), (.cos, "{"), (.cos, #"{"version":"1","statement":[]}"#), (.cos, cam(#""action":"*""#)),
      (.cos, cam(#""action":"name/PutObject","resource":"*""#)), (.cos, cam(#""action":"*","resource":"photos/*""#)),
      (.cos, cam(#"\#(any.1),"notAction":"*""#)), (.cos, cam(#"\#(any.1),"Effect":"deny""#)),
      (.cos, cam(#"\#(any.1),"condition":{"string_matches":{"cos:prefix":"a"}}"#)),
      (.cos, cam(#"\#(any.1),"condition":{"string_equal":{"cos:suffix":"a"}}"#)),
      (.cos, cam(#"\#(any.1),"condition":{"numeric_equal":{"cos:content-length":"many"}}"#)),
    ]
    try await withServices { services in
      for (provider, policy) in tests {
        let reply = try await ask(provider, of: services, policy: policy)
        switch provider {
        case .oss:
          XCTAssertEqual(reply.status, 400, policy)
          XCTAssertEqual(reply.json("Code"), "InvalidParameter.PolicyGrammar", policy)
        case .cos, .s3:
          XCTAssertEqual(reply.json("Response", "Error", "Code"), "InvalidParameter.StrategyFormatError", policy)
        }
      }
    }
  }

  func testTemporaryKeyCannotEscapeItsPolicyByRequestingAnother() async throws {
    try await withServices { services in
      for (allowed, role) in [(false, ""), (true, Self.alibabaRole)] {
        let more = allowed ? #",{"Effect":"Allow","Action":"sts:AssumeRole","Resource":"\#(role)"}"# : ""
        let policy = #"{"Version":"1","Statement":[{"Effect":"Allow","Action":"oss:*","Resource":"*"}\#(more)]}"#
        var second = services
        second.key = try await client(of: .oss, services, policy: policy).key
        let reply = try await second.send(
          second.acs3(["RoleArn": Self.alibabaRole, "RoleSessionName": "alice"]))
        XCTAssertEqual(reply.json("Code"), allowed ? nil : "NoPermission", reply.text)
        XCTAssertEqual(reply.alibabaKey != nil, allowed, reply.text)
      }
      for action in ["name/cos:*", "name/sts:AssumeRole"] {
        let policy = #"{"version":"2.0","statement":[{"effect":"allow","action":"\#(action)","resource":"*"}]}"#
        var second = services
        second.key = try await client(of: .cos, services, policy: policy).key
        let body = #"{"RoleArn":"\#(Self.tencentRole)","RoleSessionName":"alice"}"#
        let reply = try await second.send(second.tc3("AssumeRole", body))
        let isAllowed = action.contains("sts")
        XCTAssertEqual(
          reply.json("Response", "Error", "Code"), isAllowed ? nil : "UnauthorizedOperation", reply.text)
      }
    }
  }
}
