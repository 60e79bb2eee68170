// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import Synchronization
internal import SystemPackage

/// A synchronization, which gives a folder or a store the content of another folder or store.
///
/// The sides can be in any combination of folders and of stores of any providers:
///
/// ```swift
/// let backup = FolderSync(from: .folder("photos"), to: .objects(in: client, below: "photos/"))
/// let report = try await backup.run { print($0.fractionCompleted) }
/// ```
///
/// Both sides are listed in the order of their paths and compared as they are read, so that a million objects need no
/// more memory than ten. A file or an object appears at its target only when it is complete. After an interruption, also
/// by the end of the process, another run transfers what is missing; a large file continues with the missing parts.
public struct FolderSync: Sendable {
  /// The side whose content is transferred.
  public let source: SyncSide

  /// The side that receives the content.
  public let target: SyncSide

  /// The comparison, the selection and the limits.
  public let options: SyncOptions

  /// Creates a synchronization.
  ///
  /// - Parameters:
  ///   - source: The side whose content is transferred.
  ///   - target: The side that receives the content.
  ///   - options: The comparison, the selection and the limits.
  public init(from source: SyncSide, to target: SyncSide, options: SyncOptions = SyncOptions()) {
    self.source = source
    self.target = target
    self.options = options
  }

  /// Returns the differences of the two sides without removing them.
  ///
  /// - Parameter handler: A closure that receives the differences, in the order of their paths.
  /// - Returns: The number of files and objects that are equal on both sides, and the files that cannot be synchronized.
  /// - Throws: ``StorageError`` if a folder cannot be read, and the errors that ``ObjectStore`` lists.
  public func preview(
    _ handler: (SyncAction) throws -> Void
  ) async throws -> (unchanged: Int, skipped: [SyncReport.Skipped]) {
    var pairs = SyncPairs(source.entries(), target.entries())
    var unchanged = 0
    while let pair = try await pairs.next() {
      if let action = action(pair), try await !hasEqualChecksums(pair) {
        try handler(action)
      } else if pair.source != nil, pair.target != nil, options.selects(pair.path) {
        unchanged += 1
      }
    }
    return (unchanged, pairs.skipped.filter { options.selects($0.path) })
  }

  /// Removes the differences of the two sides.
  ///
  /// A failed transfer does not stop the others. Deletions follow after the transfers, and only if both sides were listed
  /// to the end.
  ///
  /// - Parameters:
  ///   - progress: A closure that receives the progress of the transfers, one call at a time, on an arbitrary thread.
  ///   - didFinish: A closure that receives each difference that was removed, one call at a time, on an arbitrary thread.
  /// - Returns: The numbers of transferred, deleted and unchanged files and objects, and the failures.
  /// - Throws: ``StorageError`` if the target folder cannot be used, and `CancellationError` if the task is cancelled.
  public func run(
    progress: PipelineProgress.Handler? = nil, didFinish: (@Sendable (SyncAction) -> Void)? = nil
  ) async throws -> SyncReport {
    let mover = try SyncMover(source, target, options)
    try await mover.prepare()
    let tally = SyncTally(didFinish)
    let pipeline = TransferPipeline(transfersInFlight: options.transfersInFlight)
    let transfers = try await pipeline.run(
      SyncTransfers(sync: self, mover: mover, tally: tally), progress: progress)
    var report = tally.report(transfers)
    if transfers.sourceError == nil {
      report.failedDeletions = try await mover.delete(tally.deletions) { tally.finished($0) }
      report.deleted = tally.deleted
    }
    try await mover.finish(isComplete: report.isComplete)
    return report
  }

