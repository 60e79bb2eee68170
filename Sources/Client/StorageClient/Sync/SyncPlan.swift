// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The transfers and deletions that remove the differences between the source and the target.
///
/// The plan is made from the options and both whole listings, so that a listing that fails has no effect.
struct SyncPlan: Sendable {
  /// The transfer of an entry of the source.
  struct Transfer: Sendable {
    let entry: SyncEntry
    /// The entry of the target with the same path, or `nil` if there is none.
    let replaced: SyncEntry?
    /// Whether the entry is transferred only if the checksums differ.
    let comparesChecksums: Bool
    /// Whether a file that will be deleted is at the path, or blocks a folder on the path.
    var isObstructed = false

    var action: SyncAction {
      SyncAction(kind: replaced == nil ? .create : .update, path: entry.path, byteCount: entry.size)
    }
  }

  private(set) var transfers: [Transfer] = []
  private(set) var deletions: [SyncEntry] = []
  /// The identities of the selected files of the target whose paths the source does not have.
  private(set) var unpairedFiles: Set<FileIdentity> = []
  /// The entries of the target that are not deleted, although the source does not list them.
  private(set) var kept: [SyncReport.Kept] = []
  private(set) var unchanged = 0
  /// The selected files and folders that the source skipped.
  private(set) var skipped: [SyncReport.Skipped] = []

  /// Lists both locations to the end, and compares them.
  init(_ source: SyncEntries, _ target: SyncEntries, _ options: SyncOptions) async throws {
    var pairs = try await SyncPairs(source, target)
    var (hasSource, hasSelectedSource) = (false, false)
    while let pair = try await pairs.next() {
      hasSource = hasSource || pair.source != nil
      guard options.selects((pair.source ?? pair.target)?.path ?? "") else { continue }
      hasSelectedSource = hasSelectedSource || pair.source != nil
      add(pair, options)
    }
    let isSourceSuspect = !hasSource || (!hasSelectedSource && !deletions.isEmpty)
    if isSourceSuspect, options.deletes, !options.allowsEmptySource {
      throw StorageError(
        .emptySource,
        hasSource
          ? "No file or object of the source is selected, and \(deletions.count) of the target would be deleted."
          : "The source is empty, and everything in the target would be deleted.",
        remedy: "Check the name of the source. If it is right, use allowsEmptySource or --allow-empty-source.")
    }
    skipped = pairs.skipped.filter { options.selects($0.path) }.map { .init(path: $0.path, reason: $0.reason) }
    keepTargets(of: SkippedPaths(pairs.skipped))
  }

  /// Adds the transfer or the deletion that removes the difference of a pair, if any.
  private mutating func add(_ pair: SyncPair, _ options: SyncOptions) {
    switch (pair.source, pair.target) {
    case (let source?, let target?):
      if options.comparison == .sizeAndTime, source.size == target.size, source.isNotNewer(than: target) {
        unchanged += 1
      } else {
        let comparesChecksums = options.comparison == .checksum && source.size == target.size
        transfers.append(Transfer(entry: source, replaced: target, comparesChecksums: comparesChecksums))
      }
    case (let source?, nil): transfers.append(Transfer(entry: source, replaced: nil, comparesChecksums: false))
    case (nil, let target?):
      if let identity = target.identity { unpairedFiles.insert(identity) }
      if options.deletes { deletions.append(target) }
    case (nil, nil): break
    }
  }

  /// Removes the deletions where the source has something that it could not list.
  private mutating func keepTargets(of skipped: SkippedPaths) {
    deletions.removeAll { entry in
      guard let source = skipped.skipped(at: entry.path) else { return false }
      let reason = "The source has \(source.path), which was skipped. \(source.reason)"
      kept.append(.init(path: entry.path, reason: reason))
      return true
    }
  }

  /// Removes the deletions that must precede a transfer from the plan, and returns their entries.
  ///
  /// For example, the file `a` is an obstacle if `a/b` is transferred, and `a/b` is an obstacle if `a` is transferred.
  mutating func extractObstacles() -> [SyncEntry] {
    guard !deletions.isEmpty else { return [] }
    let deletedPaths = Set(deletions.map { Array($0.path.utf8) })
    let transferredPaths = Set(transfers.map { Array($0.entry.path.utf8) })
    var obstaclePaths: Set<[UInt8]> = []
    var obstructedPaths: Set<[UInt8]> = []
    for path in transferredPaths {
      for folder in Self.folders(above: path) where deletedPaths.contains(folder) {
        obstaclePaths.insert(folder)
        obstructedPaths.insert(path)
      }
    }
    for path in deletedPaths {
      for folder in Self.folders(above: path) where transferredPaths.contains(folder) {
        obstaclePaths.insert(path)
        obstructedPaths.insert(folder)
      }
    }
    for index in transfers.indices {
      transfers[index].isObstructed = obstructedPaths.contains(Array(transfers[index].entry.path.utf8))
    }
    let obstacles = deletions.filter { obstaclePaths.contains(Array($0.path.utf8)) }
    deletions.removeAll { obstaclePaths.contains(Array($0.path.utf8)) }
    return obstacles
  }

  private static func folders(above path: [UInt8]) -> [[UInt8]] {
    path.indices.filter { path[$0] == UInt8(ascii: "/") }.map { Array(path[..<$0]) }
  }

  /// Removes all deletions from the plan, and records them and the given obstacles as kept.
  mutating func keepAllTargets(and obstacles: [SyncEntry] = [], because reason: String) {
    kept += (obstacles + deletions).map { .init(path: $0.path, reason: reason) }
    deletions = []
  }

  /// Removes the transfers whose checksums must be compared and are equal.
  mutating func removeEqualTransfers(_ isEqual: (Transfer) async throws -> Bool) async throws {
    var different: [Transfer] = []
    for transfer in transfers {
      if transfer.comparesChecksums, try await isEqual(transfer) { unchanged += 1 } else { different.append(transfer) }
    }
    transfers = different
  }
}

extension SyncAction {
  init(deleting entry: SyncEntry) { self.init(kind: .delete, path: entry.path, byteCount: entry.size) }
}

/// A pair of entries with the same path, of which one may be missing.
typealias SyncPair = (source: SyncEntry?, target: SyncEntry?)

/// The entries of the source and the target, paired by their paths and in the order of their paths.
struct SyncPairs {
  private var sources: SyncEntries
  private var targets: SyncEntries
  private var source: SyncEntry?
  private var target: SyncEntry?

  init(_ sources: SyncEntries, _ targets: SyncEntries) async throws {
    self.sources = sources
    self.targets = targets
    source = try await self.sources.next()
    target = try await self.targets.next()
  }

  var skipped: [SkippedPath] { sources.skipped }

  mutating func next() async throws -> SyncPair? {
    guard source != nil || target != nil else { return nil }
    var pair: SyncPair = (source, target)
    if let source, let target {
      // The entry with the smaller path is alone, because the other location has passed its place.
      if source.path.utf8.lexicographicallyPrecedes(target.path.utf8) { pair.target = nil }
      if target.path.utf8.lexicographicallyPrecedes(source.path.utf8) { pair.source = nil }
    }
    if pair.source != nil { source = try await sources.next() }
    if pair.target != nil { target = try await targets.next() }
    return pair
  }
}
