internal import AsperaAuth
internal import AsperaTransfer
internal import StorageAuth

extension TransferQueue {
  /// Carries out a transfer of one file.
  ///
  /// When this returns or throws, nothing of the transfer goes on.
  ///
  /// - Parameters:
  ///   - session: What goes where; its id is not in the queue yet.
  ///   - size: The bytes of the file, where that is known.
  ///   - advance: Is told how many bytes more are through.
  /// - Throws: A `TransferFailure`, or a `CancellationError`.
  func carryOut(_ session: TransferSession, size: Int64?, advance: (Int64) -> Void) async throws {
    var moved: Int64 = 0
    func tell(_ bytes: Int64) {
      let bytes = min(bytes, size ?? bytes)
      guard bytes > moved else { return }
      advance(bytes - moved)
      moved = bytes
    }
    var result: Result<TransferSummary, TransferFailure>?
    var lost: TransferFailure?
    for await event in run([session]) {
      switch event.kind {
      case .progress(let progress): tell(progress.bytes)
      case .file(let file): lost = TransferFailure(file)
      case .finished(let ending): result = ending
      default: break
      }
    }
    guard let result else {
      _ = await self.result(of: session.id)
      throw CancellationError()
    }
    if Task.isCancelled, case .failure = result { throw CancellationError() }
    let summary = try result.get()
    if let lost { throw lost }
    tell(size ?? summary.bytes)
  }
}

extension TransferFailure {
  /// The failure of a file in a transfer that ended well otherwise.
  fileprivate init?(_ report: TransferFileReport) {
    guard case .failed(let code, let text) = report.outcome else { return nil }
    self.init(
      .caller, code: code, "The file was not transferred: \(text)",
      remedy: "Check that it is there, and that it may be read and written.")
  }
}
