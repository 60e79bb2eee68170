// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

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
/// Each iteration starts at the first page. This loop aborts the uploads that were started more than a week ago:
///
/// ```swift
/// for try await upload in bucket.unfinishedUploads(prefix: "2026/") {
///   if let started = upload.started, started < weekAgo { try await bucket.abort(upload) }
/// }
/// ```
public struct UnfinishedUploads: AsyncSequence, Sendable {
  /// The type of the elements.
  public typealias Element = UnfinishedUpload

  /// The type of a function that fetches a page.
  ///
  /// The sequence passes `nil` first, and then the marker of the previous page.
  public typealias PageReader = @Sendable @concurrent (_ marker: Marker?) async throws -> Page

  /// The key and the ID of an upload, after which the next page starts.
  public struct Marker: Sendable, Hashable {
    /// The key of the upload.
    public let key: String

    /// The ID of the upload, or an empty string if the next page starts after all uploads of the key.
    public let uploadID: String

    /// Creates a marker.
    ///
    /// - Parameters:
    ///   - key: The key of the upload.
    ///   - uploadID: The ID of the upload, or an empty string if the next page starts after all uploads of the key.
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

    /// Creates a page for an implementation of ``BucketStore``.
    ///
    /// - Parameters:
    ///   - uploads: The uploads on the page.
    ///   - next: The marker of the next page, or `nil` on the last page.
    public init(uploads: [UnfinishedUpload], next: Marker?) {
      self.uploads = uploads
      self.next = next
    }
  }

  private let page: PageReader
  private var prefix: String?

  /// Creates a sequence for an implementation of ``BucketStore``.
  ///
  /// - Parameter page: A function that fetches a page. Its result must not depend on earlier calls.
  public init(page: @escaping PageReader) {
    self.page = page
  }

  /// Creates a sequence in which keys without the prefix are errors.
  init(prefix: String, page: @escaping PageReader) {
    self.page = page
    self.prefix = prefix
  }

  /// Returns an iterator that starts at the first page.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(page: page, UploadOrder(prefix: prefix)) }

  /// An iterator over unfinished uploads.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let page: PageReader
    private var uploads: ArraySlice<UnfinishedUpload> = []
    private var marker: Marker?
    private var hasMore = true
    private var order: UploadOrder

    fileprivate init(page: @escaping PageReader, _ order: UploadOrder) {
      self.page = page
      self.order = order
    }

    /// Returns the next upload, or `nil` at the end.
    ///
    /// - Throws: ``StorageError/Code/malformedResponse`` if a page cannot be parsed, if keys do not ascend in the order of
    ///   their bytes, or if an upload is listed twice; and the other errors that ``ObjectStore`` lists.
    public mutating func next() async throws -> UnfinishedUpload? {
      while uploads.isEmpty, hasMore {
        let next = try await page(marker)
        try order.check(next)
        uploads = next.uploads[...]
        hasMore = next.next != nil
        marker = next.next
      }
      return uploads.popFirst()
    }
  }
}

/// A check that the pages of unfinished uploads ascend by key, and come to an end.
///
/// OSS and COS sort the uploads of one key by their IDs, and S3 by their times. In both orders no upload is listed twice,
/// so that the IDs of one key are remembered until the next key.
struct UploadOrder: Sendable {
  /// The maximum number of unfinished uploads of one key, which limits the memory.
  static let uploadsOfKey = 100_000

  private let prefix: String?
  private var key: String?
  /// The hash values of the IDs of the uploads of the current key.
  private var identifiers: Set<Int> = []
  /// The markers that were received since the last page with an upload, as bytes.
  private var markers: Set<[UInt8]> = []

  init(prefix: String?) {
    self.prefix = prefix
  }

  mutating func check(_ page: UnfinishedUploads.Page) throws(StorageError) {
    for upload in page.uploads { try check(upload) }
    if !page.uploads.isEmpty { markers = [] }
    guard let next = page.next else { return }
    try ListingOrder.check(continuation: Array(next.key.utf8) + [0] + Array(next.uploadID.utf8), among: &markers)
  }

  private mutating func check(_ upload: UnfinishedUpload) throws(StorageError) {
    guard upload.key.hasBytePrefix(prefix ?? "") else {
      throw StorageError.contradiction(
        "the key \(upload.key.shown) does not start with the prefix \((prefix ?? "").shown)")
    }
    if let key, !key.isIdentical(to: upload.key) {
      try ListingOrder.check(upload.key, follows: key)
      identifiers = []
    }
    key = upload.key
    guard identifiers.insert(Array(upload.uploadID.utf8).hashValue).inserted else {
      throw StorageError.contradiction("an upload of \(upload.key.shown) is listed twice")
    }
    guard identifiers.count <= Self.uploadsOfKey else {
      throw StorageError.contradiction("\(upload.key.shown) has more than \(Self.uploadsOfKey) unfinished uploads")
    }
  }
}
