internal import StorageAuth

/// Which keys to list.
struct ListQuery {
  var prefix: String
  var delimiter: String
  /// Only what comes after this.
  var after: String
  var limit: Int
}

/// A part of a list.
struct BucketListPage: Sendable {
  /// The objects that are in no group.
  var objects: [StoredObject] = []

  /// The groups: keys that are the same up to a delimiter.
  var groups: [String] = []

  /// What to go on after; nothing at the end.
  var next: String?
}

extension Bucket {
  /// A page of the list of objects; what lies in a group is stepped over, not walked through.
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
