// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import CredentialSources
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import StorageAuth
import StorageAuthServer
import StorageAuthTesting
import StorageClient
import XCTest

/// Tests the routes over the wire, in the vendors' formats and behind the app's authentication.
final class TokenRouteTests: XCTestCase {
  private let lines = AuditLines()
  /// The expiration of the key, computed when a test runs, because the tests are created long before.
  private lazy var end = Timestamp.now.advanced(by: .seconds(1800))

  private var key: AccessKey {
    AccessKey(id: "STS.id", secret: "the-secret", sessionToken: "the-token", expiration: end)
  }

  private func start(
    _ provider: any CredentialProvider<AccessKey>, rate: RateLimit? = nil
  ) async throws -> String {
    let service = TokenService(rate: rate, audit: lines.append) { _ in provider }
    let router = Router()
    let order: @Sendable (Request, BasicRequestContext) async throws -> KeyRequest = { request, _ in
      guard let caller = request.headers[.authorization]?.split(separator: " ").last else {
        throw HTTPError(.unauthorized, message: "Log in first.")
      }
      guard caller != "mallory" else { throw HTTPError(.forbidden) }
      let policy = AccessPolicy([AccessRule(.write, objects: .prefix("\(caller)/"), in: "photos")])
      return KeyRequest(caller: String(caller), scope: TokenScope("user-\(caller)", policy))
    }
    router.group("api").temporaryKeys(.oss, at: "distribute-token.json", from: service, makeRequest: order)
      .temporaryKeys(.cos, at: "cos/credentials", from: service, makeRequest: order)
      .temporaryKeys(.s3, at: "credentials.json", from: service, makeRequest: order)
    return try await RunningServer.start(router, self) + "/api"
  }

  private struct Reply {
    let status: UInt
    let headers: [String: String]
    let body: JSONValue
  }

  private func get(_ url: String, as caller: String? = "mia", method: HTTPMethod = .get) async throws -> Reply {
    var request = HTTPClientRequest(url: url)
    request.method = .init(rawValue: method.rawValue)
    if let caller { request.headers.add(name: "Authorization", value: "Bearer \(caller)") }
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
    let body = try await response.body.collect(upTo: 1 << 20)
    return Reply(
      status: response.status.code,
      headers: Dictionary(response.headers.map { ($0.name.lowercased(), $0.value) }) { $1 },
      body: try JSONValue(parsing: body.readableBytesView))
  }

  private enum HTTPMethod: String {
    case get = "GET"
    case post = "POST"
  }

  private func source(_ url: String, _ format: AppServerFormat) -> AppServerCredentialProvider {
    AppServerCredentialProvider(format: format) {
      AppServerRequest(url, headers: [.authorization: "Bearer mia"])
    }
  }

  func testClientsOfEveryCloudParseTheResponses() async throws {
    let url = try await start(StaticCredentialProvider(key))
    for (path, format) in [
      ("distribute-token.json", AppServerFormat.oss), ("cos/credentials", .cos), ("credentials.json", .s3),
    ] {
      for format in [format, .automatic] {
        let issued = try await source("\(url)/\(path)", format).issue(in: .system)
        XCTAssertEqual(issued.credential.id, "STS.id")
        XCTAssertEqual(issued.credential.secret, Secret("the-secret"))
        XCTAssertEqual(issued.credential.sessionToken, Secret("the-token"))
        XCTAssertEqual(issued.credential.expiration?.unixSeconds, end.unixSeconds)
      }
    }
  }

