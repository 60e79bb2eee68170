// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import Foundation
import HTTPTypes
import StorageAuth
import StorageAuthTesting
import XCTest

/// A scripted token endpoint, and a provider that requests tokens from it.
struct GrantSample {
  static let url = "https://faspex.example.com/aspera/faspex"
  static let present = Timestamp(unixSeconds: 1_800_000_000)
  static let token = "c4nary0-access-token"

  let transport: ScriptedTransport
  let time = ManualClock(now: present)

  init(_ replies: HTTPStreamingResponse...) {
    transport = ScriptedTransport(replies)
  }

  /// A key of the test resources.
  static func pem(_ name: String) throws -> Secret {
    let url = try XCTUnwrap(Bundle.module.url(forResource: name, withExtension: nil, subdirectory: "Keys"))
    return Secret(try String(contentsOf: url, encoding: .utf8))
  }

  static func key(_ name: String = "rsa") throws -> JWTSigningKey { try JWTSigningKey(pem: pem(name)) }

  /// A response with a token.
  static func answer(
    token: String = token, _ members: String = #","token_type":"bearer","expires_in":3600"#, status: Int = 200,
    date: Timestamp? = present
  ) -> HTTPStreamingResponse {
    .json(
      #"{"access_token":"\#(token)"\#(members)}"#, status: status, headers: date.map { ["Date": $0.httpDate] } ?? [:])
  }

  /// A response with an error.
  static func refusal(
    _ body: String = #"{"error":"invalid_grant","error_description":"no"}"#, status: Int = 400,
    date: Timestamp? = present
  ) -> HTTPStreamingResponse {
    .json(body, status: status, headers: date.map { ["Date": $0.httpDate] } ?? [:])
  }

  static let grant = JWTGrant.faspex(url: url, user: "mia@example.com", clientID: "client-1")

  /// The context of calls to providers, which send their requests to the scripted server.
  var context: ProviderContext { ProviderContext(transport: transport, time: time) }

  func provider(
    _ grant: JWTGrant = Self.grant, key: String = "rsa"
  ) throws -> BoundCredentialProvider<JWTGrantProvider> {
    try JWTGrantProvider(grant, key: Self.key(key)).bound(to: context)
  }

  /// The form of a request that was sent.
  func form(_ index: Int = 0, file: StaticString = #filePath, line: UInt = #line) throws -> [String: String] {
    let requests = transport.requests
    guard requests.indices.contains(index) else {
      XCTFail("there is no request \(index)", file: file, line: line)
      return [:]
    }
    var components = URLComponents()
    components.percentEncodedQuery = requests[index].text
    let items = components.queryItems ?? []
    return Dictionary(items.map { ($0.name, $0.value ?? "") }) { _, _ in "twice" }
  }

  /// The decoded claims of the assertion in a request that was sent.
  func claims(_ index: Int = 0) throws -> JSONObject {
    try XCTUnwrap(JSONWebToken(form(index)["assertion"] ?? "")).claims
  }
}

extension XCTestCase {
  /// Requests a credential from a provider that must fail.
  @discardableResult
  func assertRefuses<Value: Credential>(
    _ provider: some CredentialProvider<Value>, _ code: CredentialError.Code, _ says: String...,
    retryable: Bool = false, file: StaticString = #filePath, line: UInt = #line
  ) async -> CredentialError? {
    do {
      _ = try await provider.issue(in: .local)
      XCTFail("a credential was issued", file: file, line: line)
      return nil
    } catch {
      XCTAssertEqual(error.code, code, "\(error)", file: file, line: line)
      XCTAssertEqual(error.isRetryable, retryable, "\(error)", file: file, line: line)
      XCTAssertTrue(error.remedy.hasSuffix("."), "\(error)", file: file, line: line)
      for text in says {
        XCTAssertTrue("\(error)".contains(text), "no “\(text)” in \(error)", file: file, line: line)
      }
      XCTAssertEqual(
        DisplayedTexts(of: error).containing(["c4nary0", "YzRuYXJ5M", "eyJhbGci"]), [], file: file, line: line)
      return error
    }
  }
}
