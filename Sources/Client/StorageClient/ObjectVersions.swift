// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A version of an object, or a delete marker, in a bucket with versioning.
public struct ObjectVersion: Sendable, Hashable {
  /// The key of the object.
  public let key: String

  /// The ID of the version, which is `null` for one that was stored while versioning was not enabled.
  public let versionID: String

  /// A Boolean value that indicates whether the version is the one that a request without a version reads.
  public let isLatest: Bool

  /// A Boolean value that indicates whether the entry is a delete marker, which hides the older versions.
  ///
  /// A deletion without a version adds a delete marker, and deleting the marker restores the object.
  public let isDeleteMarker: Bool

  /// The size of the version in bytes, or `nil` for a delete marker.
  public let size: Int64?

  /// The entity tag of the version as the service sends it, with the quotes, or `nil` for a delete marker.
  public let etag: String?

  /// The time at which the version was stored, or `nil` if the service did not report it.
  public let lastModified: Timestamp?

  /// The storage class of the version, as the provider spells it, or `nil` if the service did not report it.
  public let storageClass: String?
}

/// An asynchronous sequence of the versions of objects and their delete markers, which fetches pages as they are needed.
///
/// Keys ascend in the order of their bytes, and the versions of a key start with the latest. Each iteration starts at the
/// first page. This loop deletes all versions permanently:
///
/// ```swift
/// for try await version in bucket.versions(prefix: "2026/") {
///   try await bucket.delete(version.key, versionID: version.versionID)
/// }
/// ```
public struct ObjectVersions: AsyncSequence, Sendable {
  /// The type of the elements.
  public typealias Element = ObjectVersion

  struct Page: Sendable {
    let versions: [ObjectVersion]

    /// The key and the version after which the next page starts, or `nil` on the last page.
    let next: (key: String, id: String)?
  }

  typealias PageReader = @Sendable @concurrent (_ marker: (key: String, id: String)?) async throws -> Page

  let prefix: String

  /// The key of the only object whose versions are listed, or `nil` for all objects with the prefix.
  let key: String?

  let page: PageReader

  /// Returns an iterator that starts at the first page.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(key: key, page: page, order: RepeatedKeyOrder(of: "version", prefix: prefix))
  }

  /// An iterator over the versions of objects.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let key: String?
    let page: PageReader
    var order: RepeatedKeyOrder
    private var versions: ArraySlice<ObjectVersion> = []
    private var marker: (key: String, id: String)?
    private var hasMore = true

    init(key: String?, page: @escaping PageReader, order: RepeatedKeyOrder) {
      self.key = key
      self.page = page
      self.order = order
    }

    /// Returns the next version or delete marker, or `nil` at the end.
    ///
    /// - Throws: ``StorageError/Code/malformedResponse`` if a page cannot be parsed, if keys do not ascend in the order of
    ///   their bytes, or if a version is listed twice; and the other errors that ``ObjectStore`` lists.
    public mutating func next() async throws -> ObjectVersion? {
      while versions.isEmpty, hasMore {
        let next = try await page(marker)
        try order.check(next.versions.map { ($0.key, $0.versionID) }, next: next.next)
        (versions, marker, hasMore) = (next.versions[...], next.next, next.next != nil)
      }
      guard let version = versions.popFirst() else { return nil }
      guard let key, !version.key.isIdentical(to: key) else { return version }
      // A key precedes all longer keys of which it is a prefix, so that no further version of it follows.
      (versions, hasMore) = ([], false)
      return nil
    }
  }
}

extension ObjectVersions.Page {
  /// Creates a page from the service's XML response, whose names are percent-encoded.
  init(_ document: ServiceDocument, bucket: String, prefix: String) throws(StorageError) {
    try document.requireBucket("Name", bucket)
    try document.require("Prefix", prefix)
    let encodes = try document.encodesNames()
    var versions: [ObjectVersion] = []
    for node in document.children where ["Version", "DeleteMarker"].contains(node.name) {
      guard let id = try node.text(ofOnly: "VersionId"), let isLatest = try node.text(ofOnly: "IsLatest") else {
        throw StorageError.malformedResponse("a listed version has no VersionId or no IsLatest")
      }
      let size = try node.text(ofOnly: "Size").flatMap { Int64(digits: $0) }
      guard size != nil || node.name == "DeleteMarker" else {
        throw StorageError.malformedResponse("a listed version has no size")
      }
      versions.append(
        ObjectVersion(
          key: try document.name(node.only("Key"), encodes), versionID: try ResponseValue(id, named: "VersionId").text,
          isLatest: isLatest == "true", isDeleteMarker: node.name == "DeleteMarker", size: size,
          etag: node["ETag"]?.text, lastModified: node["LastModified"].flatMap { Timestamp(iso8601: $0.text) },
          storageClass: node["StorageClass"]?.text))
    }
    guard try document.isTruncated() else {
      self.init(versions: versions, next: nil)
      return
    }
    guard let marker = try document.text("NextKeyMarker") else {
      throw StorageError.malformedResponse("a truncated page has no continuation")
    }
    let key = try document.name(XMLNode("NextKeyMarker", marker), encodes)
    let id = try ResponseValue(document.text("NextVersionIdMarker") ?? "", named: "NextVersionIdMarker").text
    self.init(versions: versions, next: (key, id))
  }
}
