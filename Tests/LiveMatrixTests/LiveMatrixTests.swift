// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import LiveMatrix
import LocalCloud
import StorageAuth
import StorageClient
import XCTest

/// Runs the steps for real services against LocalCloud, with the same code and the same variables.
final class LiveMatrixTests: XCTestCase {
  private static let bucketServices = ["OSS V4", "OSS V1", "COS V5", "S3 V4"]

  private static let bucketSteps = [
    "temporary key", "signed upload, head and download", "presigned download", "presigned upload",
    "expired presigned URL is refused", "form upload", "form upload over the size is refused",
    "wrong secret is refused", "unknown key is refused", "temporary key without its token is refused",
    "expired temporary key is refused", "slow clock is corrected", "fast clock is corrected",
    "list in pages and by folder", "multipart upload", "interrupted multipart upload is aborted",
  ]

  private static let windowSteps = [
    "signature in its window", "signature after its window is refused", "signature before its window is refused",
  ]

  private static let nodeSteps = [
    "signed folder and list", "wrong secret is refused", "transfer token", "upload and download with ascp",
    "refused token is renewed", "account logs in", "wrong password of the account is refused",
  ]

  /// The names of all rows, in order.
  private static var rows: [String] {
    bucketServices.flatMap { service in
      (bucketSteps + (service == "COS V5" ? windowSteps : []) + ["cleanup"]).map { "\(service): \($0)" }
    } + (nodeSteps + ["cleanup"]).map { "Aspera node: \($0)" }
  }

  /// Starts a cloud, whose secrets no text of the test may contain.
  private func start() async throws -> LiveCloud {
    SecretWatch.install()
    let cloud = try await LiveCloud()
    SecretWatch.add(cloud.key)
    SecretWatch.add(cloud.expiredKey)
    addTeardownBlock { await cloud.server.stop() }
    return cloud
  }

  /// Returns the matrix of a cloud, with only the variables that the closure selects.
  private func matrix(
    of cloud: LiveCloud, over transport: any HTTPTransport = NetworkTransport.shared,
    where isIncluded: (String) -> Bool = { _ in true }
  ) throws -> LiveMatrix {
    let variables = cloud.environment(ascp: try Programs.path("ascp-simulator")).filter { isIncluded($0.key) }
    return LiveMatrix(transport: transport, retryDelay: .zero) { variables[$0] }
  }

  /// Returns whether a variable concerns one service alone, or all of them.
  private func names(_ vendors: String...) -> (String) -> Bool {
    { name in name == "STORAGE_AUTH_LIVE" || vendors.contains { name.hasPrefix($0) } }
  }

  private func name(_ row: LiveRow) -> String { "\(row.service): \(row.step)" }

  /// Requires that everything was removed from the buckets and the node.
  private func assertEmpty(_ cloud: LiveCloud, file: StaticString = #filePath, line: UInt = #line) async throws {
    let bucket = "live-1250000000"
    let stores: [any BucketStore] = [
      StorageClient(
        .oss(bucket: bucket, region: "cn-hangzhou", endpoint: cloud.server.ossEndpoint), credentials: cloud.key),
      StorageClient(
        .cos(bucket: bucket, region: "ap-guangzhou", endpoint: cloud.server.cosEndpoint), credentials: cloud.key),
      StorageClient(
        .s3(bucket: bucket, region: "us-east-1", endpoint: cloud.server.s3Endpoint), credentials: cloud.key),
    ]
    for store in stores {
      let keys = try await store.list().names
      XCTAssertEqual(keys, [], file: file, line: line)
      for try await upload in store.unfinishedUploads() { XCTFail(upload.key, file: file, line: line) }
    }
  }

  func testEveryStepPassesForEveryService() async throws {
    let cloud = try await start()
    let matrix = try matrix(of: cloud)
    var told: [LiveRow] = []
    let report = await matrix.run { told.append($0) }
    XCTAssertEqual(report.rows.map(name), Self.rows)
    XCTAssertEqual(report.rows, told)
    for row in report.rows { XCTAssertEqual(row.outcome, .passed, name(row)) }
    for row in report.rows where Self.bucketServices.contains(row.service) && row.step != "temporary key" {
      XCTAssertNotNil(row.requestID, name(row))
    }
    XCTAssertFalse(report.isInterrupted)
    SecretWatch.check(report.rows.map(\.description).joined(separator: "\n") + matrix.announcement)
    // The cost that was announced is not exceeded, and is not far above it.
    XCTAssertLessThanOrEqual(report.requests, matrix.cost.requests)
    XCTAssertGreaterThan(report.requests * 4, matrix.cost.requests * 3)
    XCTAssertLessThanOrEqual(report.bytes, matrix.cost.bytes + 4_096 * Int64(report.requests))
    XCTAssertGreaterThan(report.bytes * 2, matrix.cost.bytes)
    try await assertEmpty(cloud)
    let writes = LocalCloud.Provider.allCases.map { cloud.server.writes(of: $0, in: "live-1250000000").count }
    // On the node, there are two folders and two files.
    XCTAssertEqual(writes.reduce(4, +), matrix.cost.objects)
    for provider in LocalCloud.Provider.allCases {
      for key in cloud.server.writes(of: provider, in: "live-1250000000").keys {
        XCTAssertTrue(key.hasPrefix("storage-auth-live/"), key)
      }
    }
  }

