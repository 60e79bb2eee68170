internal import Foundation

/// Signs the workloads next to the hash blocks alone, in one run, and checks the signatures.
@main
struct SigningBenchmark {
  private static let repetitions = 15
  private static let iterations = 20_000

  /// `--only W3 1000`: signs one workload so often and prints nothing, for a profiler.
  private static func runOnly(_ name: String, _ count: Int, _ workloads: [Workload]) throws {
    for workload in workloads where workload.name == name {
      for _ in 0..<count { _ = try workload.sign() }
    }
  }

  static func main() {
    do {
      try run()
    } catch {
      FileHandle.standardError.write(Data("signing-benchmark: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run() throws {
    let arguments = CommandLine.arguments.dropFirst()
    let isTSV = arguments.contains("--tsv")
    guard let url = Bundle.module.url(forResource: "workloads", withExtension: "json") else {
      throw BenchmarkError("workloads.json is not where it was built.")
    }
    let inputs = try Inputs(json: Data(contentsOf: url))
    let workloads = try Workload.all(inputs)
    if arguments.count == 3, arguments.first == "--only", let count = Int(arguments[3]) {
      return try runOnly(arguments[2], count, workloads)
    }
    if arguments.contains("--check") {
      for keys in KeySource.allCases {
        print("key \(keys):")
        try check(Workload.all(inputs, keys: keys))
      }
      return
    }
    let cached = try Workload.all(inputs, keys: .cached)
    if !isTSV {
      print(
        "workload             signing ns   hash blocks ns   ratio   allocations   cached key: more ns   more allocations"
      )
    }
    var isRight = true
    for (workload, cachedWorkload) in zip(workloads, cached) {
      var signing: [Double] = []
      var cachedSigning: [Double] = []
      var blocks: [Double] = []
      var sink: UInt8 = 0
      for _ in 0..<repetitions {
        signing.append(
          try Measurement.sample(iterations: iterations) { sink ^= try UInt8(workload.sign().utf8.count & 1) })
        cachedSigning.append(
          try Measurement.sample(iterations: iterations) { sink ^= try UInt8(cachedWorkload.sign().utf8.count & 1) })
        blocks.append(Measurement.sample(iterations: iterations) { sink ^= workload.hashBlocks() })
      }
      let text = workload.signature(in: try workload.sign())
      let matches = text == workload.expected
      isRight = isRight && matches
      let own = Measurement(signing)
      let limit = Measurement(blocks)
      let allocations = try Measurement.allocations { sink ^= try UInt8(workload.sign().utf8.count & 1) }
      let cachedAllocations = try Measurement.allocations { sink ^= try UInt8(cachedWorkload.sign().utf8.count & 1) }
      if isTSV {
        printTSV("swift-storage-auth", workload.name, own)
        printTSV("hash-blocks", workload.name, limit)
        print("SIG", "swift-storage-auth", workload.name, text, separator: "\t")
      } else {
        let count = allocations.map { column($0, 1, width: 12) } ?? "  not counted"
        print(
          "\(workload.name) \(workload.about)".padded(to: 18), column(own.median, 0, width: 12),
          column(limit.median, 0, width: 16), column(own.median / limit.median, 2, width: 7), count,
          column(Measurement(cachedSigning).median - own.median, 0, width: 20),
          column((cachedAllocations ?? 0) - (allocations ?? 0), 1, width: 18), matches ? "" : "  WRONG: \(text)")
      }
      if sink == 255 { print("") }
    }
    guard isRight else { throw BenchmarkError("A signature is not the reference signature.") }
  }

  /// `--check`: the signatures and the allocations alone, in a moment; a program that fails, not a timed test.
  private static func check(_ workloads: [Workload]) throws {
    for workload in workloads {
      guard workload.signature(in: try workload.sign()) == workload.expected else {
        throw BenchmarkError("\(workload.name): the signature is not the reference signature.")
      }
      guard let allocations = try Measurement.allocations(of: { _ = try workload.sign() }) else {
        print("\(workload.name) \(workload.about): right; allocations cannot be counted on this system")
        continue
      }
      guard allocations <= workload.allocationBudget else {
        throw BenchmarkError(
          "\(workload.name): \(allocations) allocations for one signature, budget \(workload.allocationBudget).")
      }
      print("\(workload.name) \(workload.about): right, \(allocations) allocations of \(workload.allocationBudget)")
    }
  }

  private static func printTSV(_ name: String, _ workload: String, _ measurement: Measurement) {
    print(
      "NS", name, workload, measurement.median, measurement.minimum, measurement.maximum, measurement.repetitions,
      separator: "\t")
  }

  private static func column(_ value: Double, _ digits: Int, width: Int) -> String {
    let factor = digits == 0 ? 1.0 : digits == 1 ? 10.0 : 100.0
    let scaled = Int((value * factor).rounded())
    let whole = "\(scaled / Int(factor))"
    let text = digits == 0 ? whole : whole + "." + "\(scaled % Int(factor))".leftPadded(to: digits, with: "0")
    return text.leftPadded(to: width, with: " ")
  }
}

struct BenchmarkError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

  fileprivate func leftPadded(to width: Int, with character: Character) -> String {
    String(repeating: character, count: max(0, width - count)) + self
  }
}
