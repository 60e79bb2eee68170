// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import Synchronization
public import SystemPackage

/// A synchronization, which gives a folder or a store the content of another folder or store.
///
/// The sides can be in any combination of folders and of stores of any providers:
///
/// ```swift
/// let backup = FolderSync(from: .folder("photos"), to: .objects(in: client, below: "photos/"))
/// let report = try await backup.run { print($0.fractionCompleted) }
/// ```
///
/// Both sides are listed in the order of their paths and compared as they are read, so that only the differences are in
/// memory. A file or an object appears at its target only when it is complete. After an interruption, also
/// by the end of the process, another run transfers what is missing; a large file continues with the missing parts.
public struct FolderSync: Sendable {
  /// The side whose content is transferred.
  public let source: SyncLocation

  /// The side that receives the content.
  public let target: SyncLocation

  /// The comparison, the selection and the limits.
  public let options: SyncOptions

  /// The file system with the folder for the state of large transfers.
  private var fileSystem: any FileSystem = .system

  /// Creates a synchronization.
  ///
  /// - Parameters:
  ///   - source: The side whose content is transferred.
  ///   - target: The side that receives the content.
  ///   - options: The comparison, the selection and the limits.
  public init(from source: SyncLocation, to target: SyncLocation, options: SyncOptions = SyncOptions()) {
    self.source = source
    self.target = target
    self.options = options
  }

  /// Creates a synchronization whose state is in any file system.
  package init(
    from source: SyncLocation, to target: SyncLocation, options: SyncOptions, in fileSystem: any FileSystem
  ) {
    self.init(from: source, to: target, options: options)
    self.fileSystem = fileSystem
  }

  /// Returns the differences of the two sides without removing them.
  ///
  /// - Returns: What ``run(progress:didFinish:)`` would do.
  /// - Throws: The errors that ``run(progress:didFinish:)`` throws before it changes anything.
  public func preview() async throws -> SyncPreview {
    let (source, target) = try await openSides()
    var plan = try await SyncPlan(source.entries(), target.entries(), options)
    try await plan.removeEqual { try await $0.hasEqualChecksums(source, target) }
    return SyncPreview(
      actions: plan.transfers.map(\.action) + plan.deletions.map { SyncAction(deleting: $0) },
      unchanged: plan.unchanged, skipped: plan.skipped, kept: plan.kept)
  }

  /// Removes the differences of the two sides.
  ///
  /// Both sides are listed to the end before anything is changed. A failed transfer does not stop the others. Deletions
  /// follow after the transfers; after a failed transfer, there are none unless the options ask for them. What has the
  /// path of a skipped file of the source, or a path below it, is not deleted either.
  ///
  /// - Parameters:
  ///   - progress: A closure that receives the progress of the transfers, one call at a time, on an arbitrary thread.
  ///   - didFinish: A closure that receives each difference that was removed, one call at a time, on an arbitrary thread.
  /// - Returns: The numbers of transferred, deleted and unchanged files and objects, what was skipped and kept, and the
  ///   failures.
  /// - Throws: ``StorageError/Code/unusableFile`` if the source does not exist, a folder cannot be read, or another
  ///   synchronization writes to the target folder; ``StorageError/Code/emptySource`` if everything would be deleted
  ///   because the source is empty; ``StorageError/Code/invalidOption`` if one side is inside the other; the errors of the
  ///   listings, and `CancellationError` if the task is cancelled. Unless the task was cancelled, both sides are as before.
  public func run(
    progress: PipelineProgress.Handler? = nil, didFinish: (@Sendable (SyncAction) -> Void)? = nil
  ) async throws -> SyncReport {
    let (source, target) = try await openSides()
    let state = try await openState(source, target)
    var staging: StagingFolder?
    if case .folder(let root) = target { staging = try await .open(in: root) }
    do {
      let plan = try await SyncPlan(source.entries(), target.entries(), options)
      if case .nothing = target, case .folder(let path, let system) = self.target.storage {
        staging = try await .open(in: RootFolder(creating: path, in: system))
      }
      let mover = SyncMover(try route(source, target, staging), state, options)
      let report = try await carryOut(plan, source, target, mover, progress, didFinish)
      // What is left there does no harm, and the next synchronization removes it.
      try? await staging?.finish(isComplete: report.isComplete)
      return report
    } catch {
      try? await staging?.finish(isComplete: false)
      throw error
    }
  }

