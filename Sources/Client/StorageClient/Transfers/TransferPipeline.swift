// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A pipeline that carries out many transfers concurrently, with one progress and one report for all transfers.
///
/// The pipeline takes a transfer from the sequence only when it can start, at most one transfer ahead, so that a
/// listing of a million objects needs no more memory than a listing of ten. A transfer that fails does not affect the
/// other transfers, and the report contains its error.
///
/// ```swift
/// let uploads = files.lazy.map { ObjectTransfer.upload(.file($0), to: "2026/\($0.lastComponent?.string ?? "")", in: store) }
/// let report = try await TransferPipeline().run(uploads) { print($0.completedObjects, $0.fractionCompleted) }
/// for failure in report.failures { print(failure.name, failure.error) }
/// ```
///
/// `StorageClientConfiguration.requestsInFlight` limits the number of a client's concurrent requests in addition.
public struct TransferPipeline: Sendable, Hashable {
  /// The maximum number of concurrent transfers, at least 1.
  ///
  /// Fewer transfers run at a time if the process may not open the files and connections they need (`RLIMIT_NOFILE`).
  public var transfersInFlight: Int { didSet { transfersInFlight = max(1, transfersInFlight) } }

  /// Whether the first failure stops the pipeline.
  ///
  /// If the pipeline stops, running transfers are cancelled and no more transfers start.
  public var stopsAtFailure: Bool

  /// The maximum number of failures that a report describes.
  ///
  /// The report counts all failures.
  public var describedFailures: Int

  /// Creates a pipeline; the parameters are the properties.
  public init(transfersInFlight: Int = 16, stopsAtFailure: Bool = false, describedFailures: Int = 1000) {
    self.transfersInFlight = max(1, transfersInFlight)
    self.stopsAtFailure = stopsAtFailure
    self.describedFailures = describedFailures
  }

  /// Carries out the transfers of an asynchronous sequence, such as a sequence derived from a listing.
  ///
  /// If the sequence throws, the running transfers are completed, and ``PipelineReport/sourceError`` is the error.
  ///
  /// - Parameters:
  ///   - transfers: The sequence of transfers, which is iterated once.
  ///   - progress: A closure that is called when an object is found, progresses or ends, one call at a time, on an
  ///     arbitrary thread.
  /// - Returns: A report with the number of transferred objects and the failures.
  /// - Throws: `CancellationError` if the task is cancelled. All transfers have ended by then.
  public func run<Transfers: AsyncSequence & Sendable>(
    _ transfers: Transfers, progress: PipelineProgress.Handler? = nil
  ) async throws -> PipelineReport where Transfers.Element == ObjectTransfer {
    let record = PipelineRecord(describedFailures: describedFailures, handler: progress)
    let (stops, stopSignal) = AsyncStream<Never>.makeStream()
    await withTaskGroup(of: Void.self) { group in
      // A sequence may not yield for a long time: a failure that stops the pipeline must end that wait as well.
      group.addTask { await startTransfers(transfers, record, stopSignal) }
      group.addTask { for await _ in stops {} }
      await group.next()
      group.cancelAll()
    }
    try Task.checkCancellation()
    return record.report
  }

  /// Carries out the transfers of a sequence, which may be lazy.
  ///
  /// - Parameters:
  ///   - transfers: The sequence of transfers, which is iterated once.
  ///   - progress: A closure that is called when an object is found, progresses or ends, one call at a time, on an
  ///     arbitrary thread.
  /// - Returns: A report with the number of transferred objects and the failures.
  /// - Throws: `CancellationError` if the task is cancelled. All transfers have ended by then.
  public func run<Transfers: Sequence & Sendable>(
    _ transfers: Transfers, progress: PipelineProgress.Handler? = nil
  ) async throws -> PipelineReport where Transfers.Element == ObjectTransfer {
    try await run(AsyncTransfers(base: transfers), progress: progress)
  }

  /// Takes transfers from the sequence, and starts each transfer when the concurrency limit permits.
  private func startTransfers<Transfers: AsyncSequence>(
    _ transfers: Transfers, _ record: PipelineRecord, _ stopSignal: AsyncStream<Never>.Continuation
  ) async where Transfers.Element == ObjectTransfer {
    let limit = min(transfersInFlight, OpenFileLimit.current.transfers)
    await withTaskGroup(of: Void.self) { group in
      var runningCount = 0
      do {
        for try await transfer in transfers {
          record.recordFound(transfer)
          if runningCount == limit {
            await group.next()
            runningCount -= 1
          }
          group.addTask { await carryOut(transfer, record, stopSignal) }
          runningCount += 1
          if Task.isCancelled { return }
        }
        if !Task.isCancelled { record.recordFoundAll() }
      } catch {
        if !Task.isCancelled { record.recordSourceFailure(error) }
      }
    }
  }

  /// Carries out a transfer, records its end, and signals the pipeline to stop if a failure does that.
  private func carryOut(
    _ transfer: ObjectTransfer, _ record: PipelineRecord, _ stopSignal: AsyncStream<Never>.Continuation
  ) async {
    guard !Task.isCancelled else { return }
    let meter = record.meter(of: transfer)
    do {
      try await transfer.operation { meter.advance(to: $0) }
      record.recordFinished(meter)
    } catch {
      // A transfer that was cancelled, by a failure elsewhere or by the caller, has not failed.
      guard !Task.isCancelled else { return }
      record.recordFailed(transfer, meter, error)
      if stopsAtFailure { stopSignal.finish() }
    }
  }
}

/// An asynchronous sequence of another sequence's transfers, which ends when its task is cancelled.
private struct AsyncTransfers<Base: Sequence & Sendable>: AsyncSequence, Sendable
where Base.Element == ObjectTransfer {
  struct AsyncIterator: AsyncIteratorProtocol {
    var base: Base.Iterator

    mutating func next() async -> ObjectTransfer? { Task.isCancelled ? nil : base.next() }
  }

  let base: Base

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: base.makeIterator()) }
}
