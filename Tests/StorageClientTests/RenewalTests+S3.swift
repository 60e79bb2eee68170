import HTTPTypes
import StorageAuthTesting
import StorageClient
import XCTest

/// Credentials of S3, which has codes and statuses of its own for those that ended.
extension RenewalTests {
  private func s3Client(
    _ transport: any HTTPTransport, _ cache: CredentialCache<AccessKey>
  ) -> StorageClient<S3Provider> {
    StorageClient(
      .s3(bucket: "photos", region: "eu-central-1", endpoint: endpoint), credentials: cache, configuration: .test,
      transport: transport, time: time)
  }

  // matrix: S3 V4: early refresh
  func testACredentialOfS3ThatWouldNotLastForARequestIsRenewedBeforeIt() async throws {
    let (cache, fetches) = issuing(life: .seconds(3600))
    let service = GuardedService(time: time, accepting: ["STS.1"], voice: .s3)
    let transport = ScriptedTransport(service.answer)
    let client = s3Client(transport, cache)
    try await client.upload([1], to: "k")
    time.advance(by: .seconds(3000))
    try await client.upload([1], to: "k")
    XCTAssertEqual(fetches.values.count, 1, "ten minutes are left")
    time.advance(by: .seconds(599))
    // The key has a second left, and a request needs two.
    service.accept(["STS.2"])
    try await client.upload([1], to: "k")
    XCTAssertEqual(fetches.values.count, 2)
    XCTAssertEqual(transport.requests.count, 3)
    XCTAssertEqual(log.signatures.map(\.identity), ["STS.1", "STS.1", "STS.2"])
    XCTAssertTrue(log.retries.isEmpty)
  }

  // matrix: S3 V4: early refresh
  func testACredentialOfS3IsRenewedInsideItsMarginWhileTheOldOneStillSigns() async throws {
    let (cache, fetches) = issuing(life: .seconds(3600))
    let service = GuardedService(time: time, accepting: ["STS.1", "STS.2"], voice: .s3)
    let transport = ScriptedTransport(service.answer)
    let client = s3Client(transport, cache)
    try await client.upload([1], to: "k")
    time.advance(by: .seconds(3600 - 60))
    try await client.upload([1], to: "k")
    XCTAssertEqual(log.signatures.last?.identity, "STS.1", "it is served while it is renewed")
    await eventually("the next one is there") { cache.current()?.credential.id == "STS.2" }
    try await client.upload([1], to: "k")
    XCTAssertEqual(log.signatures.last?.identity, "STS.2")
    XCTAssertEqual(fetches.values.count, 2)
    XCTAssertTrue(log.retries.isEmpty)
  }

  // matrix: S3 V4: forced refresh
  func testACredentialThatS3RefusesIsRenewedAndTheRequestSignedAgain() async throws {
    for code in ["ExpiredToken", "InvalidToken", "InvalidAccessKeyId"] {
      let (cache, fetches) = issuing()
      let service = GuardedService(time: time, voice: .s3)
      service.accept(["STS.2"], others: code)
      let transport = ScriptedTransport(service.answer)
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
  func testAHeadThatS3RefusesWithoutAReasonIsExplainedByAGet() async throws {
    for code in ["ExpiredToken", "InvalidAccessKeyId"] {
      let (cache, fetches) = issuing()
      let service = GuardedService(time: time, voice: .s3)
      service.accept(["STS.2"], others: code)
      let transport = ScriptedTransport(service.answer)
      _ = try await s3Client(transport, cache).head("k")
      XCTAssertEqual(transport.requests.map(\.method), [.head, .get, .head], code)
      XCTAssertEqual(fetches.values.count, 2, code)
    }
  }

  // matrix: S3 V4: forced refresh, expiry
  func testS3sOwnErrorComesWhereNoOtherCredentialIsHad() async throws {
    let (cache, fetches) = issuing(onlyUpTo: 1)
    let service = GuardedService(time: time, voice: .s3)
    service.accept([], others: "ExpiredToken")
    let transport = ScriptedTransport(service.answer)
    await assertThrows(ServiceError.self, { try await s3Client(transport, cache).upload([1], to: "k") }) {
      XCTAssertEqual($0.kind, .credentialExpired)
      XCTAssertEqual($0.code, "ExpiredToken")
      XCTAssertEqual($0.renewalError?.code, .rejected)
    }
    XCTAssertEqual(transport.requests.count, 1)
    XCTAssertEqual(fetches.values.count, 2)
  }
}
