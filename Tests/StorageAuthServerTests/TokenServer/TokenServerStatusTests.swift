// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import LocalCloud
import NIOCore
import NIOHTTP1
import OSSAuth
import StorageAuth
import StorageAuthServer
import StorageClient
import StorageCrypto
import XCTest

/// The status port of the command `token-server`: health, readiness and metrics.
final class TokenServerStatusTests: XCTestCase {
  private static let role = "acs:ram::1250000000:role/localcloud"

  private func get(_ url: String, _ token: String? = nil) async throws -> (status: UInt, body: String) {
    var request = HTTPClientRequest(url: url)
    if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
    return (response.status.code, String(buffer: try await response.body.collect(upTo: 1 << 20)))
  }

  /// Starts a token server, and returns the URL of its keys and that of its status port.
  private func start(
    _ folder: PrivateFolder, _ sts: String, _ environment: [String: String]
  ) async throws -> (server: TokenServerProcess, url: String, status: String) {
    let callers = try folder.write("alice token-012345678901\n", to: "callers")
    let server = try TokenServerProcess(
      [
        "--provider", "oss", "--bucket", "photos", "--role", Self.role, "--callers", callers, "--sts", sts, "--rate",
        "3", "--status-port", "0", "--json",
      ], environment)
    let ready = try JSONValue(parsing: Array(try await server.url().utf8))
    return (server, try XCTUnwrap(ready["url"]?.string), try XCTUnwrap(ready["status"]?.string))
  }

