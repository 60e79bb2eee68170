internal import StorageAuth

/// A signing server's refusal of a request for its time, with what the clocks showed.
struct ClockSkewRefusal: Error {
  /// What ends the request if the clocks agree.
  let error: SigningError

  /// What the server's clock showed.
  let serverTime: Timestamp

  /// What this machine's clock showed when the answer came, not corrected.
  let localTime: Timestamp
}