  func testFailingServiceFailsItsRowsOnlyAndNamesWhatMayBeLeft() async throws {
    let cloud = try await start()
    cloud.server.faults[.oss] = [.serverError()]
    let report = try await matrix(of: cloud, where: names("OSS", "COS", "TENCENT")).run()
    let failed = Set(report.failures.map(name))
    let isBroken = { (row: LiveRow) in row.service.hasPrefix("OSS") && row.step != "temporary key" }
    XCTAssertEqual(failed, Set(report.rows.filter(isBroken).map(name)))
    XCTAssertEqual(failed.count, 2 * Self.bucketSteps.count)
    for row in report.failures {
      guard case .failed(let reason) = row.outcome else { continue }
      if row.step == "cleanup" {
        XCTAssertTrue(reason.contains("below oss://live-1250000000/storage-auth-live/"), reason)
      }
      SecretWatch.check(row.description)
    }
  }

  func testCleanupRemovesWhatStepsThatFailedHaveCreated() async throws {
    let cloud = try await start()
    // The service accepts the object, and refuses to return it.
    let transport = EditingTransport(NetworkTransport.shared) { request, reply in
      if request.method == .get, request.path?.contains("signed/a") == true { reply.response.status = .forbidden }
    }
    let report = try await matrix(of: cloud, over: transport, where: names("S3", "AWS")).run()
    XCTAssertEqual(report.failures.map(name), ["S3 V4: signed upload, head and download"])
    XCTAssertTrue(report.rows.contains { name($0) == "S3 V4: cleanup" && $0.outcome == .passed })
    try await assertEmpty(cloud)
  }

  func testBucketWithVersionsIsNotUsedFurther() async throws {
    let cloud = try await start()
    let transport = EditingTransport(NetworkTransport.shared) { request, reply in
      if request.method == .put, let name = HTTPField.Name("x-amz-version-id") {
        reply.response.headerFields[name] = "v1"
      } else if request.method == .delete {
        reply.response.status = .noContent
      }
    }
    let report = try await matrix(of: cloud, over: transport, where: names("S3", "AWS")).run()
    let rows = report.rows.filter { $0.service == "S3 V4" }
    XCTAssertEqual(rows.first?.outcome, .passed)
    XCTAssertEqual(rows.last?.outcome, .passed)
    XCTAssertEqual(report.failures.map(\.step), ["signed upload, head and download"])
    for row in rows.dropFirst(2).dropLast() {
      guard case .skipped(let reason) = row.outcome else {
        XCTFail(row.description)
        continue
      }
      XCTAssertTrue(reason.hasPrefix("the bucket keeps versions"), reason)
    }
    XCTAssertEqual(cloud.server.writes(of: .s3, in: "live-1250000000").count, 1)
    try await assertEmpty(cloud)
  }

  func testServiceThatRefusesNothingFailsTheRowsOfRefusals() async throws {
    let cloud = try await start()
    let transport = EditingTransport(NetworkTransport.shared) { _, reply in
      guard [400, 401, 403].contains(reply.response.status.code) else { return }
      reply = HTTPStreamingResponse(response: HTTPResponse(status: .ok), body: ByteStream([]))
    }
    let report = try await matrix(of: cloud, over: transport).run()
    // The password of an account is checked by the transfer server, without HTTP.
    let needsRefusal = { (name: String) in
      (name.hasSuffix("is refused") && !name.contains("password")) || name.hasSuffix("clock is corrected")
    }
    XCTAssertEqual(report.failures.map(name), Self.rows.filter(needsRefusal))
  }

  func testServiceThatAcceptsEverySignatureFailsTheRowsOfRefusals() async throws {
    let cloud = try await start()
    let transport = AcceptingTransport(base: NetworkTransport.shared, key: cloud.key, region: "us-east-1")
    let report = try await matrix(of: cloud, over: transport, where: names("S3", "AWS")).run()
    let refusals = [
      "expired presigned URL is refused", "wrong secret is refused", "unknown key is refused",
      "temporary key without its token is refused", "expired temporary key is refused",
    ]
    XCTAssertEqual(report.failures.map(\.step), refusals)
    for row in report.failures {
      guard case .failed(let reason) = row.outcome else { continue }
      XCTAssertTrue(reason.contains("accepted what it must refuse"), "\(row)")
    }
  }

  func testWrongClockOfTheServiceFailsTheRowsOfClocks() async throws {
    let cloud = try await start()
    cloud.server.faults.clockOffset = .seconds(600)
    let report = try await matrix(of: cloud, where: names("COS", "TENCENT")).run()
    let failed = report.failures.map(\.step)
    XCTAssertTrue(failed.contains("slow clock is corrected"), "\(failed)")
    XCTAssertTrue(failed.contains("fast clock is corrected"), "\(failed)")
  }

