// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The differences between two sides, and the way in which each of them is removed.
///
/// The plan depends on the two listings and the options only. Both sides have been listed to the end when it exists, so
/// that a listing that is wrong or ends early has no effect.
struct SyncPlan: Sendable {
  /// A file or an object that is transferred.
  struct Transfer: Sendable {
    let entry: SyncEntry
    /// The entry of the target that is replaced, or `nil`.
    let replaced: SyncEntry?
    /// Whether the two are transferred only if their checksums differ.
    let comparesChecksums: Bool
    /// Whether something that will be deleted has the place of the file.
    var isObstructed = false

    var action: SyncAction {
      SyncAction(kind: replaced == nil ? .create : .update, path: entry.path, byteCount: entry.size)
    }
  }

  /// The transfers, in the order of their paths.
  private(set) var transfers: [Transfer] = []
  /// The entries of the target that are deleted, in the order of their paths.
  private(set) var deletions: [SyncEntry] = []
  /// The entries of the target that would be deleted if the source did not have something that it skipped.
  private(set) var kept: [SyncReport.Kept] = []
  /// The number of entries that are equal on both sides.
  private(set) var unchanged = 0
  /// The selected files and folders that the source skipped.
  private(set) var skipped: [SyncReport.Skipped] = []

  /// Lists both sides to the end, and compares them.
  ///
  /// - Throws: ``StorageError/Code/emptySource`` if everything in the target would be deleted because the source is
  ///   empty, and the errors of the listings.
  init(_ source: SyncEntries, _ target: SyncEntries, _ options: SyncOptions) async throws {
    var pairs = SyncPairs(source, target)
    var (hasSource, hasSelectedSource) = (false, false)
    while let pair = try await pairs.next() {
      hasSource = hasSource || pair.source != nil
      guard options.selects(pair.path) else { continue }
      hasSelectedSource = hasSelectedSource || pair.source != nil
      add(pair, options)
    }
    if options.deletes, !options.allowsEmptySource, !hasSource || !hasSelectedSource && !deletions.isEmpty {
      throw StorageError(
        .emptySource,
        hasSource
          ? "No file or object of the source is selected, and \(deletions.count) of the target would be deleted."
          : "The source is empty, and everything in the target would be deleted.",
        remedy: "Check the name of the source. If it is right, use allowsEmptySource or --allow-empty-source.")
    }
    skipped = pairs.skipped.filter { options.selects($0.path) }.map { .init(path: $0.path, reason: $0.reason) }
    keep(SkippedPaths(pairs.skipped))
  }

  private mutating func add(_ pair: SyncPair, _ options: SyncOptions) {
    switch (pair.source, pair.target) {
    case (let from?, let to?):
      let isCurrent =
        from.size == to.size && options.comparison == .sizeAndTime && from.isNotNewer(than: to)
      if isCurrent {
        unchanged += 1
      } else {
        let comparesChecksums = options.comparison == .checksum && from.size == to.size
        transfers.append(Transfer(entry: from, replaced: to, comparesChecksums: comparesChecksums))
      }
    case (let from?, nil): transfers.append(Transfer(entry: from, replaced: nil, comparesChecksums: false))
    case (nil, let to?): if options.deletes { deletions.append(to) }
    case (nil, nil): break
    }
  }

  /// Takes the deletions out of the plan that concern what the source skipped.
  private mutating func keep(_ skipped: SkippedPaths) {
    deletions.removeAll { entry in
      guard let file = skipped.skipped(at: entry.path) else { return false }
      kept.append(.init(path: entry.path, reason: "The source has \(file.path), which was skipped. \(file.reason)"))
      return true
    }
  }

  /// Finds the files that must be deleted before another file can have its place: a file with the name of its folder, or
  /// the files in a folder with its name.
  ///
  /// - Returns: The deletions of these files, which are no longer in the plan.
  mutating func takeObstacles() -> [SyncEntry] {
    guard !deletions.isEmpty else { return [] }
    let deleted = Set(deletions.map { Array($0.path.utf8) })
    let created = Set(transfers.map { Array($0.entry.path.utf8) })
    var inTheWay: Set<[UInt8]> = []
    var obstructed: Set<[UInt8]> = []
    for path in created {
      for folder in Self.folders(of: path) where deleted.contains(folder) {
        inTheWay.insert(folder)
        obstructed.insert(path)
      }
    }
    for path in deleted {
      for folder in Self.folders(of: path) where created.contains(folder) {
        inTheWay.insert(path)
        obstructed.insert(folder)
      }
    }
    for index in transfers.indices {
      transfers[index].isObstructed = obstructed.contains(Array(transfers[index].entry.path.utf8))
    }
    let obstacles = deletions.filter { inTheWay.contains(Array($0.path.utf8)) }
    deletions.removeAll { inTheWay.contains(Array($0.path.utf8)) }
    return obstacles
  }

  /// Returns the paths of the folders above a path.
  private static func folders(of path: [UInt8]) -> [[UInt8]] {
    path.indices.filter { path[$0] == UInt8(ascii: "/") }.map { Array(path[..<$0]) }
  }

  /// Takes all deletions out of the plan.
  mutating func keepAll(and obstacles: [SyncEntry] = [], because reason: String) {
    kept += (obstacles + deletions).map { .init(path: $0.path, reason: reason) }
    deletions = []
  }

  /// Removes a transfer of equal contents from the plan.
  mutating func removeEqual(_ isEqual: (Transfer) async throws -> Bool) async throws {
    var different: [Transfer] = []
    for transfer in transfers {
      if transfer.comparesChecksums, try await isEqual(transfer) { unchanged += 1 } else { different.append(transfer) }
    }
    transfers = different
  }
}

extension SyncAction {
  /// Creates the deletion of an entry.
  init(deleting entry: SyncEntry) {
    self.init(kind: .delete, path: entry.path, byteCount: entry.size)
  }
}
