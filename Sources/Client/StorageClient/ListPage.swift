// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

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
