// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CAllocationCounter
internal import CHashBlocks

/// A measurement of the processor time of one operation in nanoseconds, from many short batches.
///
/// On a machine with other load, the times of the fastest short batches are reproducible, whereas means and medians are
/// not. The very fastest ones are not either: the clock loses time when the system switches to another process.
struct Measurement {
  let median: Double
  /// The time that one batch in a hundred undercuts.
  let firstPercentile: Double
  let maximum: Double
  let repetitions: Int

  init(_ samples: [Double]) {
    let sorted = samples.sorted()
    median = sorted[sorted.count / 2]
    firstPercentile = sorted[sorted.count / 100]
    maximum = sorted[sorted.count - 1]
    repetitions = sorted.count
  }

  /// Times batches of several operations in turn, so that other load of the machine affects all of them.
  ///
  /// - Parameters:
  ///   - repetitions: The number of batches of each operation.
  ///   - nanoseconds: The duration of a batch.
  ///   - batches: Functions that each run their operation the given number of times.
  static func interleaved(
    repetitions: Int, lasting nanoseconds: Int = 100_000, _ batches: [(Int) throws -> Void]
  ) throws -> [Measurement] {
    let counts = try batches.map { try count(in: $0, lasting: nanoseconds) }
    var samples = [[Double]](repeating: [], count: batches.count)
    for _ in 0..<repetitions {
      for (index, batch) in batches.enumerated() {
        let start = hash_blocks_processor_time()
        try batch(counts[index])
        samples[index].append(Double(hash_blocks_processor_time() - start) / Double(counts[index]))
      }
    }
    return samples.map { Measurement($0) }
  }

  /// Returns the number of runs of an operation in a given time, after it has filled its caches.
  private static func count(in batch: (Int) throws -> Void, lasting nanoseconds: Int) rethrows -> Int {
    var count = 200
    try batch(count)
    // The next batch is longer, so that the cost of starting it has less weight.
    for _ in 0..<3 {
      let start = hash_blocks_processor_time()
      try batch(count)
      let elapsed = max(hash_blocks_processor_time() - start, 1)
      count = max(count * nanoseconds / Int(elapsed), 1)
    }
    return count
  }

  /// Returns the allocations of one run of `work` after it has filled its caches, or `nil` if they cannot be counted.
  static func allocations(of work: () throws -> Void) rethrows -> Double? {
    let runs = 1000
    for _ in 0..<10 { try work() }
    let before = allocation_count()
    for _ in 0..<runs { try work() }
    let after = allocation_count()
    return before < 0 ? nil : Double(after - before) / Double(runs)
  }
}

/// Consumes the result of an operation, so that the compiler cannot remove the operation.
@inline(never)
func take<Result>(_ result: consuming Result) {}
