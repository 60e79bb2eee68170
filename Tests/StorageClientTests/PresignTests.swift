// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import StorageAuthTesting
import XCTest

@testable import StorageClient

/// Tests presigned URLs.
final class PresignTests: XCTestCase {
  private func client(_ key: AccessKey) -> StorageClient<OSSProvider> {
    StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou"), credentials: key, configuration: .test,
      transport: RecordingTransport(replies: []), time: ManualClock(now: Timestamp(unixSeconds: 1_795_161_600)))
  }

  func testURLComesWithTheHeadersThatItsUserMustSend() async throws {
    let upload = try await client(key).presign(
      .put, "a/cat.jpg", contentType: "image/jpeg", parameters: [.init(name: "x-oss-traffic-limit", value: "819200")],
      validFor: .seconds(1800))
    XCTAssertEqual(upload.method, .put)
    XCTAssertTrue(upload.url.hasPrefix("https://photos.oss-cn-hangzhou.aliyuncs.com/a/cat.jpg?"))
    XCTAssertTrue(upload.url.contains("x-oss-traffic-limit=819200"))
    XCTAssertTrue(upload.url.contains("x-oss-expires=1800"))
    XCTAssertEqual(upload.headers[.contentType], "image/jpeg")
    XCTAssertEqual(upload.expiration, Timestamp(unixSeconds: 1_795_163_400))
    XCTAssertFalse(upload.url.contains("+"))
  }

  func testURLThatOutlivesItsKeyIsRejected() async throws {
    let ending = AccessKey(
      id: "STS.x", secret: "s", sessionToken: "t", expiration: Timestamp(unixSeconds: 1_795_161_700))
    await assertThrows(CredentialError.self) {
      _ = try await client(ending).presign(.get, "k", validFor: .seconds(600))
    }
    _ = try await client(ending).presign(.get, "k", validFor: .seconds(99))
  }

  func testAnonymousClientCannotPresign() async throws {
    await assertThrows(
      SigningError.self, { _ = try await client(.anonymous).presign(.get, "k", validFor: .seconds(60)) }
    ) { XCTAssertEqual($0.code, .anonymous) }
  }

  func testInvalidHeaderIsRejected() async throws {
    await assertThrows(
      StorageError.self,
      { _ = try await client(key).presign(.put, "k", contentType: "a\nb", validFor: .seconds(60)) }
    ) { XCTAssertEqual($0.code, .invalidOption) }
  }

  func testCOSPresignsURLs() async throws {
    let url = try await cosClient(RecordingTransport(replies: [])).presign(.get, "猫.jpg", validFor: .seconds(60)).url
    XCTAssertTrue(url.hasPrefix("http://127.0.0.1:9/photos-1250000000/%E7%8C%AB.jpg?"))
    XCTAssertTrue(url.contains("q-signature="))
  }
}
