// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import CredentialSources
import LocalCloud
import MetricsTestKit
import StorageAuth
import StorageAuthTesting
import StorageClient
import StorageOperations
import XCTest

/// The metrics of a client, compared with what its transfers and a verifying server counted.
final class MetricsTests: XCTestCase {
  private let metrics = TestMetrics()

  private func total(_ name: String, _ labels: [String: String] = [:]) -> Int64 {
    metrics.counters.filter { counter in
      counter.label == "storage_auth_\(name)"
        && labels.allSatisfy { label in counter.dimensions.contains { $0 == label.key && $1 == label.value } }
    }.reduce(0) { $0 + $1.totalValue }
  }

  // matrix: Metrics: operations
  func testMetricsOfAThousandTransfersAddUpToWhatHappened() async throws {
    var faults = LocalCloud.Faults()
    faults[.oss] = [.serverError(status: 503, .every(9))]
    let cloud = try await LocalCloud.start(
      .init(
        accounts: [.init(key), .init(expiredKey.ended)], buckets: ["photos"],
        services: .init(tokenLifetime: .seconds(900)), faults: faults))
    addTeardownBlock { await cloud.stop() }
    let transport = RecordingTransport(.platformDefault)
    let client = StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou", endpoint: cloud.ossEndpoint),
      credentials: CredentialCache(
        AppServerCredentialProvider(cloud.ossAppServer, allowsPlainHTTP: true).bound(
          to: ProviderContext(transport: .platformDefault))),
      configuration: .init(attempts: 10, retryDelay: .milliseconds(1)), transport: transport)
    client.credentials.replace(with: expiredKey)
    let observer = StorageMetrics(client.events, factory: metrics)
    let failed = await withTaskGroup { group in
      for worker in 0..<10 {
        group.addTask {
          var failed = 0
          for number in 0..<100 {
            let name = "\(worker)/\(number)"
            do {
              try await client.upload([UInt8](repeating: 1, count: number * 10), to: name)
              if number % 10 == 0 { _ = try await client.open("missing/\(name)") }
            } catch {
              failed += 1
            }
          }
          return failed
        }
      }
      return await group.reduce(0, +)
    }
    observer.stop()
    XCTAssertEqual(failed, 100)
    XCTAssertEqual(total("transfers_total", ["operation": "upload", "outcome": "succeeded"]), 1000)
    XCTAssertEqual(total("transfers_total", ["operation": "download", "outcome": "failed"]), 100)
    XCTAssertEqual(total("transfers_total"), 1100)
    XCTAssertEqual(total("transferred_bytes_total"), 10 * (0..<100).reduce(0) { $0 + $1 * 10 })
    // Each request that the transport carried is counted once, and by the server.
    let requests = transport.requests.count
    let statistics = cloud.statistics[.oss]
    XCTAssertEqual(total("requests_total"), Int64(requests))
    XCTAssertEqual(statistics.requests, requests)
    XCTAssertEqual(total("signatures_total"), Int64(requests))
    XCTAssertEqual(total("requests_total", ["status": "200"]), 1000)
    XCTAssertEqual(total("requests_total", ["status": "404"]), 100)
    XCTAssertEqual(total("refusals_total", ["reason": "noSuchKey"]), 100)
    XCTAssertEqual(total("refusals_total", ["reason": "serverFailure"]), Int64(statistics.faults))
    XCTAssertGreaterThan(statistics.faults, 50)
    let expired = total("refusals_total", ["reason": "credentialExpired"])
    XCTAssertEqual(expired, Int64(statistics.refused["SecurityTokenExpired"] ?? 0))
    XCTAssertGreaterThan(expired, 0)
    XCTAssertEqual(total("requests_total"), 1100 + total("retries_total"))
    XCTAssertEqual(total("retries_total"), expired + Int64(statistics.faults))
    XCTAssertEqual(total("refreshes_total", ["outcome": "succeeded"]), 1)
    XCTAssertEqual(total("refreshes_total"), Int64(cloud.statistics[.appServer].requests))
    let timers = metrics.timers.filter { $0.label == "storage_auth_request_duration_seconds" }
    XCTAssertEqual(timers.reduce(0) { $0 + $1.values.count }, requests)
    let transfers = metrics.timers.filter { $0.label == "storage_auth_transfer_duration_seconds" }
    XCTAssertEqual(transfers.reduce(0) { $0 + $1.values.count }, 1100)
  }

  // matrix: Metrics: failures
  func testLostConnectionsAndClockCorrectionsAreCounted() async throws {
    let transport = ScriptedTransport { _ async throws(TransportError) in
      throw TransportError(.connectionLost, "It was lost.", remedy: "Retry.")
    }
    let client = StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou"), credentials: key,
      configuration: .init(attempts: 3, retryDelay: .milliseconds(1)), transport: transport)
    let observer = StorageMetrics(client.events, factory: metrics)
    do {
      try await client.delete("a")
      XCTFail("every connection is lost")
    } catch let error as TransportError {
      XCTAssertEqual(error.code, .connectionLost)
    }
    client.events.emit(.skew(.init(host: "oss.example.com", offset: .seconds(-90))))
    observer.stop()
    XCTAssertEqual(total("requests_total", ["status": "none", "operation": "DELETE"]), 3)
    XCTAssertEqual(total("refusals_total", ["reason": "connectionLost"]), 3)
    XCTAssertEqual(total("retries_total"), 2)
    let gauge = try metrics.expectGauge("storage_auth_clock_skew_seconds", [("host", "oss.example.com")])
    XCTAssertEqual(gauge.lastValue, -90)
  }

  // matrix: Metrics: redaction
  func testLabelsContainNeitherKeysNorSecrets() async throws {
    let transport = ScriptedTransport { _ throws(TransportError) in .status(403) }
    let client = StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou"), credentials: expiredKey, configuration: .init(attempts: 1),
      transport: transport)
    let observer = StorageMetrics(client.events, factory: metrics)
    do {
      try await client.upload([1], to: "private/name-of-a-person")
      XCTFail("it is refused")
    } catch let error as ServiceError {
      XCTAssertEqual(error.kind, .accessDenied)
    }
    observer.stop()
    let labels = metrics.counters.flatMap { $0.dimensions.map(\.1) } + metrics.timers.flatMap { $0.dimensions.map(\.1) }
    XCTAssertTrue(labels.contains("accessDenied"))
    for word in ["person", "private", expiredKey.id.description, "temporary-secret", "temporary-token"] {
      XCTAssertFalse(labels.contains { $0.contains(word) }, word)
    }
  }

  // matrix: Metrics: hostile values
  func testSeriesOfAnObserverAreLimited() {
    let events = EventHub()
    let observer = StorageMetrics(events, factory: metrics)
    for number in 0..<3_000 {
      let error = CredentialError(.failed, source: "vault", "It failed.", remedy: "Retry.")
      events.emit(.refresh(.init(source: "vault \(number)", outcome: .failed(error, backoff: .zero))))
    }
    observer.stop()
    XCTAssertEqual(total("refreshes_total"), 3_000)
    XCTAssertEqual(metrics.counters.count, StorageMetrics.seriesLimit + 1)
    XCTAssertEqual(total("refreshes_total", ["source": "other", "outcome": "other"]), 2_000)
  }
}
