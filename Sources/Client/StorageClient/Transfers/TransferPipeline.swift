// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A pipeline that carries out many transfers concurrently, with one progress and one report for all transfers.
///
/// The pipeline requests transfers from the sequence at most one ahead, so a listing of a million objects needs no more
/// memory than a listing of ten. A transfer that fails does not affect the others, and the report contains its error.
///
/// ```swift
/// let uploads = files.map { file in
///   ObjectTransfer.upload(.file(file), to: "2026/\(file.lastComponent?.string ?? "")", in: store)
/// }
/// let report = try await TransferPipeline().run(uploads) { print($0.completedObjects, $0.fractionCompleted) }
/// for failure in report.failures { print(failure.name, failure.error) }
/// ```
///
/// In addition, `StorageClientConfiguration.requestsInFlight` limits the number of a client's concurrent requests.
public struct TransferPipeline: Sendable, Hashable {
  /// The maximum number of concurrent transfers, at least 1.
  ///
  /// Fewer transfers run at a time if the process may not open the files and connections they need (`RLIMIT_NOFILE`).
  public var transfersInFlight: Int { didSet { transfersInFlight = max(1, transfersInFlight) } }

  /// Whether the first failure stops the pipeline: running transfers are cancelled, and no more transfers start.
  public var stopsAtFailure: Bool
  /// The maximum number of failures that a report describes; it counts all failures.
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
  ///   - progress: A closure, called when an object is found, progresses or ends, one call at a time, on any thread.
  /// - Throws: `CancellationError` if the task is cancelled. All transfers have ended by then.
  public func run<Transfers: AsyncSequence & Sendable>(
    _ transfers: Transfers, progress: PipelineProgress.Handler? = nil
  ) async throws -> PipelineReport where Transfers.Element == ObjectTransfer {
    let record = PipelineRecord(describedFailures: describedFailures, handler: progress)
    let (stop, stopSignal) = AsyncStream<Never>.makeStream()
    await withTaskGroup(of: Void.self) { group in
      // The second task ends at a failure that stops the pipeline, even while the sequence waits for its next element.
      group.addTask { await startTransfers(transfers, record, stopSignal) }
      group.addTask { for await _ in stop {} }
      await group.next()
      group.cancelAll()
    }
    try Task.checkCancellation()
    return record.report
  }

  /// Carries out the transfers of a sequence; the parameters and the result are those for an asynchronous sequence.
  ///
  /// - Throws: `CancellationError` if the task is cancelled. All transfers have ended by then.
  public func run<Transfers: Sequence & Sendable>(
    _ transfers: Transfers, progress: PipelineProgress.Handler? = nil
  ) async throws -> PipelineReport where Transfers.Element == ObjectTransfer {
    try await run(AsyncTransfers(base: transfers), progress: progress)
  }

