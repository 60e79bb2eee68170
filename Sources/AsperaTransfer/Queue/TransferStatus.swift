/// Where a session of a queue stands.
public enum TransferStatus: Sendable, Equatable {
  /// It waits for its turn.
  case waiting
  /// It waits for its token.
  case activating
  /// It is ready and waits until it may start, so that a server does not see too many logins at once.
  case ready
  /// It connects; nothing is proven yet.
  case connecting
  /// It runs.
  case running
  /// It waits before something is tried again.
  case retrying
  /// It has been told to stop and has not ended yet.
  case stopping
  /// Another session was put before it; it goes on after that.
  case interrupted
  /// It is over, and stays in the queue until it is removed.
  case ended(Result<TransferSummary, TransferFailure>)
}
