// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import StorageOperations
import XCTest

/// The text format of Prometheus, with labels that strangers chose.
final class PrometheusRegistryTests: XCTestCase {
  private func lines(_ registry: PrometheusRegistry) -> [String] {
    registry.text.split(separator: "\n").map(String.init)
  }

  // matrix: Metrics: text format
  func testCountersAndGaugesHaveTheirLastValue() {
    let registry = PrometheusRegistry()
    let counter = Counter(label: "requests.total", dimensions: [("status", "200")], factory: registry)
    counter.increment(by: 41)
    Counter(label: "requests.total", dimensions: [("status", "200")], factory: registry).increment()
    Counter(label: "requests.total", dimensions: [("status", "403")], factory: registry).increment()
    FloatingPointCounter(label: "ratio", factory: registry).increment(by: 0.5)
    let meter = Meter(label: "open", factory: registry)
    meter.set(5)
    meter.decrement(by: 2)
    Gauge(label: "skew", factory: registry).record(-1.25)
    XCTAssertEqual(
      registry.text,
      """
      # TYPE open gauge
      open 3
      # TYPE ratio counter
      ratio 0.5
      # TYPE requests_total counter
      requests_total{status="200"} 42
      requests_total{status="403"} 1
      # TYPE skew gauge
      skew -1.25
      # TYPE storage_auth_dropped_series_total counter
      storage_auth_dropped_series_total 0

      """)
  }

  // matrix: Metrics: text format
  func testTimersAreHistogramsInSeconds() {
    let registry = PrometheusRegistry()
    let timer = Timer(label: "wait", dimensions: [("a", "b")], factory: registry)
    timer.recordNanoseconds(20_000_000)
    timer.recordNanoseconds(2_000_000_000)
    timer.recordNanoseconds(600_000_000_000)
    let lines = lines(registry)
    XCTAssertTrue(lines.contains("# TYPE wait_seconds histogram"))
    XCTAssertTrue(lines.contains(#"wait_seconds_bucket{a="b",le="0.01"} 0"#))
    XCTAssertTrue(lines.contains(#"wait_seconds_bucket{a="b",le="0.025"} 1"#))
    XCTAssertTrue(lines.contains(#"wait_seconds_bucket{a="b",le="300"} 2"#))
    XCTAssertTrue(lines.contains(#"wait_seconds_bucket{a="b",le="+Inf"} 3"#))
    XCTAssertTrue(lines.contains(#"wait_seconds_sum{a="b"} 602.02"#))
    XCTAssertTrue(lines.contains(#"wait_seconds_count{a="b"} 3"#))
  }

  // matrix: Metrics: text format
  func testAggregatedRecordersAreSummaries() {
    let registry = PrometheusRegistry()
    let recorder = Recorder(label: "size", factory: registry)
    recorder.record(3)
    recorder.record(4.5)
    recorder.record(Double.nan)
    XCTAssertTrue(registry.text.hasPrefix("# TYPE size summary\nsize_sum 7.5\nsize_count 2\n"), registry.text)
  }

  // matrix: Metrics: hostile values
  func testLabelsCannotAddLinesOrSeries() {
    let registry = PrometheusRegistry()
    let hostile = "a\"} 9\n# TYPE evil counter\\"
    Counter(label: "9 tests\n", dimensions: [("na me:\n", hostile)], factory: registry).increment()
    XCTAssertEqual(
      lines(registry).prefix(2),
      [
        "# TYPE _9_tests_ counter",
        #"_9_tests_{na_me__="a\"} 9\n# TYPE evil counter\\"} 1"#,
      ])
  }

  // matrix: Metrics: hostile values
  func testSeriesAreLimitedAndDroppedOnesAreCounted() {
    let registry = PrometheusRegistry(seriesLimit: 3)
    for number in 0..<10 {
      Counter(label: "paths", dimensions: [("path", "\(number)")], factory: registry).increment()
    }
    Counter(label: "paths", dimensions: [("path", "1")], factory: registry).increment()
    XCTAssertEqual(lines(registry).filter { $0.hasPrefix("paths{") }.count, 3)
    XCTAssertTrue(lines(registry).contains(#"paths{path="1"} 2"#))
    XCTAssertTrue(lines(registry).contains("storage_auth_dropped_series_total 7"))
  }

  // matrix: Metrics: hostile values
  func testNameOfAnotherKindIsDropped() {
    let registry = PrometheusRegistry()
    Counter(label: "same", factory: registry).increment()
    Gauge(label: "same", factory: registry).record(7)
    XCTAssertEqual(lines(registry).filter { $0.hasPrefix("same") }, ["same 1"])
    XCTAssertTrue(lines(registry).contains("storage_auth_dropped_series_total 1"))
  }

  // matrix: Metrics: text format
  func testDestroyedMetricsAreRemoved() {
    let registry = PrometheusRegistry(seriesLimit: 1)
    Counter(label: "first", factory: registry).destroy()
    Counter(label: "second", factory: registry).increment()
    XCTAssertEqual(lines(registry).filter { !$0.hasPrefix("#") }.first, "second 1")
  }
}
