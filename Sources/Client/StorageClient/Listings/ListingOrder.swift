// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A check that the pages of a listing ascend, stay inside of what was requested, and cannot repeat.
///
/// Names are compared as bytes: a key in two Unicode spellings is two keys. Names that ascend strictly from page to
/// page cannot repeat, but a service can send them without end. Empty pages cannot repeat either, because each
/// continuation must be new, and their number in a row is limited. The check stores the last name, and a number for
/// each continuation since the last page with an entry.
///
/// The general purpose buckets of S3, OSS, COS and compatible services sort. Directory buckets of S3 do not, and are
/// not supported.
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
  private var continuations = ContinuationCheck()

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
    if !page.entries.isEmpty { continuations = ContinuationCheck() }
    guard let continuation = page.continuation else { return }
    try continuations.advance(to: Array(continuation.utf8), afterEmptyPage: page.entries.isEmpty)
  }

  /// Requires that a name is greater than the previous name in the order of their bytes.
  static func require(_ name: String, follows last: String) throws(StorageError) {
    guard !last.utf8.lexicographicallyPrecedes(name.utf8) else { return }
    let fault = name.isIdentical(to: last) ? "is listed twice" : "follows \(last.quotedExcerpt)"
    throw StorageError.contradiction(
      "the listed name \(name.quotedExcerpt) \(fault), but names ascend in the order of their bytes")
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

/// A check that the pages of a listing, in which a key has several entries with IDs, ascend by key and cannot repeat.
///
/// OSS and COS sort the uploads of one key by their IDs, and S3 by their times, so that the order of the IDs shows no
/// repetition. A key can have any number of entries. The check stores the IDs of one key on two pages, and two numbers
/// for each of its earlier pages.
struct RepeatedKeyOrder: Sendable {
  /// The name of an entry in errors.
  private let noun: String
  private let prefix: String?
  private var currentKey: String?
  private var ids = IDCheck()
  private var markers = ContinuationCheck()

  init(of noun: String, prefix: String?) {
    self.noun = noun
    self.prefix = prefix
  }

  /// Requires that a page continues the listing: its entries and the marker of the next page.
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

/// A check that no continuation of a listing comes back, and that not too many pages without entries follow each other.
private struct ContinuationCheck: Sendable {
  /// The hash values of the continuations, of which a key with millions of entries has thousands.
  private var hashes: Set<Int> = []
  private var emptyPageCount = 0

  /// Requires that the bytes of a page's continuation are new.
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

/// A check that no page with entries of a key comes back, for any number of pages.
///
/// A page that comes back contains the first ID of an earlier page. IDs are compared by their hash values.
private struct IDCheck: Sendable {
  private var firstOfEachPage: Set<Int> = []
  private var previousPage: Set<Int> = []
  private var currentPage: Set<Int> = []

  mutating func beginPage() {
    previousPage = currentPage
    currentPage = []
  }

  /// Adds an ID of the current page, and returns whether it is not known from this page or an earlier one.
  mutating func insert(_ id: String) -> Bool {
    let hash = Array(id.utf8).hashValue
    guard !firstOfEachPage.contains(hash), !previousPage.contains(hash) else { return false }
    if currentPage.isEmpty { firstOfEachPage.insert(hash) }
    return currentPage.insert(hash).inserted
  }
}