  private func carryOut(
    _ plan: SyncPlan, _ source: OpenSide, _ target: OpenSide, _ mover: SyncMover, _ progress: PipelineProgress.Handler?,
    _ didFinish: (@Sendable (SyncAction) -> Void)?
  ) async throws -> SyncReport {
    var plan = plan
    // In a store, a key and the prefix of another key do not exclude each other.
    var obstacles: [SyncEntry] = []
    if case .objects = target {} else { obstacles = plan.takeObstacles() }
    let tally = SyncTally(unchanged: plan.unchanged, didFinish)
    let pipeline = TransferPipeline(transfersInFlight: options.transfersInFlight)
    let transfers = try await pipeline.run(
      plan.transfers.lazy.map { transfer in
        ObjectTransfer(transfer.entry.path, byteCount: transfer.entry.size) { progress in
          if transfer.comparesChecksums, try await transfer.hasEqualChecksums(source, target) {
            tally.foundEqual()
            return
          }
          if try await mover.move(transfer, progress: progress) { tally.finished(transfer.action) }
        }
      }, progress: progress)
    let reason = "A transfer failed."
    if !transfers.isComplete, !options.deletesAfterFailures {
      plan.keepAll(and: obstacles, because: reason)
      obstacles = []
    }
    var failedDeletions = try await mover.delete(obstacles) { tally.finished($0) }
    let obstructed = await mover.moveWaiting { tally.finished($0) }
    if !obstructed.isEmpty, !options.deletesAfterFailures { plan.keepAll(because: reason) }
    failedDeletions += try await mover.delete(plan.deletions) { tally.finished($0) }
    return tally.report(transfers.adding(obstructed), plan, failedDeletions: failedDeletions)
  }

  // MARK: Sides

  /// Opens both sides, and checks that neither is inside the other.
  private func openSides() async throws -> (source: OpenSide, target: OpenSide) {
    if case .folder = source.storage, case .folder = target.storage { throw StorageError.bothSidesAreFolders }
    try source.checkIsApart(from: target)
    let from = try await source.opened()
    if case .nothing = from, case .folder(let path, _) = source.storage {
      throw StorageError(
        .unusableFile, "The folder \(path) does not exist; both sides are as before.", remedy: "Check its name.")
    }
    return (from, try await target.opened())
  }

  /// Opens the folder for the state of large transfers, which must not be synchronized itself.
  private func openState(_ source: OpenSide, _ target: OpenSide) async throws -> StateFolder? {
    guard let path = options.stateFolder else { return nil }
    let state = try await StateFolder(path, in: fileSystem)
    for case .folder(let root) in [source, target] where try await root.contains(path) {
      throw StorageError(
        .invalidOption, "The folder \(path) for the state of transfers is inside \(root.folder.path).",
        remedy: "Name a folder outside of both sides.")
    }
    return state
  }

  private func route(
    _ source: OpenSide, _ target: OpenSide, _ staging: StagingFolder?
  ) throws(StorageError) -> SyncMover.Route {
    switch (source, target, staging) {
    case (.folder(let root), .objects(let store, let prefix, _), _): .upload(root, store, prefix: prefix)
    case (.objects(let from, let prefix, let bucket), .objects(let to, let targetPrefix, _), _):
      .copy(from, prefix: prefix, bucket: bucket, to, targetPrefix: targetPrefix)
    case (.objects(let store, let prefix, _), _, let staging?): .download(store, prefix: prefix, staging)
    default: throw StorageError.bothSidesAreFolders
    }
  }
}

extension StorageError {
  fileprivate static var bothSidesAreFolders: StorageError {
    StorageError(.unsupported, "Both sides of the synchronization are folders.", remedy: "Name a store on one side.")
  }
}

extension SyncPlan.Transfer {
  /// Returns whether the entries have equal checksums, which is `false` unless checksums are to be compared.
  fileprivate func hasEqualChecksums(_ source: OpenSide, _ target: OpenSide) async throws -> Bool {
    guard comparesChecksums, let replaced else { return false }
    return try await source.hasEqualChecksum(entry, replaced, in: target)
  }
}

/// The counts of a synchronization.
private final class SyncTally: Sendable {
  private struct State {
    var created = 0
    var updated = 0
    var deleted = 0
    var bytes: Int64 = 0
    var unchanged: Int
  }

  private let didFinish: (@Sendable (SyncAction) -> Void)?
  private let state: Mutex<State>

  init(unchanged: Int, _ didFinish: (@Sendable (SyncAction) -> Void)?) {
    self.didFinish = didFinish
    state = Mutex(State(unchanged: unchanged))
  }

  func foundEqual() { state.withLock { $0.unchanged += 1 } }

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

