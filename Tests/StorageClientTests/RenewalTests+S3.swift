// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import StorageAuthTesting
import StorageClient
import XCTest

/// Tests the refresh of credentials of S3, which has its own codes and statuses for expired ones.
extension RenewalTests {
  private func s3Client(
    _ transport: any HTTPTransport, _ cache: CredentialCache<AccessKey>
  ) -> StorageClient<S3Provider> {
    StorageClient(
      .s3(bucket: "photos", region: "eu-central-1", endpoint: endpoint), credentials: cache, configuration: .test,
      transport: transport, time: time)
  }

  // matrix: S3 V4: early refresh
  func testS3CredentialThatExpiresDuringARequestIsRefreshedBeforeIt() async throws {
    let (cache, fetches) = issuing(life: .seconds(3600))
    let service = GuardedService(time: time, accepting: ["STS.1"], voice: .s3)
    let transport = RecordingTransport(service.answer)
    let client = s3Client(transport, cache)
    try await client.upload([1], to: "k")
    time.advance(by: .seconds(3000))
    try await client.upload([1], to: "k")
    XCTAssertEqual(fetches.values.count, 1, "the credential remains valid for ten minutes")
    time.advance(by: .seconds(599))
    // The key expires in one second, and a request requires two.
    service.accept(["STS.2"])
    try await client.upload([1], to: "k")
    XCTAssertEqual(fetches.values.count, 2)
    XCTAssertEqual(transport.requests.count, 3)
    XCTAssertEqual(log.signatures.map(\.identity), ["STS.1", "STS.1", "STS.2"])
    XCTAssertTrue(log.retries.isEmpty)
  }

  // matrix: S3 V4: early refresh
  func testS3CredentialIsRefreshedWithinItsMarginWhileTheOldOneStillSigns() async throws {
    let (cache, fetches) = issuing(life: .seconds(3600))
    let service = GuardedService(time: time, accepting: ["STS.1", "STS.2"], voice: .s3)
    let transport = RecordingTransport(service.answer)
    let client = s3Client(transport, cache)
    try await client.upload([1], to: "k")
    time.advance(by: .seconds(3600 - 60))
    try await client.upload([1], to: "k")
    XCTAssertEqual(log.signatures.last?.identity, "STS.1", "the current credential must sign during the refresh")
    await eventually("the refreshed credential is cached") { cache.current()?.credential.id == "STS.2" }
    try await client.upload([1], to: "k")
    XCTAssertEqual(log.signatures.last?.identity, "STS.2")
    XCTAssertEqual(fetches.values.count, 2)
    XCTAssertTrue(log.retries.isEmpty)
  }

  // matrix: S3 V4: forced refresh
  func testCredentialRejectedByS3IsRefreshedAndTheRequestSignedAgain() async throws {
    for code in ["ExpiredToken", "InvalidToken", "InvalidAccessKeyId"] {
      let (cache, fetches) = issuing()
      let service = GuardedService(time: time, voice: .s3)
      service.accept(["STS.2"], others: code)
      let transport = RecordingTransport(service.answer)
      let object = try await s3Client(transport, cache).upload(
        [1, 2], to: "k", options: UploadOptions(forbidOverwrite: true))
      XCTAssertEqual(object.size, 2, code)
      XCTAssertEqual(fetches.values.count, 2)
      XCTAssertEqual(transport.requests.map(\.body), [[1, 2], [1, 2]])
      let tokens = transport.requests.map { $0.headers[.init("x-amz-security-token") ?? .date] }
      XCTAssertEqual(tokens, ["TOKEN1", "TOKEN2"])
    }
    XCTAssertEqual(log.retries.map(\.attempt), [2, 2, 2])
    XCTAssertEqual(log.retries.first?.subject, "PUT s3://photos/k")
  }

  // matrix: S3 V4: forced refresh
  func testS3HeadRejectedWithoutAReasonIsExplainedByAGet() async throws {
    for code in ["ExpiredToken", "InvalidAccessKeyId"] {
      let (cache, fetches) = issuing()
      let service = GuardedService(time: time, voice: .s3)
      service.accept(["STS.2"], others: code)
      let transport = RecordingTransport(service.answer)
      _ = try await s3Client(transport, cache).head("k")
      XCTAssertEqual(transport.requests.map(\.method), [.head, .get, .head], code)
      XCTAssertEqual(fetches.values.count, 2, code)
    }
  }

  // matrix: S3 V4: forced refresh, expiry
  func testS3ErrorIsThrownWhenNoOtherCredentialIsAvailable() async throws {
    let (cache, fetches) = issuing(onlyUpTo: 1)
    let service = GuardedService(time: time, voice: .s3)
    service.accept([], others: "ExpiredToken")
    let transport = RecordingTransport(service.answer)
    await assertThrows(ServiceError.self, { try await s3Client(transport, cache).upload([1], to: "k") }) {
      XCTAssertEqual($0.kind, .credentialExpired)
      XCTAssertEqual($0.code, "ExpiredToken")
      XCTAssertEqual($0.renewalError?.code, .rejected)
    }
    XCTAssertEqual(transport.requests.count, 1)
    XCTAssertEqual(fetches.values.count, 2)
  }
}
