// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto
internal import SystemPackage

/// A pair of entries with the same path, of which one may be missing.
struct SyncPair: Sendable {
  let source: SyncEntry?
  let target: SyncEntry?

  /// The path of the entries.
  var path: String { (source ?? target)?.path ?? "" }
}

/// The entries of both sides of a synchronization, paired by their paths.
struct SyncPairs {
  private var sources: SyncEntries
  private var targets: SyncEntries
  private var source: SyncEntry?
  private var target: SyncEntry?
  private var hasStarted = false

  init(_ sources: SyncEntries, _ targets: SyncEntries) {
    self.sources = sources
    self.targets = targets
  }

  /// The files of the source that cannot be synchronized.
  var skipped: [SkippedPath] { sources.skipped }

  /// Returns the next pair in the order of the paths, or `nil` at the end.
  mutating func next() async throws -> SyncPair? {
    if !hasStarted {
      hasStarted = true
      source = try await sources.next()
      target = try await targets.next()
    }
    guard source != nil || target != nil else { return nil }
    let pair: SyncPair
    switch (source, target) {
    case (let from?, let to?) where from.path.isIdentical(to: to.path): pair = SyncPair(source: from, target: to)
    case (let from?, let to) where to.map({ from.path.precedes($0.path) }) ?? true:
      pair = SyncPair(source: from, target: nil)
    default: pair = SyncPair(source: nil, target: target)
    }
    if pair.source != nil { source = try await sources.next() }
    if pair.target != nil { target = try await targets.next() }
    return pair
  }
}

extension SyncEntry {
  /// Returns whether the entry was not changed after another entry, in whole seconds.
  func isNotNewer(than other: SyncEntry) -> Bool {
    guard let here = modifiedSeconds, let there = other.modifiedSeconds else { return false }
    return here <= there
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

  /// Returns the checksum of an entry, or `nil` if the service does not report it.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - algorithm: The algorithm for a file; a service has its own.
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
