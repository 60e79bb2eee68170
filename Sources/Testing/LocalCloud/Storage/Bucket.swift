// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A bucket, with the index of its objects and pending multipart uploads.
struct Bucket: Sendable {
  let name: String
  let created: Timestamp
  var settings: BucketSettings
  /// The current versions of objects.
  var objects = SortedTable<ObjectKey, StoredObject>()
  /// The versions that are not current, and the delete markers, the newest first.
  var otherVersions = SortedTable<ObjectKey, [StoredObject]>()
  /// The highest number in the order of the bucket's versions.
  var lastOrder: UInt64 = 0
  /// The multipart uploads that are neither completed nor aborted.
  var uploads = SortedTable<UploadName, PendingUpload>()

  /// The newest completions of uploads, which clients can repeat.
  var completions: [CompletedUpload] = []

  init(name: String, created: Timestamp, access: AccessControl) {
    (self.name, self.created) = (name, created)
    settings = BucketSettings(access: access)
  }

  var access: AccessControl { settings.access }

  /// The number of the account that owns the bucket.
  var owner: String { settings.owner ?? SimulatedService.account }

  /// Returns a page in the listing of the bucket's pending multipart uploads.
  ///
  /// - Parameters:
  ///   - delimiter: The delimiter. Keys that are equal up to its first occurrence after the prefix form a group.
  ///   - key: The object key after which the page starts, or an empty string for the first page.
  ///   - id: The ID of the upload of that key after which the page starts, or an empty string for its last upload.
  ///   - limit: The maximum number of uploads and groups.
  func uploadPage(prefix: String, delimiter: String, after key: String, id: String, limit: Int) -> UploadPage {
    var page = UploadPage()
    let after = ObjectKey(key)
    for (name, upload) in zip(uploads.keys, uploads.values) where name.key.hasBytePrefix(prefix) {
      let group = name.key.group(after: prefix, delimiter: delimiter)
      if !key.isEmpty {
        // Without an upload ID, the page starts after all uploads of the key.
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

  /// Returns a page of the listing of current objects, without visiting each key of a group.
  func objectPage(_ query: ListQuery) -> BucketListPage {
    var page = BucketListPage()
    let after = ObjectKey(query.after)
    let prefix = ObjectKey(query.prefix)
    var index = max(query.after.isEmpty ? 0 : objects.firstIndex { $0 > after }, objects.firstIndex { $0 >= prefix })
    var lastEntry = ""
    while index < objects.count, objects.keys[index].hasBytePrefix(query.prefix) {
      let key = objects.keys[index]
      let group = key.group(after: query.prefix, delimiter: query.delimiter)
      let isOnEarlierPage = group.map { ObjectKey($0) == after } ?? false
      if !isOnEarlierPage, page.objects.count + page.groups.count == query.limit {
        page.next = lastEntry
        break
      }
      if let group {
        let start = ObjectKey(group)
        index = objects.firstIndex(from: index) { $0 > start && !$0.hasBytePrefix(group) }
        if isOnEarlierPage { continue }
        page.groups.append(group)
        lastEntry = group
      } else {
        page.objects.append(objects.values[index])
        lastEntry = key.text
        index += 1
      }
    }
    return query.limit == 0 ? BucketListPage() : page
  }
}
