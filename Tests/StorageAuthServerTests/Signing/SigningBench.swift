// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import COSAuth
import HTTPTypes
import Hummingbird
import LocalCloud
import NIOCore
import NIOHTTP1
import OSSAuth
import StorageAuth
import StorageAuthServer
import StorageClient
import XCTest

/// A LocalCloud with an app that holds its keys and signs for alice below `alice/`.
struct SigningBench {
  static let bucket = "photos-1250000000"
  static let key = AccessKey(id: "LTAItest", secret: "not-a-secret")
  static let temporary = AccessKey(id: "STS.test", secret: "not-a-secret-either", sessionToken: "to+ken/=")

  let cloud: LocalCloud
  /// The URL of the signing route.
  let url: String

  init(
    _ test: XCTestCase, key: AccessKey = key, policy: AccessPolicy = alice, lifetime: Duration = .seconds(3600),
    time: any SigningClock = .system
  ) async throws {
    try await self.init(test, keys: StaticCredentialProvider(key), policy: policy, lifetime: lifetime, time: time)
  }

  init(
    _ test: XCTestCase, keys: some CredentialProvider<AccessKey>, policy: AccessPolicy = alice,
    lifetime: Duration = .seconds(3600), time: any SigningClock = .system
  ) async throws {
    var configuration = LocalCloud.Configuration(
      accounts: [.init(Self.key), .init(Self.temporary)], buckets: [Self.bucket], isStrict: true)
    configuration.allowsSmallParts = true
    let cloud = try await LocalCloud.start(configuration)
    test.addTeardownBlock { await cloud.stop() }
    self.cloud = cloud
    let router = Router()
    let signing = SigningService<BasicRequestContext>(
      SigningAccount(OSSStringToSignSigner(region: "cn-hangzhou"), credentials: keys),
      SigningAccount(COSStringToSignSigner(endpoint: cloud.cosEndpoint), credentials: keys), time: time
    ) { _ in SigningRules(policy, lifetime: lifetime) }
    signing.addRoutes(to: router.group("api").add(middleware: Login()))
    url = try await RunningServer.start(router, test) + "/api/sign"
  }

  static let alice = AccessPolicy([
    AccessRule(.read, .write, .delete, .list, objects: .prefix("alice/"), in: bucket)
  ])

  /// Returns a client without a key for each scheme.
  func stores(
    _ login: String = "alice", clockSkew: ClockSkew = ClockSkew(), time: any SigningClock = .system
  ) -> [(name: String, store: any BucketStore)] {
    let signing = RemoteSigning.remote(url) { [.authorization: "Bearer \(login)"] }
    let configuration = StorageClientConfiguration(
      multipartThreshold: 200_000, partSize: 100 * 1024, keysPerPage: 10, retryDelay: .zero)
    func oss(_ version: OSSSignatureVersion) -> StorageClient<OSSProvider> {
      StorageClient(
        .oss(bucket: Self.bucket, region: "cn-hangzhou", signature: version, endpoint: cloud.ossEndpoint),
        signing: signing, configuration: configuration, transport: AsyncHTTPClientTransport.shared,
        clockSkew: clockSkew, time: time)
    }
    return [
      ("OSS V4", oss(.v4)), ("OSS V1", oss(.v1)),
      (
        "COS V5",
        StorageClient(
          .cos(bucket: Self.bucket, region: "ap-guangzhou", endpoint: cloud.cosEndpoint), signing: signing,
          configuration: configuration, transport: AsyncHTTPClientTransport.shared, clockSkew: clockSkew, time: time)
      ),
    ]
  }

  /// Posts a body to the signing route.
  func post(_ body: JSONValue, login: String = "alice") async throws -> (status: Int, answer: JSONValue, text: String) {
    try await post(bytes: body.serialized, login: login)
  }

  func post(bytes: [UInt8], login: String = "alice") async throws -> (status: Int, answer: JSONValue, text: String) {
    var request = HTTPClientRequest(url: url)
    request.method = .POST
    request.headers.add(name: "Authorization", value: "Bearer \(login)")
    request.body = .bytes(ByteBuffer(bytes: bytes))
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
    let answer = Array(try await response.body.collect(upTo: 1 << 20).readableBytesView)
    return (
      Int(response.status.code), (try? JSONValue(parsing: answer)) ?? .null, String(decoding: answer, as: UTF8.self)
    )
  }
}

/// Accepts only the login `Bearer alice`.
private struct Login: RouterMiddleware {
  typealias Context = BasicRequestContext

  func handle(
    _ request: Request, context: BasicRequestContext,
    next: @concurrent (Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    guard request.headers[.authorization] == "Bearer alice" else { throw HTTPError(.unauthorized) }
    return try await next(request, context)
  }
}