  /// Returns the difference between two entries, or `nil` if the path is not selected or no difference is visible.
  ///
  /// Checksums are not compared.
  fileprivate func action(_ pair: SyncPair) -> SyncAction? {
    let path = pair.path
    guard options.selects(path) else { return nil }
    switch (pair.source, pair.target) {
    case (let from?, nil): return SyncAction(kind: .create, path: path, byteCount: from.size)
    case (let from?, let to?):
      let isCurrent =
        from.size == to.size && options.comparison == .sizeAndTime && from.isNotNewer(than: to)
      return isCurrent ? nil : SyncAction(kind: .update, path: path, byteCount: from.size)
    case (nil, let to?):
      return options.deletes ? SyncAction(kind: .delete, path: path, byteCount: to.size) : nil
    case (nil, nil): return nil
    }
  }

  /// Returns whether the entries of a pair have equal checksums, which is `false` unless checksums are to be compared.
  fileprivate func hasEqualChecksums(_ pair: SyncPair) async throws -> Bool {
    guard options.comparison == .checksum, let from = pair.source, let to = pair.target, from.size == to.size else {
      return false
    }
    return try await source.hasEqualChecksum(from, to, in: target)
  }
}

/// The transfers of a synchronization, in the order of their paths.
private struct SyncTransfers: AsyncSequence, Sendable {
  let sync: FolderSync
  let mover: SyncMover
  let tally: SyncTally

  struct AsyncIterator: AsyncIteratorProtocol {
    let sync: FolderSync
    let mover: SyncMover
    let tally: SyncTally
    var pairs: SyncPairs

    mutating func next() async throws -> ObjectTransfer? {
      while let pair = try await pairs.next() {
        guard let action = sync.action(pair) else {
          tally.passed(pair, isSelected: sync.options.selects(pair.path))
          continue
        }
        guard let entry = pair.source else {
          tally.postpone(action)
          continue
        }
        return ObjectTransfer(entry.path, byteCount: entry.size) { [sync, mover, tally] progress in
          if try await sync.hasEqualChecksums(pair) {
            tally.passed(pair, isSelected: true)
            return
          }
          try await mover.move(entry, progress: progress)
          tally.finished(action)
        }
      }
      tally.skip(pairs.skipped.filter { sync.options.selects($0.path) })
      return nil
    }
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(
      sync: sync, mover: mover, tally: tally, pairs: SyncPairs(sync.source.entries(), sync.target.entries()))
  }
}

/// The counts of a synchronization, and the deletions that are still to be done.
private final class SyncTally: Sendable {
  private struct State {
    var created = 0
    var updated = 0
    var deleted = 0
    var bytes: Int64 = 0
    var unchanged = 0
    var skipped: [SyncReport.Skipped] = []
    var deletions: [SyncAction] = []
  }

  private let didFinish: (@Sendable (SyncAction) -> Void)?
  private let state = Mutex(State())

  init(_ didFinish: (@Sendable (SyncAction) -> Void)?) {
    self.didFinish = didFinish
  }

  var deletions: [SyncAction] { state.withLock { $0.deletions } }
  var deleted: Int { state.withLock { $0.deleted } }

  /// Counts a pair without a difference.
  func passed(_ pair: SyncPair, isSelected: Bool) {
    guard isSelected, pair.source != nil, pair.target != nil else { return }
    state.withLock { $0.unchanged += 1 }
  }

  func postpone(_ action: SyncAction) {
    state.withLock { $0.deletions.append(action) }
  }

  func skip(_ files: [SyncReport.Skipped]) {
    state.withLock { $0.skipped = files }
  }

  func finished(_ action: SyncAction) {
    state.withLock { state in
      switch action.kind {
      case .create: state.created += 1
      case .update: state.updated += 1
      case .delete: state.deleted += 1
      }
      if action.kind != .delete { state.bytes = state.bytes.saturatingAdding(action.byteCount) }
      didFinish?(action)
    }
  }

  func report(_ transfers: PipelineReport) -> SyncReport {
    state.withLock { state in
      SyncReport(
        created: state.created, updated: state.updated, bytes: state.bytes, unchanged: state.unchanged,
        skipped: state.skipped, transfers: transfers)
    }
  }
}