  func testFieldsAreThoseThatTheVendorsDocument() async throws {
    let url = try await start(StaticCredentialProvider(key))
    for method in [HTTPMethod.get, .post] {
      let oss = try await get("\(url)/distribute-token.json", method: method)
      XCTAssertEqual(oss.status, 200)
      XCTAssertEqual(oss.body["StatusCode"], 200)
      XCTAssertEqual(oss.body["AccessKeyId"], "STS.id")
      XCTAssertEqual(oss.body["AccessKeySecret"], "the-secret")
      XCTAssertEqual(oss.body["SecurityToken"], "the-token")
      XCTAssertEqual(oss.body["Expiration"]?.string, end.iso8601)
      XCTAssertEqual(oss.headers["cache-control"], "no-store")
      XCTAssertEqual(oss.headers["content-type"], "application/json")
      let before = Timestamp.now.unixSeconds
      let cos = try await get("\(url)/cos/credentials", method: method)
      XCTAssertEqual(cos.status, 200)
      XCTAssertEqual(cos.body["credentials"]?["tmpSecretId"], "STS.id")
      XCTAssertEqual(cos.body["credentials"]?["tmpSecretKey"], "the-secret")
      XCTAssertEqual(cos.body["credentials"]?["sessionToken"], "the-token")
      XCTAssertEqual(cos.body["expiredTime"]?.integer, Int(end.unixSeconds))
      XCTAssertEqual(cos.body["expiration"]?.string, end.iso8601)
      let start = Int64(try XCTUnwrap(cos.body["startTime"]?.integer))
      XCTAssertTrue((before...Timestamp.now.unixSeconds).contains(start), "the start must be the current time")
    }
  }

  func testAppsErrorsHaveTheFormatOfTheRoute() async throws {
    let url = try await start(StaticCredentialProvider(key))
    for (caller, status, code) in [(nil, 401, "Unauthorized"), ("mallory", 403, "AccessDenied")]
      as [(String?, Int, String)]
    {
      let oss = try await get("\(url)/distribute-token.json", as: caller)
      XCTAssertEqual(Int(oss.status), status)
      XCTAssertEqual(oss.body["StatusCode"]?.integer, status)
      XCTAssertEqual(oss.body["ErrorCode"]?.string, code)
      let cos = try await get("\(url)/cos/credentials", as: caller)
      XCTAssertEqual(Int(cos.status), status)
      XCTAssertEqual(cos.body["code"]?.integer, status)
      XCTAssertEqual(cos.body["codeDesc"]?.string, code)
    }
    XCTAssertEqual(lines.all, [], "the service must not log unauthenticated callers")
    await assertThrows(source("\(url)/x", .oss))
  }

  private func assertThrows(_ source: AppServerCredentialProvider, line: UInt = #line) async {
    do {
      _ = try await source.credential()
      XCTFail("a key was issued", line: line)
    } catch {
      XCTAssertEqual(error.code, .rejected, "\(error)", line: line)
    }
  }

  func testCallerOverItsRateReceives429WithARetryTime() async throws {
    let url = try await start(StaticCredentialProvider(key), rate: RateLimit(burst: 2, every: .seconds(3600)))
    for _ in 1...2 { _ = try await get("\(url)/distribute-token.json") }
    let refused = try await get("\(url)/distribute-token.json")
    XCTAssertEqual(refused.status, 429)
    XCTAssertEqual(refused.body["ErrorCode"], "TooManyRequests")
    let delay = try XCTUnwrap(refused.headers["retry-after"].flatMap { Int($0) })
    XCTAssertTrue((3500...3600).contains(delay), "\(delay)")
    let other = try await get("\(url)/cos/credentials", as: "noah")
    XCTAssertEqual(other.status, 200)
  }

  func testCloudsErrorIsOnlyInTheAuditLog() async throws {
    let causes = [
      CredentialError(.rejected, source: "sts role/uploader", "NoPermission for role/uploader.", remedy: "Allow it."),
      CredentialError(
        .failed, source: "sts role/uploader", "No answer of role/uploader.", remedy: "Wait.", isRetryable: true),
    ]
    for (cause, status) in zip(causes, [502, 503]) {
      let url = try await start(ScriptedProvider<AccessKey>([.failure(cause)]))
      let oss = try await get("\(url)/distribute-token.json")
      XCTAssertEqual(Int(oss.status), status)
      XCTAssertFalse(String(decoding: oss.body.serialized, as: UTF8.self).contains("role/uploader"))
      XCTAssertEqual(oss.headers["retry-after"] == nil, status == 502)
      guard case .refused(.unavailable(let logged, _))? = lines.all.last?.outcome else { return XCTFail("not logged") }
      XCTAssertEqual(logged.message, cause.message)
    }
  }
}
