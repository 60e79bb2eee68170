internal import Foundation

/// The seeds that properties are tried with: the same ones on every run, or one that a run is repeated with.
package enum Properties {
  /// Runs a property for many seeds.
  ///
  /// - Parameters:
  ///   - count: How many seeds.
  ///   - property: Throws where it does not hold.
  /// - Throws: A ``Violation`` that names the seed; `SIGNING_SEED` in the environment repeats it.
  package static func forSeeds(_ count: Int, _ property: (UInt64) throws -> Void) throws {
    if let seed = ProcessInfo.processInfo.environment["SIGNING_SEED"].flatMap({ UInt64($0) }) {
      return try property(seed)
    }
    for seed in 0..<UInt64(count) {
      do {
        try property(seed)
      } catch {
        throw Violation("SIGNING_SEED=\(seed): \(error)")
      }
    }
  }
}
