extension LocalCloud {
  /// What happened to transfers of Aspera.
  ///
  /// What was refused stands with the endpoint `.transfer`, by the code; the tokens that were issued with `.node`.
  public struct TransferStatistics: Sendable, Hashable {
    /// The setup calls that were answered.
    public internal(set) var setups = 0

    /// The connections that were made to the transfer desk, those of test logins included.
    public internal(set) var connections = 0

    /// The logins that were taken.
    public internal(set) var logins = 0

    /// The sessions that began: account and token were taken.
    public internal(set) var sessions = 0

    /// The sessions that ended well.
    public internal(set) var completed = 0

    /// The files that went through.
    public internal(set) var files = 0

    /// The bytes of content that went through, those of sessions that failed included.
    public internal(set) var bytes: Int64 = 0

    /// The failures that were asked for, by the code.
    public internal(set) var faults: [Int: Int] = [:]
  }
}
