// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import Foundation
import StorageClient
import XCTest

/// Code of apps that follow the vendors' guides, with the client's module and Foundation alone.
final class VendorGuideTests: XCTestCase {
  private struct Offline: Error {}

  private let key = AccessKey(id: "LTAIguide", secret: "Jefe")

  private func transport(_ body: String = "") -> RecordingTransport {
    RecordingTransport { request throws(TransportError) in
      HTTPStreamingResponse(request.method == .delete ? 204 : 200, body, ["Content-Type": "application/json"])
    }
  }

  func testKeyTellsWhetherItExpiresSoon() {
    let key = AccessKey(
      id: "id", secret: "secret", sessionToken: "token", expiration: Timestamp(Date(timeIntervalSinceNow: 250)))
    XCTAssertTrue(key.expires(within: .seconds(300)))
    XCTAssertFalse(key.expires(within: .seconds(100)))
  }

  func testCallbackThatReturnsNilIsARetryableConditionOfItsOwn() async {
    let transport = transport()
    let client = StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou"), credentials: CredentialCache<AccessKey>(source: "app") { nil },
      configuration: StorageClientConfiguration(attempts: 1), transport: transport)
    await assertThrows(CredentialError.self, { try await client.delete("cat.jpg") }) {
      XCTAssertEqual($0.code, .unavailable)
      XCTAssertTrue($0.isRetryable)
    }
    XCTAssertEqual(transport.requests.count, 0)
  }

  func testAppServerOfTheLocalNetworkNeedsPermissionForPlainHTTP() async throws {
    let url = "http://192.168.0.7:8080/distribute-token.json"
    let transport = transport(
      #"{"StatusCode":200,"AccessKeyId":"STS.id","AccessKeySecret":"s","SecurityToken":"t","#
        + #""Expiration":"2099-01-01T00:00:00Z"}"#)
    let context = ProviderContext(transport: transport)
    let allowed = CredentialCache(.appServer(url, allowsPlainHTTP: true), in: context)
    let id = try await allowed.credential().id
    XCTAssertEqual(id, "STS.id")
    XCTAssertEqual(transport.requests.map(\.url), [url])
    let refused = CredentialCache(.appServer(url), in: context)
    await assertThrows(CredentialError.self, { _ = try await refused.credential() }) { _ in }
    XCTAssertEqual(transport.requests.count, 1)
  }

  /// RFC 2202, test case 2 for HMAC-SHA-1.
  func testHelperOfTheGuidesIsHMACSHA1InBase64() {
    let text = "what do ya want for nothing?"
    XCTAssertEqual(key.hmacSHA1Base64(text), "7/zfauXrL6LSdBbV8YTfnCWafHk=")
    let code: AuthenticationCode = key.authenticationCode(for: text, using: .hmacSHA1)
    XCTAssertEqual(code.base64, key.hmacSHA1Base64(text))
  }

  // matrix: OSS V1: remote signing
  func testAnswerOfAV1ServerNeedsAClientForV1AndSaysSo() async throws {
    let key = key
    let signing = RemoteSigning.remote { (request: SigningRequest) in
      SigningResponse(accessKeyID: key.id, signature: key.hmacSHA1Base64(request.stringToSign))
    }
    let transport = transport()
    let modern = StorageClient(.oss(bucket: "photos", region: "cn-hangzhou"), signing: signing, transport: transport)
    await assertThrows(SigningError.self, { try await modern.delete("cat.jpg") }) {
      XCTAssertEqual($0.code, .invalidSignature)
      XCTAssertTrue($0.remedy.contains("signature: .v1"), $0.remedy)
    }
    XCTAssertEqual(transport.requests.count, 0)
    let guides = StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou", signature: .v1), signing: signing, transport: transport)
    try await guides.delete("cat.jpg")
    XCTAssertEqual(transport.requests.first?.headers[.authorization]?.hasPrefix("OSS LTAIguide:"), true)
  }

  func testErrorThatTheAppThrowsReachesTheCallerWhole() async {
    let transport = transport("{}")
    let context = ProviderContext(transport: transport)
    let caches = [
      CredentialCache<AccessKey>(source: "app") { throw Offline() },
      CredentialCache<AccessKey>(source: "app", blocking: { throw Offline() }),
      CredentialCache(AppServerCredentialProvider { throw Offline() }, in: context),
      CredentialCache(
        .appServer(
          "https://app.example.com/sts",
          format: .custom { @Sendable (_: [UInt8]) throws -> AccessKey in throw Offline() }),
        in: context),
    ]
    let configuration = StorageClientConfiguration(attempts: 1)
    for cache in caches {
      let client = StorageClient(
        .oss(bucket: "photos", region: "cn-hangzhou"), credentials: cache, configuration: configuration,
        transport: transport)
      await assertThrows(CredentialError.self, { try await client.delete("cat.jpg") }) {
        XCTAssertTrue($0.underlying is Offline, "\($0)")
      }
    }
    let server = StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou"),
      signing: .remote("https://app.example.com/sign") { throw Offline() }, configuration: configuration,
      transport: transport)
    await assertThrows(CredentialError.self, { try await server.delete("cat.jpg") }) {
      XCTAssertTrue($0.underlying is Offline, "\($0)")
    }
    let function = StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou"), signing: .remote { (_: SigningRequest) in throw Offline() },
      configuration: configuration, transport: transport)
    await assertThrows(Offline.self, { try await function.delete("cat.jpg") }) { _ in }
  }

  func testClientSignsForAnExplicitWindow() async throws {
    let transport = transport()
    let start = Timestamp.now.unixSeconds - 60
    let window = COSKeyTime(from: Timestamp(unixSeconds: start), until: Timestamp(unixSeconds: start + 1800))
    let client = StorageClient(
      .cos(bucket: "photos-1250000000", region: "ap-guangzhou", keyTime: window), credentials: key,
      transport: transport)
    try await client.delete("cat.jpg")
    let authorization = try XCTUnwrap(transport.requests.first?.headers[.authorization])
    XCTAssertTrue(authorization.contains("q-sign-time=\(start);\(start + 1800)&"), authorization)
  }
}