  /// Starts the transfers of a sequence, as many at a time as the limit permits, and returns when all have ended.
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
      } catch { if !Task.isCancelled { record.recordSourceFailure(error) } }
    }
  }

  /// Carries out a transfer, and sends the stop signal if it fails and a failure stops the pipeline.
  private func carryOut(
    _ transfer: ObjectTransfer, _ record: PipelineRecord, _ stopSignal: AsyncStream<Never>.Continuation
  ) async {
    guard !Task.isCancelled, !(stopsAtFailure && record.hasFailures) else { return }
    let meter = record.meter(of: transfer)
    do {
      try await transfer.operation { meter.advance(to: $0) }
      record.recordFinished(meter)
    } catch {
      // A transfer that was cancelled by another failure or by the caller has not failed itself.
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

/// The record of a pipeline, which adds up the progress of its transfers and reports the sum, one call at a time.
private final class PipelineRecord: Sendable {
  fileprivate struct State {
    var progress = PipelineProgress()
    var foundCount = 0
    var knownBytes: Int64 = 0
    var unknownSizeCount = 0
    var hasFoundAll = false
    var failures: [PipelineReport.Failure] = []
    var sourceError: (any Error)?

    /// Replaces the size of an object that the pipeline has found; `nil` is an unknown size.
    mutating func replaceSize(_ oldSize: Int64?, with size: Int64?) {
      if oldSize == nil { unknownSizeCount -= 1 }
      // The sum stops at the largest number, so that it can be less than one of its sizes.
      knownBytes = max(0, knownBytes - (oldSize ?? 0))
      addSize(size)
    }

    mutating func addSize(_ size: Int64?) {
      if size == nil { unknownSizeCount += 1 }
      knownBytes = knownBytes.saturatingAdding(size ?? 0)
    }
  }

  private let describedFailures: Int
  private let handler: PipelineProgress.Handler?
  private let state = Lock(State())

  init(describedFailures: Int, handler: PipelineProgress.Handler?) {
    self.describedFailures = describedFailures
    self.handler = handler
  }

  var hasFailures: Bool { state.withLock { $0.progress.failedObjects > 0 } }

  var report: PipelineReport {
    state.withLock { state in
      let progress = state.progress
      return PipelineReport(
        completedObjects: progress.completedObjects, completedBytes: progress.completedBytes,
        failedObjects: progress.failedObjects, failures: state.failures,
        unfinishedObjects: state.foundCount - progress.completedObjects - progress.failedObjects,
        sourceError: state.sourceError)
    }
  }

  func recordFound(_ transfer: ObjectTransfer) {
    update { state in
      state.foundCount += 1
      state.addSize(transfer.byteCount)
    }
  }

  func recordFoundAll() { update { $0.hasFoundAll = true } }
  func recordSourceFailure(_ error: any Error) { state.withLock { $0.sourceError = error } }
  func meter(of transfer: ObjectTransfer) -> Meter { Meter(self, size: transfer.byteCount) }

  func recordFinished(_ meter: Meter) {
    let (unreportedBytes, size) = meter.remainder()
    update { state in
      state.progress.completedObjects += 1
      state.progress.completedBytes = state.progress.completedBytes.saturatingAdding(unreportedBytes)
      if let size { state.replaceSize(nil, with: size) }
    }
  }

  func recordFailed(_ transfer: ObjectTransfer, _ meter: Meter, _ error: any Error) {
    let (_, size) = meter.remainder()
    update { state in
      state.progress.failedObjects += 1
      if let size { state.replaceSize(nil, with: size) }
      if state.failures.count < describedFailures { state.failures.append(.init(name: transfer.name, error: error)) }
    }
  }

  fileprivate func update(_ body: (inout State) -> Void) {
    state.withLock { state in
      body(&state)
      state.progress.totalObjects = state.hasFoundAll ? state.foundCount : nil
      state.progress.totalBytes = state.hasFoundAll && state.unknownSizeCount == 0 ? state.knownBytes : nil
      handler?(state.progress)
    }
  }

  /// A meter of one transfer, which adds what is new in each of its progress reports to the record.
  final class Meter: Sendable {
    private struct State {
      var completed: Int64 = 0
      var size: Int64?
    }

    private let record: PipelineRecord
    private let state: Lock<State>

    init(_ record: PipelineRecord, size: Int64?) {
      self.record = record
      state = Lock(State(size: size))
    }

    func advance(to progress: TransferProgress) {
      let (newBytes, oldSize, size) = state.withLock { state in
        let old = state
        state.completed = max(old.completed, progress.completed)
        // An object may have been replaced since it was listed.
        if let total = progress.total { state.size = max(0, total) }
        return (state.completed - old.completed, old.size, state.size)
      }
      record.update { state in
        state.progress.completedBytes = state.progress.completedBytes.saturatingAdding(newBytes)
        if size != oldSize { state.replaceSize(oldSize, with: size) }
      }
    }

    /// Returns the bytes that a succeeded transfer did not report, and the size if it was unknown.
    fileprivate func remainder() -> (unreportedBytes: Int64, newSize: Int64?) {
      state.withLock { state in
        guard let size = state.size else { return (0, state.completed) }
        return (max(0, size - state.completed), nil)
      }
    }
  }
}
