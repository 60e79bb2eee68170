// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto
internal import SystemPackage

/// The differences between two sides, and the way in which each of them is removed.
///
/// The plan depends on the two listings and the options only. Both sides have been listed to the end when it exists, so
/// that a listing that is wrong or ends early has no effect.
struct SyncPlan: Sendable {
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
  private(set) var unchanged = 0
  /// The selected files and folders that the source skipped.
  private(set) var skipped: [SyncReport.Skipped] = []

  /// Lists both sides to the end, and compares them.
  init(_ source: SyncEntries, _ target: SyncEntries, _ options: SyncOptions) async throws {
    var pairs = try await SyncPairs(source, target)
    var (hasSource, hasSelectedSource) = (false, false)
    while let pair = try await pairs.next() {
      hasSource = hasSource || pair.source != nil
      guard options.selects((pair.source ?? pair.target)?.path ?? "") else { continue }
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
      let isCurrent = from.size == to.size && options.comparison == .sizeAndTime && from.isNotNewer(than: to)
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

  /// Takes the deletions out of the plan that another file needs before it can have its place: a file with the name of
  /// its folder, or the files in a folder with its name.
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

  private static func folders(of path: [UInt8]) -> [[UInt8]] {
    path.indices.filter { path[$0] == UInt8(ascii: "/") }.map { Array(path[..<$0]) }
  }

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
  init(deleting entry: SyncEntry) { self.init(kind: .delete, path: entry.path, byteCount: entry.size) }
}

/// A pair of entries with the same path, of which one may be missing.
typealias SyncPair = (source: SyncEntry?, target: SyncEntry?)

/// The entries of both sides of a synchronization, paired by their paths.
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

  /// Returns the next pair in the order of the paths, or `nil` at the end.
  mutating func next() async throws -> SyncPair? {
    guard source != nil || target != nil else { return nil }
    let pair: SyncPair
    switch (source, target) {
    case (let from?, let to?) where from.path.isIdentical(to: to.path): pair = (from, to)
    case (let from?, let to) where to.map({ from.path.utf8.lexicographicallyPrecedes($0.path.utf8) }) ?? true:
      pair = (from, nil)
    default: pair = (nil, target)
    }
    if pair.source != nil { source = try await sources.next() }
    if pair.target != nil { target = try await targets.next() }
    return pair
  }
}

extension OpenSide {
  /// Returns whether an entry of this side has the same checksum as an entry of another side.
  func hasEqualChecksum(_ entry: SyncEntry, _ otherEntry: SyncEntry, in other: OpenSide) async throws -> Bool {
    // A service determines the algorithm, so the file is read second.
    if case .folder = self {
      guard let expected = try await other.checksum(otherEntry, .crc64) else { return false }
      return try await checksum(entry, expected.algorithm) == expected
    }
    guard let expected = try await checksum(entry, .crc64) else { return false }
    return try await other.checksum(otherEntry, expected.algorithm) == expected
  }

  /// Returns the checksum of an entry, or `nil` if the service does not report it; a service has its own algorithm.
  private func checksum(_ entry: SyncEntry, _ algorithm: ObjectChecksum.Algorithm) async throws -> ObjectChecksum? {
    switch self {
    case .nothing: return nil
    case .objects(let store, let prefix, _): return try await store.head(prefix + entry.path).checksum
    case .folder(let root):
      var checksum = CRC(algorithm.crc)
      let chunks = FilePayload(try await root.open(entry.path)).stream.makeAsyncIterator()
      while let chunk = try await chunks.nextChunk() { chunk.withSpan { checksum.update($0) } }
      return ObjectChecksum(algorithm, checksum.checksum)
    }
  }
}

/// A file or a folder of the source that cannot be synchronized.
///
/// What has its path in the target, or a path below it, is not deleted: the source has it, in its way.
struct SkippedPath: Sendable {
  /// The path, in which bytes that are not UTF-8 are replaced.
  let path: String
  let reason: String
  /// The parts of the last name that are UTF-8, if it is not, between which any other bytes can be.
  fileprivate let parts: [[UInt8]]?
  /// The path of the folder, which is empty or ends with a slash.
  fileprivate let folder: String

  init(_ path: String, _ reason: String) {
    self.path = path
    self.reason = reason
    folder = ""
    parts = nil
  }

  /// Creates a skipped file whose name is not UTF-8, in a folder whose path is empty or ends with a slash.
  init(undecodable name: FilePath.Component, in folder: String) {
    self.folder = folder
    path = folder + name.string
    reason = "Its name is not UTF-8."
    // Another tool may have transcoded the name: each byte that is not ASCII stands for any bytes.
    parts = name.bytes.split(omittingEmptySubsequences: false) { $0 >= 0x80 }.map(Array.init)
  }

  /// Returns whether a name can be the name of this file in another encoding.
  fileprivate func resembles(_ name: ArraySlice<UInt8>) -> Bool {
    guard let parts, let first = parts.first, let last = parts.last else { return false }
    guard name.count >= first.count + last.count, name.starts(with: first),
      name.reversed().starts(with: last.reversed())
    else { return false }
    var rest = name.dropFirst(first.count).dropLast(last.count)
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let range = rest.firstRange(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    return true
  }
}

/// The paths that a deletion must not touch, because the source has something there that it skipped.
struct SkippedPaths {
  /// The largest number of names in one folder that are compared with each path.
  private static let comparedNames = 16

  private var exact: [[UInt8]: SkippedPath] = [:]
  private var undecodable: [[UInt8]: [SkippedPath]] = [:]

  init(_ skipped: [SkippedPath]) {
    for file in skipped {
      if file.parts != nil {
        undecodable[Array(file.folder.utf8), default: []].append(file)
      } else {
        exact[Array(file.path.utf8)] = file
      }
    }
  }

  /// Returns what the source skipped at a path or at a folder above it, or `nil`.
  func skipped(at path: String) -> SkippedPath? {
    if exact.isEmpty, undecodable.isEmpty { return nil }
    let bytes = Array(path.utf8)
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.count
      if let file = exact[Array(bytes[..<end])] { return file }
      if let files = undecodable[Array(bytes[..<start])] {
        // Of very many such names, one is taken for all.
        if files.count > Self.comparedNames { return files.first }
        if let file = files.first(where: { $0.resembles(bytes[start..<end]) }) { return file }
      }
      start = end + 1
    }
    return nil
  }
}
