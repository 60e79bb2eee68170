// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// An asynchronous sequence of a store's objects and common prefixes, which fetches pages as they are needed.
///
/// Each iteration starts at the first page.
///
/// ```swift
/// for try await entry in store.list(prefix: "2026/", delimiter: "/") {
///   switch entry {
///   case .object(let object): print(object.key, object.size)
///   case .commonPrefix(let prefix): print(prefix)
///   }
/// }
/// ```
public struct ObjectListing: AsyncSequence, Sendable {
  /// The type of the entries: an object or a common prefix.
  public typealias Element = ListEntry

  /// The type of a function that fetches a page of the listing.
  ///
  /// The listing passes `nil` first, and then the continuation of the previous page.
  public typealias PageReader = @Sendable @concurrent (_ continuation: String?) async throws -> ListPage

  private let makeReader: @Sendable () -> PageReader
  private var scope: ListingOrder.Scope?

  /// Creates a listing from a stateless page reader, for an implementation of ``ObjectStore``.
  ///
  /// - Parameter page: A function that fetches a page. Its result must not depend on earlier calls.
  public init(page: @escaping PageReader) {
    makeReader = { page }
  }

  /// Creates a listing whose page reader has state, for an implementation of ``ObjectStore``.
  ///
  /// - Parameter makeReader: A closure that is called once per iteration. The page reader that it returns is called for
  ///   consecutive pages.
  public init(_ makeReader: @escaping @Sendable () -> PageReader) {
    self.makeReader = makeReader
  }

  /// Returns an iterator that starts at the first page of the listing.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(readPage: makeReader(), ListingOrder(scope)) }

  /// Returns the same listing, in which names outside of the prefix and names that do not fit the delimiter are errors.
  package func checked(prefix: String, delimiter: String?) -> ObjectListing {
    var listing = self
    listing.scope = ListingOrder.Scope(prefix: prefix, delimiter: delimiter)
    return listing
  }

  /// An iterator over the entries of a listing.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let readPage: PageReader
    private var entries: ArraySlice<ListEntry> = []
    private var continuation: String?
    private var hasMore = true
    private var order: ListingOrder

    fileprivate init(readPage: @escaping PageReader, _ order: ListingOrder) {
      self.readPage = readPage
      self.order = order
    }

    /// Returns the next entry of the listing, or `nil` at the end of the listing.
    ///
    /// The iterator fetches a page when all entries of the previous page have been returned, and checks all entries of
    /// a page before it returns the first.
    ///
    /// - Throws: ``StorageError/Code/malformedResponse`` if a page cannot be parsed, if names do not ascend in the order of
    ///   their bytes, or if pages follow each other without end; and the other errors that ``ObjectStore`` lists.
    public mutating func next() async throws -> ListEntry? {
      while entries.isEmpty, hasMore {
        let next = try await readPage(continuation)
        try order.check(next)
        entries = next.entries[...]
        hasMore = next.continuation != nil
        continuation = next.continuation
      }
      return entries.popFirst()
    }
  }
}

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
  private var last: String?
  /// The continuations that were received since the last page with an entry, as bytes.
  private var continuations: Set<[UInt8]> = []

  init(_ scope: Scope?) {
    self.scope = scope
  }

  /// Requires that a page continues the listing: its names and its continuation.
  mutating func check(_ page: ListPage) throws(StorageError) {
    for entry in page.entries {
      try scope?.check(entry)
      if let last { try Self.check(entry.name, follows: last) }
      last = entry.name
    }
    if !page.entries.isEmpty { continuations = [] }
    guard let continuation = page.continuation else { return }
    try Self.check(continuation: Array(continuation.utf8), among: &continuations)
  }

  /// Requires that a name is greater than the previous name in the order of their bytes.
  static func check(_ name: String, follows last: String) throws(StorageError) {
    guard !last.utf8.lexicographicallyPrecedes(name.utf8) else { return }
    throw StorageError.contradiction(
      "the listed name \(name.shown) \(name.isIdentical(to: last) ? "is listed twice" : "follows \(last.shown)"), "
        + "but names ascend in the order of their bytes")
  }

  /// Requires that a continuation is new, and that not too many pages without entries follow each other.
  static func check(continuation: [UInt8], among received: inout Set<[UInt8]>) throws(StorageError) {
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
  fileprivate func check(_ entry: ListEntry) throws(StorageError) {
    guard let remainder = entry.name.removingBytePrefix(prefix) else {
      throw StorageError.contradiction("the name \(entry.name.shown) does not start with the prefix \(prefix.shown)")
    }
    let delimiter = delimiter ?? ""
    let firstDelimiterEnd = delimiter.isEmpty ? nil : remainder.utf8.firstRange(of: delimiter.utf8)?.upperBound
    switch entry {
    case .object:
      guard firstDelimiterEnd == nil else {
        throw StorageError.contradiction(
          "the key \(entry.name.shown) contains the delimiter \(delimiter.shown), but is no common prefix")
      }
    case .commonPrefix:
      guard firstDelimiterEnd == remainder.endIndex else {
        throw StorageError.contradiction(
          "the common prefix \(entry.name.shown) does not end with the first delimiter \(delimiter.shown)")
      }
    }
  }
}
