// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The seeds of the property tests: the same ones in every run, or one from the environment.
package enum Properties {
  /// Returns the first seeds, or the one in the environment: `SIGNING_SEED` repeats the seed that a failure names.
  package static func seeds(_ count: Int) -> [UInt64] {
    if let seed = ProcessInfo.processInfo.environment["SIGNING_SEED"].flatMap({ UInt64($0) }) { return [seed] }
    return (0..<UInt64(count)).map { $0 }
  }
}