  func report(_ transfers: PipelineReport, _ plan: SyncPlan, failedDeletions: [PipelineReport.Failure]) -> SyncReport {
    state.withLock { state in
      SyncReport(
        created: state.created, updated: state.updated, bytes: state.bytes, unchanged: state.unchanged,
        skipped: plan.skipped, kept: plan.kept, transfers: transfers, deleted: state.deleted,
        failedDeletions: failedDeletions)
    }
  }
}

/// A difference between the two sides of a synchronization, and the way in which it is removed.
public struct SyncAction: Sendable, Hashable {
  /// The way in which a difference is removed.
  public enum Kind: String, Sendable, Hashable {
    /// The file or the object is transferred, because the target does not have it.
    case create
    /// The file or the object is transferred, because that of the target differs.
    case update
    /// The file or the object of the target is deleted, because the source does not have it.
    case delete
  }

  /// The way in which the difference is removed.
  public let kind: Kind

  /// The path below the folder or the prefix, with slashes.
  public let path: String

  /// The number of bytes to transfer, or the size of what is deleted.
  public let byteCount: Int64
}

/// The differences of the two sides of a synchronization, which were not removed.
public struct SyncPreview: Sendable {
  /// The differences: first the transfers, then the deletions, each in the order of their paths.
  public let actions: [SyncAction]

  /// The number of files and objects that are equal on both sides.
  public let unchanged: Int

  /// The files of the source that are not regular or have unusable names.
  public let skipped: [SyncReport.Skipped]

  /// The files and objects of the target that would not be deleted, although the source does not list them.
  public let kept: [SyncReport.Kept]
}

/// The result of a synchronization.
public struct SyncReport: Sendable {
  /// A file or an object of the target that was not deleted, although the source does not list it.
  public struct Kept: Sendable, Hashable {
    /// The path below the folder or the prefix.
    public let path: String

    /// A sentence that states the reason.
    public let reason: String
  }

  /// A file that cannot be synchronized.
  public struct Skipped: Sendable, Hashable {
    /// The path below the folder.
    public let path: String

    /// A sentence that states the reason.
    public let reason: String
  }

  /// The number of files and objects that the target did not have.
  public let created: Int

  /// The number of files and objects that differed.
  public let updated: Int

  /// The number of bytes of the transferred files and objects.
  public let bytes: Int64

  /// The number of files and objects that were equal on both sides.
  public let unchanged: Int

  /// The files of the source that are not regular or have unusable names.
  public let skipped: [Skipped]

  /// The files and objects of the target that were not deleted, although the source does not list them.
  ///
  /// The source skipped something with their path, or a transfer failed.
  public internal(set) var kept: [Kept] = []

  /// The result of the transfers, with the errors of those that failed.
  public let transfers: PipelineReport

  /// The number of deleted files and objects.
  public internal(set) var deleted = 0

  /// The files and objects that could not be deleted, with the errors.
  public internal(set) var failedDeletions: [PipelineReport.Failure] = []

  /// A Boolean value that indicates whether the target now has all that the source has, apart from the skipped
  /// files, and no more if deletions were requested.
  public var isComplete: Bool { transfers.isComplete && failedDeletions.isEmpty && kept.isEmpty }
}

/// The comparison, the selection and the limits of a synchronization.
public struct SyncOptions: Sendable, Hashable {
  /// A way to find out whether two files or objects are equal.
  public enum Comparison: Sendable, Hashable {
    /// Equal sizes, and a source that was not changed after the target, in whole seconds.
    case sizeAndTime
    /// Equal sizes and equal checksums, for which files are read and one request is sent for each object.
    ///
    /// Two objects whose services report different kinds of checksums count as different.
    case checksum
    /// Never equal: everything is transferred.
    case none
  }

  /// The way to find out whether a file or an object must be transferred.
  public var comparison: Comparison

  /// A Boolean value that indicates whether files and objects of the target that the source does not have are deleted.
  public var deletes: Bool

  /// A Boolean value that indicates whether files and objects of the target are also deleted if a transfer failed.
  ///
  /// By default, a run in which a transfer failed deletes no file and no object.
  public var deletesAfterFailures = false

  /// A Boolean value that indicates whether everything in the target is deleted if the source is empty.
  ///
  /// By default, a source without files or objects is an error if ``deletes`` is set: usually its name is wrong.
  public var allowsEmptySource = false

  /// The patterns of the paths that are synchronized.
  ///
  /// If empty, all paths.
  public var includes: [PathPattern]

  /// The patterns of the paths that are neither transferred nor deleted, although they are included.
  public var excludes: [PathPattern]

