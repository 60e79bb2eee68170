// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The contents of the record file of a bucket.
struct BucketRecord: Codable {
  private let created: InstantRecord
  private let access: AccessControl

  init(_ bucket: Bucket) {
    created = InstantRecord(bucket.created)
    access = bucket.access
  }

  func bucket(named name: String) -> Bucket {
    Bucket(name: name, created: created.timestamp, access: access)
  }
}

/// The contents of the record file of an object.
struct ObjectRecord: Codable {
  private struct Part: Codable {
    let file: String
    let fileByteCount: Int64
    let offset: Int64
    let byteCount: Int64
  }

  private let key: String
  private let parts: [Part]
  private let byteCount: Int64
  private let entityTag: String
  private let crc64: UInt64
  private let headers: [ObjectDescription.Header]
  private let metadata: [ObjectDescription.Header]
  private let modified: InstantRecord
  private let isMultipart: Bool
  private let access: AccessControl?

  private let checksum: StoredChecksum?

  /// The storage attributes of the object, or `nil` in records that were written before objects had attributes.
  private let attributes: ObjectAttributes?

  init(_ object: StoredObject) {
    key = object.key.text
    parts = object.content.extents.map { extent in
      Part(
        file: extent.blob.id.description, fileByteCount: extent.blob.byteCount, offset: extent.offset,
        byteCount: extent.byteCount)
    }
    byteCount = object.content.byteCount
    entityTag = object.content.entityTag
    crc64 = object.content.crc64
    checksum = object.content.checksum
    headers = object.description.headers
    metadata = object.description.metadata
    modified = InstantRecord(object.modified)
    isMultipart = object.isMultipart
    access = object.access
    attributes = object.attributes
  }

  /// Returns the object that the record describes.
  ///
  /// - Parameters:
  ///   - id: The name of the record file.
  ///   - blob: A closure that returns the value for a file, given the file's name and size. Objects with the same file
  ///     share the value.
  func object(id: BlobID, blob: (BlobID, Int64) -> Blob) throws -> StoredObject {
    var total: Int64? = 0
    let extents = try parts.map { part in
      guard let file = BlobID(part.file), part.offset >= 0, part.byteCount >= 0,
        let end = part.offset.checkedAdding(part.byteCount), end <= part.fileByteCount
      else {
        throw LocalCloudError("The record of \"\(key)\" names an invalid content file; choose another directory.")
      }
      total = total?.checkedAdding(part.byteCount)
      return Extent(blob: blob(file, part.fileByteCount), offset: part.offset, byteCount: part.byteCount)
    }
    guard total == byteCount else {
      throw LocalCloudError("The record of \"\(key)\" has another size than its parts; choose another directory.")
    }
    return StoredObject(
      id: id, key: ObjectKey(key),
      content: Content(extents: extents, byteCount: byteCount, entityTag: entityTag, crc64: crc64, checksum: checksum),
      description: ObjectDescription(headers: headers, metadata: metadata), modified: modified.timestamp,
      isMultipart: isMultipart, access: access, attributes: attributes ?? ObjectAttributes())
  }
}

/// A time in a record: Unix time in seconds and nanoseconds.
private struct InstantRecord: Codable {
  let seconds: Int64
  let nanoseconds: Int32

  init(_ timestamp: Timestamp) {
    seconds = timestamp.unixSeconds
    nanoseconds = timestamp.nanoseconds
  }

  var timestamp: Timestamp {
    Timestamp(unixSeconds: seconds).advanced(by: .nanoseconds(Int64(nanoseconds)))
  }
}
