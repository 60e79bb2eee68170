// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

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

/// A part of a multipart upload that has arrived.
struct UploadedPart: Sendable {
  let content: Content
  let modified: Timestamp
}

/// The completion of a multipart upload, with the response that a repetition of the request has as well.
struct CompletedUpload: Sendable {
  let name: UploadName
  /// The numbers and entity tags of the parts in the request.
  let parts: [String]
  let answer: Answer
}
