// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import CoreMetrics
internal import Synchronization

/// A metrics backend that keeps the values of all metrics, and writes them in the text format of Prometheus.
///
/// The number of series is limited, because some labels come from requests. Values of further series are dropped and
/// counted.
///
/// The format is version 0.0.4 of "Exposition formats" in the documentation of Prometheus.
package final class PrometheusRegistry: MetricsFactory {
  /// The media type of ``text``.
  package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  private struct State {
    /// The series by name and labels.
    var families: [String: PrometheusFamily] = [:]
    var count = 0
    var dropped = 0
  }

  private let state = Mutex(State())
  private let limit: Int

  /// Creates a registry without metrics.
  ///
  /// - Parameter limit: The maximum number of series.
  package init(limit: Int = 5_000) {
    self.limit = limit
  }

  /// The current values of all metrics.
  package var text: String {
    let (families, dropped) = state.withLock { ($0.families, $0.dropped) }
    var lines: [String] = []
    for (name, family) in families.sorted(by: { $0.key < $1.key }) { family.write(name, into: &lines) }
    lines.append("# TYPE storage_auth_dropped_series_total counter")
    lines.append("storage_auth_dropped_series_total \(dropped)")
    return lines.map { $0 + "\n" }.joined()
  }

  package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    series(label, dimensions, .counter)
  }

  package func makeFloatingPointCounter(
    label: String, dimensions: [(String, String)]
  ) -> any FloatingPointCounterHandler {
    series(label, dimensions, .counter)
  }

  package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    series(label, dimensions, .gauge)
  }

  package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    series(label, dimensions, aggregate ? .summary : .gauge)
  }

  package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    series(label.hasSuffix("_seconds") ? label : "\(label)_seconds", dimensions, .histogram)
  }

  package func destroyCounter(_ handler: any CounterHandler) { remove(handler) }

  package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { remove(handler) }

  package func destroyMeter(_ handler: any MeterHandler) { remove(handler) }

  package func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }

  package func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

  /// Returns the series with a name and labels, after creating it if it does not exist.
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
      guard family.kind == kind, state.count < limit else {
        state.dropped += 1
        return series
      }
      family.series[labels] = series
      state.families[name] = family
      state.count += 1
      return series
    }
  }

  private func remove(_ handler: AnyObject) {
    guard let series = handler as? PrometheusSeries else { return }
    state.withLock { state in
      guard state.families[series.name]?.series[series.labels] === series else { return }
      state.families[series.name]?.series[series.labels] = nil
      if state.families[series.name]?.series.isEmpty == true { state.families[series.name] = nil }
      state.count -= 1
    }
  }
}
