// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension Bucket {
  /// All versions in the bucket, in no particular order.
  var allVersions: [StoredObject] { objects.values + otherVersions.values.joined() }

  /// Returns the versions of an object and its delete markers, the newest first.
  func versions(of key: ObjectKey) -> [StoredObject] { (objects[key].map { [$0] } ?? []) + (otherVersions[key] ?? []) }

  /// Returns the current version of an object, or the one with an ID.
  func object(_ key: ObjectKey, version: String?) throws(ErrorResponse) -> StoredObject {
    guard let version else {
      if let object = objects[key] { return object }
      throw .noSuchKey(key.text, hiddenBy: otherVersions[key]?.first)
    }
    guard let object = versions(of: key).first(where: { $0.version == version }) else {
      throw .noSuchVersion(version, of: key.text)
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

  /// Returns the versions that are older than one of them, which may have been deleted since a page ended with it.
  private static func versions(_ versions: [StoredObject], after version: String) -> [StoredObject] {
    if let index = versions.firstIndex(where: { $0.version == version }) { return Array(versions[(index + 1)...]) }
    // IDs ascend in the order in which versions are stored.
    return versions.filter {
      $0.version == StoredObject.nullVersion || $0.version.utf8.lexicographicallyPrecedes(version.utf8)
    }
  }

  /// Returns a page of the listing of all versions, ordered by key and then from the newest to the oldest.
  ///
  /// - Parameters:
  ///   - query: The page; it starts after the object key or group.
  ///   - version: The version of that object after which the page starts, or an empty string for its last one.
  func versionPage(_ query: ListQuery, after version: String) -> VersionPage {
    var page = VersionPage()
    let after = ObjectKey(query.after)
    let keys = (objects.keys + otherVersions.keys.filter { objects[$0] == nil }).sorted()
    var lastEntry = (key: "", version: "")
    for key in keys where key.hasBytePrefix(query.prefix) && (query.after.isEmpty || key >= after) {
      let group = key.group(after: query.prefix, delimiter: query.delimiter)
      if let group {
        if ObjectKey(group) == after || page.groups.last.map({ ObjectKey($0) == ObjectKey(group) }) == true { continue }
      } else if key == after, version.isEmpty {
        continue
      }
      let keyVersions = versions(of: key)
      for object in group == nil && key == after ? Self.versions(keyVersions, after: version) : keyVersions {
        guard page.versions.count + page.groups.count < query.limit else {
          page.next = query.limit == 0 ? nil : lastEntry
          return page
        }
        if let group {
          page.groups.append(group)
          lastEntry = (group, "")
          break
        }
        page.versions.append((object, object === keyVersions.first))
        lastEntry = (key.text, object.version)
      }
    }
    return page
  }
}
