internal import StorageAuth

/// Why the simulator fails, in the numbers of ascp; without secrets.
struct Failure: Error, Sendable, Equatable {
  let code: Int
  let text: String

  init(_ code: Int, _ text: String) {
    self.code = code
    self.text = text
  }

  /// A command line or an environment that cannot be used.
  static func usage(_ text: String) -> Failure { Failure(8, text) }

  /// Somebody asked the simulator to stop.
  static let cancelled = Failure(28, "Session cancelled")

  /// What the transport says about a desk that was reached before, or was not.
  init(_ error: TransportError, isFirst: Bool) {
    switch error.code {
    case .cancelled: self = .cancelled
    case .connectionFailed where isFirst: self.init(44, "Failed to open TCP connection to the transfer desk")
    case .timeout: self.init(15, "The transfer desk did not answer in time")
    default: self.init(16, "The connection to the transfer desk was lost")
    }
  }
}
