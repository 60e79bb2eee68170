// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsyncHTTPClient
internal import Foundation
internal import LocalCloud
internal import NIOCore
internal import NIOHTTP1
internal import StorageAuth
internal import StorageCrypto
internal import XCTest

/// A simulated application with the parameters that its JWT grants must have.
struct GrantedApplication: Sendable {
  let name: String
  /// The path of the token endpoint.
  let path: String
  let audience: String
  let subject: String

  static let onCloud = GrantedApplication(
    name: "Aspera on Cloud", path: "/api/v1/oauth2/acme/token", audience: JWTGrant.asperaOnCloudAudience,
    subject: "mia@example.com")
  static let faspex = GrantedApplication(
    name: "Faspex", path: "/aspera/faspex/auth/token", audience: "client-1", subject: "user:mia@example.com")
}

/// A base class of tests that request tokens from the simulated Aspera on Cloud and Faspex 5.
class GrantTestCase: AsperaTestCase {
  /// The key of the users; generating a key takes long.
  static let userKey = Result { try signingKey(PrivateKey.generateRSA(bits: 2_048)) }
  static let otherKey = Result { try signingKey(PrivateKey.generateRSA(bits: 2_048)) }
  static let ellipticKey = Result { try signingKey(PrivateKey.generateECDSA(.nistp256)) }
  static let nodeKey = Result {
    try NodeBearerKey(pem: Secret(bytes: text(PrivateKey.generateRSA(bits: 2_048))))
  }

  private static func text(_ key: PrivateKey) throws -> [UInt8] {
    try XCTUnwrap(key.pkcs8PEM).withBytes { bytes in [UInt8](writing: { $0.append(bytes) }) }
  }

  private static func signingKey(_ key: PrivateKey) throws -> JWTSigningKey {
    try JWTSigningKey(pem: Secret(bytes: text(key)))
  }

  static let clients = [
    LocalCloud.OAuthClient("client-1", secret: Secret("client-secret")),
    LocalCloud.OAuthClient("client-2", secret: Secret("other-secret"), requiresSecret: true),
  ]

  /// The users, the second of whom has an elliptic key as well.
  func users() throws -> [LocalCloud.OAuthUser] {
    let keys = try [Self.userKey.get().publicKeyPEM]
    return [
      .init("mia@example.com", name: "Mia", publicKeys: keys),
      .init("noa@example.com", publicKeys: keys + [try Self.ellipticKey.get().publicKeyPEM]),
    ]
  }

  /// A configuration with both applications.
  func configuration(_ rules: LocalCloud.GrantRules = .init()) throws -> LocalCloud.Configuration {
    var configuration = configuration
    configuration.aspera.onCloud = .init(
      organization: "acme", clients: Self.clients, users: try users(), workspaces: ["Default", "Film"],
      accessKey: "test-id", nodeKey: try Self.nodeKey.get(), rules: rules)
    configuration.aspera.faspex = .init(clients: Self.clients, users: try users(), rules: rules)
    return configuration
  }

  /// Runs a server with both applications.
  func withApplications(
    _ rules: LocalCloud.GrantRules = .init(), _ body: (LocalCloud) async throws -> Void
  ) async throws {
    try await withNode(configuration(rules)) { cloud, _ in try await body(cloud) }
  }

  /// The claims of an assertion that is accepted.
  func claims(_ application: GrantedApplication, clientID: String = "client-1") -> JSONObject {
    let now = Int(clock.now.unixSeconds)
    return [
      "iss": .string(clientID), "sub": .string(application.subject), "aud": .string(application.audience),
      "exp": .number(JSONNumber(now + 600)), "nbf": .number(JSONNumber(now - 60)),
      "iat": .number(JSONNumber(now - 60)), "jti": .string(UUID().uuidString),
    ]
  }

  func assertion(_ claims: JSONObject, _ key: JWTSigningKey? = nil, _ algorithm: JWTAlgorithm = .rs256) throws -> String
  {
    try JSONWebToken(claims, signedWith: key ?? Self.userKey.get(), algorithm).secret.reveal()
  }

  /// Requests a token with an assertion.
  func request(
    _ cloud: LocalCloud, _ application: GrantedApplication, _ assertion: String, clientID: String = "client-1",
    scope: String? = nil, basic: (String, String)? = nil, more: [String: String] = [:]
  ) async throws -> Reply {
    var form = [
      "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion, "client_id": clientID,
    ]
    form["scope"] = scope
    form.merge(more) { $1 }
    var request = HTTPClientRequest(url: cloud.asperaOnCloudURL + application.path)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
    if let basic { request.headers.add(name: "Authorization", value: basicAuthorization(basic.0, basic.1)) }
    let body = form.filter { !$0.value.isEmpty }.map { "\($0.key)=\($0.value.percentEncoded())" }.joined(separator: "&")
    request.body = .bytes(ByteBuffer(string: body))
    return try await Reply(request)
  }

  /// Requests an access token that must be issued.
  func token(
    _ cloud: LocalCloud, _ application: GrantedApplication, user: String = "mia@example.com", scope: String? = nil
  ) async throws -> String {
    var claims = claims(application)
    claims["sub"] = .string(application.subject.replacing("mia@example.com", with: user))
    let reply = try await request(cloud, application, assertion(claims), scope: scope)
    return try XCTUnwrap(try reply.value["access_token"]?.string, reply.text)
  }

  /// Sends a request to an API with a bearer token.
  func call(
    _ url: String, _ token: String, _ method: HTTPMethod = .GET, _ document: JSONValue? = nil,
    headers: [String: String] = [:]
  ) async throws -> Reply {
    var request = HTTPClientRequest(url: url)
    request.method = method
    request.headers.add(name: "Authorization", value: "Bearer \(token)")
    for (name, value) in headers { request.headers.add(name: name, value: value) }
    if let document { request.body = .bytes(ByteBuffer(bytes: document.serialized)) }
    return try await Reply(request)
  }
}
