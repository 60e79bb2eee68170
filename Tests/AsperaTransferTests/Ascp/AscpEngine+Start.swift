// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuthTesting

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

  /// Advances clocks until the attempt ends, and returns its error.
  ///
  /// One step is not enough for a time without frames, because a frame that arrives after the step begins it anew.
  func failure(advancing time: ManualClock, by duration: Duration) async -> TransferFailure? {
    let steps = Task<Void, Never> {
      while !Task<Never, Never>.isCancelled {
        time.advance(by: duration)
        await Task<Never, Never>.yield()
      }
    }
    defer { steps.cancel() }
    return await failure
  }
}
