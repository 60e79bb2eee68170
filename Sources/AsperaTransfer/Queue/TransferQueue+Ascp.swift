public import AsperaAuth
public import StorageAuth

extension TransferQueue {
  /// Makes a queue over the ascp of this machine, with an issuer of tokens.
  ///
  /// - Parameters:
  ///   - account: The account of sessions that have none of their own.
  ///   - issuer: The issuer of sessions that have none of their own; it is asked for those with a fixed token as well.
  ///   - configuration: How many are active, and what is tried again how often.
  ///   - authEvents: Where refreshed tokens, repetitions and transfers are told.
  /// - Throws: An `AsperaError` that lists the places searched if there is no ascp.
  public convenience init(
    account: AsperaAccount? = nil, issuer: some TokenIssuer,
    configuration: TransferQueueConfiguration = TransferQueueConfiguration(), authEvents: AuthEvents = AuthEvents()
  ) throws(AsperaError) {
    self.init(
      engine: try AscpEngine(), account: account, issuer: issuer, configuration: configuration, authEvents: authEvents)
  }
}
