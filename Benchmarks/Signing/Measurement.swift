internal import CAllocationCounter
internal import CHashBlocks

/// Nanoseconds of processor time for one act, from many short batches.
///
/// On a machine that does other work too, minima of short batches agree where means and medians do not.
struct Measurement {
  let median: Double
  let minimum: Double
  let maximum: Double
  let repetitions: Int

  init(_ samples: [Double]) {
    let sorted = samples.sorted()
    median = sorted[sorted.count / 2]
    minimum = sorted[0]
    maximum = sorted[sorted.count - 1]
    repetitions = sorted.count
  }

  /// Times batches of several pieces of work in turn, so that what else the machine does meets all of them.
  ///
  /// - Parameters:
  ///   - repetitions: The number of batches of each piece.
  ///   - nanoseconds: How long a batch takes.
  ///   - batches: Each runs its work as often as it is told.
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

  /// How often work is done in some time, once everything that is kept is there.
  private static func count(in batch: (Int) throws -> Void, lasting nanoseconds: Int) rethrows -> Int {
    var count = 200
    try batch(count)
    // What starting a batch costs weighs less in the longer one that comes next.
    for _ in 0..<3 {
      let start = hash_blocks_processor_time()
      try batch(count)
      let elapsed = max(hash_blocks_processor_time() - start, 1)
      count = max(count * nanoseconds / Int(elapsed), 1)
    }
    return count
  }

  /// Allocations for one run of `work`, once everything that is kept is there; `nil` where they cannot be counted.
  static func allocations(of work: () throws -> Void) rethrows -> Double? {
    let runs = 1000
    for _ in 0..<10 { try work() }
    let before = allocation_count()
    for _ in 0..<runs { try work() }
    let after = allocation_count()
    return before < 0 ? nil : Double(after - before) / Double(runs)
  }
}

/// Takes the result of an act, so that the act cannot be left out.
@inline(never)
func take<Result>(_ result: consuming Result) {}
