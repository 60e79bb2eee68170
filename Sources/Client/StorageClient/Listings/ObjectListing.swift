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
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(readPage: makeReader(), order: ListingOrder(scope)) }

  /// Returns the same listing, in which names outside of the prefix and names that do not fit the delimiter are errors.
  package func checked(prefix: String, delimiter: String?) -> ObjectListing {
    var listing = self
    listing.scope = ListingOrder.Scope(prefix: prefix, delimiter: delimiter)
    return listing
  }

  /// An iterator over the entries of a listing.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let readPage: PageReader
    fileprivate var order: ListingOrder
    fileprivate var entries: ArraySlice<ListEntry> = []
    fileprivate var continuation: String?
    fileprivate var hasMore = true

    /// Returns the next entry of the listing, or `nil` at the end of the listing.
    ///
    /// The iterator fetches a page when all entries of the previous page have been returned, and checks all entries of
    /// a page before it returns the first.
    ///
    /// - Throws: ``StorageError/Code/malformedResponse`` if a page cannot be parsed, if names do not ascend in the
    ///   order of their bytes, if a continuation comes back, or if more than 1,000 empty pages follow each other; and
    ///   the other errors that ``ObjectStore`` lists.
    public mutating func next() async throws -> ListEntry? {
      while entries.isEmpty, hasMore {
        let page = try await readPage(continuation)
        try order.advance(over: page)
        entries = page.entries[...]
        hasMore = page.continuation != nil
        continuation = page.continuation
      }
      return entries.popFirst()
    }
  }
}
