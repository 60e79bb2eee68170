// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth
internal import StorageCrypto
internal import StorageXML

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
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(page: makeReader())
  }

  /// An iterator over the entries of a listing.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let page: @Sendable @concurrent (String?) async throws -> ListPage
    private var entries: ArraySlice<ListEntry> = []
    private var continuation: String?
    private var hasMore = true

    fileprivate init(page: @escaping @Sendable @concurrent (String?) async throws -> ListPage) {
      self.page = page
    }

    /// Returns the next entry of the listing, or `nil` at the end of the listing.
    ///
    /// The iterator fetches a page when all entries of the previous page have been returned.
    ///
    /// - Throws: ``StorageError`` if a page cannot be parsed, and the other errors that ``ObjectStore`` lists.
    public mutating func next() async throws -> ListEntry? {
      while entries.isEmpty, hasMore {
        let next = try await page(continuation)
        entries = next.entries[...]
        hasMore = next.continuation != nil
        guard !hasMore || next.continuation != continuation else {
          throw StorageError.malformedAnswer("a page has the same continuation as the previous one")
        }
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

  /// The entity tag of the object as the service sends it, including the quotes, or `nil` if the service did not report
  /// it.
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
  /// Creates a page from the service's XML response, whose names are percent-encoded so that XML can represent every
  /// name.
  init(_ document: XMLNode, dialect: ServiceDialect) throws(StorageError) {
    var entries: [ListEntry] = []
    for node in document.children {
      switch node.name {
      case "Contents": entries.append(.object(try ListedObject(node, key: dialect.listedName(node["Key"]))))
      case "CommonPrefixes": entries.append(.commonPrefix(try dialect.listedName(node["Prefix"])))
      default: break
      }
    }
    entries.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    guard document["IsTruncated"]?.text == "true" else {
      self.init(entries: entries, continuation: nil)
      return
    }
    switch dialect.paging {
    case .continuationToken:
      guard let token = document["NextContinuationToken"]?.text, !token.isEmpty else {
        throw StorageError.malformedAnswer("a truncated page has no continuation")
      }
      self.init(entries: entries, continuation: try AnswerValue(token, named: "NextContinuationToken").text)
    case .marker:
      let marker = try document["NextMarker"].map { node throws(StorageError) in try dialect.listedName(node) }
      guard let marker = marker ?? entries.last?.name else {
        throw StorageError.malformedAnswer("a truncated page has no continuation")
      }
      self.init(entries: entries, continuation: marker)
    }
  }
}

extension ServiceDialect {
  /// Returns the name in an element of a listing, in which names are percent-encoded.
  func listedName(_ node: XMLNode?) throws(StorageError) -> String {
    guard let node, let bytes = node.text.percentDecodedBytes(plusIsSpace: encodesSpaceAsPlus),
      let name = String(validating: bytes, as: UTF8.self)
    else { throw StorageError.malformedAnswer("a listed name is missing or is not percent-encoded UTF-8") }
    return try AnswerValue(name, named: "listed name").text
  }
}

extension ListedObject {
  fileprivate init(_ node: XMLNode, key: String) throws(StorageError) {
    guard let size = node["Size"].flatMap({ Int64(digits: $0.text) }) else {
      throw StorageError.malformedAnswer("a listed object has no size")
    }
    self.init(
      key: key, size: size, etag: node["ETag"]?.text,
      lastModified: node["LastModified"].flatMap { Timestamp(iso8601: $0.text) },
      storageClass: node["StorageClass"]?.text)
  }
}
