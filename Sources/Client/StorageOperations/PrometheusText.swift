// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

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

  /// Returns labels in braces, or an empty text if there are none.
  static func braced(_ labels: String, and furtherLabels: String = "") -> String {
    let parts = [labels, furtherLabels].filter { !$0.isEmpty }
    return parts.isEmpty ? "" : "{\(parts.joined(separator: ","))}"
  }

  /// Returns a number, without a fraction if it is whole.
  static func number(_ value: Double) -> String { Int64(exactly: value).map { "\($0)" } ?? "\(value)" }

  private static func identifier(_ text: String, isAllowed: (UInt8) -> Bool) -> String {
    var bytes = text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        byte
      default: isAllowed(byte) ? byte : UInt8(ascii: "_")
      }
    }
    if bytes.first.map({ $0 <= UInt8(ascii: "9") && $0 >= UInt8(ascii: "0") }) ?? true {
      bytes.insert(UInt8(ascii: "_"), at: 0)
    }
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

extension PrometheusFamily {
  /// Appends the lines of the family, sorted by labels.
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
