internal import CAllocationCounter

/// Nanoseconds of a piece of work, from several repetitions.
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

  /// Nanoseconds for one of `iterations` runs of `work`.
  static func sample(iterations: Int, _ work: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let elapsed = try clock.measure { for _ in 0..<iterations { try work() } }
    let (seconds, attoseconds) = elapsed.components
    return (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(iterations)
  }

  /// Allocations for one run of `work`, once everything that is kept is there; nothing where they cannot be counted.
  static func allocations(of work: () throws -> Void) rethrows -> Double? {
    let runs = 1000
    for _ in 0..<10 { try work() }
    let before = allocation_count()
    for _ in 0..<runs { try work() }
    let after = allocation_count()
    return before < 0 ? nil : Double(after - before) / Double(runs)
  }
}
