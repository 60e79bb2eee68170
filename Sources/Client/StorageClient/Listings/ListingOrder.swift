// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A check that the names of a listing ascend and fit the request, and that its pages cannot repeat.
///
/// Names are compared as bytes. Pages with entries cannot repeat, because names ascend strictly. Empty pages cannot
/// repeat either, because each continuation must be new, and the number of consecutive empty pages is limited. The
/// directory buckets of S3, which do not sort names, are not supported.
struct ListingOrder: Sendable {
  /// The maximum number of consecutive empty pages; services send them while they skip deleted objects or large groups.
  static let emptyPageLimit = 1_000

  struct Scope: Sendable {
    let prefix: String
    let delimiter: String?
  }

  private let scope: Scope?
  private var lastName: String?
  private var continuations = ContinuationCheck()

  init(_ scope: Scope?) { self.scope = scope }

  /// Requires that the names and the continuation of the next page continue the listing.
  mutating func advance(over page: ListPage) throws(StorageError) {
    for entry in page.entries {
      try scope?.requireContained(entry)
      if let lastName { try Self.require(entry.name, follows: lastName) }
      lastName = entry.name
    }
    if !page.entries.isEmpty { continuations = ContinuationCheck() }
    guard let continuation = page.continuation else { return }
    try continuations.advance(to: Array(continuation.utf8), afterEmptyPage: page.entries.isEmpty)
  }

  static func require(_ name: String, follows last: String) throws(StorageError) {
    guard !last.utf8.lexicographicallyPrecedes(name.utf8) else { return }
    let fault = name.isIdentical(to: last) ? "is listed twice" : "follows \(last.quotedExcerpt)"
    throw StorageError.contradiction(
      "the listed name \(name.quotedExcerpt) \(fault), but names ascend in the order of their bytes")
  }
}

extension ListingOrder.Scope {
  /// Requires that a name starts with the prefix, and that only a common prefix contains the delimiter, at its end.
  fileprivate func requireContained(_ entry: ListEntry) throws(StorageError) {
    guard let remainder = entry.name.removingBytePrefix(prefix) else {
      throw StorageError.contradiction(
        "the name \(entry.name.quotedExcerpt) does not start with the prefix \(prefix.quotedExcerpt)")
    }
    let delimiter = delimiter ?? ""
    let firstDelimiterEnd = delimiter.isEmpty ? nil : remainder.utf8.firstRange(of: delimiter.utf8)?.upperBound
    switch entry {
    case .object(let object):
      let key = object.key.quotedExcerpt
      guard firstDelimiterEnd == nil else {
        throw StorageError.contradiction(
          "the key \(key) contains the delimiter \(delimiter.quotedExcerpt), but is no common prefix")
      }
    case .commonPrefix(let name):
      guard firstDelimiterEnd == remainder.endIndex else {
        throw StorageError.contradiction(
          "the common prefix \(name.quotedExcerpt) does not end with the first delimiter \(delimiter.quotedExcerpt)")
      }
    }
  }
}

/// A check that the keys of a listing with several entries per key ascend, and that its pages cannot repeat.
///
/// The order of the IDs of one key is not checked: OSS and COS sort uploads by their IDs, and S3 by their times.
/// The check stores the hash values of the IDs of one key on two pages, and two numbers for each of its earlier pages.
struct RepeatedKeyOrder: Sendable {
  /// The word for an entry in error messages.
  private let noun: String
  private let prefix: String?
  private var currentKey: String?
  private var ids = IDCheck()
  private var markers = ContinuationCheck()

  init(of noun: String, prefix: String?) {
    self.noun = noun
    self.prefix = prefix
  }

  /// Requires that the entries and the marker of the next page continue the listing.
  mutating func advance(
    over entries: [(key: String, id: String)], next: (key: String, id: String)?
  ) throws(StorageError) {
    if !entries.isEmpty { ids.beginPage() }
    for entry in entries { try advance(overKey: entry.key, id: entry.id) }
    guard let next else { return }
    try markers.advance(to: Array(next.key.utf8) + [0] + Array(next.id.utf8), afterEmptyPage: entries.isEmpty)
  }

  private mutating func advance(overKey key: String, id: String) throws(StorageError) {
    guard key.hasBytePrefix(prefix ?? "") else {
      throw StorageError.contradiction(
        "the key \(key.quotedExcerpt) does not start with the prefix \((prefix ?? "").quotedExcerpt)")
    }
    if let currentKey, !currentKey.isIdentical(to: key) {
      try ListingOrder.require(key, follows: currentKey)
      ids = IDCheck()
      markers = ContinuationCheck()
    }
    currentKey = key
    guard ids.insert(id) else {
      throw StorageError.contradiction("the \(noun) \(id.quotedExcerpt) of \(key.quotedExcerpt) is listed twice")
    }
  }
}

/// A check that the continuations of a listing do not repeat, and that not too many consecutive pages are empty.
private struct ContinuationCheck: Sendable {
  /// The hash values of the continuations; a key with millions of entries has thousands of continuations.
  private var hashes: Set<Int> = []
  private var emptyPageCount = 0

  mutating func advance(to continuation: [UInt8], afterEmptyPage isEmpty: Bool) throws(StorageError) {
    guard hashes.insert(continuation.hashValue).inserted else {
      throw StorageError.contradiction("a page has the same continuation as an earlier page, so that it never ends")
    }
    emptyPageCount = isEmpty ? emptyPageCount + 1 : 0
    guard emptyPageCount <= ListingOrder.emptyPageLimit else {
      throw StorageError.contradiction(
        "more than \(ListingOrder.emptyPageLimit) pages in a row are empty and not the last one")
    }
  }
}

/// A check that no page with entries of one key repeats, which would contain the first ID of an earlier page.
private struct IDCheck: Sendable {
  private var firstOfEachPage: Set<Int> = []
  private var previousPage: Set<Int> = []
  private var currentPage: Set<Int> = []

  mutating func beginPage() {
    previousPage = currentPage
    currentPage = []
  }

  /// Adds an ID of the current page, and returns whether the ID is new.
  mutating func insert(_ id: String) -> Bool {
    let hash = Array(id.utf8).hashValue
    guard !firstOfEachPage.contains(hash), !previousPage.contains(hash) else { return false }
    if currentPage.isEmpty { firstOfEachPage.insert(hash) }
    return currentPage.insert(hash).inserted
  }
}
