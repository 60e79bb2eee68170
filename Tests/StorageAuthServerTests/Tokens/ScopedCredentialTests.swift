// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPTransport
import CredentialSources
import HTTPTypes
import Hummingbird
import LocalCloud
import OSSAuth
import StorageAuth
import StorageAuthServer
import StorageClient
import XCTest

/// Tests requests of the client with credentials for each request, from the token service and against the local OSS.
final class ScopedCredentialTests: XCTestCase {
  private let key = AccessKey(id: "test-id", secret: "test-secret")
  private let asked = Asked()

  /// The scopes for which the app's server was asked, in their order.
  private final class Asked: Sendable {
    private let all = Lock<[CredentialScope]>([])

    var scopes: [CredentialScope] { all.withLock { $0 } }

    func append(_ scope: CredentialScope) { all.withLock { $0.append(scope) } }
  }

  /// Starts a local OSS and an app's server that vends keys for `user/`, and returns a client with scoped credentials.
  private func start() async throws -> (cloud: LocalCloud, client: StorageClient<OSSProvider>) {
    let cloud = try await LocalCloud.start(.init(accounts: [.init(key)], buckets: ["photos"]))
    addTeardownBlock { await cloud.stop() }
    let keys = CredentialCache(key)
    let service = TokenService(rate: nil) { scope in
      AlibabaAssumeRoleProvider(
        roleARN: LocalCloud.Role.alibaba.arn, sessionName: scope.name, credentials: keys,
        duration: scope.lifetime, policy: try scope.policy.ramDocument(), endpoint: .url(cloud.servicesURL)
      ).bound(to: ProviderContext(transport: AsyncHTTPClientTransport.shared))
    }
    var rights = AccessRule(objects: .prefix("user/"), in: "photos")
    rights.actions = Set(AccessAction.allCases)
    let granted = AccessPolicy([rights])
    let asked = asked
    let router = Router()
    router.temporaryKeys(.oss, at: "sts", from: service) { request, _ in
      guard request.headers[.authorization] == "Bearer mia" else { throw HTTPError(.unauthorized) }
      var request = request
      let scopes = try await RequestedScope.all(in: &request)
      guard scopes.allSatisfy({ granted.allows($0.rule) }) else { throw HTTPError(.forbidden) }
      asked.append(CredentialScope(scopes.map(\.rule)))
      return KeyRequest(caller: "mia", scope: TokenScope("mia", AccessPolicy(scopes.map(\.rule))))
    }
    let server = try await RunningServer.start(router, self)
    let provider = ScopedAppServerProvider(
      "\(server)/sts", region: "cn-hangzhou"
    ) { [.authorization: "Bearer mia"] }
    let client = StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou", endpoint: cloud.ossEndpoint), scopedCredentials: provider,
      configuration: StorageClientConfiguration(multipartThreshold: 200_000, partSize: 102_400))
    return (cloud, client)
  }

  private func scopes() -> [CredentialScope] { asked.scopes }

  // matrix: Scoped credentials: end to end
  func testEachRequestHasACredentialOfItsOwnScope() async throws {
    let (cloud, client) = try await start()
    try await client.upload([1, 2, 3], to: "user/a")
    try await client.upload([UInt8](repeating: 1, count: 300_000), to: "user/b")
    _ = try await client.head("user/a")
    for try await _ in try await client.open("user/a", options: DownloadOptions()).body {}
    try await client.copy(CopySource(key: "user/a"), to: "user/c")
    for try await _ in client.list(prefix: "user/", delimiter: nil) {}
    try await client.delete("user/c")
    try await client.delete(["user/a", "user/b"])
    XCTAssertEqual(
      scopes(),
      [
        CredentialScope(.write, .key("user/a"), in: "photos"), CredentialScope(.write, .key("user/b"), in: "photos"),
        CredentialScope(.read, .key("user/a"), in: "photos"),
        CredentialScope([
          AccessRule(.write, objects: .key("user/c"), in: "photos"),
          AccessRule(.read, objects: .key("user/a"), in: "photos"),
        ]),
        CredentialScope(.list, .prefix("user/"), in: "photos"), CredentialScope(.delete, .key("user/c"), in: "photos"),
        CredentialScope(.delete, .prefix("user/"), in: "photos"),
      ])
    XCTAssertEqual(cloud.statistics.refused, [:])
  }

  func testPresignedURLHasACredentialOfItsOwnScope() async throws {
    let (_, client) = try await start()
    let link = try await client.presign(.put, "user/a", validFor: .seconds(60))
    try await link.upload(.bytes([1]))
    XCTAssertEqual(scopes(), [CredentialScope(.write, .key("user/a"), in: "photos")])
  }

  func testCredentialOfAnotherScopeIsRefused() async throws {
    let (_, client) = try await start()
    do {
      try await client.upload([1], to: "other/a")
      XCTFail("the server issued a key for another user")
    } catch let error as CredentialError {
      XCTAssertEqual(error.code, .rejected)
    }
    try await client.upload([1], to: "user/a")
    do {
      try await client.upload([1], to: "user/*")
      XCTFail("the scope cannot be expressed")
    } catch let error as CredentialError {
      XCTAssertTrue(error.message.contains("cannot express"), "\(error)")
    }
  }
}
