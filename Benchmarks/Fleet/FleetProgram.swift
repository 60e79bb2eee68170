// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import StorageAuth

/// A program that shows the load of a fleet on a token service, and exits with status 1 if a peak exceeds its bound.
@main
struct FleetProgram {
  private var devices = 1_000_000
  private var table: String?
  private var plot: String?

  static func main() async {
    do {
      var program = FleetProgram()
      try program.read(Array(CommandLine.arguments.dropFirst()))
      try await program.run()
    } catch {
      StandardStream.errors.put("fleet: \(error)\n")
      exit(1)
    }
  }

  private mutating func read(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      guard let value = rest.popFirst() else { throw FleetError("\(option) requires a value.") }
      switch option {
      case "--devices":
        guard let count = Int(value), (1000...100_000_000).contains(count) else {
          throw FleetError("--devices must be a number from 1000 to 100000000.")
        }
        devices = count
      case "--tsv": table = value
      case "--svg": plot = value
      default: throw FleetError("The option \(option) is unknown; use --devices, --tsv or --svg.")
      }
    }
  }

  private func run() async throws {
    // A million devices with keys of one hour send about 300 requests a second; for fewer devices, a bin spans several
    // seconds.
    let bin = max(1, 1_000_000 / devices)
    let unit = bin == 1 ? "second" : "\(bin) seconds"
    StandardStream.print(
      "\(devices) devices open an app in the same second; the busiest \(unit), as a multiple of the mean:")
    var reports: [FleetReport] = []
    var problems: [String] = []
    for life in [1800, 3600] {
      let report = FleetReport(life: life, bin: bin, questions: await Fleet(devices: devices, life: life).run())
      reports.append(report)
      StandardStream.print(
        "keys of \(life / 60) minutes, \((report.mean / Double(bin)).text(1)) requests a second on average")
      for part in FleetReport.parts {
        let peak = report.peak(part.seconds)
        let isAbove = !(peak <= part.bound)
        let name = part.name + String(repeating: " ", count: max(0, 28 - part.name.count))
        StandardStream.print("  \(name)\(peak.text(2)) of \(part.bound.text(0))\(isAbove ? "  ABOVE ITS BOUND" : "")")
        if isAbove { problems.append("keys of \(life / 60) minutes, \(part.name): \(peak.text(2)) times the mean.") }
      }
    }
    if let table { try write(rows(of: reports), to: table) }
    if let plot { try write(FleetPlot(reports: reports).svg, to: plot) }
    guard problems.isEmpty else { throw FleetError(problems.joined(separator: "\n")) }
  }

  /// Returns one row for each minute and lifetime: the requests, and the busiest bin as a multiple of the mean.
  private func rows(of reports: [FleetReport]) -> String {
    var lines = ["life\tminute\tquestions\tpeak"]
    for report in reports {
      let step = max(60, report.bin)
      for start in stride(from: 0, to: Fleet.Story.end, by: step) {
        let bins = (start / report.bin..<(start + step) / report.bin).clamped(to: report.questions.indices)
        let sum = report.questions[bins].reduce(0, +)
        lines.append("\(report.life)\t\(start / 60)\t\(sum)\t\(report.peak(start..<start + step).text(2))")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
  }
}

struct FleetError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
