// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// An asynchronous sequence of a store's objects and common prefixes, which fetches pages as they are needed.
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

  /// The type of a function that fetches the page after a continuation, or the first page if it is `nil`.
  public typealias PageReader = @Sendable @concurrent (_ continuation: String?) async throws -> ListPage

  private let makeReader: @Sendable () -> PageReader
  private var scope: ListingOrder.Scope?

  /// Creates a listing from a page reader without state, for an implementation of ``ObjectStore``.
  public init(page: @escaping PageReader) { makeReader = { page } }

  /// Creates a listing from a closure that returns a page reader with state for each iteration over the pages.
  public init(_ makeReader: @escaping @Sendable () -> PageReader) { self.makeReader = makeReader }

  /// Returns an iterator that starts at the first page of the listing.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(readPage: makeReader(), order: ListingOrder(scope)) }

  /// Returns the same listing, which throws an error for a name that does not fit the prefix and the delimiter.
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

    /// Returns the next entry, or `nil` at the end; all entries of a page are checked before the first is returned.
    ///
    /// - Throws: ``StorageError/Code/malformedResponse`` if a page cannot be parsed, names do not ascend by bytes,
    ///   a continuation comes back, or more than 1,000 empty pages follow each other; the errors of ``ObjectStore``.
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
