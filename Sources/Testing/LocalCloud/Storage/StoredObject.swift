// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

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
    (self.id, self.key, self.content, self.description, self.modified) = (id, key, content, description, modified)
    self.kind = kind ?? (attributes.linkTarget != nil ? .symlink : isMultipart ? .multipart : .normal)
    (self.access, self.attributes, self.version, self.order) = (access, attributes, version, order)
  }

  func with(access: AccessControl?) -> StoredObject { copy(access, attributes) }

  func with(tags: [ObjectAttributes.Tag]) -> StoredObject {
    var attributes = attributes
    attributes.tags = tags
    return copy(access, attributes)
  }

  private func copy(_ access: AccessControl?, _ attributes: ObjectAttributes) -> StoredObject {
    StoredObject(
      id: .random(), key: key, content: content, description: description, modified: modified, kind: kind,
      access: access, attributes: attributes, version: version, order: order)
  }

  /// Returns the object as a version; without an ID, the version gets a random one that sorts by its number.
  func stored(as version: String?, _ order: UInt64) -> StoredObject {
    StoredObject(
      id: id, key: key, content: content, description: description, modified: modified, kind: kind, access: access,
      attributes: attributes,
      version: version ?? String(hexadecimal: order) + String(hexadecimal: UInt64.random(in: 0 ... .max)), order: order)
  }

  /// Returns the symbolic link with the content of its target, and the attributes that are needed to read it.
  func linked(to target: StoredObject) -> StoredObject {
    var attributes = attributes
    (attributes.storageClass, attributes.customerKey) = (target.attributes.storageClass, target.attributes.customerKey)
    return StoredObject(
      id: id, key: key, content: target.content, description: description, modified: max(modified, target.modified),
      kind: kind, access: access, attributes: attributes, version: version, order: order)
  }
}

/// An object key, compared and ordered by its UTF-8 bytes as in the services' listings.
typealias ObjectKey = ByteExactString

extension ObjectKey {
  /// Returns the key up to and including the first delimiter after a prefix, or `nil` if there is none.
  func group(after prefix: String, delimiter: String) -> String? {
    guard let firstByte = delimiter.utf8.first else { return nil }
    let prefixLength = prefix.utf8.count
    var rest = utf8.dropFirst(prefixLength)
    while let start = rest.firstIndex(of: firstByte) {
      rest = rest[start...]
      if rest.starts(with: delimiter.utf8) {
        return String(decoding: utf8[..<utf8.index(start, offsetBy: delimiter.utf8.count)], as: UTF8.self)
      }
      rest = rest.dropFirst()
    }
    return nil
  }
}

/// The headers that a client specified for an object, and that the server returns with the object.
struct ObjectDescription: Sendable, Equatable {
  var headers: [Header] = []
  /// The user metadata headers, with names that omit the service's prefix.
  var metadata: [Header] = []

  /// The prefix of the names of metadata with which a client stores how it has encrypted an object.
  static let clientEncryptionPrefix = "client-side-encryption-"

  struct Header: Sendable, Equatable, Codable { let name, value: String }

  /// Adds the media type and the metadata of client-side encryption of another description, if they are missing here.
  mutating func keepType(of other: ObjectDescription) {
    if !headers.contains(where: { $0.name == "Content-Type" }) {
      headers += other.headers.filter { $0.name == "Content-Type" }
    }
    metadata += other.metadata.filter { header in
      header.name.hasBytePrefix(Self.clientEncryptionPrefix) && !metadata.contains { $0.name == header.name }
    }
  }
}

/// The attributes with which an object is stored; only a customer's key and an archive storage class have an effect.
struct ObjectAttributes: Sendable, Codable, Equatable {
  /// The name of the storage class, or `nil` for the standard storage class.
  var storageClass: String?
  /// The key of the object to which a symbolic link points, or `nil` if the object is no link.
  var linkTarget: String?
  var tags: [Tag] = []
  /// The headers for server-side encryption, with names that omit the service's prefix.
  var encryption: [ObjectDescription.Header] = []
  /// The digest of the customer-provided encryption key, or `nil` if the client provided no key.
  var customerKey: CustomerKey?
  /// The number of the account that stored the object, or `nil` if it is that of the bucket.
  var owner: String?

  struct Tag: Sendable, Equatable, Codable { let name, value: String }
}
