internal import AsperaAuth

extension AscpAttempt {
  /// How a transfer ended, as far as ascp said it or as it was judged from outside.
  enum Verdict: Sendable, Hashable {
    /// It is done.
    case done
    /// It failed: the code and the text of ascp.
    case failed(code: Int, text: String)
    /// It was cancelled.
    case cancelled
    /// ascp did not behave like ascp.
    case fault(Fault)
  }

  /// What ascp did that it does not do.
  enum Fault: Sendable, Hashable {
    /// It did not connect to the management port.
    case neverConnected
    /// It said nothing for too long.
    case silent
    /// It sent something that is no frame.
    case unreadable(ManagementFrameParser.Problem)
  }
}
