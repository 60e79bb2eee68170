// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A row of the report: the result of a step.
package struct LiveRow: Sendable, Equatable, CustomStringConvertible {
  /// The result of a step.
  package enum Outcome: Sendable, Equatable {
    /// The service did what it must.
    case passed
    /// The step was not carried out, for a reason.
    case skipped(String)
    /// The service did something else, or did not respond.
    case failed(String)
  }

  /// The service, with the version of its signature.
  package let service: String

  /// The name of the step.
  package let step: String

  /// The result of the step.
  package let outcome: Outcome

  /// The duration of the step.
  package let duration: Duration

  /// The ID of the last request of the step, which the vendor's support asks for, or `nil` if the service has none.
  package let requestID: String?

  init(_ service: String, _ step: String, _ outcome: Outcome, duration: Duration = .zero, requestID: String? = nil) {
    self.service = service
    self.step = step
    self.outcome = outcome
    self.duration = duration
    self.requestID = requestID
  }

  /// The lines above the rows of a table in Markdown.
  package static let heading = "| service | step | result | ms | request ID |\n|---|---|---|---:|---|"

  /// The row as a line of a table in Markdown.
  package var description: String {
    let result =
      switch outcome {
      case .passed: "passed"
      case .skipped(let reason): "SKIPPED: \(reason)"
      case .failed(let reason): "FAILED: \(reason)"
      }
    let (seconds, attoseconds) = duration.components
    let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
    let cells = [service, step, result, "\(milliseconds)", requestID ?? "-"].map { cell in
      "\(DisplayText(cell))".split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }
    return "| \(cells.joined(separator: " | ")) |"
  }
}
