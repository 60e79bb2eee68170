// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import StorageClient
import XCTest

/// Tests that the client passes its options to the signers.
final class SignerOptionTests: XCTestCase {
  private func sent(_ provider: some BucketProvider<AccessKey>, _ headers: HTTPFields = [:]) async throws -> HTTPFields
  {
    let transport = RecordingTransport(replies: [HTTPStreamingResponse(200)])
    _ = try await StorageClient(provider, credentials: key, configuration: .test, transport: transport)
      .head("a", headers: headers)
    return try XCTUnwrap(transport.requests.first).headers
  }

  func testProductAndAdditionalHeadersOfOSS() async throws {
    let headers = try await sent(
      .oss(
        bucket: "photos", region: "cn-hangzhou", endpoint: endpoint, product: "oss-cloudbox",
        additionalHeaders: ["range"]), [.ifMatch: "x"])
    let authorization = try XCTUnwrap(headers[.authorization])
    XCTAssertTrue(authorization.contains("/cn-hangzhou/oss-cloudbox/"), authorization)
    XCTAssertFalse(authorization.contains("AdditionalHeaders"), "the request has no Range header: \(authorization)")
    let more = try await sent(
      .oss(bucket: "photos", region: "cn-hangzhou", endpoint: endpoint, additionalHeaders: ["if-match"]),
      [.ifMatch: "x"])
    XCTAssertTrue(try XCTUnwrap(more[.authorization]).contains("AdditionalHeaders=if-match"))
  }

  func testAdditionalSubresourcesOfOSSV1() async throws {
    let transport = RecordingTransport(replies: [HTTPStreamingResponse(200)])
    let provider = OSSProvider(
      bucket: "photos", region: "cn-hangzhou", signature: .v1, endpoint: endpoint, additionalSubresources: ["x-new"])
    _ = try await StorageClient(provider, credentials: key, configuration: .test, transport: transport)
      .open("a", options: DownloadOptions(parameters: [.init(name: "x-new", value: "1")]))
    let sent = try XCTUnwrap(transport.requests.first)
    let date = try XCTUnwrap(sent.headers[.date].flatMap { Timestamp(httpDate: $0) })
    let plain = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:9", path: sent.path)
    for (names, isSame) in [(Set(["x-new"]), true), ([], false)] {
      let signer = OSSSigner(.v1, bucket: "photos", style: .path, additionalSubresources: names)
      let signed = try signer.signed(plain, with: key, in: SigningContext(date: date))
      XCTAssertEqual(signed.headerFields[.authorization] == sent.headers[.authorization], isSame, "\(names)")
    }
  }

  func testPolicyAndHeaderLifetimeOfCOS() async throws {
    let headers = try await sent(
      .cos(
        bucket: "photos-1250000000", region: "ap-guangzhou", endpoint: endpoint, policy: .standardWithoutHost,
        headerLifetime: .seconds(60)))
    let authorization = try XCTUnwrap(headers[.authorization])
    XCTAssertTrue(authorization.contains("q-header-list=&"), authorization)
    let times = authorization.split(separator: "&").first { $0.hasPrefix("q-sign-time=") }?.dropFirst(12)
      .split(separator: ";").compactMap { Int($0) }
    XCTAssertEqual(times.map { $0[1] - $0[0] }, 60)
  }
}
