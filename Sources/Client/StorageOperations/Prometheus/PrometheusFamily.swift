// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CoreMetrics
internal import Synchronization

/// The series of one name, which have the same kind and different labels.
struct PrometheusFamily: Sendable {
  /// The type of a metric in the text format.
  enum Kind: String, Sendable {
    case counter, gauge, histogram, summary
  }

  let kind: Kind
  /// The series by their labels in the text format.
  var series: [String: PrometheusSeries] = [:]

  init(kind: Kind) {
    self.kind = kind
  }

  /// Appends the lines of all series.
  func write(_ name: String, into lines: inout [String]) {
    lines.append("# TYPE \(name) \(kind.rawValue)")
    for (labels, series) in series.sorted(by: { $0.key < $1.key }) {
      let values = series.values
      switch kind {
      case .counter, .gauge:
        lines.append("\(name)\(PrometheusText.braced(labels)) \(PrometheusText.number(values.value))")
      case .histogram:
        for (bound, count) in zip(PrometheusSeries.bounds, values.buckets) {
          let bucket = PrometheusText.braced(labels, "le=\"\(PrometheusText.number(bound))\"")
          lines.append("\(name)_bucket\(bucket) \(count)")
        }
        lines.append("\(name)_bucket\(PrometheusText.braced(labels, "le=\"+Inf\"")) \(values.count)")
        fallthrough
      case .summary:
        lines.append("\(name)_sum\(PrometheusText.braced(labels)) \(PrometheusText.number(values.sum))")
        lines.append("\(name)_count\(PrometheusText.braced(labels)) \(values.count)")
      }
    }
  }
}

/// The values of a metric with one combination of labels.
final class PrometheusSeries: Sendable {
  /// The values at one instant.
  struct Values {
    /// The value of a counter or a gauge.
    var value = 0.0
    /// The number of recorded values of a histogram or a summary.
    var count = 0
    /// The sum of the recorded values.
    var sum = 0.0
    /// The numbers of recorded values up to each of ``bounds``.
    var buckets = [Int](repeating: 0, count: PrometheusSeries.bounds.count)
  }

  /// The upper bounds of the buckets of a histogram, in seconds.
  static let bounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

  let name: String
  let labels: String
  private let state = Mutex(Values())

  init(name: String, labels: String) {
    self.name = name
    self.labels = labels
  }

  var values: Values { state.withLock { $0 } }

  private func add(_ amount: Double) { state.withLock { $0.value += amount } }

  private func note(_ value: Double) {
    guard value.isFinite else { return }
    state.withLock { state in
      state.value = value
      state.count += 1
      state.sum += value
      for (position, bound) in Self.bounds.enumerated() where value <= bound { state.buckets[position] += 1 }
    }
  }
}

extension PrometheusSeries: CounterHandler {
  func increment(by amount: Int64) { add(Double(amount)) }

  func reset() { state.withLock { $0 = Values() } }
}

extension PrometheusSeries: FloatingPointCounterHandler {
  func increment(by amount: Double) { add(amount) }
}

extension PrometheusSeries: MeterHandler {
  func set(_ value: Int64) { note(Double(value)) }

  func set(_ value: Double) { note(value) }

  func decrement(by amount: Double) { add(-amount) }
}

extension PrometheusSeries: RecorderHandler {
  func record(_ value: Int64) { note(Double(value)) }

  func record(_ value: Double) { note(value) }
}

extension PrometheusSeries: TimerHandler {
  func recordNanoseconds(_ duration: Int64) { note(Double(duration) / 1e9) }
}
