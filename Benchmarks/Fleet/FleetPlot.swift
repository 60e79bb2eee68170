// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A drawing of the busiest second of each minute, as a multiple of the mean.
struct FleetPlot {
  let reports: [FleetReport]

  private static let panels = [
    ("The first three hours", 0..<3 * 3600),
    ("Ten minutes of outage, and return", Fleet.Story.outage - 1800..<Fleet.Story.outage + 3600),
    ("Every key rejected within a second", Fleet.Story.rejection - 1800..<Fleet.Story.rejection + 5400),
  ]
  private static let classes = ["first", "second"]
  private static let (width, height, highest) = (300, 150, 10.0)

  /// The drawing in SVG.
  var svg: String {
    var lines = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1020 230" font-family="sans-serif" font-size="11" role="img" \
      aria-labelledby="title description">
      <title id="title">Requests of a fleet to its token service</title>
      <desc id="description">\(Self.description(of: reports))</desc>
      <style>
        svg { color-scheme: light dark; }
        .ground { fill: #fff; } text { fill: #1c2430; } .level { stroke: #ddd; }
        path.first { stroke: #0b6e99; } path.second { stroke: #c2571a; }
        text.first { fill: #0b6e99; } text.second { fill: #c2571a; }
        @media (prefers-color-scheme: dark) {
          .ground { fill: #14171c; } text { fill: #e4e8ee; } .level { stroke: #39414d; }
          path.first { stroke: #4fb3dc; } path.second { stroke: #e8894f; }
          text.first { fill: #4fb3dc; } text.second { fill: #e8894f; }
        }
      </style>
      <rect width="1020" height="230" class="ground"/>
      """
    ]
    for (index, panel) in Self.panels.enumerated() {
      lines.append("<g transform=\"translate(\(30 + index * 335),30)\">")
      lines.append("<text y=\"-10\" font-weight=\"bold\">\(panel.0)</text>")
      for level in [0, 2, 6, 10] {
        let y = Self.y(Double(level))
        lines.append("<path d=\"M0 \(y)h\(Self.width)\" class=\"level\"/>")
        lines.append("<text x=\"-16\" y=\"\(y + 4)\">\(level)</text>")
      }
      for (report, name) in zip(reports, Self.classes) {
        lines.append("<path d=\"\(path(of: report, panel.1))\" fill=\"none\" class=\"\(name)\"/>")
      }
      let hours = Double(panel.1.count) / 3600
      lines.append("<text x=\"\(Self.width - 40)\" y=\"\(Self.height + 16)\">\(hours.text(1)) hours</text></g>")
    }
    for (index, report) in reports.enumerated() {
      lines.append(
        "<text x=\"\(30 + index * 180)\" y=\"220\" class=\"\(Self.classes[index % 2])\">keys of \(report.life / 60) minutes</text>"
      )
    }
    lines.append("<text x=\"400\" y=\"220\">the busiest second of each minute, as a multiple of the mean</text>")
    return (lines + ["</svg>", ""]).joined(separator: "\n")
  }

  /// Returns a description of the drawing for screen readers.
  private static func description(of reports: [FleetReport]) -> String {
    let peaks = reports.map { report in
      let parts = FleetReport.parts.map { "\(report.peak($0.seconds).text(1)) \($0.name)" }
      return "with keys of \(report.life / 60) minutes \(parts.joined(separator: ", "))"
    }
    return "The busiest second as a multiple of the mean: \(peaks.joined(separator: "; "))."
  }

  private static func y(_ value: Double) -> Int {
    height - Int((min(value, highest) * Double(height) / highest).rounded())
  }

  private func path(of report: FleetReport, _ seconds: Range<Int>) -> String {
    let step = max(60, report.bin)
    let points = stride(from: seconds.lowerBound, to: seconds.upperBound, by: step).map { start in
      let x = (start - seconds.lowerBound) * Self.width / seconds.count
      return "\(x) \(Self.y(report.peak(start..<start + step)))"
    }
    return "M" + points.joined(separator: "L")
  }
}

extension Double {
  /// Returns the number with the given number of decimal places, at most two.
  func text(_ digits: Int) -> String {
    let factor = digits == 0 ? 1 : digits == 1 ? 10 : 100
    let scaled = Int((self * Double(factor)).rounded())
    guard digits > 0 else { return "\(scaled)" }
    let rest = "\(abs(scaled % factor))"
    return "\(scaled / factor)." + String(repeating: "0", count: max(0, digits - rest.count)) + rest
  }
}
