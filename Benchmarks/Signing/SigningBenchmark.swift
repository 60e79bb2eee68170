// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import StorageAuth

/// A program that times the workloads next to their hash blocks only, and checks the signatures and the goals.
@main
struct SigningBenchmark {
  private static let repetitions = 1500

  static func main() {
    do {
      try run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      StandardStream.errors.put("signing-benchmark: \(error)\n")
      exit(1)
    }
  }

  private static func run(_ arguments: [String]) throws {
    guard let url = Bundle.module.url(forResource: "workloads", withExtension: "json") else {
      throw BenchmarkError("The resource workloads.json is missing. Run the program in its build folder.")
    }
    let inputs = try Inputs(json: Data(contentsOf: url))
    switch arguments.first {
    case "--only":
      guard arguments.count == 3, let count = Int(arguments[2]) else {
        throw BenchmarkError("Pass a workload and a number of signatures, as in: --only W3 1000")
      }
      if let workload = CacheWorkload.all(inputs).first(where: { $0.name == arguments[1] }) {
        workload.act(count)
      } else {
        try signOnly(arguments[1], count, Workload.all(inputs))
      }
    case "--names":
      for workload in try Workload.all(inputs) { StandardStream.print(workload.name, workload.instructionBudget) }
      for workload in CacheWorkload.all(inputs) where !workload.isComparison {
        StandardStream.print(workload.name, workload.instructionBudget)
      }
    case "--check":
      for keys in KeySource.allCases {
        StandardStream.print("key \(keys):")
        try check(Workload.all(inputs, keys: keys))
      }
      try CacheMeasurement.check(inputs)
    case "--tsv", nil: try measure(inputs, isTSV: arguments.first == "--tsv")
    case .some(let option):
      throw BenchmarkError("The option \(option) is unknown; use --tsv, --check, --names or --only W3 1000.")
    }
  }

  /// Signs one workload the given number of times without output, for a profiler: `--only W3 1000`.
  private static func signOnly(_ name: String, _ count: Int, _ workloads: [Workload]) throws {
    guard let workload = workloads.first(where: { $0.name == name }) else {
      throw BenchmarkError("The workload \(name) is unknown; --names prints them.")
    }
    for _ in 0..<count { try workload.act() }
  }

  private static func measure(_ inputs: Inputs, isTSV: Bool) throws {
    let workloads = try Workload.all(inputs)
    let cached = try Workload.all(inputs, keys: .cached)
    let measured = try Measurement.interleaved(
      repetitions: repetitions,
      zip(workloads, cached).flatMap { workload, cached in
        [{ for _ in 0..<$0 { try workload.act() } }, { for _ in 0..<$0 { try cached.act() } }, workload.hash]
      })
    var problems: [String] = []
    if !isTSV { StandardStream.print(Self.header) }
    for (index, workload) in workloads.enumerated() {
      let (own, ownCached, limit) = (measured[3 * index], measured[3 * index + 1], measured[3 * index + 2])
      let text = workload.signature(in: try workload.sign())
      if text != workload.expected { problems.append("\(workload.name): the signature is \(text).") }
      let ratio = own.firstPercentile / limit.firstPercentile
      let isSlow = ratio > workload.goal
      if isSlow {
        problems.append("\(workload.name): \(ratio.text(2)) times its hash blocks; the goal is \(workload.goal).")
      }
      if isTSV {
        printTSV("swift-storage-auth", workload.name, own)
        printTSV("hash-blocks", workload.name, limit)
        StandardStream.print("SIG", "swift-storage-auth", workload.name, text, separator: "\t")
        continue
      }
      let allocations = try Measurement.allocations(of: workload.act)
      let cachedAllocations = try Measurement.allocations(of: cached[index].act)
      StandardStream.print(
        "\(workload.name) \(workload.about)".padded(to: 18), own.firstPercentile.column(0, width: 10),
        own.median.column(0, width: 8), limit.firstPercentile.column(0, width: 16), limit.median.column(0, width: 8),
        ratio.column(2, width: 7), workload.goal.column(1, width: 6),
        allocations.map { $0.column(1, width: 12) } ?? " not counted",
        (ownCached.firstPercentile - own.firstPercentile).column(0, width: 15),
        ((cachedAllocations ?? 0) - (allocations ?? 0)).column(1, width: 18), isSlow ? "  ABOVE ITS GOAL" : "")
    }
    if !isTSV { problems += try CacheMeasurement(inputs).report() }
    guard problems.isEmpty else { throw BenchmarkError(problems.joined(separator: "\n")) }
  }

  private static let header = """
    Nanoseconds of processor time for one signature: the first percentile of \(repetitions) batches, and the median.
    workload            signing   median     hash blocks   median   ratio   goal  allocations   cached key: ns   allocations more
    """

  /// Checks only the signatures and the allocations, without timing: `--check`.
  private static func check(_ workloads: [Workload]) throws {
    for workload in workloads {
      guard workload.signature(in: try workload.sign()) == workload.expected else {
        throw BenchmarkError("\(workload.name): the signature is not the reference signature.")
      }
      guard let allocations = try Measurement.allocations(of: workload.act) else {
        StandardStream.print("\(workload.name) \(workload.about): right; allocations cannot be counted on this system")
        continue
      }
      guard allocations <= workload.allocationBudget else {
        throw BenchmarkError(
          "\(workload.name): \(allocations) allocations for one signature, budget \(workload.allocationBudget).")
      }
      StandardStream.print(
        "\(workload.name) \(workload.about): right, \(allocations) allocations of \(workload.allocationBudget)")
    }
  }

  private static func printTSV(_ name: String, _ workload: String, _ measurement: Measurement) {
    StandardStream.print(
      "NS", name, workload, measurement.median, measurement.firstPercentile, measurement.maximum,
      measurement.repetitions,
      separator: "\t")
  }
}

struct BenchmarkError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
