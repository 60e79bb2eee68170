// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// The content of an object: the location of its bytes, and their checksums.
struct Content: Sendable {
  /// The maximum number of pieces of an object: one for each part of a multipart upload.
  ///
  /// A part that is copied from several pieces is written to one file, so that copies of copies do not multiply pieces.
  static let mostExtents = 10_000

  /// The ranges of files that contain the object's bytes, in order.
  let extents: [Extent]

  /// The offset in the object after each of the ranges, in ascending order.
  private let ends: [Int64]

  let byteCount: Int64

  /// The entity tag of the object: the MD5 digest of its bytes in lowercase hexadecimal.
  ///
  /// For a multipart object, it is a digest of the parts' MD5 digests, followed by `-` and the number of parts.
  let entityTag: String

  let crc64: UInt64

  /// The additional checksum of the object, or `nil` if the service stores no additional checksum.
  var checksum: StoredChecksum?

  /// The sizes of the parts from which the object was uploaded, or `nil` if it was uploaded at once.
  var partSizes: [Int64]?

  static let empty = Content(extents: [], byteCount: 0, entityTag: "", crc64: 0)

  /// Creates a content from ranges of files, and joins ranges that follow each other in the same file.
  init(
    extents: [Extent], byteCount: Int64, entityTag: String, crc64: UInt64, checksum: StoredChecksum? = nil
  ) {
    var joined: [Extent] = []
    var ends: [Int64] = []
    for extent in extents {
      if let last = joined.last, last.blob === extent.blob, last.offset + last.byteCount == extent.offset {
        joined[joined.count - 1] = Extent(
          blob: last.blob, offset: last.offset, byteCount: last.byteCount + extent.byteCount)
        ends[ends.count - 1] += extent.byteCount
      } else {
        joined.append(extent)
        ends.append((ends.last ?? 0) + extent.byteCount)
      }
    }
    self.extents = joined
    self.ends = ends
    self.byteCount = byteCount
    self.entityTag = entityTag
    self.crc64 = crc64
    self.checksum = checksum
  }

  /// Returns the ranges of files of a byte range, without visiting the pieces before it.
  func extents(in range: Range<Int64>) -> [Extent] {
    var (first, end) = (0, ends.count)
    while first < end {
      let middle = first + (end - first) / 2
      if ends[middle] <= range.lowerBound { first = middle + 1 } else { end = middle }
    }
    var result: [Extent] = []
    for index in extents.indices[first...] {
      let extent = extents[index]
      let start = ends[index] - extent.byteCount
      guard start < range.upperBound else { break }
      let part = range.clamped(to: start..<ends[index])
      if !part.isEmpty {
        let offset = extent.offset + part.lowerBound - start
        result.append(Extent(blob: extent.blob, offset: offset, byteCount: part.upperBound - part.lowerBound))
      }
    }
    return result
  }
}

/// The headers that a client specified for an object, and that the server returns with the object.
struct ObjectDescription: Sendable, Equatable {
  /// The headers that describe the content, such as `Content-Type` and `Cache-Control`.
  var headers: [Header] = []

  /// The user metadata headers, with names that omit the service's prefix.
  var metadata: [Header] = []

  /// The start of the names of the metadata that a client which encrypts stores with an object.
  static let clientEncryptionPrefix = "client-side-encryption-"

  struct Header: Sendable, Equatable, Codable {
    let name: String
    let value: String
  }

  /// Adds the media type of another description, unless this one has one, and its metadata of client-side encryption.
  mutating func keepType(of other: ObjectDescription) {
    if !headers.contains(where: { $0.name == "Content-Type" }) {
      headers += other.headers.filter { $0.name == "Content-Type" }
    }
    metadata += other.metadata.filter { header in
      header.name.hasBytePrefix(Self.clientEncryptionPrefix) && !metadata.contains { $0.name == header.name }
    }
  }
}

/// A version of an object of a bucket, or a delete marker, immutable once it is stored.
final class StoredObject: Sendable {
  /// The ID of the version of an object in a bucket without versions.
  static let nullVersion = "null"

  /// The kinds of objects, with the names that the services use for them.
  enum Kind: String, Sendable, Codable {
    case normal = "Normal"
    case multipart = "Multipart"
    case appendable = "Appendable"
    case symlink = "Symlink"
    /// A marker that hides the older versions of a deleted object.
    case deleteMarker
  }

  /// The name of the object's record file.
  let id: BlobID
  let key: ObjectKey
  let content: Content
  let description: ObjectDescription
  let modified: Timestamp
  let kind: Kind
  let access: AccessControl?
  let attributes: ObjectAttributes
  let version: String

  /// The number of the version in the order in which the bucket's versions were stored.
  let order: UInt64

  var isMultipart: Bool { kind == .multipart }

  init(
    id: BlobID, key: ObjectKey, content: Content, description: ObjectDescription, modified: Timestamp,
    isMultipart: Bool = false, kind: Kind? = nil, access: AccessControl? = nil,
    attributes: ObjectAttributes = ObjectAttributes(), version: String = nullVersion, order: UInt64 = 0
  ) {
    self.id = id
    self.key = key
    self.content = content
    self.description = description
    self.modified = modified
    self.kind = kind ?? (attributes.linkTarget != nil ? .symlink : isMultipart ? .multipart : .normal)
    self.access = access
    self.attributes = attributes
    self.version = version
    self.order = order
  }

