internal import Foundation

/// The seeds that properties are tried with: the same ones on every run, or one that a run is repeated with.
package enum Properties {
  /// The first seeds, or the one in the environment: `SIGNING_SEED` repeats what a failure names.
  package static func seeds(_ count: Int) -> [UInt64] {
    if let seed = ProcessInfo.processInfo.environment["SIGNING_SEED"].flatMap({ UInt64($0) }) { return [seed] }
    return (0..<UInt64(count)).map { $0 }
  }
}
