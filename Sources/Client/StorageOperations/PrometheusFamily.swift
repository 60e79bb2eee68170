// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The series of one name, which have the same kind and different labels.
struct PrometheusFamily: Sendable {
  /// The kind of the series, as the text format names it.
  enum Kind: String, Sendable {
    case counter, gauge, histogram, summary
  }

  let kind: Kind
  /// The series by their labels in the text format.
  var series: [String: PrometheusSeries] = [:]

  func write(_ name: String, into lines: inout [String]) {
    lines.append("# TYPE \(name) \(kind.rawValue)")
    for (labels, series) in series.sorted(by: { $0.key < $1.key }) {
      let values = series.values
      switch kind {
      case .counter, .gauge:
        lines.append("\(name)\(PrometheusText.braced(labels)) \(PrometheusText.number(values.value))")
      case .histogram:
        for (bound, count) in zip(PrometheusSeries.bounds, values.buckets) {
          let bucket = PrometheusText.braced(labels, and: "le=\"\(PrometheusText.number(bound))\"")
          lines.append("\(name)_bucket\(bucket) \(count)")
        }
        lines.append("\(name)_bucket\(PrometheusText.braced(labels, and: "le=\"+Inf\"")) \(values.count)")
        fallthrough
      case .summary:
        lines.append("\(name)_sum\(PrometheusText.braced(labels)) \(PrometheusText.number(values.sum))")
        lines.append("\(name)_count\(PrometheusText.braced(labels)) \(values.count)")
      }
    }
  }
}
