// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A record that adds up the progress of a pipeline's transfers and reports the total progress, one call at a time.
final class PipelineRecord: Sendable {
  fileprivate struct State {
    var progress = PipelineProgress()
    var foundCount = 0
    /// The sum of the object sizes in bytes, apart from the objects whose size is still unknown.
    var knownBytes: Int64 = 0
    var unknownSizeCount = 0
    var hasFoundAll = false
    var failures: [PipelineReport.Failure] = []
    var sourceError: (any Error)?

    /// Adds the size of an object that was found without one; `nil` is no new size.
    mutating func addSize(_ size: Int64?) {
      guard let size else { return }
      unknownSizeCount -= 1
      knownBytes = knownBytes.saturatingAdding(size)
    }
  }

  private let describedFailures: Int
  private let handler: PipelineProgress.Handler?
  private let state = Lock(State())

  init(describedFailures: Int, handler: PipelineProgress.Handler?) {
    self.describedFailures = describedFailures
    self.handler = handler
  }

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
      if let count = transfer.byteCount {
        state.knownBytes = state.knownBytes.saturatingAdding(count)
      } else {
        state.unknownSizeCount += 1
      }
    }
  }

  /// Records that the sequence of transfers has ended, so that the totals are known.
  func recordFoundAll() { update { $0.hasFoundAll = true } }

  func recordSourceFailure(_ error: any Error) { state.withLock { $0.sourceError = error } }

  func meter(of transfer: ObjectTransfer) -> Meter { Meter(self, size: transfer.byteCount) }

  func recordFinished(_ meter: Meter) {
    let unreported = meter.end()
    update { state in
      state.progress.completedObjects += 1
      state.progress.completedBytes = state.progress.completedBytes.saturatingAdding(unreported.bytes)
      state.addSize(unreported.size)
    }
  }

  func recordFailed(_ transfer: ObjectTransfer, _ meter: Meter, _ error: any Error) {
    let size = meter.end().size
    update { state in
      state.progress.failedObjects += 1
      state.addSize(size)
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

  /// The measurement of one transfer, which turns its progress, a total so far, into what is new for the record.
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

    /// Adds the bytes that the transfer has completed since its previous progress report to the pipeline's progress.
    func advance(to progress: TransferProgress) {
      let newlyReported: (bytes: Int64, size: Int64?) = state.withLock { state in
        let bytes = progress.completed > state.completed ? progress.completed - state.completed : 0
        state.completed = max(state.completed, progress.completed)
        guard state.size == nil, let total = progress.total else { return (bytes, nil) }
        state.size = max(0, total)
        return (bytes, state.size)
      }
      record.update { state in
        state.progress.completedBytes = state.progress.completedBytes.saturatingAdding(newlyReported.bytes)
        state.addSize(newlyReported.size)
      }
    }

    /// Ends the measurement, and returns the bytes that the transfer did not report, and the size if it was unknown.
    fileprivate func end() -> (bytes: Int64, size: Int64?) {
      state.withLock { state in
        guard let size = state.size else { return (0, state.completed) }
        return (size > state.completed ? size - state.completed : 0, nil)
      }
    }
  }
}