  // matrix: Health routes: run
  func testStatusPortShowsReadinessAndCountsKeys() async throws {
    let key = AccessKey(id: "id-of-the-server", secret: "secret-of-the-server")
    let cloud = try await LocalCloud.start(.init(accounts: [.init(key)]))
    addTeardownBlock { await cloud.stop() }
    let (server, url, status) = try await start(
      PrivateFolder(self), cloud.servicesURL,
      ["OSS_ACCESS_KEY_ID": "id-of-the-server", "OSS_ACCESS_KEY_SECRET": "secret-of-the-server"])
    let live = try await get("\(status)/healthz")
    XCTAssertEqual(live.status, 200)
    let ready = try await get("\(status)/readyz")
    XCTAssertEqual(ready.body, #"{"status":"ready","checks":{"key":true}}"#)
    var statuses: [UInt] = []
    for _ in 0..<4 { statuses.append(try await get(url, "token-012345678901").status) }
    XCTAssertEqual(statuses, [200, 200, 200, 429])
    let stranger = try await get(url, "token-of-a-stranger")
    XCTAssertEqual(stranger.status, 401)
    let metrics = try await get("\(status)/metrics").body.split(separator: "\n")
    for line in [
      #"storage_auth_keys_total{outcome="issued"} 3"#, #"storage_auth_keys_total{outcome="rate"} 1"#,
      #"http_server_requests_total{method="GET",route="/distribute-token.json",status="200"} 3"#,
      #"http_server_requests_total{method="GET",route="/distribute-token.json",status="401"} 1"#,
      #"http_server_requests_total{method="GET",route="/distribute-token.json",status="429"} 1"#,
    ] {
      XCTAssertTrue(metrics.contains { $0 == line }, line)
    }
    XCTAssertEqual(
      metrics.filter { $0.hasPrefix("storage_auth_refreshes_total") && $0.contains("AssumeRole") }.map { $0.suffix(2) },
      [" 1"])
    XCTAssertFalse(metrics.contains { $0.contains("secret") || $0.contains("alice") || $0.contains("token-0") })
    // The status port serves no keys, and the port of the keys shows no status.
    let keysOfStatus = try await get("\(status)/distribute-token.json", "token-012345678901")
    XCTAssertEqual(keysOfStatus.status, 404)
    let statusOfKeys = try await get(url.replacing("/distribute-token.json", with: "/metrics"))
    XCTAssertEqual(statusOfKeys.status, 404)
    server.send(SIGTERM)
    let end = await server.end()
    XCTAssertEqual(end.status, 0, end.errors)
  }

  // matrix: Health routes: failure
  func testStatusPortOnLoopbackAnswersOnlyToNamesOfThisMachine() async throws {
    let (server, _, status) = try await start(PrivateFolder(self), "http://127.0.0.1:9", [:])
    let authority = String(status.dropFirst("http://".count))
    let port = authority.split(separator: ":").last ?? ""
    func answer(_ path: String, _ hosts: [String]) async throws -> String {
      let lines = ["GET \(path) HTTP/1.1"] + hosts.map { "Host: \($0)" } + ["Connection: close", "", ""]
      return try await RawExchange.answer(to: lines.joined(separator: "\r\n"), at: authority)
    }
    for path in ["/healthz", "/readyz", "/metrics"] {
      for host in [authority, "localhost:\(port)", "LOCALHOST", "[::1]:\(port)"] {
        let text = try await answer(path, [host])
        XCTAssertFalse(text.hasPrefix("HTTP/1.1 403"), "\(path) \(host): \(text)")
      }
      for hosts in [
        ["evil.example"], ["evil.example:\(port)"], ["127.0.0.1.evil.example"], ["localhost", "evil.example"],
        ["evil.example", "localhost"], [], ["localhost@evil.example"],
      ] {
        let text = try await answer(path, hosts)
        XCTAssertTrue(text.hasPrefix("HTTP/1.1 403"), "\(path) \(hosts): \(text)")
        XCTAssertFalse(text.contains("checks") || text.contains("# TYPE"), text)
      }
      let whole = try await answer("http://evil.example\(path)", ["localhost"])
      XCTAssertTrue(whole.hasPrefix("HTTP/1.1 400"), whole)
    }
    server.send(SIGTERM)
    _ = await server.end()
  }

  // matrix: Health routes: failure
  func testOtherSpellingOfALoopbackAddressAnswersOnlyToNamesOfThisMachine() async throws {
    let server = try TokenServerProcess(
      ["--account", "id-of-a:secret-of-a", "--status-port", "0", "--status-host", "127.1", "--json"], [:],
      command: "serve")
    let ready = try JSONValue(parsing: Array(try await server.url().utf8))
    let port = try XCTUnwrap(ready["status"]?.string?.split(separator: ":").last)
    for (host, status) in [("localhost", "200"), ("evil.example", "403")] {
      let text = try await RawExchange.answer(
        to: "GET /healthz HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n", at: "127.0.0.1:\(port)")
      XCTAssertTrue(text.hasPrefix("HTTP/1.1 \(status)"), "\(host): \(text)")
    }
    server.send(SIGTERM)
    _ = await server.end()
  }

  func testPasswordOfANodeUserMayContainAColon() async throws {
    let server = try TokenServerProcess(
      ["--account", "id-of-a:secret-of-a", "--node-user", "admin:pass:word", "--json"], [:], command: "serve")
    let ready = try JSONValue(parsing: Array(try await server.url().utf8))
    let node = try XCTUnwrap(ready["node"]?.string)
    let address = node.dropFirst("http://".count)
    for (password, status) in [("pass:word", "200"), ("pass", "401")] {
      let login = Array("admin:\(password)".utf8).base64
      let text = try await RawExchange.answer(
        to: "GET /info HTTP/1.1\r\nHost: \(address)\r\nAuthorization: Basic \(login)\r\nConnection: close\r\n\r\n",
        at: String(address))
      XCTAssertTrue(text.hasPrefix("HTTP/1.1 \(status)"), "\(password): \(text)")
    }
    server.send(SIGTERM)
    _ = await server.end()
  }

  // matrix: Health routes: failure
  func testServerWithoutAKeyIsAliveAndNotReady() async throws {
    let (server, _, status) = try await start(PrivateFolder(self), "http://127.0.0.1:9", [:])
    let live = try await get("\(status)/healthz")
    XCTAssertEqual(live.status, 200)
    let ready = try await get("\(status)/readyz")
    XCTAssertEqual(ready.status, 503)
    XCTAssertEqual(ready.body, #"{"status":"not ready","checks":{"key":false}}"#)
    server.send(SIGTERM)
    _ = await server.end()
  }

  // matrix: Health routes: run
  func testServeShowsWhatItVerifiedAndRefused() async throws {
    let server = try TokenServerProcess(
      ["--account", "id-of-a:secret-of-a", "--bucket", "photos", "--status-port", "0", "--json"], [:], command: "serve")
    let ready = try JSONValue(parsing: Array(try await server.url().utf8))
    let status = try XCTUnwrap(ready["status"]?.string)
    let endpoint = try ServiceEndpoint(XCTUnwrap(ready["oss"]?.string))
    let first = try await get("\(status)/metrics").body
    XCTAssertFalse(first.contains("local_cloud_requests_total{endpoint=\"oss\"}"), first)
    for (secret, count) in [("secret-of-a", 3), ("another-secret", 2)] {
      let client = StorageClient(
        .oss(bucket: "photos", region: "cn-hangzhou", endpoint: endpoint),
        credentials: AccessKey(id: "id-of-a", secret: secret))
      for number in 0..<count { _ = try? await client.upload([1], to: "\(number)") }
    }
    let metrics = try await get("\(status)/metrics").body.split(separator: "\n")
    for line in [
      #"local_cloud_requests_total{endpoint="oss"} 5"#, #"local_cloud_verified_total{scheme="OSS V4"} 3"#,
      #"local_cloud_refused_total{code="SignatureDoesNotMatch",endpoint="oss"} 2"#,
    ] {
      XCTAssertTrue(metrics.contains { $0 == line }, line)
    }
    let again = try await get("\(status)/metrics").body
    XCTAssertTrue(again.contains(#"local_cloud_requests_total{endpoint="oss"} 5"#))
    let live = try await get("\(status)/healthz")
    XCTAssertEqual(live.status, 200)
    server.send(SIGTERM)
    let end = await server.end()
    XCTAssertEqual(end.status, 0, end.errors)
  }

  // matrix: Health routes: failure
  func testStatusHostWithoutAPortIsRejected() async throws {
    let server = try TokenServerProcess(
      ["--provider", "oss", "--bucket", "photos", "--callers", "none", "--status-host", "0.0.0.0"], [:])
    let end = await server.end()
    XCTAssertEqual(end.status, 64)
    XCTAssertTrue(end.errors.contains("--status-host has an effect only with --status-port."), end.errors)
  }
}
