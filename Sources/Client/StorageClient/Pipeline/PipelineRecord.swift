// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import Synchronization

/// A record that adds up the progress of a pipeline's transfers and reports the total progress, one call at a time.
final class PipelineRecord: Sendable {
  fileprivate struct State {
    var progress = PipelineProgress()
    var found = 0
    /// The sum of the known object sizes in bytes.
    ///
    /// `unknownSizes` is the number of objects whose size is still unknown.
    var knownBytes: Int64 = 0
    var unknownSizes = 0
    var hasFoundAll = false
    var failures: [PipelineReport.Failure] = []
    var sourceError: (any Error)?
  }

  private let describedFailures: Int
  private let handler: PipelineProgress.Handler?
  private let state = Mutex(State())

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
        unfinishedObjects: state.found - progress.completedObjects - progress.failedObjects,
        sourceError: state.sourceError)
    }
  }

  func found(_ transfer: ObjectTransfer) {
    change { state in
      state.found += 1
      if let count = transfer.byteCount {
        state.knownBytes = state.knownBytes.saturatingAdding(count)
      } else {
        state.unknownSizes += 1
      }
    }
  }

  func foundAll() {
    change { $0.hasFoundAll = true }
  }

  func sourceFailed(_ error: any Error) {
    state.withLock { $0.sourceError = error }
  }

  func meter(of transfer: ObjectTransfer) -> Meter { Meter(self, size: transfer.byteCount) }

  func finished(_ meter: Meter) {
    let missing = meter.end()
    change { state in
      state.progress.completedObjects += 1
      state.progress.completedBytes = state.progress.completedBytes.saturatingAdding(missing.bytes)
      state.learn(missing.size)
    }
  }

  func failed(_ transfer: ObjectTransfer, _ meter: Meter, _ error: any Error) {
    let size = meter.end().size
    change { state in
      state.progress.failedObjects += 1
      state.learn(size)
      if state.failures.count < describedFailures { state.failures.append(.init(name: transfer.name, error: error)) }
    }
  }

  fileprivate func change(_ change: (inout State) -> Void) {
    state.withLock { state in
      change(&state)
      state.progress.totalObjects = state.hasFoundAll ? state.found : nil
      state.progress.totalBytes = state.hasFoundAll && state.unknownSizes == 0 ? state.knownBytes : nil
      handler?(state.progress)
    }
  }

  /// A meter that records the progress of one transfer of the pipeline.
  final class Meter: Sendable {
    private struct State {
      var completed: Int64 = 0
      var size: Int64?
    }

    private let record: PipelineRecord
    private let state: Mutex<State>

    init(_ record: PipelineRecord, size: Int64?) {
      self.record = record
      state = Mutex(State(size: size))
    }

    /// Adds the bytes that the transfer has completed since its previous progress report to the pipeline's progress.
    func advance(to progress: TransferProgress) {
      let news: (bytes: Int64, size: Int64?) = state.withLock { state in
        let bytes = progress.completed > state.completed ? progress.completed - state.completed : 0
        state.completed = max(state.completed, progress.completed)
        guard state.size == nil, let total = progress.total else { return (bytes, nil) }
        state.size = max(0, total)
        return (bytes, state.size)
      }
      record.change { state in
        state.progress.completedBytes = state.progress.completedBytes.saturatingAdding(news.bytes)
        state.learn(news.size)
      }
    }

    /// Ends the progress measurement of a completed or failed transfer.
    ///
    /// - Returns: The number of bytes that the transfer did not report, and the object's size if it was unknown before.
    fileprivate func end() -> (bytes: Int64, size: Int64?) {
      state.withLock { state in
        guard let size = state.size else { return (0, state.completed) }
        return (size > state.completed ? size - state.completed : 0, nil)
      }
    }
  }
}

extension PipelineRecord.State {
  fileprivate mutating func learn(_ size: Int64?) {
    guard let size else { return }
    unknownSizes -= 1
    knownBytes = knownBytes.saturatingAdding(size)
  }
}
