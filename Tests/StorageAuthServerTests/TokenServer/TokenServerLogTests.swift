// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import LocalCloud
import NIOCore
import NIOHTTP1
import StorageAuth
import XCTest

/// Tests that the command `token-server` logs one line for each response, whatever its status, and no secret.
final class TokenServerLogTests: XCTestCase {
  private static let role = "acs:ram::1250000000:role/localcloud"
  private static let token = "token-012345678901"
  private static let environment = [
    "OSS_ACCESS_KEY_ID": "id-of-the-server", "OSS_ACCESS_KEY_SECRET": "secret-of-the-server",
  ]

  private func send(
    _ method: HTTPMethod = .GET, _ url: String, token: String? = token, body: String? = nil
  ) async throws -> UInt {
    var request = HTTPClientRequest(url: url)
    request.method = method
    if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
    if let body { request.body = .bytes(ByteBuffer(string: body)) }
    return try await HTTPClient.shared.execute(request, timeout: .seconds(60)).status.code
  }

  private func start(_ arguments: [String]) async throws -> (server: TokenServerProcess, url: String) {
    let callers = try PrivateFolder(self).write("alice \(Self.token)\n", to: "callers")
    let server = try TokenServerProcess(
      ["--provider", "oss", "--bucket", "photos", "--callers", callers] + arguments, Self.environment)
    return (server, try await server.url())
  }

  /// Ends a server, and asserts that its log has a line for each response and no other.
  private func assertLog(_ server: TokenServerProcess, _ expected: [String], line: UInt = #line) async {
    server.send(SIGTERM)
    let errors = await server.end().errors
    let lines = errors.split(separator: "\n").map(String.init)
    XCTAssertEqual(lines.count, expected.count, errors, line: line)
    for (text, words) in zip(lines, expected) {
      let parts = words.split(separator: "|").map(String.init)
      for part in parts { XCTAssertTrue(text.contains(part), "\(text) lacks \(part)", line: line) }
      XCTAssertTrue(text.contains(" from 127.0.0.1"), text, line: line)
    }
    for secret in [Self.token, "secret-of-the-server", "another-token", "hidden"] {
      XCTAssertFalse(errors.contains(secret), errors, line: line)
    }
  }

  func testEachResponseOfASigningServerHasOneLine() async throws {
    let (server, url) = try await start(["--sign", "--region", "cn-hangzhou", "--rate", "4"])
    let base = url.replacing("/sign", with: "")
    let large = String(repeating: "x", count: 200_000)
    let statuses = [
      try await send(.GET, "\(url)/identity?token=hidden"), try await send(.POST, url, body: "no JSON"),
      try await send(.POST, url, body: large), try await send(.GET, "\(url)/identity", token: "another-token"),
      try await send(.GET, "\(url)/identity", token: nil), try await send(.PUT, url),
      try await send(.GET, "\(base)/none?x=hidden"), try await send(.GET, "\(base)/\(Self.token)"),
      try await send(.GET, "\(base)/%2574%6Fken-012345678901"),
      try await send(.GET, "\(base)/%25zz%2574oken-012345678901"),
      try await send(.GET, "\(base)/" + String(repeating: "x", count: 2_048)),
      try await send(.GET, "\(url)/identity"), try await send(.GET, "\(url)/identity"),
    ]
    XCTAssertEqual(statuses, [200, 400, 413, 401, 401, 404, 404, 404, 404, 404, 404, 200, 429])
    await assertLog(
      server,
      [
        " alice GET /sign/identity: 200 ", " alice POST /sign: 400 ", " alice POST /sign: 413 ",
        " - GET /sign/identity: 401 ", " - GET /sign/identity: 401 ", " - PUT /sign: 404 ", " - GET /none: 404 ",
        " - GET /‹redacted›: 404 ", " - GET ‹redacted›: 404 ", " - GET ‹redacted›: 404 ",
        " - GET ‹redacted›: 404 ",
        " alice GET /sign/identity: 200 ", " alice GET /sign/identity: 429 ",
      ])
  }

  func testEachResponseOfAKeyServerHasOneLine() async throws {
    let cloud = try await LocalCloud.start(
      .init(accounts: [.init(AccessKey(id: "id-of-the-server", secret: "secret-of-the-server"))]))
    addTeardownBlock { await cloud.stop() }
    let (server, url) = try await start(["--role", Self.role, "--sts", cloud.servicesURL, "--rate", "1"])
    let statuses = [
      try await send(.GET, url), try await send(.GET, url), try await send(.GET, url, token: "another-token"),
      try await send(.DELETE, url),
    ]
    XCTAssertEqual(statuses, [200, 429, 401, 404])
    await assertLog(
      server,
      [
        " alice got STS.|(GET /distribute-token.json: 200 ", " alice refused: |(GET /distribute-token.json: 429 ",
        " - GET /distribute-token.json: 401 ", " - DELETE /distribute-token.json: 404 ",
      ])
  }

  func testStrangersAreLimitedAndCallersAreNot() async throws {
    let (server, url) = try await start(["--sign", "--region", "cn-hangzhou"])
    var counts: [UInt: Int] = [:]
    for number in 0..<100 {
      let path = number.isMultiple(of: 2) ? "\(url)/identity" : "\(url)/none"
      counts[try await send(.GET, path, token: "another-token"), default: 0] += 1
    }
    XCTAssertGreaterThanOrEqual(counts[401, default: 0] + counts[404, default: 0], 60)
    XCTAssertGreaterThan(counts[429, default: 0], 20)
    let caller = try await send(.GET, "\(url)/identity")
    XCTAssertEqual(caller, 200)
    server.send(SIGTERM)
    let errors = await server.end().errors
    XCTAssertEqual(errors.split(separator: "\n").count, 101, errors)
  }
}
