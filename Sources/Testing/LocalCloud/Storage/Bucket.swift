// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A bucket, with the index of its objects and pending multipart uploads.
struct Bucket: Sendable {
  let name: String
  let created: Timestamp
  var access: AccessControl
  var objects = SortedTable<ObjectKey, StoredObject>()
  var uploads = SortedTable<UploadName, PendingUpload>()
}

/// The identity of a multipart upload, ordered by object key and then by upload ID.
struct UploadName: Sendable, Comparable {
  let key: ObjectKey
  let id: String

  static func == (first: UploadName, second: UploadName) -> Bool {
    first.key == second.key && first.id.utf8.elementsEqual(second.id.utf8)
  }

  static func < (first: UploadName, second: UploadName) -> Bool {
    first.key == second.key ? first.id.utf8.lexicographicallyPrecedes(second.id.utf8) : first.key < second.key
  }
}

/// A multipart upload that is not completed yet.
struct PendingUpload: Sendable {
  let name: UploadName
  let description: ObjectDescription
  let access: AccessControl?
  let attributes: ObjectAttributes
  let initiated: Timestamp
  var checksum: ChecksumRule?
  var parts = SortedTable<Int, UploadedPart>()
}

/// A part that was uploaded or copied to a multipart upload.
struct UploadedPart: Sendable {
  let content: Content
  let modified: Timestamp
}
