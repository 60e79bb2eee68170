// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import CredentialSources
import HTTPTypes
import InMemoryTracing
import LocalCloud
import StorageAuth
import StorageAuthTesting
import StorageClient
import StorageOperations
import Tracing
import XCTest

/// The spans of operations, attempts and refreshes, read back from a tracer that keeps them in memory.
final class TracingTests: XCTestCase {
  private let tracer = InMemoryTracer(idGenerator: .incrementing, recordInjections: true)

  /// The name, the parent's name and the outcome of a span.
  private func shapes() -> [String] {
    let spans = tracer.finishedSpans.sorted { $0.spanNumber < $1.spanNumber }
    let names = Dictionary(spans.map { ($0.spanID, $0.operationName) }) { first, _ in first }
    return spans.map { span in
      let parent = span.parentSpanID.map { names[$0] ?? "outside" } ?? "none"
      let status = span.status?.code == .error ? " failed" : ""
      return "\(parent) > \(span.operationName)\(status)"
    }
  }

  private func cloud() async throws -> LocalCloud {
    let cloud = try await LocalCloud.start(
      .init(
        accounts: [.init(key), .init(expiredKey.ended)], buckets: ["photos"],
        services: .init(tokenLifetime: .seconds(900))))
    addTeardownBlock { await cloud.stop() }
    return cloud
  }

