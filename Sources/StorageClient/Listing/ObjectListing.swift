public import StorageAuth
internal import StorageCrypto
internal import StorageXML

/// The objects of a store, page by page as they are needed; each iteration starts anew.
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
  /// An object or a common prefix.
  public typealias Element = ListEntry

  /// Fetches a page: the first one for nothing, a further one for what the last one said is next.
  public typealias PageReader = @Sendable @concurrent (_ continuation: String?) async throws -> ListPage

  private let makeReader: @Sendable () -> PageReader

  /// Makes a listing; for stores.
  ///
  /// - Parameter page: Fetches a page; it remembers nothing.
  public init(page: @escaping PageReader) {
    makeReader = { page }
  }

  /// Makes a listing whose pages follow from what the ones before said; for stores.
  ///
  /// - Parameter makeReader: Called once per iteration; what it returns is called for one page after the other.
  public init(_ makeReader: @escaping @Sendable () -> PageReader) {
    self.makeReader = makeReader
  }

  /// Starts at the first page.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(page: makeReader())
  }

  /// Walks over the entries.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let page: @Sendable @concurrent (String?) async throws -> ListPage
    private var entries: ArraySlice<ListEntry> = []
    private var continuation: String?
    private var hasMore = true

    fileprivate init(page: @escaping @Sendable @concurrent (String?) async throws -> ListPage) {
      self.page = page
    }

    /// The next entry, or nothing at the end; fetches a page when the last one is used up.
    public mutating func next() async throws -> ListEntry? {
      while entries.isEmpty, hasMore {
        let next = try await page(continuation)
        entries = next.entries[...]
        hasMore = next.continuation != nil
        guard !hasMore || next.continuation != continuation else {
          throw StorageError.malformedAnswer("the listing does not go on from its last page")
        }
        continuation = next.continuation
      }
      return entries.popFirst()
    }
  }
}

/// A page of a listing.
public struct ListPage: Sendable, Hashable {
  /// The objects and the common prefixes, in the order of their names.
  public let entries: [ListEntry]

  /// What the next page is asked for with; nothing on the last one.
  public let continuation: String?

  /// Puts a page together.
  public init(entries: [ListEntry], continuation: String?) {
    self.entries = entries
    self.continuation = continuation
  }
}

/// What a listing consists of.
public enum ListEntry: Sendable, Hashable {
  /// An object.
  case object(ListedObject)
  /// What keys have in common up to the delimiter, the delimiter included.
  case commonPrefix(String)

  /// The key or the common prefix.
  public var name: String {
    switch self {
    case .object(let object): object.key
    case .commonPrefix(let prefix): prefix
    }
  }
}

/// What a listing says about an object.
public struct ListedObject: Sendable, Hashable {
  /// The key.
  public let key: String

  /// The number of bytes.
  public let size: Int64

  /// The entity tag, as the service writes it, quotes included.
  public let etag: String?

  /// When the object was stored.
  public let lastModified: Timestamp?

  /// The storage class in the provider's spelling.
  public let storageClass: String?

  /// Describes an object.
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
  /// Reads a page of a listing whose names the service percent-encoded, so that every name survives XML.
  init(_ document: XMLNode, dialect: ServiceDialect) throws(StorageError) {
    func name(_ node: XMLNode?) throws(StorageError) -> String {
      guard let node, let bytes = node.text.percentDecodedBytes(plusIsSpace: dialect.encodesSpaceAsPlus),
        let name = String(validating: bytes, as: UTF8.self)
      else { throw StorageError.malformedAnswer("a listed name is missing or is not percent-encoded UTF-8") }
      return try AnswerValue(name, named: "listed name").text
    }
    var entries: [ListEntry] = []
    for node in document.children {
      switch node.name {
      case "Contents": entries.append(.object(try ListedObject(node, key: name(node["Key"]))))
      case "CommonPrefixes": entries.append(.commonPrefix(try name(node["Prefix"])))
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
        throw StorageError.malformedAnswer("a page is not the last one and does not say how to go on")
      }
      self.init(entries: entries, continuation: try AnswerValue(token, named: "NextContinuationToken").text)
    case .marker:
      let marker = try document["NextMarker"].map { node throws(StorageError) in try name(node) }
      guard let marker = marker ?? entries.last?.name else {
        throw StorageError.malformedAnswer("a page is not the last one and does not say how to go on")
      }
      self.init(entries: entries, continuation: marker)
    }
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
