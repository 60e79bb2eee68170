// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import LocalCloud
import S3Auth
import StorageAuth
import StorageAuthServer
import StorageAuthTesting
import StorageClient
import XCTest

/// Tests an access key ID as S3-compatible servers issue it, behind the middleware and with the client.
final class VerifyingKeyIDTests: XCTestCase {
  private static let key = AccessKey(id: "user@example.test/sub=1", secret: "not-a-secret")

  func testMiddlewareVerifiesHeadersAndURLs() async throws {
    let time = ManualClock(now: VerifyingBench.date)
    let middleware = SignatureMiddleware<VerifiedContext>(S3Verifier(region: "us-east-1"), replays: nil, time: time) {
      $0 == Self.key.id ? Self.key : nil
    }
    let router = Router(context: VerifiedContext.self)
    router.add(middleware: middleware).get("**") { _, context in "\(context.verifiedRequest?.accessKeyID.string ?? "")"
    }
    let endpoint = try ServiceEndpoint(await RunningServer.start(router, self), style: .path)
    let request = try endpoint.request(.get, bucket: "photos", key: "a")
    let signer = S3Signer(region: "us-east-1")
    let context = SigningContext(date: time.now)
    let header = try signer.signed(request, with: Self.key, in: context)
    var url = request
    let link = try signer.presign(request, with: Self.key, validFor: .seconds(60), in: context)
    url.path = String(link.url.dropFirst("http://\(endpoint.authority)".count))
    for signed in [header, url] {
      let text = try await RawExchange.answer(
        to: RawExchange.text(signed, target: signed.path ?? ""), at: endpoint.authority)
      XCTAssertTrue(text.hasPrefix("HTTP/1.1 200"), text)
      XCTAssertTrue(text.hasSuffix(Self.key.id.string), text)
    }
  }

  func testClientUsesAServerWithSuchAKey() async throws {
    let cloud = try await LocalCloud.start(.init(accounts: [.init(Self.key)], buckets: ["photos"]))
    addTeardownBlock { await cloud.stop() }
    let client = StorageClient(
      .s3(bucket: "photos", region: "us-east-1", endpoint: cloud.s3Endpoint), credentials: Self.key)
    _ = try await client.upload([1, 2], to: "a")
    let info = try await client.head("a")
    XCTAssertEqual(info.size, 2)
  }
}
