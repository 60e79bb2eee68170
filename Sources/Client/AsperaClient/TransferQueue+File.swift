// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsperaTransfer
internal import StorageAuth
internal import StorageClient

extension TransferQueue {
  /// Transfers one file, and returns or throws only when the transfer has ended completely.
  ///
  /// - Parameters:
  ///   - session: The transfer of the file. Its ID must not be in the queue yet.
  ///   - size: The size of the file in bytes, or `nil` if it is unknown.
  ///   - advance: A closure that receives the number of bytes transferred since its previous call.
  /// - Throws: A `TransferFailure` or a `CancellationError`.
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
  /// Creates the failure of a file in a transfer that otherwise succeeded, or `nil` if the file was transferred.
  fileprivate init?(_ report: TransferFileReport) {
    guard case .failed(let code, let text) = report.outcome else { return nil }
    self.init(
      .caller, code: code, "The file was not transferred: \(text)",
      remedy: "Check that it is there, and that it may be read and written.")
  }
}
