// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A bucket, with the index of its objects and pending multipart uploads.
struct Bucket: Sendable {
  let name: String
  let created: Timestamp
  var settings: BucketSettings
  var objects = SortedTable<ObjectKey, StoredObject>()
  /// The versions that are not current, and the delete markers, the newest first.
  var otherVersions = SortedTable<ObjectKey, [StoredObject]>()
  /// The highest number in the order of the bucket's versions.
  var lastOrder: UInt64 = 0
  var uploads = SortedTable<UploadName, PendingUpload>()
  /// The newest completions of uploads, which clients can repeat.
  var completions: [CompletedUpload] = []

  init(name: String, created: Timestamp, access: AccessControl) {
    (self.name, self.created) = (name, created)
    settings = BucketSettings(access: access)
  }

  var access: AccessControl { settings.access }
  var owner: String { settings.owner ?? SimulatedService.account }

  /// Returns a pending upload; `ec` is the detailed error code of OSS if it does not exist.
  func upload(_ name: UploadName, ec: String? = nil) throws(ErrorResponse) -> PendingUpload {
    guard let upload = uploads[name] else { throw .noSuchUpload(name.id.string, ec: ec) }
    return upload
  }

  /// Returns a page of pending uploads, which starts after an upload of a key or, without an ID, after the last one.
  func uploadPage(_ query: ListQuery, afterUpload id: String) -> EntryPage<PendingUpload> {
    let after = ObjectKey(query.after)
    let following = zip(uploads.keys, uploads.values).lazy.filter { name, _ in
      query.after.isEmpty || name.key > after || name.key == after && !id.isEmpty && name.id > ByteExactString(id)
    }
    return page(query, of: following.map { (key: $0.key, id: $0.id.string, entry: $1) })
  }

  private func page<Entry>(
    _ query: ListQuery, of entries: some Sequence<(key: ObjectKey, id: String, entry: Entry)>
  ) -> EntryPage<Entry> {
    var page = EntryPage<Entry>()
    for (key, id, entry) in entries where key.utf8.starts(with: query.prefix.utf8) {
      let group = key.group(after: query.prefix, delimiter: query.delimiter)
      if let group, group.isIdentical(to: query.after) || page.groups.last?.isIdentical(to: group) == true { continue }
      if page.entries.count + page.groups.count == query.limit {
        page.isTruncated = true
        break
      }
      if let group { page.groups.append(group) } else { page.entries.append(entry) }
      page.last = (group ?? key.string, group == nil ? id : "")
    }
    return page
  }

  /// Returns a page of current objects, without visiting each key of a group.
  func objectPage(_ query: ListQuery) -> EntryPage<StoredObject> {
    let (after, prefix) = (ObjectKey(query.after), ObjectKey(query.prefix))
    let keys = objects.keys
    let indexAfter = query.after.isEmpty ? 0 : keys.firstSortedIndex { $0 > after }
    let start = max(indexAfter, keys.firstSortedIndex { $0 >= prefix })
    let entries = sequence(state: start) { index -> (key: ObjectKey, id: String, entry: StoredObject)? in
      guard index < keys.count, keys[index].utf8.starts(with: query.prefix.utf8) else { return nil }
      let (key, object) = (keys[index], objects.values[index])
      if let group = key.group(after: query.prefix, delimiter: query.delimiter) {
        index = keys.firstSortedIndex(from: index) { $0 > ObjectKey(group) && !$0.utf8.starts(with: group.utf8) }
      } else {
        index += 1
      }
      return (key, "", object)
    }
    return page(query, of: entries)
  }

  // MARK: Versions

  /// All versions in the bucket, in no particular order.
  var allVersions: [StoredObject] { objects.values + otherVersions.values.joined() }

  /// Returns the versions of an object and its delete markers, the newest first.
  func versions(of key: ObjectKey) -> [StoredObject] { (objects[key].map { [$0] } ?? []) + (otherVersions[key] ?? []) }

  func object(_ key: ObjectKey, version: String?) throws(ErrorResponse) -> StoredObject {
    guard let version else {
      if let object = objects[key] { return object }
      throw .noSuchKey(key.string, hiddenBy: otherVersions[key]?.first)
    }
    guard let object = versions(of: key).first(where: { $0.version == version }) else {
      throw .noSuchVersion(version, of: key.string)
    }
    if object.kind == .deleteMarker { throw .isDeleteMarker(object) }
    return object
  }

  /// Adds a version before all older ones, and returns the version with the same ID that it replaces, if any.
  mutating func add(_ object: StoredObject) -> StoredObject? {
    var versions = versions(of: object.key)
    let replaced = versions.firstIndex { $0.version == object.version }.map { versions.remove(at: $0) }
    versions.insert(object, at: versions.firstIndex { $0.order <= object.order } ?? versions.endIndex)
    set(versions, of: object.key)
    lastOrder = max(lastOrder, object.order)
    return replaced
  }

  mutating func remove(_ version: String, of key: ObjectKey) {
    set(versions(of: key).filter { $0.version != version }, of: key)
  }

