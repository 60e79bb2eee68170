// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import ClientTestSupport
import HTTPTypes
import LocalCloud
import NIOCore
import NIOHTTP1
import StorageClient
import XCTest

/// Tests a client that is configured with another region than the bucket's, against a server that knows the region.
final class S3RegionTests: XCTestCase {
  func testClientLearnsTheRegionFromTheRedirect() async throws {
    SecretWatch.install()
    let server = try await LocalCloud.start(
      .init(accounts: [.init(key)], buckets: [Cloud.bucket], s3Region: "eu-central-1", isStrict: true))
    addTeardownBlock { await server.stop() }
    let transport = NamedHosts(leadingTo: server.s3Endpoint.authority)
    let client = StorageClient(
      .s3(bucket: Cloud.bucket, region: "us-west-2"), credentials: key, configuration: .test, transport: transport)
    try await client.upload([1, 2, 3], to: "a")
    XCTAssertEqual(client.provider.region, "eu-central-1")
    let bytes = try await client.download("a", upTo: 10)
    XCTAssertEqual(bytes, [1, 2, 3])
    XCTAssertEqual(server.statistics[.s3].refused, ["PermanentRedirect": 1])

    let other = StorageClient(
      .s3(bucket: Cloud.bucket, region: "ap-south-1"), credentials: key, configuration: .test, transport: transport)
    let info = try await other.head("a")
    XCTAssertEqual(info.size, 3)
    XCTAssertEqual(other.provider.region, "eu-central-1")
  }

  func testRemoteSignerSignsForTheRegionOfTheRedirect() async throws {
    SecretWatch.install()
    let server = try await LocalCloud.start(
      .init(accounts: [.init(key)], buckets: [Cloud.bucket], s3Region: "eu-central-1", isStrict: true))
    addTeardownBlock { await server.stop() }
    let signing = RemoteSigning.remote { (request: SigningRequest) in
      let scope = try XCTUnwrap(request.stringToSign.split(separator: "\n").dropFirst(2).first)
      let region = String(try XCTUnwrap(scope.split(separator: "/").dropFirst().first))
      let signer = S3StringToSignSigner(
        region: region, endpoint: try S3Provider.s3(bucket: Cloud.bucket, region: region).endpoint)
      let signature = try signer.signature(of: request, signer.intent(of: request), with: key, at: .now)
      return SigningResponse(accessKeyID: key.id, signature: signature)
    }
    let client = StorageClient(
      .s3(bucket: Cloud.bucket, region: "us-west-2"), signing: signing, configuration: .test,
      transport: NamedHosts(leadingTo: server.s3Endpoint.authority))
    try await client.upload([1, 2, 3], to: "a")
    let bytes = try await client.download("a", upTo: 10)
    XCTAssertEqual(bytes, [1, 2, 3])
    XCTAssertEqual(server.statistics[.s3].refused, ["PermanentRedirect": 1])
    let presigned = try await client.presign(.get, "a", validFor: .seconds(60))
    XCTAssertTrue(presigned.url.contains("eu-central-1%2Fs3"), presigned.url)
  }
}

/// A transport for which every host name resolves to one server, which receives the names.
///
/// It needs a `Host` that differs from the URL, which `URLSession` does not send.
private struct NamedHosts: HTTPTransport {
  private let authority: String

  init(leadingTo authority: String) {
    self.authority = authority
  }

  func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
    var wire = HTTPClientRequest(url: "http://\(authority)\(request.path ?? "")")
    wire.method = HTTPMethod(rawValue: request.method.rawValue)
    wire.headers.add(name: "Host", value: request.authority ?? "")
    for field in request.headerFields where field.name != .contentLength {
      wire.headers.add(name: field.name.rawName, value: field.value)
    }
    do {
      switch body.content {
      case .none: break
      case .bytes(let bytes): wire.body = .bytes(ByteBuffer(bytes: bytes))
      case .stream(let stream):
        var bytes = ByteBuffer()
        for try await chunk in stream { bytes.writeBytes(chunk) }
        wire.body = .bytes(bytes)
      }
      let response = try await HTTPClient.shared.execute(wire, timeout: .seconds(30))
      var head = HTTPResponse(status: .init(code: Int(response.status.code)))
      for (name, value) in response.headers {
        if let name = HTTPField.Name(name) { head.headerFields[name] = value }
      }
      let bytes = Array(try await response.body.collect(upTo: 1 << 20).readableBytesView)
      return HTTPStreamingResponse(response: head, body: ByteStream(bytes))
    } catch {
      throw TransportError(.connectionLost, "The server did not answer.", remedy: "See whether it runs.")
    }
  }
}
