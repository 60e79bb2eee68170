// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Hummingbird
import MetricsTestKit
import NIOCore
import NIOHTTP1
import StorageAuth
import StorageAuthServer
import StorageAuthTesting
import XCTest

/// The metrics of a server, whose labels strangers cannot choose.
final class RequestMetricsTests: XCTestCase {
  private let metrics = TestMetrics()

  private func total(_ name: String, _ labels: [String: String] = [:]) -> Int64 {
    metrics.counters.filter { counter in
      counter.label == name
        && labels.allSatisfy { label in counter.dimensions.contains { $0 == label.key && $1 == label.value } }
    }.reduce(0) { $0 + $1.totalValue }
  }

  private func send(_ method: String, _ url: String) async throws {
    var request = HTTPClientRequest(url: url)
    request.method = HTTPMethod(rawValue: method)
    _ = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
  }

  // matrix: Metrics: operations
  func testRequestsAreCountedByRouteMethodAndStatus() async throws {
    let router = Router()
    router.add(middleware: RequestMetricsMiddleware(factory: metrics))
    router.get("keys/:name") { _, _ in "a key" }
    router.get("broken") { _, _ -> String in throw HTTPError(.tooManyRequests) }
    let url = try await RunningServer.start(router, self)
    for name in ["a", "b", "c"] { try await send("GET", "\(url)/keys/\(name)") }
    try await send("GET", "\(url)/broken")
    try await send("GET", "\(url)/none/of/these")
    XCTAssertEqual(
      total("http_server_requests_total", ["route": "/keys/{name}", "method": "GET", "status": "200"]), 3)
    XCTAssertEqual(total("http_server_requests_total", ["route": "/broken", "status": "429"]), 1)
    XCTAssertEqual(total("http_server_requests_total", ["status": "404"]), 1)
    XCTAssertEqual(total("http_server_requests_total"), 5)
    XCTAssertEqual(metrics.timers.reduce(0) { $0 + $1.values.count }, 5)
  }

  // matrix: Metrics: hostile values
  func testPathsAndMethodsOfStrangersCreateNoMetrics() async throws {
    let router = Router()
    router.add(middleware: RequestMetricsMiddleware(factory: metrics))
    router.get("keys") { _, _ in "a key" }
    let url = try await RunningServer.start(router, self)
    let methods = ["PROPFIND", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK", "SEARCH", "PURGE"]
    for (number, method) in methods.enumerated() { try await send(method, "\(url)/path/\(number)") }
    XCTAssertEqual(total("http_server_requests_total", ["method": "other", "route": "none"]), 8)
    XCTAssertEqual(metrics.counters.count, 1)
    XCTAssertEqual(metrics.timers.count, 1)
  }

  // matrix: Metrics: operations
  func testKeysOfATokenServiceAreCountedByOutcome() async throws {
    let key = AccessKey(
      id: "STS.1", secret: "secret-word", sessionToken: "token-word", expiration: .now.advanced(by: .seconds(900)))
    let service = TokenService(rate: .perMinute(2), audit: TokenAudit.count(in: metrics)) { _ in
      StaticCredentialProvider(key)
    }
    let scope = TokenScope("mia", AccessPolicy([AccessRule(.read, objects: .all, in: "photos")]))
    for _ in 0..<5 { _ = try? await service.key(for: KeyRequest(caller: "mia", scope: scope)) }
    XCTAssertEqual(total("storage_auth_keys_total", ["outcome": "issued"]), 2)
    XCTAssertEqual(total("storage_auth_keys_total", ["outcome": "rate"]), 3)
    XCTAssertEqual(metrics.counters.map { $0.dimensions.map(\.0) }, [["outcome"], ["outcome"]])
  }
}
