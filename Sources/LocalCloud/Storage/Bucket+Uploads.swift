internal import StorageAuth

/// A part of the list of uploads.
struct UploadPage: Sendable {
  var uploads: [PendingUpload] = []
  var groups: [String] = []
  var isTruncated = false
  var nextKey = ""
  var nextID = ""
}

extension Bucket {
  /// A page of the uploads that are under way.
  ///
  /// - Parameters:
  ///   - prefix: What their keys start with.
  ///   - delimiter: Keys that are the same up to it, after the prefix, are one group.
  ///   - key: Only what comes after this key; with an id, what comes after that upload of it.
  ///   - id: An upload of the key; empty for none.
  ///   - limit: How many uploads and groups at most.
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
