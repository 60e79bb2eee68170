// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A version of an object, or a delete marker, in a bucket with versioning.
public struct ObjectVersion: Sendable, Hashable {
  /// The key of the object.
  public let key: String
  /// The ID of the version, or `null` for a version that was stored while versioning was not enabled.
  public let versionID: String
  /// Whether the version is the one that a request without a version reads.
  public let isLatest: Bool
  /// Whether the entry is a delete marker, which hides the older versions until the marker is deleted.
  public let isDeleteMarker: Bool
  /// The size of the version in bytes, or `nil` for a delete marker.
  public let size: Int64?
  /// The entity tag of the version as the service sends it, with the quotes, or `nil` for a delete marker.
  public let etag: String?
  /// The time at which the version was stored, or `nil` if the service did not report it.
  public let lastModified: Timestamp?
  /// The storage class of the version, as the provider spells it, or `nil` if the service did not report it.
  public let storageClass: String?

  /// Creates a description, for implementations of ``DocumentFormat``; the parameters are the properties.
  public init(
    key: String, versionID: String, isLatest: Bool, isDeleteMarker: Bool, size: Int64? = nil, etag: String? = nil,
    lastModified: Timestamp? = nil, storageClass: String? = nil
  ) {
    self.key = key
    self.versionID = versionID
    self.isLatest = isLatest
    self.isDeleteMarker = isDeleteMarker
    self.size = size
    self.etag = etag
    self.lastModified = lastModified
    self.storageClass = storageClass
  }
}

/// An asynchronous sequence of versions of objects and delete markers, which fetches pages as they are needed.
///
/// Keys ascend by their bytes, and the versions of a key start with the latest. To delete all versions permanently:
///
/// ```swift
/// for try await version in bucket.versions(prefix: "2026/") {
///   try await bucket.delete(version.key, versionID: version.versionID)
/// }
/// ```
public struct ObjectVersions: AsyncSequence, Sendable {
  /// The type of the elements.
  public typealias Element = ObjectVersion

  /// The key and the version after which the next page starts.
  public struct Marker: Sendable, Hashable {
    /// The key of the object.
    public let key: String
    /// The ID of the version, or an empty string if the next page starts after all versions of the key.
    public let versionID: String

    /// Creates a marker; the parameters are the properties.
    public init(key: String, versionID: String) {
      self.key = key
      self.versionID = versionID
    }
  }

  /// A page of versions and delete markers.
  public struct Page: Sendable, Hashable {
    /// The versions and the delete markers on the page.
    public let versions: [ObjectVersion]
    /// The marker of the next page, or `nil` on the last page.
    public let next: Marker?

    /// Creates a page for an implementation of ``DocumentFormat``; the parameters are the properties.
    public init(versions: [ObjectVersion], next: Marker?) {
      self.versions = versions
      self.next = next
    }
  }

  typealias PageReader = @Sendable @concurrent (_ marker: Marker?) async throws -> Page

  let prefix: String
  /// The key of the only object whose versions are listed, or `nil` for all objects with the prefix.
  let key: String?
  let readPage: PageReader

  /// Returns an iterator that starts at the first page.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(key: key, readPage: readPage, order: RepeatedKeyOrder(of: "version", prefix: prefix))
  }

  /// An iterator over the versions of objects.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let key: String?
    fileprivate let readPage: PageReader
    fileprivate var order: RepeatedKeyOrder
    fileprivate var versions: ArraySlice<ObjectVersion> = []
    fileprivate var marker: Marker?
    fileprivate var hasMore = true

    /// Returns the next version or delete marker, or `nil` at the end.
    ///
    /// - Throws: ``StorageError/Code/malformedResponse`` if a page cannot be parsed, keys do not ascend by their bytes,
    ///   a page or marker comes back, or more than 1,000 empty pages follow each other; the errors of ``ObjectStore``.
    public mutating func next() async throws -> ObjectVersion? {
      while versions.isEmpty, hasMore {
        let page = try await readPage(marker)
        try order.advance(
          over: page.versions.map { ($0.key, $0.versionID) }, next: page.next.map { ($0.key, $0.versionID) })
        versions = page.versions[...]
        marker = page.next
        hasMore = marker != nil
      }
      guard let version = versions.popFirst() else { return nil }
      guard let key, !version.key.isIdentical(to: key) else { return version }
      // All versions of a key precede those of the longer keys that it is a prefix of, so the listing is complete.
      versions = []
      hasMore = false
      return nil
    }
  }
}

/// The versioning state of a bucket.
public enum BucketVersioning: String, Sendable, Hashable, CaseIterable {
  /// The bucket never had versioning.
  case disabled
  /// The bucket keeps the earlier versions of an object.
  case enabled
  /// The bucket keeps the versions from the time when versioning was enabled, but new uploads replace each other.
  case suspended
}
