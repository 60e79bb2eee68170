// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The error of a step that did not pass, with the reason.
enum StepError: Error, CustomStringConvertible {
  /// The step cannot be carried out, because the environment lacks what it needs.
  case skipped(String)
  /// The step failed, and no further step may be carried out.
  case obstacle(String)
  /// The service did something else than it must.
  case deviation(String)

  /// The reason.
  var description: String {
    switch self {
    case .skipped(let reason), .obstacle(let reason), .deviation(let reason): reason
    }
  }
}
