// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A synchronization, which gives a folder or a store the content of another folder or store.
///
/// Each of the two locations can be a folder, or a store of any provider, but not both of them folders:
///
/// ```swift
/// let backup = FolderSync(from: .folder("photos"), to: .objects(in: client, below: "photos/"))
/// let report = try await backup.run { print($0.fractionCompleted) }
/// ```
///
/// Both locations are listed in the order of their paths and compared as they are read, so that only the differences
/// are in memory. A file or an object appears at its target only when it is complete. After an interruption, also
/// by the end of the process, another run transfers what is missing; a large file continues with the missing parts.
public struct FolderSync: Sendable {
  /// The location whose content is transferred.
  public let source: SyncLocation
  /// The location that receives the content.
  public let target: SyncLocation
  /// The comparison, the selection and the limits.
  public let options: SyncOptions
  /// The file system with the folder for the state of large transfers.
  private var fileSystem: any FileSystem = .system

  /// Creates a synchronization; the parameters are the properties.
  public init(from source: SyncLocation, to target: SyncLocation, options: SyncOptions = SyncOptions()) {
    self.source = source
    self.target = target
    self.options = options
  }

  package init(
    from source: SyncLocation, to target: SyncLocation, options: SyncOptions, in fileSystem: any FileSystem
  ) {
    self.init(from: source, to: target, options: options)
    self.fileSystem = fileSystem
  }

  /// Returns the differences of the two locations, which ``run(progress:didFinish:)`` would remove.
  ///
  /// - Throws: The errors that ``run(progress:didFinish:)`` throws before it changes anything.
  public func preview() async throws -> SyncPreview {
    let (source, target) = try await openLocations()
    var plan = try await SyncPlan(source.entries(), target.entries(), options)
    try await plan.removeEqualTransfers { try await $0.isUnneeded(from: source, to: target) }
    return SyncPreview(
      actions: plan.transfers.map(\.action) + plan.deletions.map { SyncAction(deleting: $0) },
      unchanged: plan.unchanged, skipped: plan.skipped, kept: plan.kept)
  }

  /// Removes the differences of the two locations.
  ///
  /// Both locations are listed to the end before anything is changed. A failed transfer does not stop the others.
  /// Deletions follow after the transfers; after a failed transfer, there are no deletions unless the options ask for
  /// them. Paths that the source skipped, and paths below them, are not deleted either.
  ///
  /// - Parameters:
  ///   - progress: A closure that receives the progress of the transfers, one call at a time, on an arbitrary thread.
  ///   - didFinish: A closure that receives each removed difference, one call at a time, on an arbitrary thread.
  /// - Throws: ``StorageError/Code/unusableFile`` if the source does not exist, a folder cannot be read, or another
  ///   synchronization writes to the target folder; ``StorageError/Code/emptySource`` if everything would be deleted
  ///   because the source is empty; ``StorageError/Code/invalidOption`` if one location is inside the other; the errors
  ///   of the listings, and `CancellationError` if the task is cancelled. Unless the task was cancelled, both locations
  ///   are as before.
  public func run(
    progress: PipelineProgress.Handler? = nil, didFinish: (@Sendable (SyncAction) -> Void)? = nil
  ) async throws -> SyncReport {
    let (source, target) = try await openLocations()
    let stateFolder = try await openStateFolder(source, target)
    var staging: StagingFolder?
    if case .folder(let root) = target { staging = try await .open(in: root) }
    do {
      let plan = try await SyncPlan(source.entries(), target.entries(), options)
      // The folder is created only after both listings, so that a wrong name of the source leaves no empty folder.
      if case .missingFolder = target, case .folder(let path, let system) = self.target.storage {
        staging = try await .open(in: RootFolder(creating: path, in: system))
      }
      let executor = SyncExecutor(
        try route(source, target, staging), stateFolder, options, unpairedFiles: plan.unpairedFiles)
      let report = try await carryOut(plan, from: source, to: target, with: executor, progress: progress, didFinish)
      // Files that cannot be removed do no harm, and the next synchronization removes them.
      try? await staging?.finish(isComplete: report.isComplete)
      return report
    } catch {
      // The caller needs the first error.
      try? await staging?.finish(isComplete: false)
      throw error
    }
  }

