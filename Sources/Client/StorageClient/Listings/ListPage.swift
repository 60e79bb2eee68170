// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A page of an object listing.
public struct ListPage: Sendable, Hashable {
  /// The objects and common prefixes on the page, ordered by name.
  public let entries: [ListEntry]
  /// The token that requests the next page, or `nil` on the last page.
  public let continuation: String?

  /// Creates a page of an object listing; the parameters are the properties.
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

  /// Creates the description of a listed object; the parameters are the properties.
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
  /// Creates a page from the objects and the common prefixes in a service's response, each in the order of their bytes.
  ///
  /// - Parameters:
  ///   - objects: The objects on the page.
  ///   - commonPrefixes: The common prefixes on the page.
  ///   - continuation: The token that requests the next page, or `nil` on the last page.
  /// - Throws: ``StorageError/Code/malformedResponse`` if the names do not ascend, or a string is too long to be sent.
  public init(objects: [ListedObject], commonPrefixes: [String], continuation: String?) throws(StorageError) {
    var objectEntries: [ListEntry] = []
    var prefixEntries: [ListEntry] = []
    for object in objects { try objectEntries.appendInOrder(.object(object)) }
    for prefix in commonPrefixes { try prefixEntries.appendInOrder(.commonPrefix(prefix)) }
    if let continuation { _ = try ResponseValue(continuation, named: "continuation") }
    self.init(entries: objectEntries.merged(with: prefixEntries), continuation: continuation)
  }

  /// Requires that the page and the marker of the next page follow the marker that requested the page.
  func require(follows marker: String) throws(StorageError) {
    try entries.first?.require(follows: marker)
    if let continuation { try ListingOrder.require(continuation, follows: marker) }
  }
}

extension ListEntry {
  /// Requires that the entry follows a marker; the marker can be a key with the common prefix of the entry.
  fileprivate func require(follows marker: String) throws(StorageError) {
    if case .commonPrefix(let prefix) = self, marker.hasBytePrefix(prefix), !marker.isIdentical(to: prefix) { return }
    try ListingOrder.require(name, follows: marker)
  }
}

extension [ListEntry] {
  /// Appends an entry, or throws an error if its name does not follow the last name or is too long.
  fileprivate mutating func appendInOrder(_ entry: ListEntry) throws(StorageError) {
    _ = try ResponseValue(entry.name, named: "listed name")
    if let last { try ListingOrder.require(entry.name, follows: last.name) }
    append(entry)
  }

  /// Returns the entries of two arrays in the byte order of their names, which is also the order of both arrays.
  fileprivate func merged(with others: [ListEntry]) -> [ListEntry] {
    if isEmpty || others.isEmpty { return isEmpty ? others : self }
    var merged: [ListEntry] = []
    merged.reserveCapacity(count + others.count)
    var remaining = others[...]
    for entry in self {
      while let other = remaining.first, other.name.utf8.lexicographicallyPrecedes(entry.name.utf8) {
        merged.append(other)
        remaining = remaining.dropFirst()
      }
      merged.append(entry)
    }
    return merged + remaining
  }
}
