// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth
internal import StorageCrypto

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
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(page: makeReader(), ListingOrder(scope)) }

  /// Returns the same listing, in which names outside of the prefix and names that do not fit the delimiter are errors.
  package func checked(prefix: String, delimiter: String?) -> ObjectListing {
    var listing = self
    listing.scope = ListingOrder.Scope(prefix: prefix, delimiter: delimiter)
    return listing
  }

  /// An iterator over the entries of a listing.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let page: @Sendable @concurrent (String?) async throws -> ListPage
    private var entries: ArraySlice<ListEntry> = []
    private var continuation: String?
    private var hasMore = true
    private var order: ListingOrder

    fileprivate init(page: @escaping @Sendable @concurrent (String?) async throws -> ListPage, _ order: ListingOrder) {
      self.page = page
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
        let next = try await page(continuation)
        try order.check(next)
        entries = next.entries[...]
        hasMore = next.continuation != nil
        continuation = next.continuation
      }
      return entries.popFirst()
    }
  }
}

/// A page of an object listing.
public struct ListPage: Sendable, Hashable {
  /// The objects and common prefixes on the page, ordered by name.
  public let entries: [ListEntry]

  /// The token that requests the next page, or `nil` on the last page.
  public let continuation: String?

  /// Creates a page of an object listing.
  ///
  /// - Parameters:
  ///   - entries: The objects and common prefixes on the page, ordered by name.
  ///   - continuation: The token that requests the next page, or `nil` on the last page.
  public init(entries: [ListEntry], continuation: String?) {
    self.entries = entries
    self.continuation = continuation
  }
}

/// An entry of an object listing.
public enum ListEntry: Sendable, Hashable {
  /// An object in the store.
  case object(ListedObject)
  /// The common prefix of several keys, up to and including the delimiter.
  case commonPrefix(String)

  /// The object's key, or the common prefix.
  public var name: String {
    switch self {
    case .object(let object): object.key
    case .commonPrefix(let prefix): prefix
    }
  }
}

/// The description of an object in an object listing.
public struct ListedObject: Sendable, Hashable {
  /// The key of the object.
  public let key: String

  /// The size of the object in bytes.
  public let size: Int64

  /// The entity tag of the object as the service sends it, with the quotes, or `nil` if the service did not report it.
  public let etag: String?

  /// The time at which the object was stored, or `nil` if the service did not report it.
  public let lastModified: Timestamp?

  /// The storage class of the object, as the provider spells it, or `nil` if the service did not report it.
  public let storageClass: String?

  /// Creates the description of a listed object.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - size: The size of the object in bytes.
  ///   - etag: The entity tag of the object, including the quotes.
  ///   - lastModified: The time at which the object was stored.
  ///   - storageClass: The storage class of the object, as the provider spells it.
  public init(
    key: String, size: Int64, etag: String? = nil, lastModified: Timestamp? = nil, storageClass: String? = nil
  ) {
    self.key = key
    self.size = size
    self.etag = etag
    self.lastModified = lastModified
    self.storageClass = storageClass
  }
}

