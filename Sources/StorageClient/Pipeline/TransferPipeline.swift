/// Carries out many transfers, several at a time, with one progress and one report.
///
/// Transfers are taken from a sequence when there is room for them, at most one more than are under way, so that a listing
/// of a million objects costs no more memory than one of ten. A transfer that fails leaves the others alone, and the report
/// has its error.
///
/// ```swift
/// let uploads = files.lazy.map { ObjectTransfer.upload(.file($0), to: "2026/\($0.lastComponent?.string ?? "")", in: store) }
/// let report = try await TransferPipeline().run(uploads) { print($0.completedObjects, $0.fractionCompleted) }
/// for failure in report.failures { print(failure.name, failure.error) }
/// ```
///
/// The requests of one client are limited by `StorageClientConfiguration.requestsInFlight` too.
public struct TransferPipeline: Sendable, Hashable {
  /// The most transfers that are under way at once; at least 1.
  public var transfersInFlight: Int {
    didSet { transfersInFlight = max(1, transfersInFlight) }
  }

  /// Whether the first failure ends the others: those under way are cancelled, and no further one begins.
  public var stopsAtFailure: Bool

  /// The most failures that a report describes; all are counted.
  public var describedFailures: Int

  /// Creates a pipeline.
  ///
  /// - Parameters:
  ///   - transfersInFlight: The most transfers that are under way at once; at least 1.
  ///   - stopsAtFailure: Whether the first failure ends the others.
  ///   - describedFailures: The most failures that a report describes.
  public init(transfersInFlight: Int = 16, stopsAtFailure: Bool = false, describedFailures: Int = 1000) {
    self.transfersInFlight = max(1, transfersInFlight)
    self.stopsAtFailure = stopsAtFailure
    self.describedFailures = describedFailures
  }

  /// Carries out the transfers that an asynchronous sequence yields, such as one made of a listing.
  ///
  /// If the sequence throws, the transfers that are under way are finished, and ``PipelineReport/sourceError`` is the error.
  ///
  /// - Parameters:
  ///   - transfers: The transfers; iterated once.
  ///   - progress: Called when an object was found, moved or finished, one call after the other, on no particular thread.
  /// - Returns: What became of the transfers.
  /// - Throws: `CancellationError` if the task is cancelled; no transfer is under way any more then.
  public func run<Transfers: AsyncSequence & Sendable>(
    _ transfers: Transfers, progress: PipelineProgress.Handler? = nil
  ) async throws -> PipelineReport where Transfers.Element == ObjectTransfer {
    let record = PipelineRecord(describedFailures: describedFailures, handler: progress)
    let (stop, signal) = AsyncStream<Never>.makeStream()
    await withTaskGroup(of: Void.self) { group in
      // A sequence may not yield for long: a failure that ends everything has to end the wait for it as well.
      group.addTask { await pump(transfers, record, signal) }
      group.addTask { for await _ in stop {} }
      await group.next()
      group.cancelAll()
    }
    try Task.checkCancellation()
    return record.report
  }

  /// Carries out the transfers of a sequence, which may be lazy.
  ///
  /// - Parameters:
  ///   - transfers: The transfers; iterated once.
  ///   - progress: Called when an object was found, moved or finished, one call after the other, on no particular thread.
  /// - Returns: What became of the transfers.
  /// - Throws: `CancellationError` if the task is cancelled; no transfer is under way any more then.
  public func run<Transfers: Sequence & Sendable>(
    _ transfers: Transfers, progress: PipelineProgress.Handler? = nil
  ) async throws -> PipelineReport where Transfers.Element == ObjectTransfer {
    try await run(AsyncTransfers(base: transfers), progress: progress)
  }

  /// Takes transfers from the sequence, and runs each when there is room.
  private func pump<Transfers: AsyncSequence>(
    _ transfers: Transfers, _ record: PipelineRecord, _ signal: AsyncStream<Never>.Continuation
  ) async where Transfers.Element == ObjectTransfer {
    await withTaskGroup(of: Void.self) { group in
      var underWay = 0
      do {
        for try await transfer in transfers {
          record.found(transfer)
          if underWay == transfersInFlight {
            await group.next()
            underWay -= 1
          }
          group.addTask { await move(transfer, record, signal) }
          underWay += 1
          if Task.isCancelled { return }
        }
        if !Task.isCancelled { record.foundAll() }
      } catch {
        if !Task.isCancelled { record.sourceFailed(error) }
      }
    }
  }

  private func move(
    _ transfer: ObjectTransfer, _ record: PipelineRecord, _ signal: AsyncStream<Never>.Continuation
  ) async {
    guard !Task.isCancelled else { return }
    let meter = record.meter(of: transfer)
    do {
      try await transfer.operation { meter.advance(to: $0) }
      record.finished(meter)
    } catch {
      // What was cancelled, by a failure elsewhere or from outside, has not failed.
      guard !Task.isCancelled else { return }
      record.failed(transfer, meter, error)
      if stopsAtFailure { signal.finish() }
    }
  }
}

/// A sequence whose elements are taken asynchronously, until its task is cancelled.
private struct AsyncTransfers<Base: Sequence & Sendable>: AsyncSequence, Sendable
where Base.Element == ObjectTransfer {
  struct AsyncIterator: AsyncIteratorProtocol {
    var base: Base.Iterator

    mutating func next() async -> ObjectTransfer? { Task.isCancelled ? nil : base.next() }
  }

  let base: Base

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: base.makeIterator()) }
}
