import AsperaAuth

@testable import AsperaTransfer

extension AscpEngine {
  /// An attempt on a task of its own.
  func start(
    _ spec: TransferSpec = .sample, additions: AsyncStream<[TransferPath]>? = nil,
    report: @escaping @Sendable (TransferReport) -> Void = { _ in }
  ) -> Task<TransferSummary, any Error> {
    Task { try await run(spec, additions: additions, report: report) }
  }

  /// What an attempt threw; nothing if it did not.
  func failure(report: @escaping @Sendable (TransferReport) -> Void = { _ in }) async -> TransferFailure? {
    await start(report: report).failure
  }
}

extension Task where Success == TransferSummary, Failure == any Error {
  /// What the attempt threw; nothing if it did not.
  var failure: TransferFailure? {
    get async {
      do {
        _ = try await value
        return nil
      } catch {
        return error as? TransferFailure
      }
    }
  }
}