extension ListPage {
  /// Creates a page from the service's XML response, whose names are percent-encoded so that XML can represent them.
  ///
  /// The objects and the common prefixes of a page are two lists, each in the order of bytes. A page's entries are greater
  /// than all entries of the previous page.
  init(
    _ document: ServiceDocument, bucket: String, prefix: String, delimiter: String?, continuation last: String?,
    _ conventions: HeaderConventions
  ) throws(StorageError) {
    try document.requireBucket("Name", bucket)
    try document.require("Prefix", prefix)
    try document.require("Delimiter", delimiter ?? "")
    let encodes = try document.encodesNames()
    var (objects, prefixes): ([ListEntry], [ListEntry]) = ([], [])
    for node in document.children {
      switch node.name {
      case "Contents": try objects.enter(.object(ListedObject(node, key: document.name(node.only("Key"), encodes))))
      case "CommonPrefixes": try prefixes.enter(.commonPrefix(document.name(node.only("Prefix"), encodes)))
      default: break
      }
    }
    let entries = objects.merged(with: prefixes)
    if case .marker = conventions.paging, let last, let first = entries.first {
      try first.check(follows: last)
    }
    guard try document.isTruncated() else {
      self.init(entries: entries, continuation: nil)
      return
    }
    let continuation: String
    switch conventions.paging {
    case .continuationToken:
      guard let token = try document.text("NextContinuationToken") else {
        throw StorageError.malformedResponse("a truncated page has no continuation")
      }
      continuation = try ResponseValue(token, named: "NextContinuationToken").text
    case .marker:
      // Version 1 of the list operation of S3 sends the element only with a delimiter; its pages then end with a key.
      let marker = try document.text("NextMarker").map { text throws(StorageError) in
        try document.name(XMLNode("NextMarker", text), encodes)
      }
      guard let marker = marker ?? entries.last?.name else {
        throw StorageError.malformedResponse("a truncated page has no continuation")
      }
      if let last { try ListingOrder.check(marker, follows: last) }
      continuation = marker
    }
    self.init(entries: entries, continuation: continuation)
  }
}

extension ListEntry {
  /// Requires that the entry is listed after a marker, which can be inside of a group.
  fileprivate func check(follows marker: String) throws(StorageError) {
    if case .commonPrefix(let prefix) = self, marker.hasBytePrefix(prefix), !marker.isIdentical(to: prefix) { return }
    try ListingOrder.check(name, follows: marker)
  }
}

extension [ListEntry] {
  /// Appends an entry, whose name must be greater than the name of the last entry.
  fileprivate mutating func enter(_ entry: ListEntry) throws(StorageError) {
    if let last { try ListingOrder.check(entry.name, follows: last.name) }
    append(entry)
  }

  /// Returns the entries of two ascending lists as one ascending list.
  fileprivate func merged(with others: [ListEntry]) -> [ListEntry] {
    if isEmpty || others.isEmpty { return isEmpty ? others : self }
    var merged: [ListEntry] = []
    merged.reserveCapacity(count + others.count)
    var rest = others[...]
    for entry in self {
      while let other = rest.first, other.name.utf8.lexicographicallyPrecedes(entry.name.utf8) {
        merged.append(other)
        rest = rest.dropFirst()
      }
      merged.append(entry)
    }
    return merged + rest
  }
}

extension ListedObject {
  fileprivate init(_ node: XMLNode, key: String) throws(StorageError) {
    guard let size = try node.only("Size").flatMap({ Int64(digits: $0.text) }) else {
      throw StorageError.malformedResponse("a listed object has no size")
    }
    self.init(
      key: key, size: size, etag: node["ETag"]?.text,
      lastModified: node["LastModified"].flatMap { Timestamp(iso8601: $0.text) },
      storageClass: node["StorageClass"]?.text)
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
  static let emptyPages = 1_000

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
    guard received.count <= emptyPages else {
      throw StorageError.contradiction("more than \(emptyPages) pages in a row are empty and not the last one")
    }
  }
}

extension ListingOrder.Scope {
  fileprivate func check(_ entry: ListEntry) throws(StorageError) {
    guard let rest = entry.name.removingBytePrefix(prefix) else {
      throw StorageError.contradiction("the name \(entry.name.shown) does not start with the prefix \(prefix.shown)")
    }
    let delimiter = delimiter ?? ""
    let end = delimiter.isEmpty ? nil : rest.utf8.firstRange(of: delimiter.utf8)?.upperBound
    switch entry {
    case .object:
      guard end == nil else {
        throw StorageError.contradiction(
          "the key \(entry.name.shown) contains the delimiter \(delimiter.shown), but is no common prefix")
      }
    case .commonPrefix:
      guard end == rest.endIndex else {
        throw StorageError.contradiction(
          "the common prefix \(entry.name.shown) does not end with the first delimiter \(delimiter.shown)")
      }
    }
  }
}