  /// Replaces the versions of a key, of which the first one is current unless it is a delete marker.
  private mutating func set(_ versions: [StoredObject], of key: ObjectKey) {
    let current = versions.first.flatMap { $0.kind == .deleteMarker ? nil : $0 }
    let others = current == nil ? versions : Array(versions.dropFirst())
    objects[key] = current
    otherVersions[key] = others.isEmpty ? nil : others
  }

  /// Returns the versions that are older than one of them, which may have been deleted in the meantime.
  private static func versions(_ versions: [StoredObject], after version: String) -> [StoredObject] {
    if let index = versions.firstIndex(where: { $0.version == version }) { return Array(versions[(index + 1)...]) }
    // IDs ascend in the order in which versions are stored.
    return versions.filter {
      $0.version == StoredObject.nullVersion || $0.version.utf8.lexicographicallyPrecedes(version.utf8)
    }
  }

  /// Returns a page of all versions, ordered by key and then from the newest to the oldest.
  ///
  /// It starts after a version of a key or, without a version, after the key's last one.
  func versionPage(_ query: ListQuery, after version: String) -> EntryPage<(object: StoredObject, isLatest: Bool)> {
    let after = ObjectKey(query.after)
    let keys = (objects.keys + otherVersions.keys.filter { objects[$0] == nil }).sorted()
    let entries = keys.lazy.filter { query.after.isEmpty || $0 >= after }.flatMap { key in
      let versions = versions(of: key)
      var following = versions
      if key == after, key.group(after: query.prefix, delimiter: query.delimiter) == nil {
        following = version.isEmpty ? [] : Self.versions(versions, after: version)
      }
      return following.map { (key: key, id: $0.version, entry: (object: $0, isLatest: $0 === versions.first)) }
    }
    return page(query, of: entries)
  }
}

/// The properties of a bucket that its owner can change.
struct BucketSettings: Sendable, Codable, Equatable {
  var access: AccessControl
  /// The number of the account that created the bucket, or `nil` if the configuration did.
  var owner: String?
  /// The names of the storage class of objects without one, and of the redundancy, or `nil` for the defaults.
  var storageClass: String?
  var redundancy: String?
  /// The state of the bucket's versioning, or `nil` if it never had versions.
  var versioning: Versioning?
  /// The documents that clients stored, by query parameter; a slash and the document's ID follow if it has one.
  var documents: [String: String]?
  /// The names of documents in the order in which they were stored, or `nil` in older records.
  var order: [String]?
  /// The region of the bucket, or `nil` for that of the service.
  var region: String?

  enum Versioning: String, Sendable, Codable {
    /// The name of the root element of the document with the state.
    static let root = "VersioningConfiguration"

    case enabled = "Enabled"
    case suspended = "Suspended"
  }

  var documentNames: [String] {
    get { (order ?? (documents ?? [:]).keys.sorted()).filter { documents?[$0] != nil } }
    set { order = newValue }
  }

  /// The ID of the resource group of a bucket of OSS without a document about its group.
  static let defaultResourceGroup = "rg-localcloud"
  var resourceGroup: String { document("resourceGroup")?["ResourceGroupId"]?.text ?? Self.defaultResourceGroup }
  func document(_ name: String) -> XMLNode? { documents?[name].flatMap { try? XMLNode.parse(Array($0.utf8)) } }
  /// Returns whether the document about public access contains a rule, such as `BlockPublicAcls`.
  func blocks(_ rule: String) -> Bool { document("publicAccessBlock")?[rule]?.text == "true" }
}

/// The entries that a page of a listing can have, and the maximum number of its entries and groups.
struct ListQuery {
  var prefix, delimiter: String
  /// The object key or group after which the page starts, or an empty string for the first page.
  var after: String
  var limit: Int
}

/// A page of the listing of a bucket's objects, versions or pending uploads.
struct EntryPage<Entry: Sendable>: Sendable {
  /// The entries of the page that are not part of a group.
  var entries: [Entry] = []
  /// The groups of the page: common prefixes of keys that are equal up to and including a delimiter.
  var groups: [String] = []
  fileprivate var isTruncated = false
  /// The key or group, and the ID, of the last entry, after which the next page starts.
  var last = (key: "", id: "")
  /// The key or group after which the next page starts, or `nil` on the last page or an empty page.
  var next: String? { isTruncated && !last.key.isEmpty ? last.key : nil }
}

/// The identity of a multipart upload, ordered by object key and then by upload ID.
struct UploadName: Sendable, Comparable {
  let key: ObjectKey
  let id: ByteExactString

  static func < (first: UploadName, second: UploadName) -> Bool {
    first.key == second.key ? first.id < second.id : first.key < second.key
  }
}

struct PendingUpload: Sendable {
  let name: UploadName
  let description: ObjectDescription
  let access: AccessControl?
  let attributes: ObjectAttributes
  let initiated: Timestamp
  var checksum: ChecksumRule?
  var parts = SortedTable<Int, UploadedPart>()
}

struct UploadedPart: Sendable {
  let content: Content
  let modified: Timestamp
}

/// The completion of a multipart upload, with the response to a repetition of the request.
struct CompletedUpload: Sendable {
  let name: UploadName
  /// The numbers and entity tags of the parts in the request.
  let parts: [String]
  let answer: Answer
}
