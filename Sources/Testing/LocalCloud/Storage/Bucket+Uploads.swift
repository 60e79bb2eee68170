// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A page in the listing of a bucket's pending multipart uploads.
struct UploadPage: Sendable {
  var uploads: [PendingUpload] = []
  var groups: [String] = []
  var isTruncated = false
  var nextKey = ""
  var nextID = ""
}

extension Bucket {
  /// Returns a page in the listing of the bucket's pending multipart uploads.
  ///
  /// - Parameters:
  ///   - prefix: The prefix of the object keys of the listed uploads.
  ///   - delimiter: The delimiter. Keys that are equal up to its first occurrence after the prefix form a group.
  ///   - key: The object key after which the page starts; with an upload ID, the object key of the upload after which
  ///     the page starts.
  ///   - id: The ID of an upload of `key`, or an empty string.
  ///   - limit: The maximum number of uploads and groups.
  func uploadPage(prefix: String, delimiter: String, after key: String, _ id: String, _ limit: Int) -> UploadPage {
    var page = UploadPage()
    let after = ObjectKey(key)
    for (name, upload) in zip(uploads.keys, uploads.values) where name.key.hasBytePrefix(prefix) {
      let group = name.key.group(after: prefix, delimiter: delimiter)
      if !key.isEmpty {
        if name.key < after || name.key == after && (id.isEmpty || name.id <= id) { continue }
        if let group, ObjectKey(group) == after { continue }
      }
      if let group, page.groups.last.map({ ObjectKey($0) == ObjectKey(group) }) == true { continue }
      if page.uploads.count + page.groups.count == limit {
        page.isTruncated = true
        break
      }
      if let group {
        page.groups.append(group)
        (page.nextKey, page.nextID) = (group, "")
      } else {
        page.uploads.append(upload)
        (page.nextKey, page.nextID) = (name.key.text, name.id)
      }
    }
    return page
  }
}
