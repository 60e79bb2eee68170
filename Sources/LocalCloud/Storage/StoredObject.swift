// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The bytes of an object and their checksums.
struct Content: Sendable {
  /// The locations of the bytes, in order.
  let extents: [Extent]

  /// The number of bytes.
  let byteCount: Int64

  /// The MD5 of the bytes in lower-case hexadecimal, as the entity tag.
  ///
  /// For a multipart object, it is derived from the MD5s of the parts, followed by `-` and the number of parts.
  let entityTag: String

  /// The CRC-64 of the bytes.
  let crc64: UInt64

  /// The additional checksum, at services that have one.
  var checksum: StoredChecksum?

  /// Returns the locations of a range of the bytes.
  func extents(in range: Range<Int64>) -> [Extent] {
    var result: [Extent] = []
    var start: Int64 = 0
    for extent in extents {
      let part = range.clamped(to: start..<(start + extent.byteCount))
      if !part.isEmpty {
        let offset = extent.offset + part.lowerBound - start
        result.append(Extent(blob: extent.blob, offset: offset, byteCount: part.upperBound - part.lowerBound))
      }
      start += extent.byteCount
    }
    return result
  }
}

/// The headers that a client specified for an object, which are returned with it.
struct ObjectDescription: Sendable, Equatable {
  /// The headers that describe the content: type, encoding, language, disposition, caching, expiry.
  var headers: [Header] = []

  /// The user metadata, named without the service's prefix.
  var metadata: [Header] = []

  /// A name and a value.
  struct Header: Sendable, Equatable, Codable {
    let name: String
    let value: String
  }
}

/// An immutable version of an object.
final class StoredObject: Sendable {
  /// The name of the record file.
  let id: BlobID
  let key: ObjectKey
  let content: Content
  let description: ObjectDescription
  let modified: Timestamp
  let isMultipart: Bool
  let access: AccessControl?
  let attributes: ObjectAttributes

  init(
    id: BlobID, key: ObjectKey, content: Content, description: ObjectDescription, modified: Timestamp,
    isMultipart: Bool, access: AccessControl? = nil, attributes: ObjectAttributes = ObjectAttributes()
  ) {
    self.id = id
    self.key = key
    self.content = content
    self.description = description
    self.modified = modified
    self.isMultipart = isMultipart
    self.access = access
    self.attributes = attributes
  }

  /// Returns the object with a different access control.
  func with(access: AccessControl?) -> StoredObject { described(access, attributes) }

  /// Returns the object with different tags.
  func with(tags: [ObjectDescription.Header]) -> StoredObject {
    var attributes = attributes
    attributes.tags = tags
    return described(access, attributes)
  }

  private func described(_ access: AccessControl?, _ attributes: ObjectAttributes) -> StoredObject {
    StoredObject(
      id: .random(), key: key, content: content, description: description, modified: modified,
      isMultipart: isMultipart, access: access, attributes: attributes)
  }
}

/// The access control for requests without a signature.
enum AccessControl: String, Sendable, Codable {
  case `private`
  case publicRead = "public-read"
}