  /// The maximum number of concurrent transfers, at least 1.
  public var transfersInFlight: Int { didSet { transfersInFlight = max(1, transfersInFlight) } }

  /// The size in bytes from which the state of a transfer is kept, if it is not the usual one.
  package var largeSize: Int64?

  /// The existing folder for the state of large uploads and copies, so that a later synchronization continues them.
  ///
  /// If `nil`, they start anew. The state of downloads is in the target folder.
  public var stateFolder: FilePath?

  /// Creates the options of a synchronization.
  ///
  /// - Parameters:
  ///   - comparison: The way to find out whether a file or an object must be transferred.
  ///   - deletes: Whether files and objects of the target that the source does not have are deleted.
  ///   - includes: The patterns of the paths that are synchronized. If empty, all paths.
  ///   - excludes: The patterns of the paths that are neither transferred nor deleted.
  ///   - transfersInFlight: The maximum number of concurrent transfers.
  ///   - stateFolder: The existing folder for the state of large uploads and copies, or `nil`.
  public init(
    comparison: Comparison = .sizeAndTime, deletes: Bool = false, includes: [PathPattern] = [],
    excludes: [PathPattern] = [], transfersInFlight: Int = 16, stateFolder: FilePath? = nil
  ) {
    self.comparison = comparison
    self.deletes = deletes
    self.includes = includes
    self.excludes = excludes
    self.transfersInFlight = max(1, transfersInFlight)
    self.stateFolder = stateFolder
  }

  /// Returns whether a path is synchronized.
  package func selects(_ path: String) -> Bool {
    (includes.isEmpty || includes.contains { $0.matches(path) }) && !excludes.contains { $0.matches(path) }
  }
}

/// A pattern for the paths of a synchronization, such as `*.jpg` or `2026/**`.
///
/// `*` stands for any characters except for a slash, `?` for one of them, and `**` for any characters. A pattern without
/// a slash is compared with the last component of a path, another pattern with the whole path; a slash at its start is
/// ignored. A pattern that ends with a slash matches everything in the folders that it describes.
public struct PathPattern: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The text of the pattern.
  public let text: String

  private enum Element: Hashable {
    case byte(UInt8), anyByte, anyBytes, anything
  }

  private let elements: [Element]
  private let comparesPath: Bool

  /// Creates a pattern.
  ///
  /// - Parameter text: The text of the pattern.
  public init(_ text: String) {
    self.text = text
    let body = text.removingBytePrefix("/") ?? text[...]
    comparesPath = text.hasByte("/")
    var elements: [Element] = []
    for byte in (body.hasByteSuffix("/") ? body + "**" : body).utf8 {
      switch (byte, elements.last) {
      case (UInt8(ascii: "*"), .anyBytes): elements[elements.count - 1] = .anything
      case (UInt8(ascii: "*"), .anything): break
      case (UInt8(ascii: "*"), _): elements.append(.anyBytes)
      case (UInt8(ascii: "?"), _): elements.append(.anyByte)
      default: elements.append(.byte(byte))
      }
    }
    self.elements = elements
  }

  /// Creates a pattern from a literal.
  ///
  /// - Parameter value: The text of the pattern.
  public init(stringLiteral value: String) { self.init(value) }

  /// Returns a Boolean value that indicates whether the pattern matches a path.
  ///
  /// The work is proportional to the length of the path times the length of the pattern.
  ///
  /// - Parameter path: A path with slashes.
  public func matches(_ path: String) -> Bool {
    let subject = comparesPath ? path[...] : path.words(between: "/").last ?? ""
    // The positions in the pattern that the bytes read so far can lead to.
    var reached = [Bool](repeating: false, count: elements.count + 1)
    reached[0] = true
    skipEmpty(&reached)
    for byte in subject.utf8 {
      var next = [Bool](repeating: false, count: elements.count + 1)
      for (index, element) in elements.enumerated() where reached[index] {
        switch element {
        case .byte(let expected): if byte == expected { next[index + 1] = true }
        case .anyByte: if byte != UInt8(ascii: "/") { next[index + 1] = true }
        case .anyBytes: if byte != UInt8(ascii: "/") { next[index] = true }
        case .anything: next[index] = true
        }
      }
      skipEmpty(&next)
      reached = next
    }
    return reached[elements.count]
  }

  /// Adds the positions behind elements that stand for no character.
  private func skipEmpty(_ reached: inout [Bool]) {
    for (index, element) in elements.enumerated() where reached[index] {
      if element == .anyBytes || element == .anything { reached[index + 1] = true }
    }
  }
}