  /// Carries out the transfers of the plan, and then the deletions, unless a transfer failed.
  private func carryOut(
    _ plan: SyncPlan, from source: OpenLocation, to target: OpenLocation, with executor: SyncExecutor,
    progress: PipelineProgress.Handler?, _ didFinish: (@Sendable (SyncAction) -> Void)?
  ) async throws -> SyncReport {
    var plan = plan
    // In a store, a key and the prefix of another key do not exclude each other.
    var obstacles: [SyncEntry] = []
    if case .objects = target {} else { obstacles = plan.extractObstacles() }
    let tally = SyncTally(unchanged: plan.unchanged, didFinish)
    let transfers = try await TransferPipeline(transfersInFlight: options.transfersInFlight).run(
      plan.transfers.map { transfer in
        ObjectTransfer(transfer.entry.path, byteCount: transfer.entry.size) { progress in
          if try await transfer.isUnneeded(from: source, to: target) {
            tally.recordEqual()
          } else if try await executor.carryOut(transfer, progress: progress) == .placed {
            tally.record(transfer.action)
          }
        }
      }, progress: progress)
    let reasonToKeep = "A transfer failed."
    if !transfers.isComplete, !options.deletesAfterFailures {
      plan.keepAllTargets(and: obstacles, because: reasonToKeep)
      obstacles = []
    }
    var failedDeletions = try await executor.delete(obstacles) { tally.record($0) }
    let unplacedFiles = await executor.placeObstructedFiles { tally.record($0) }
    if !unplacedFiles.isEmpty, !options.deletesAfterFailures { plan.keepAllTargets(because: reasonToKeep) }
    failedDeletions += try await executor.delete(plan.deletions) { tally.record($0) }
    return tally.report(transfers.addingFailures(unplacedFiles), plan, failedDeletions: failedDeletions)
  }

  /// Opens both locations, unless they are folders or overlap, or the source does not exist.
  private func openLocations() async throws -> (source: OpenLocation, target: OpenLocation) {
    if case .folder = source.storage, case .folder = target.storage { throw StorageError.bothLocationsAreFolders }
    try source.requireDisjoint(from: target)
    let openSource = try await source.opened()
    if case .missingFolder = openSource, case .folder(let path, _) = source.storage {
      throw StorageError(
        .unusableFile, "The folder \(path) does not exist; both sides are as before.", remedy: "Check its name.")
    }
    return (openSource, try await target.opened())
  }

  /// Opens the folder for the state of large transfers, which must not be synchronized itself.
  private func openStateFolder(_ source: OpenLocation, _ target: OpenLocation) async throws -> StateFolder? {
    guard let path = options.stateFolder else { return nil }
    let stateFolder = try await StateFolder(path, in: fileSystem)
    for case .folder(let root) in [source, target] where try await root.contains(path) {
      throw StorageError(
        .invalidOption, "The folder \(path) for the state of transfers is inside \(root.folder.path).",
        remedy: "Name a folder outside of both sides.")
    }
    return stateFolder
  }

  /// Returns the way of the bytes; for a download, the staging folder is in the target.
  private func route(
    _ source: OpenLocation, _ target: OpenLocation, _ staging: StagingFolder?
  ) throws(StorageError) -> SyncExecutor.Route {
    switch (source, target, staging) {
    case (.folder(let root), .objects(let target), _): .upload(from: root, to: target)
    case (.objects(let source), .objects(let target), _): .copy(from: source, to: target)
    case (.objects(let source), _, let staging?): .download(from: source, to: staging)
    default: throw StorageError.bothLocationsAreFolders
    }
  }
}

extension StorageError {
  fileprivate static var bothLocationsAreFolders: StorageError {
    StorageError(.unsupported, "Both sides of the synchronization are folders.", remedy: "Name a store on one side.")
  }
}

extension SyncPlan.Transfer {
  /// Returns whether the checksums must be compared and are equal, so that the transfer is not needed.
  fileprivate func isUnneeded(from source: OpenLocation, to target: OpenLocation) async throws -> Bool {
    guard comparesChecksums, let replaced else { return false }
    return try await source.hasEqualChecksum(entry, replaced, in: target)
  }
}

/// The counts of what a running synchronization has done.
private final class SyncTally: Sendable {
  private struct State {
    var actionCounts: [SyncAction.Kind: Int] = [:]
    var transferredBytes: Int64 = 0
    var unchangedCount: Int
  }

  private let didFinish: (@Sendable (SyncAction) -> Void)?
  private let state: Lock<State>

  init(unchanged: Int, _ didFinish: (@Sendable (SyncAction) -> Void)?) {
    self.didFinish = didFinish
    state = Lock(State(unchangedCount: unchanged))
  }

  func recordEqual() { state.withLock { $0.unchangedCount += 1 } }

  func record(_ action: SyncAction) {
    state.withLock { state in
      state.actionCounts[action.kind, default: 0] += 1
      if action.kind != .delete { state.transferredBytes = state.transferredBytes.saturatingAdding(action.byteCount) }
      didFinish?(action)
    }
  }

  func report(_ transfers: PipelineReport, _ plan: SyncPlan, failedDeletions: [PipelineReport.Failure]) -> SyncReport {
    state.withLock { state in
      SyncReport(
        created: state.actionCounts[.create, default: 0], updated: state.actionCounts[.update, default: 0],
        bytes: state.transferredBytes, unchanged: state.unchangedCount, skipped: plan.skipped, kept: plan.kept,
        transfers: transfers, deleted: state.actionCounts[.delete, default: 0], failedDeletions: failedDeletions)
    }
  }
}
