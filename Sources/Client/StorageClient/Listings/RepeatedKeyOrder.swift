// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

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
  private var key: String?
  /// The hash values of the IDs of the entries of the current key.
  private var hashesOfIDs: Set<Int> = []
  /// The markers that were received since the last page with an entry, as bytes.
  private var markers: Set<[UInt8]> = []

  init(of noun: String, prefix: String?) {
    self.noun = noun
    self.prefix = prefix
  }

  /// Requires that a page continues the listing: its entries and the marker of the next page.
  mutating func check(_ entries: [(key: String, id: String)], next: (key: String, id: String)?) throws(StorageError) {
    for entry in entries { try check(key: entry.key, id: entry.id) }
    if !entries.isEmpty { markers = [] }
    guard let next else { return }
    try ListingOrder.check(continuation: Array(next.key.utf8) + [0] + Array(next.id.utf8), among: &markers)
  }

  private mutating func check(key name: String, id: String) throws(StorageError) {
    guard name.hasBytePrefix(prefix ?? "") else {
      throw StorageError.contradiction("the key \(name.shown) does not start with the prefix \((prefix ?? "").shown)")
    }
    if let key, !key.isIdentical(to: name) {
      try ListingOrder.check(name, follows: key)
      hashesOfIDs = []
    }
    key = name
    guard hashesOfIDs.insert(Array(id.utf8).hashValue).inserted else {
      throw StorageError.contradiction("the \(noun) \(id.shown) of \(name.shown) is listed twice")
    }
    guard hashesOfIDs.count <= Self.entriesPerKeyLimit else {
      throw StorageError.contradiction("\(name.shown) has more than \(Self.entriesPerKeyLimit) entries")
    }
  }
}
