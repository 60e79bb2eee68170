// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import AsperaAuth

@testable import AsperaTransfer
@testable import StoragePrograms

extension AscpEngine {
  /// Starts an attempt on a separate task.
  func start(
    _ spec: TransferSpec = .sample, additions: AsyncStream<[TransferPath]>? = nil,
    report: @escaping @Sendable (TransferReport) -> Void = { _ in }
  ) -> Task<TransferSummary, any Error> {
    Task { try await run(spec, additions: additions, report: report) }
  }

  /// The error that an attempt throws, or `nil` if it succeeds.
  func failure(report: @escaping @Sendable (TransferReport) -> Void = { _ in }) async -> TransferFailure? {
    await start(report: report).failure
  }
}

extension Task where Success == TransferSummary, Failure == any Error {
  /// The error that the attempt throws, or `nil` if it succeeds.
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
