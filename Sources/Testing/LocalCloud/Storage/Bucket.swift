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
  var uploads = SortedTable<UploadName, PendingUpload>()

  /// The newest completions of uploads, which clients can repeat.
  var completions: [Completion] = []

  init(name: String, created: Timestamp, access: AccessControl) {
    (self.name, self.created) = (name, created)
    settings = BucketSettings(access: access)
  }

  var access: AccessControl { settings.access }

  /// Returns a page in the listing of the bucket's pending multipart uploads.
  ///
  /// - Parameters:
  ///   - delimiter: The delimiter. Keys that are equal up to its first occurrence after the prefix form a group.
  ///   - key: The object key after which the page starts; with an upload ID, that of the upload after which it starts.
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

  /// Returns a page of the listing, without visiting each key of a group.
  func page(_ query: ListQuery) -> BucketListPage {
    var page = BucketListPage()
    let after = ObjectKey(query.after)
    let prefix = ObjectKey(query.prefix)
    var index = max(query.after.isEmpty ? 0 : objects.firstIndex { $0 > after }, objects.firstIndex { $0 >= prefix })
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

/// The properties of a bucket that its owner can change.
struct BucketSettings: Sendable, Codable, Equatable {
  var access: AccessControl

  /// The names of the storage class of objects without one, and of the redundancy, or `nil` for the defaults.
  var storageClass: String?
  var redundancy: String?

  /// The state of the bucket's versioning, or `nil` if it never had versions.
  var versioning: Versioning?

  enum Versioning: String, Sendable, Codable {
    /// The name of the root element of the document with the state.
    static let root = "VersioningConfiguration"

    case enabled = "Enabled"
    case suspended = "Suspended"
  }

  /// The documents that clients stored, by query parameter; a slash and the document's ID follow if it has one.
  var documents: [String: String]?
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

/// The completion of a multipart upload, with the response that a repetition of the request has as well.
struct Completion: Sendable {
  let name: UploadName

  /// The numbers and entity tags of the parts in the request.
  let parts: [String]

  let answer: Answer
}

struct UploadedPart: Sendable {
  let content: Content
  let modified: Timestamp
}

struct UploadPage: Sendable {
  var uploads: [PendingUpload] = []
  var groups: [String] = []
  var isTruncated = false
  var nextKey = ""
  var nextID = ""
}

/// A request for a page of a bucket's object listing.
struct ListQuery {
  var prefix: String
  var delimiter: String
  /// The object key or group after which the page starts, or an empty string for the first page.
  var after: String
  var limit: Int
}

struct BucketListPage: Sendable {
  /// The objects of the page that are not part of a group.
  var objects: [StoredObject] = []

  /// The groups of the page: common prefixes of keys that are equal up to and including a delimiter.
  var groups: [String] = []

  /// The object key or group after which the next page starts, or `nil` on the last page.
  var next: String?
}

/// A dictionary whose entries are ordered by key.
///
/// A lookup takes logarithmic time. Insertion and removal move all subsequent entries; with tens of thousands of keys,
/// this takes less time than the file operation that accompanies each change.
struct SortedTable<Key: Comparable & Sendable, Value: Sendable>: Sendable {
  private(set) var keys: [Key] = []
  private(set) var values: [Value] = []

  var count: Int { keys.count }

  var isEmpty: Bool { keys.isEmpty }

  subscript(_ key: Key) -> Value? {
    get {
      let index = firstIndex { $0 >= key }
      return index < keys.count && keys[index] == key ? values[index] : nil
    }
    set {
      let index = firstIndex { $0 >= key }
      let isThere = index < keys.count && keys[index] == key
      switch (newValue, isThere) {
      case (let value?, true):
        values[index] = value
      case (let value?, false):
        keys.insert(key, at: index)
        values.insert(value, at: index)
      case (nil, true):
        keys.remove(at: index)
        values.remove(at: index)
      case (nil, false):
        break
      }
    }
  }

  /// Returns the first index from `start` whose key satisfies a predicate, or the number of entries.
  ///
  /// The predicate must be false for all keys before that index and true for all keys after it.
  func firstIndex(from start: Int = 0, where predicate: (Key) -> Bool) -> Int {
    var low = start
    var high = keys.count
    while low < high {
      let middle = low + (high - low) / 2
      if predicate(keys[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// An object key, compared and ordered by its UTF-8 bytes as in the services' listings.
///
/// `String` compares by canonical equivalence, so that two keys with different bytes could be equal.
struct ObjectKey: Sendable, Comparable {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  static func == (first: ObjectKey, second: ObjectKey) -> Bool { first.text.utf8.elementsEqual(second.text.utf8) }

  static func < (first: ObjectKey, second: ObjectKey) -> Bool {
    first.text.utf8.lexicographicallyPrecedes(second.text.utf8)
  }

  func hasBytePrefix(_ prefix: String) -> Bool { text.utf8.starts(with: prefix.utf8) }

  /// Returns the key up to and including the first delimiter after a prefix, or `nil` if there is none.
  func group(after prefix: String, delimiter: String) -> String? {
    guard !delimiter.isEmpty else { return nil }
    let bytes = Array(text.utf8)
    let mark = Array(delimiter.utf8)
    var start = prefix.utf8.count
    while start + mark.count <= bytes.count {
      if bytes[start..<(start + mark.count)].elementsEqual(mark) {
        return String(decoding: bytes[..<(start + mark.count)], as: UTF8.self)
      }
      start += 1
    }
    return nil
  }
}
