// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import CoreMetrics
internal import StorageAuth

/// A metrics backend that keeps the values of all metrics, and writes them in the text format of Prometheus.
///
/// The number of series is limited, because some labels come from requests. Further series are dropped and counted.
/// The format is version 0.0.4 of "Exposition formats" in the documentation of Prometheus.
package final class PrometheusRegistry: MetricsFactory {
  package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  private struct State {
    var families: [String: PrometheusFamily] = [:]
    var seriesCount = 0
    var droppedSeriesCount = 0
  }

  private let state = Lock(State())
  private let seriesLimit: Int

  package init(seriesLimit: Int = 5_000) { self.seriesLimit = seriesLimit }

  /// The values of all metrics in the text format.
  package var text: String {
    let (families, droppedCount) = state.withLock { ($0.families, $0.droppedSeriesCount) }
    var lines: [String] = []
    for (name, family) in families.sorted(by: { $0.key < $1.key }) { family.write(name, into: &lines) }
    lines.append("# TYPE storage_auth_dropped_series_total counter")
    lines.append("storage_auth_dropped_series_total \(droppedCount)")
    return lines.map { $0 + "\n" }.joined()
  }

  package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    series(label, dimensions, .counter)
  }

  package func makeFloatingPointCounter(
    label: String, dimensions: [(String, String)]
  ) -> any FloatingPointCounterHandler { series(label, dimensions, .counter) }

  package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    series(label, dimensions, .gauge)
  }

  package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    series(label, dimensions, aggregate ? .summary : .gauge)
  }

  /// Makes a histogram of seconds, whose name ends with the unit as is the custom in Prometheus.
  package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    series(label.hasSuffix("_seconds") ? label : "\(label)_seconds", dimensions, .histogram)
  }

  package func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
  package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { remove(handler) }
  package func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
  package func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
  package func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

  /// Returns the series of a metric with labels, after creating it if it does not exist.
  ///
  /// A series beyond the limit, or with the name of metrics of another kind, is not part of ``text``.
  private func series(
    _ label: String, _ dimensions: [(String, String)], _ kind: PrometheusFamily.Kind
  ) -> PrometheusSeries {
    let name = PrometheusText.name(label)
    let labels = PrometheusText.labels(dimensions)
    return state.withLock { state in
      var family = state.families[name] ?? PrometheusFamily(kind: kind)
      if family.kind == kind, let series = family.series[labels] { return series }
      let series = PrometheusSeries(name: name, labels: labels)
      guard family.kind == kind, state.seriesCount < seriesLimit else {
        state.droppedSeriesCount += 1
        return series
      }
      family.series[labels] = series
      state.families[name] = family
      state.seriesCount += 1
      return series
    }
  }

  private func remove(_ handler: AnyObject) {
    guard let series = handler as? PrometheusSeries else { return }
    state.withLock { state in
      guard state.families[series.name]?.series[series.labels] === series else { return }
      state.families[series.name]?.series[series.labels] = nil
      if state.families[series.name]?.series.isEmpty == true { state.families[series.name] = nil }
      state.seriesCount -= 1
    }
  }
}

/// The series of one name, which have the same kind and different labels.
struct PrometheusFamily: Sendable {
  /// The kind of the series, as the text format names it.
  enum Kind: String, Sendable { case counter, gauge, histogram, summary }

  let kind: Kind
  var series: [String: PrometheusSeries] = [:]

  /// Appends the lines of the family: its type, and the values of each series in the order of the labels.
  func write(_ name: String, into lines: inout [String]) {
    lines.append("# TYPE \(name) \(kind.rawValue)")
    for (labels, series) in series.sorted(by: { $0.key < $1.key }) {
      let values = series.values
      let bracedLabels = PrometheusText.braced(labels)
      if kind == .counter || kind == .gauge {
        lines.append("\(name)\(bracedLabels) \(PrometheusText.number(values.value))")
        continue
      }
      if kind == .histogram {
        let bounds = PrometheusSeries.bounds.map(PrometheusText.number) + ["+Inf"]
        for (bound, count) in zip(bounds, values.buckets + [values.count]) {
          lines.append("\(name)_bucket\(PrometheusText.braced(labels, and: "le=\"\(bound)\"")) \(count)")
        }
      }
      lines.append("\(name)_sum\(bracedLabels) \(PrometheusText.number(values.sum))")
      lines.append("\(name)_count\(bracedLabels) \(values.count)")
    }
  }
}

/// The values of a metric with one combination of labels.
final class PrometheusSeries: Sendable {
  struct Values {
    /// The value of a counter or a gauge; the other properties are those of a histogram or a summary.
    var value = 0.0
    var count = 0
    var sum = 0.0
    /// The numbers of recorded values up to each of ``bounds``.
    var buckets = [Int](repeating: 0, count: PrometheusSeries.bounds.count)
  }

  /// The upper bounds of the buckets of a histogram, in seconds.
  static let bounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

  let name: String
  let labels: String
  private let state = Lock(Values())

  init(name: String, labels: String) {
    self.name = name
    self.labels = labels
  }

  var values: Values { state.withLock { $0 } }
  private func add(_ amount: Double) { state.withLock { $0.value += amount } }

  /// Records a value, unless it is infinite or not a number, which would make the sum useless.
  private func observe(_ value: Double) {
    guard value.isFinite else { return }
    state.withLock { state in
      state.value = value
      state.count += 1
      state.sum += value
      for (index, bound) in Self.bounds.enumerated() where value <= bound { state.buckets[index] += 1 }
    }
  }
}

extension PrometheusSeries: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler {
  func increment(by amount: Int64) { add(Double(amount)) }
  func increment(by amount: Double) { add(amount) }
  func reset() { state.withLock { $0 = Values() } }
  func set(_ value: Int64) { observe(Double(value)) }
  func set(_ value: Double) { observe(value) }
  func decrement(by amount: Double) { add(-amount) }
  func record(_ value: Int64) { observe(Double(value)) }
  func record(_ value: Double) { observe(value) }
  func recordNanoseconds(_ nanoseconds: Int64) { observe(Double(nanoseconds) / 1e9) }
}

/// The notation of names, labels and numbers in the text format of Prometheus.
enum PrometheusText {
  /// Returns a name, in which each character that names cannot have is an underscore.
  static func name(_ text: String) -> String { identifier(text) { $0 == UInt8(ascii: ":") } }

  /// Returns labels without braces, with values in which quotes, backslashes and line feeds are escaped.
  static func labels(_ labels: [(String, String)]) -> String {
    labels.sorted { $0.0 < $1.0 }.map { name, value in
      "\(identifier(name) { _ in false })=\"\(escaped(value))\""
    }.joined(separator: ",")
  }

  /// Returns labels in braces, or an empty string if there are none.
  static func braced(_ labels: String, and furtherLabels: String = "") -> String {
    let parts = [labels, furtherLabels].filter { !$0.isEmpty }
    return parts.isEmpty ? "" : "{\(parts.joined(separator: ","))}"
  }

  static func number(_ value: Double) -> String { Int64(exactly: value).map { "\($0)" } ?? "\(value)" }

  /// Returns an identifier of ASCII letters, digits, underscores and allowed bytes, which does not start with a digit.
  private static func identifier(_ text: String, isAllowed: (UInt8) -> Bool) -> String {
    var bytes = text.utf8.map { $0.isASCIILetterOrDigit || isAllowed($0) ? $0 : UInt8(ascii: "_") }
    if bytes.first?.isASCIIDigit ?? true { bytes.insert(UInt8(ascii: "_"), at: 0) }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func escaped(_ value: String) -> String {
    value.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n": text += "\\n"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}
