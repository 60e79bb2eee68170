// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import LocalCloud
import NIOCore
import NIOSSL
import StorageClient
import XCTest

@testable import StorageAuthServer

/// A local cloud with a certificate, as containers use it without plain HTTP.
final class LocalCloudHTTPSTests: XCTestCase {
  func testStorageServicesSpeakHTTPSAlone() async throws {
    let key = AccessKey(id: "test-id", secret: "test-secret")
    var configuration = LocalCloud.Configuration(accounts: [.init(key)], buckets: ["photos"])
    configuration.address = "0.0.0.0"
    configuration.certificate = try SecureServer.certificate("first")
    let cloud = try await LocalCloud.start(configuration)
    addTeardownBlock { await cloud.stop() }
    XCTAssertEqual(cloud.ossEndpoint.scheme, "https")
    XCTAssertTrue(cloud.servicesURL.hasPrefix("http://127.0.0.1:"))

    var tls = TLSConfiguration.makeClientConfiguration()
    tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(SecureServer.text("root").utf8)))
    let http = HTTPClient(
      eventLoopGroupProvider: .singleton, configuration: HTTPClient.Configuration(tlsConfiguration: tls))
    addTeardownBlock { try await http.shutdown() }
    let transport = AsyncHTTPClientTransport(client: http)
    let bytes = [UInt8](repeating: 7, count: 1 << 20)
    let clients: [any BucketStore] = [
      StorageClient(
        .oss(bucket: "photos", region: "cn-hangzhou", endpoint: cloud.ossEndpoint), credentials: key,
        transport: transport),
      StorageClient(
        .s3(bucket: "photos", region: "us-east-1", endpoint: cloud.s3Endpoint), credentials: key, transport: transport),
    ]
    for client in clients {
      try await client.upload(bytes, to: "a")
      let back = try await client.download("a", upTo: 2 << 20)
      XCTAssertEqual(back, bytes)
    }
    let plain = HTTPClientRequest(url: "http://\(cloud.ossEndpoint.authority)/photos/a")
    do {
      let answer = try await http.execute(plain, timeout: .seconds(20))
      XCTFail("The port answers plain HTTP with \(answer.status).")
    } catch {}
  }
}