  func with(access: AccessControl?) -> StoredObject { described(access, attributes) }

  func with(tags: [ObjectDescription.Header]) -> StoredObject {
    var attributes = attributes
    attributes.tags = tags
    return described(access, attributes)
  }

  private func described(_ access: AccessControl?, _ attributes: ObjectAttributes) -> StoredObject {
    StoredObject(
      id: .random(), key: key, content: content, description: description, modified: modified, kind: kind,
      access: access, attributes: attributes, version: version, order: order)
  }

  /// Returns the object as a version; without an ID, it is named by its number in the order of versions.
  func stored(as version: String?, _ order: UInt64) -> StoredObject {
    StoredObject(
      id: id, key: key, content: content, description: description, modified: modified, kind: kind, access: access,
      attributes: attributes,
      version: version ?? String(hexadecimal: order) + String(hexadecimal: UInt64.random(in: 0 ... .max)), order: order)
  }

  /// Returns the symbolic link with the content of the object to which it points, and what is needed to read it.
  func linked(to target: StoredObject) -> StoredObject {
    var attributes = attributes
    (attributes.storageClass, attributes.customerKey) = (target.attributes.storageClass, target.attributes.customerKey)
    return StoredObject(
      id: id, key: key, content: target.content, description: description, modified: max(modified, target.modified),
      kind: kind, access: access, attributes: attributes, version: version, order: order)
  }
}

/// The access control of a bucket or object, which applies to requests without a signature.
enum AccessControl: String, Sendable, Codable, CaseIterable {
  case `private`
  case publicRead = "public-read"
  case publicReadWrite = "public-read-write"
  /// Reading is open to every account, as it always is here: all accounts own all buckets.
  case authenticatedRead = "authenticated-read"
  case bucketOwnerRead = "bucket-owner-read"
  case bucketOwnerFullControl = "bucket-owner-full-control"

  var isPublic: Bool { self == .publicRead || self == .publicReadWrite }
}

/// The storage attributes that a client specified for an object.
///
/// The server stores and returns the attributes. Only a customer-provided encryption key and an archive storage class
/// have an effect.
struct ObjectAttributes: Sendable, Codable, Equatable {
  /// The name of the storage class, or `nil` for the standard storage class.
  var storageClass: String?

  /// The key of the object to which a symbolic link points, or `nil` if the object is no link.
  var linkTarget: String?

  /// The tags of the object, percent-decoded.
  var tags: [ObjectDescription.Header] = []

  /// The headers for server-side encryption, with names that omit the service's prefix.
  var encryption: [ObjectDescription.Header] = []

  /// The digest of the customer-provided encryption key, or `nil` if the client provided no key.
  var customerKey: CustomerKey?
}

/// A digest that can verify a customer's encryption key (SSE-C), but not decrypt data.
struct CustomerKey: Sendable, Codable, Equatable {
  /// The names of the headers for a customer-provided encryption key, without the service's prefix.
  static let headers = [algorithmHeader, keyHeader, md5Header]

  static let algorithmHeader = "server-side-encryption-customer-algorithm"
  static let keyHeader = "server-side-encryption-customer-key"
  static let md5Header = "server-side-encryption-customer-key-md5"

  /// The only supported encryption algorithm.
  static let algorithm = "AES256"

  private static let byteCount = 32

  /// The MD5 digest of the encryption key in Base64, as the client sent it.
  let md5: String

  private let digest: String

  /// Creates the digest of the key in headers, or returns `nil` if there is none of them; names omit the prefix.
  init?(_ value: (String) -> String?) throws(ErrorResponse) {
    let (algorithm, key, md5) = (value(Self.algorithmHeader), value(Self.keyHeader), value(Self.md5Header))
    if algorithm == nil, key == nil, md5 == nil { return nil }
    guard let algorithm, let key, let md5 else {
      throw .invalidArgument("A customer's key needs three headers: its algorithm, the key and the key's MD5.")
    }
    guard algorithm == Self.algorithm else {
      throw .invalidArgument("The algorithm of a customer's key can only be \(Self.algorithm).")
    }
    guard let bytes = [UInt8](base64: key), bytes.count == Self.byteCount else {
      throw .invalidArgument("A customer's key is the Base64 of \(Self.byteCount) bytes.")
    }
    guard let expected = [UInt8](base64: md5), expected == MD5.hash(bytes).bytes else {
      throw .invalidArgument("The MD5 of the customer's key is not that of the key.")
    }
    self.md5 = md5
    digest = SHA256.hash(bytes).hex
  }

  /// Checks the key in a request against that of the object or upload that the request accesses.
  static func check(_ given: CustomerKey?, against stored: CustomerKey?) throws(ErrorResponse) {
    switch (given, stored) {
    case (nil, nil): return
    case (nil, .some):
      throw .invalidRequest(
        "The object was stored with a customer's key; send that key's algorithm, the key and its MD5.")
    case (.some, nil):
      throw .invalidRequest("The object was stored without a customer's key; send the request without one.")
    case (let given?, let stored?):
      guard constantTimeEqual(given.digest, stored.digest) else {
        throw .accessDenied("The customer's key is not the one that the object was stored with.")
      }
    }
  }
}
