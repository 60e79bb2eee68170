// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The rows of a run, and what the run cost.
package struct LiveReport: Sendable {
  /// The rows in the order of the steps.
  package internal(set) var rows: [LiveRow] = []

  /// The number of requests that were sent.
  package internal(set) var requests = 0

  /// The number of bytes of bodies that were sent and received.
  package internal(set) var bytes: Int64 = 0

  /// Whether the run was cancelled before its last step.
  package internal(set) var isInterrupted = false

  /// The rows of the steps that failed.
  package var failures: [LiveRow] {
    rows.filter { if case .failed = $0.outcome { true } else { false } }
  }

  /// The numbers of passed, skipped and failed steps, of requests and of bytes, as a sentence.
  package var summary: String {
    let passed = rows.count { $0.outcome == .passed }
    let skipped = rows.count - passed - failures.count
    return """
      \(passed) passed, \(skipped) SKIPPED, \(failures.count) failed; \(requests) requests and \(bytes) bytes of bodies.
      """
  }
}