  func testTruncatedDocumentsFailTheRowsThatReadThem() async throws {
    let cloud = try await start()
    cloud.server.faults[.cos] = [.malformed()]
    cloud.server.faults[.node] = [.malformed()]
    let report = try await matrix(of: cloud, where: names("COS", "TENCENT", "ASPERA")).run()
    let failed = Set(report.failures.map(name))
    for step in ["list in pages and by folder", "multipart upload", "signature in its window", "cleanup"] {
      XCTAssertTrue(failed.contains("COS V5: \(step)"), step)
    }
    for step in ["signed folder and list", "transfer token", "cleanup"] {
      XCTAssertTrue(failed.contains("Aspera node: \(step)"), step)
    }
  }

  func testTransferServerThatRefusesEveryTokenFailsTheRowsOfTransfers() async throws {
    let cloud = try await start()
    cloud.server.faults.transfers = [.tokenRefused()]
    let report = try await matrix(of: cloud, where: names("ASPERA", "STORAGE_AUTH_ASCP")).run()
    XCTAssertEqual(report.failures.map(\.step), ["upload and download with ascp", "refused token is renewed"])
  }

  func testStepsWithoutARoleAnExpiredKeyAscpOrAnAccountAreSkipped() async throws {
    let cloud = try await start()
    let report = try await matrix(of: cloud) { name in
      !["ROLE_ARN", "EXPIRED_KEY", "ASPERA_USER", "COS_REGION"].contains { name.hasSuffix($0) }
    }.run()
    var skipped: [String: String] = [:]
    for row in report.rows {
      if case .skipped(let reason) = row.outcome {
        skipped[name(row)] = reason
      } else {
        XCTAssertEqual(row.outcome, .passed, name(row))
      }
    }
    XCTAssertEqual(skipped["OSS V1: temporary key"], "OSS_ROLE_ARN is not set")
    XCTAssertEqual(skipped["OSS V1: expired temporary key is refused"], "OSS_EXPIRED_KEY is not set")
    XCTAssertEqual(
      skipped["S3 V4: temporary key without its token is refused"], "the key is not temporary; set S3_ROLE_ARN")
    XCTAssertEqual(skipped["COS V5: all"], "not set: COS_REGION")
    XCTAssertEqual(
      skipped["Aspera node: account logs in"], "ASPERA_HOST, ASPERA_USER, ASPERA_SCP_PASS are not all set")
    XCTAssertEqual(skipped.count, 12)
  }

  func testNothingIsSentWithoutPermission() async throws {
    let cloud = try await start()
    let matrix = try matrix(of: cloud) { $0 != "STORAGE_AUTH_LIVE" }
    let report = await matrix.run()
    XCTAssertEqual(
      report.rows.map(\.description),
      LiveMatrix.services.map { "| \($0) | all | SKIPPED: not set: STORAGE_AUTH_LIVE=1 | 0 | - |" })
    XCTAssertEqual(matrix.cost.requests, 0)
    XCTAssertEqual(report.requests, 0)
    XCTAssertTrue(cloud.server.statistics.endpoints.values.allSatisfy { $0.requests == 0 })
  }

  func testCancelledRunRemovesWhatItHasCreated() async throws {
    let cloud = try await start()
    let matrix = try matrix(of: cloud)
    let report = await Task {
      await matrix.run { row in
        if row.step == "presigned upload" { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }.value
    XCTAssertTrue(report.isInterrupted)
    XCTAssertEqual(report.failures, [])
    let passed = report.rows.filter { $0.outcome == .passed }.map(name)
    XCTAssertEqual(passed, Self.bucketSteps.prefix(4).map { "OSS V4: \($0)" } + ["OSS V4: cleanup"])
    XCTAssertFalse(cloud.server.writes(of: .oss, in: "live-1250000000").isEmpty)
    try await assertEmpty(cloud)
  }

  func testStepIsNotCancelledWithTheRun() async throws {
    let cloud = try await start()
    let run = Lock<Task<LiveReport, Never>?>(nil)
    let transport = EditingTransport(NetworkTransport.shared) { request, _ in
      if request.method == .put, request.path?.contains("presigned/") == true { run.withLock { $0?.cancel() } }
    }
    let matrix = try matrix(of: cloud, over: transport, where: names("S3", "AWS"))
    let task = Task { await matrix.run() }
    run.withLock { $0 = task }
    let report = await task.value
    XCTAssertTrue(report.isInterrupted)
    XCTAssertEqual(report.failures, [])
    let passed = report.rows.filter { $0.outcome == .passed }.map(\.step)
    XCTAssertEqual(passed, Self.bucketSteps.prefix(3) + ["cleanup"], "The step in which the run was cancelled ends.")
    try await assertEmpty(cloud)
  }
}
