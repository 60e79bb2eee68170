// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

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

extension Bucket {
  /// Returns a page of the bucket's object listing.
  ///
  /// The function skips the keys of a group without visiting each key.
  func page(_ query: ListQuery) -> BucketListPage {
    var page = BucketListPage()
    let after = ObjectKey(query.after)
    let prefix = ObjectKey(query.prefix)
    var index = max(
      query.after.isEmpty ? 0 : objects.firstIndex { $0 > after }, objects.firstIndex { $0 >= prefix })
    var last = ""
    while index < objects.count, objects.keys[index].hasBytePrefix(query.prefix) {
      let key = objects.keys[index]
      let group = key.group(after: query.prefix, delimiter: query.delimiter)
      let isListed = group.map { ObjectKey($0) == after } ?? false
      if !isListed, page.objects.count + page.groups.count == query.limit {
        page.next = last
        break
      }
      if let group {
        let start = ObjectKey(group)
        index = objects.firstIndex(from: index) { $0 > start && !$0.hasBytePrefix(group) }
        if isListed { continue }
        page.groups.append(group)
        last = group
      } else {
        page.objects.append(objects.values[index])
        last = key.text
        index += 1
      }
    }
    return query.limit == 0 ? BucketListPage() : page
  }
}
