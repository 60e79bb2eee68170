// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A multipart upload that was neither completed nor aborted.
public struct UnfinishedUpload: Sendable, Hashable {
  /// The key under which the object would be stored.
  public let key: String
  /// The ID of the multipart upload.
  public let uploadID: String
  /// The time at which the upload was started, or `nil` if the service did not report it.
  public let started: Timestamp?

  /// Creates the description of an unfinished upload; the parameters are the properties.
  public init(key: String, uploadID: String, started: Timestamp? = nil) {
    self.key = key
    self.uploadID = uploadID
    self.started = started
  }
}

/// An asynchronous sequence of a bucket's unfinished multipart uploads, which fetches pages as they are needed.
///
/// This loop aborts the uploads that were started more than a week ago:
///
/// ```swift
/// for try await upload in bucket.unfinishedUploads(prefix: "2026/") {
///   if let started = upload.started, started < weekAgo { try await bucket.abort(upload) }
/// }
/// ```
public struct UnfinishedUploads: AsyncSequence, Sendable {
  /// The type of the elements.
  public typealias Element = UnfinishedUpload

  /// The type of a function that fetches the page after a marker, or the first page if it is `nil`.
  public typealias PageReader = @Sendable @concurrent (_ marker: Marker?) async throws -> Page

  /// The key and the ID of an upload, after which the next page starts.
  public struct Marker: Sendable, Hashable {
    /// The key of the upload.
    public let key: String
    /// The ID of the upload, or an empty string if the next page starts after all uploads of the key.
    public let uploadID: String

    /// Creates a marker; the parameters are the properties.
    public init(key: String, uploadID: String) {
      self.key = key
      self.uploadID = uploadID
    }
  }

  /// A page of unfinished uploads.
  public struct Page: Sendable, Hashable {
    /// The uploads on the page.
    public let uploads: [UnfinishedUpload]
    /// The marker of the next page, or `nil` on the last page.
    public let next: Marker?

    /// Creates a page for an implementation of ``BucketStore``; the parameters are the properties.
    public init(uploads: [UnfinishedUpload], next: Marker?) {
      self.uploads = uploads
      self.next = next
    }
  }

  private let readPage: PageReader
  private var prefix: String?

  /// Creates a sequence from a page reader without state, for an implementation of ``BucketStore``.
  public init(page: @escaping PageReader) { readPage = page }

  /// Creates a sequence that throws an error for a key without the prefix.
  init(prefix: String, page: @escaping PageReader) {
    readPage = page
    self.prefix = prefix
  }

  /// Returns an iterator that starts at the first page.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(readPage: readPage, order: RepeatedKeyOrder(of: "upload", prefix: prefix))
  }

  /// An iterator over unfinished uploads.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let readPage: PageReader
    fileprivate var order: RepeatedKeyOrder
    fileprivate var uploads: ArraySlice<UnfinishedUpload> = []
    fileprivate var marker: Marker?
    fileprivate var hasMore = true

    /// Returns the next upload, or `nil` at the end.
    ///
    /// - Throws: ``StorageError/Code/malformedResponse`` if a page cannot be parsed, keys do not ascend by their bytes,
    ///   a page or marker comes back, or more than 1,000 empty pages follow each other; the errors of ``ObjectStore``.
    public mutating func next() async throws -> UnfinishedUpload? {
      while uploads.isEmpty, hasMore {
        let page = try await readPage(marker)
        try order.advance(
          over: page.uploads.map { ($0.key, $0.uploadID) }, next: page.next.map { ($0.key, $0.uploadID) })
        uploads = page.uploads[...]
        marker = page.next
        hasMore = marker != nil
      }
      return uploads.popFirst()
    }
  }
}
