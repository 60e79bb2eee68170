// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A request for a page of a bucket's object listing.
struct ListQuery {
  var prefix: String
  var delimiter: String
  /// The object key or group after which the page starts, or an empty string for the first page.
  var after: String
  var limit: Int
}

/// A page of a bucket's object listing.
struct BucketListPage: Sendable {
  /// The objects of the page that are not part of a group.
  var objects: [StoredObject] = []

  /// The groups of the page: common prefixes of keys that are equal up to and including a delimiter.
  var groups: [String] = []

  /// The object key or group after which the next page starts, or `nil` on the last page.
  var next: String?
}

/// A page of the listing of a bucket's pending uploads.
struct UploadPage: Sendable {
  var uploads: [PendingUpload] = []
  var groups: [String] = []
  var isTruncated = false
  /// The key or group, and the upload ID, after which the next page starts; both are those of the last entry.
  var nextKey = ""
  var nextID = ""
}

/// A page of the listing of a bucket's versions.
struct VersionPage: Sendable {
  var versions: [(object: StoredObject, isLatest: Bool)] = []
  var groups: [String] = []

  /// The object key or group, and the version, after which the next page starts, or `nil` on the last page.
  var next: (key: String, version: String)?
}