  private func client(
    _ cloud: LocalCloud, _ keys: some CredentialProvider<AccessKey>, transport: any HTTPTransport = .platformDefault
  ) -> StorageClient<OSSProvider> {
    StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou", endpoint: cloud.ossEndpoint),
      credentials: CredentialCache(keys), configuration: .init(retryDelay: .milliseconds(1)), transport: transport)
  }

  // matrix: Tracing: failures
  func testUploadWithAnExpiredKeyHasItsAttemptsItsRefreshAndItsRetryInOrder() async throws {
    let cloud = try await cloud()
    let wire = RecordingTransport(.platformDefault)
    let client = client(
      cloud,
      AppServerCredentialProvider(cloud.ossAppServer, allowsPlainHTTP: true).bound(to: ProviderContext(transport: wire))
    )
    client.credentials.replace(with: expiredKey)
    let tracing = StorageTracing(client.events, tracer: tracer)
    try await client.upload([1, 2, 3], to: "2026/cat.jpg")
    tracing.stop()
    XCTAssertEqual(
      shapes(), ["none > upload", "upload > PUT failed", "upload > refresh", "upload > PUT"])
    let spans = tracer.finishedSpans.sorted { $0.spanNumber < $1.spanNumber }
    XCTAssertEqual(spans[1].attributes["http.response.status_code"]?.toSpanAttribute(), 403)
    XCTAssertEqual(spans[1].attributes["storage_auth.attempt"]?.toSpanAttribute(), 1)
    XCTAssertEqual(spans[3].attributes["storage_auth.attempt"]?.toSpanAttribute(), 2)
    XCTAssertEqual(spans[3].attributes["http.response.status_code"]?.toSpanAttribute(), 200)
    XCTAssertEqual(spans[0].attributes["storage_auth.provider"]?.toSpanAttribute(), "oss")
    XCTAssertEqual(spans[0].attributes["storage_auth.container"]?.toSpanAttribute(), "photos")
    XCTAssertEqual(spans[0].attributes["storage_auth.key"]?.toSpanAttribute(), "2026/cat.jpg")
    XCTAssertEqual(spans[0].events.map(\.name), ["retry"])
    XCTAssertEqual(spans[1].events.map(\.name), ["signed"])
    XCTAssertEqual(Set(spans.map(\.traceID)).count, 1)
    // The request to the app server continues the trace, and the requests to the storage service do not.
    let traced = wire.requests.filter { $0.headerFields[.traceID] != nil }
    XCTAssertEqual(traced.count, 1)
    XCTAssertEqual(traced.first?.headerFields[.traceID], spans[2].traceID)
    XCTAssertEqual(traced.first?.headerFields[.spanID], spans[2].spanID)
  }

  // matrix: Tracing: redaction
  func testOperationsOfOneRequestHaveOneSpanForTheAttempt() async throws {
    let client = client(try await cloud(), StaticCredentialProvider(key))
    client.credentials.replace(with: key)
    let tracing = StorageTracing(client.events, tracer: tracer, includesKeys: false)
    do {
      _ = try await client.head("missing/secret-name")
      XCTFail("the object does not exist")
    } catch let error as ServiceError {
      XCTAssertEqual(error.kind, .noSuchKey)
    }
    tracing.stop()
    XCTAssertEqual(shapes(), ["none > HEAD failed", "HEAD > HEAD failed"])
    for span in tracer.finishedSpans {
      XCTAssertFalse("\(span.attributes) \(span.events) \(String(describing: span.status))".contains("secret-name"))
      XCTAssertNil(span.attributes["storage_auth.key"])
    }
  }

  // matrix: Tracing: operations
  func testStreamedDownloadEndsWithItsLastByte() async throws {
    let client = client(try await cloud(), StaticCredentialProvider(key))
    client.credentials.replace(with: key)
    try await client.upload([UInt8](repeating: 7, count: 100_000), to: "a")
    let tracing = StorageTracing(client.events, tracer: tracer)
    let object = try await client.open("a")
    XCTAssertEqual(tracer.finishedSpans.map(\.operationName), ["GET"])
    XCTAssertEqual(tracer.activeSpans.map(\.operationName), ["download"])
    _ = try await object.body.collected(upTo: 1 << 20)
    tracing.stop()
    XCTAssertEqual(shapes(), ["none > download", "download > GET"])
    XCTAssertEqual(tracer.activeSpans.count, 0)
  }

  // matrix: Tracing: context
  func testSpansContinueTheCallersTraceAndProvidersSeeIt() async throws {
    let cloud = try await cloud()
    let seen = Collected<String?>()
    let client = client(
      cloud,
      ClosureCredentialProvider(source: "vault") { [tracer] in
        seen.append(ServiceContext.current?.inMemorySpanContext?.spanID)
        return tracer.withSpan("ask the vault") { _ in key }
      })
    let tracing = StorageTracing(client.events, tracer: tracer)
    try await tracer.withSpan("handle request") { _ in
      _ = try await client.upload([1], to: "a")
    }
    tracing.stop()
    XCTAssertEqual(
      shapes(),
      [
        "none > handle request", "handle request > upload", "upload > PUT", "PUT > refresh",
        "refresh > ask the vault",
      ])
    XCTAssertEqual(seen.values, [tracer.finishedSpans.first { $0.operationName == "refresh" }?.spanID])
  }

  // matrix: Tracing: context
  func testPartsAreAttemptsOfTheirUpload() async throws {
    let cloud = try await cloud()
    let client = StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou", endpoint: cloud.ossEndpoint), credentials: key,
      configuration: .init(multipartThreshold: 200_000, partSize: 100 * 1024), transport: .platformDefault)
    let tracing = StorageTracing(client.events, tracer: tracer)
    try await client.upload([UInt8](repeating: 1, count: 250_000), to: "a")
    tracing.stop()
    let upload = tracer.finishedSpans.first { $0.operationName == "upload" }
    let attempts = tracer.finishedSpans.filter { $0.kind == .client }
    XCTAssertEqual(attempts.count, 5)
    XCTAssertTrue(attempts.allSatisfy { $0.parentSpanID == upload?.spanID })
  }

  // matrix: Tracing: operations
  func testRemovedInstrumentBeginsNoSpan() async throws {
    let client = client(try await cloud(), StaticCredentialProvider(key))
    client.credentials.replace(with: key)
    let first = StorageTracing(client.events, tracer: tracer)
    let second = StorageTracing(client.events, tracer: tracer)
    first.stop()
    try await client.upload([1], to: "a")
    XCTAssertEqual(tracer.finishedSpans.count, 2)
    second.stop()
    try await client.upload([1], to: "a")
    XCTAssertEqual(tracer.finishedSpans.count, 2)
  }
}
