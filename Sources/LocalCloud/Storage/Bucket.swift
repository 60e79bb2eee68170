internal import StorageAuth

/// A bucket: the index of its objects and of the uploads that are under way.
struct Bucket: Sendable {
  let name: String
  let created: Timestamp
  var access: AccessControl
  var objects = SortedTable<ObjectKey, StoredObject>()
  var uploads = SortedTable<UploadName, PendingUpload>()
}

/// What an upload is listed under: its key, then its id.
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

/// An upload in parts that is under way.
struct PendingUpload: Sendable {
  let name: UploadName
  let description: ObjectDescription
  let access: AccessControl?
  let attributes: ObjectAttributes
  let initiated: Timestamp
  var checksum: ChecksumRule?
  var parts = SortedTable<Int, UploadedPart>()
}

/// A part of an upload.
struct UploadedPart: Sendable {
  let content: Content
  let modified: Timestamp
}
