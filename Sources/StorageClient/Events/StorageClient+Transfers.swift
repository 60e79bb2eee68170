internal import StorageAuth

extension StorageClient {
  /// Runs a transfer and tells how it ended.
  ///
  /// - Parameters:
  ///   - verb: What is done.
  ///   - key: The key of the object.
  ///   - progress: Is told of the bytes as well.
  ///   - body: The transfer.
  func transfer<Result>(
    _ verb: String, _ key: String, _ progress: TransferProgress.Handler?,
    _ body: (TransferLedger) async throws -> Result
  ) async throws -> Result {
    let ledger = ledger(verb, key, progress)
    do {
      let result = try await body(ledger)
      ledger.close(failure: nil)
      return result
    } catch {
      ledger.close(failure: error)
      throw error
    }
  }

  /// What a transfer is entered into.
  func ledger(_ verb: String, _ key: String, _ progress: TransferProgress.Handler?) -> TransferLedger {
    TransferLedger(events, time, subject: "\(verb) \(location(ofKey: key))", progress: progress)
  }
}
