// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A check that the pages of a listing ascend, stay inside of what was requested, and come to an end.
///
/// Names are compared as bytes: a key in two Unicode spellings is two keys. Names that ascend strictly from page to page
/// cannot repeat, so that only empty pages could follow each other without end; their number is limited. The memory is
/// bounded by that limit.
///
/// The general purpose buckets of S3, OSS, COS and compatible services sort. Directory buckets of S3 do not, and are not
/// supported.
struct ListingOrder: Sendable {
  /// The maximum number of consecutive empty pages that have a continuation.
  ///
  /// Services send such pages while they skip deleted objects or, with a delimiter, large groups.
  static let emptyPageLimit = 1_000

  /// The prefix and the delimiter of a listing, or `nil` if they are unknown.
  struct Scope: Sendable {
    let prefix: String
    let delimiter: String?
  }

  private let scope: Scope?
  private var lastName: String?
  /// The continuations that were received since the last page with an entry, as bytes.
  private var continuations: Set<[UInt8]> = []

  init(_ scope: Scope?) {
    self.scope = scope
  }

  /// Requires that a page continues the listing: its names and its continuation.
  mutating func advance(over page: ListPage) throws(StorageError) {
    for entry in page.entries {
      try scope?.requireContained(entry)
      if let lastName { try Self.require(entry.name, follows: lastName) }
      lastName = entry.name
    }
    if !page.entries.isEmpty { continuations = [] }
    guard let continuation = page.continuation else { return }
    try Self.requireNew(continuation: Array(continuation.utf8), among: &continuations)
  }

  /// Requires that a name is greater than the previous name in the order of their bytes.
  static func require(_ name: String, follows last: String) throws(StorageError) {
    guard !last.utf8.lexicographicallyPrecedes(name.utf8) else { return }
    throw StorageError.contradiction(
      "the listed name \(name.quotedExcerpt) \(name.isIdentical(to: last) ? "is listed twice" : "follows \(last.quotedExcerpt)"), "
        + "but names ascend in the order of their bytes")
  }

  /// Requires that a continuation is new, and that not too many pages without entries follow each other.
  static func requireNew(continuation: [UInt8], among received: inout Set<[UInt8]>) throws(StorageError) {
    guard received.insert(continuation).inserted else {
      throw StorageError.contradiction("a page has the same continuation as an earlier page, so that it never ends")
    }
    guard received.count <= emptyPageLimit else {
      throw StorageError.contradiction("more than \(emptyPageLimit) pages in a row are empty and not the last one")
    }
  }
}

extension ListingOrder.Scope {
  /// Requires that a name starts with the prefix, and contains the delimiter at its end only if it is a common prefix.
  fileprivate func requireContained(_ entry: ListEntry) throws(StorageError) {
    guard let remainder = entry.name.removingBytePrefix(prefix) else {
      throw StorageError.contradiction(
        "the name \(entry.name.quotedExcerpt) does not start with the prefix \(prefix.quotedExcerpt)")
    }
    let delimiter = delimiter ?? ""
    let firstDelimiterEnd = delimiter.isEmpty ? nil : remainder.utf8.firstRange(of: delimiter.utf8)?.upperBound
    switch entry {
    case .object:
      guard firstDelimiterEnd == nil else {
        throw StorageError.contradiction(
          "the key \(entry.name.quotedExcerpt) contains the delimiter \(delimiter.quotedExcerpt), but is no common prefix"
        )
      }
    case .commonPrefix:
      guard firstDelimiterEnd == remainder.endIndex else {
        throw StorageError.contradiction(
          "the common prefix \(entry.name.quotedExcerpt) does not end with the first delimiter \(delimiter.quotedExcerpt)"
        )
      }
    }
  }
}

/// A check that the pages of a listing, in which a key has several entries with IDs, ascend by key and come to an end.
///
/// OSS and COS sort the uploads of one key by their IDs, and S3 by their times. In both orders no entry is listed twice,
/// so that the IDs of one key are remembered until the next key.
struct RepeatedKeyOrder: Sendable {
  /// The maximum number of entries of one key, which limits the memory.
  private static let entriesPerKeyLimit = 100_000

  /// The name of an entry in errors.
  private let noun: String
  private let prefix: String?
  private var currentKey: String?
  /// The hash values of the IDs of the entries of the current key.
  private var hashesOfIDs: Set<Int> = []
  /// The markers that were received since the last page with an entry, as bytes.
  private var markers: Set<[UInt8]> = []

  init(of noun: String, prefix: String?) {
    self.noun = noun
    self.prefix = prefix
  }

  /// Requires that a page continues the listing: its entries and the marker of the next page.
  mutating func advance(
    over entries: [(key: String, id: String)], next: (key: String, id: String)?
  ) throws(StorageError) {
    for entry in entries { try advance(overKey: entry.key, id: entry.id) }
    if !entries.isEmpty { markers = [] }
    guard let next else { return }
    try ListingOrder.requireNew(continuation: Array(next.key.utf8) + [0] + Array(next.id.utf8), among: &markers)
  }

  private mutating func advance(overKey key: String, id: String) throws(StorageError) {
    guard key.hasBytePrefix(prefix ?? "") else {
      throw StorageError.contradiction(
        "the key \(key.quotedExcerpt) does not start with the prefix \((prefix ?? "").quotedExcerpt)")
    }
    if let currentKey, !currentKey.isIdentical(to: key) {
      try ListingOrder.require(key, follows: currentKey)
      hashesOfIDs = []
    }
    currentKey = key
    guard hashesOfIDs.insert(Array(id.utf8).hashValue).inserted else {
      throw StorageError.contradiction("the \(noun) \(id.quotedExcerpt) of \(key.quotedExcerpt) is listed twice")
    }
    guard hashesOfIDs.count <= Self.entriesPerKeyLimit else {
      throw StorageError.contradiction("\(key.quotedExcerpt) has more than \(Self.entriesPerKeyLimit) entries")
    }
  }
}
