// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

extension Call {
  /// The version of the object that the request selects, or `nil` for the current one.
  var requestedVersion: String? { parameter("versionId") }

  func requestedObject() throws -> StoredObject { try store.object(key, in: bucket, version: requestedVersion) }

  /// Returns the state of the versioning of a bucket, or `nil` if it never had versions.
  func versioning(of bucket: String) -> BucketSettings.Versioning? {
    (try? store.read(bucket) { $0.settings.versioning }) ?? nil
  }

  /// Adds the headers of a response that report the encryption of an object, and its version if the bucket has versions.
  func describe(_ object: StoredObject, in headers: inout HTTPFields) {
    describe(object.attributes, in: &headers)
    let isNull = object.version == StoredObject.nullVersion
    if versioning(of: bucket) != nil, !isNull || operation.isRead || service.objects.tellsNullVersions {
      headers.set(service.header("version-id"), object.version)
    }
  }

  // MARK: Deletion

  func deleteObject() async throws -> Answer {
    let deleted = try await delete(key, version: requestedVersion) {
      try Conditions(headers).checkWrite(over: $0, key)
    }
    var response = Answer(.noContent)
    if let version = requestedVersion ?? deleted?.version, versioning(of: bucket) != nil {
      response.headers.set(service.header("version-id"), version)
    }
    if deleted?.kind == .deleteMarker { response.headers.set(service.header("delete-marker"), "true") }
    return response
  }

  /// Deletes a version, or hides all with a delete marker if the bucket has versions; returns the marker or what it deleted.
  private func delete(
    _ key: ObjectKey, version: String?, after check: (StoredObject?) throws -> Void = { _ in }
  ) async throws -> StoredObject? {
    guard version == nil, versioning(of: bucket) != nil else {
      return try await store.delete(key, in: bucket, version: version ?? StoredObject.nullVersion, after: check)
    }
    let marker = StoredObject(
      id: .random(), key: key, content: .empty, description: ObjectDescription(), modified: date, kind: .deleteMarker)
    return try await store.put(marker, in: bucket) { try check($0.objects[key]) }
  }

  private static let deleteLimit = 1000

  func deleteObjects() async throws -> Answer {
    let keys = try keyEncoding()
    let document = try await document(named: "Delete")
    let isQuiet = document["Quiet"]?.text.asciiLowercased == "true"
    let objects = document.all("Object")
    guard !objects.isEmpty, objects.count <= Self.deleteLimit else {
      throw ErrorResponse.malformedXML("The document must list 1 to \(Self.deleteLimit) objects.")
    }
    let hasConditions = service.headerRules.conditions["if-match"]?.contains(.deleteObject) == true
    let known = Set(["Key", "VersionId"] + (hasConditions ? ["ETag"] : []))
    let named = try objects.map { object in
      guard let key = object["Key"]?.text, !key.isEmpty else {
        throw ErrorResponse.malformedXML("An object has no key.")
      }
      if let other = object.children.first(where: { !known.contains($0.name) }) {
        throw ErrorResponse.notImplemented("The element \"\(other.name)\" of an object is not supported.")
      }
      return (key: key, version: object["VersionId"].flatMap { $0.text.isEmpty ? nil : $0.text }, tag: object["ETag"])
    }
    // Only the body has the keys, so that the gateway could not check them; all are checked before the first deletion.
    guard named.allSatisfy({ rights.allowDeleting($0.key, version: $0.version, in: bucket) }) else {
      throw service.policyRefusal(at: date)
    }
    var deletions: [XMLNode] = []
    var errors: [XMLNode] = []
    for (key, version, tag) in named {
      let deleted: StoredObject?
      do {
        deleted = try await delete(ObjectKey(key), version: version) { existing in
          guard let tag, let existing, !Conditions.matches(tag.text, existing) else { return }
          throw ErrorResponse.preconditionFailed("If-Match")
        }
      } catch let error as ErrorResponse where tag != nil {
        let named = [keys.element("Key", key)] + (version.map { [XMLNode("VersionId", $0)] } ?? [])
        let elements = named + [XMLNode("Code", error.code), XMLNode("Message", error.message)]
        errors.append(XMLNode("Error", children: elements))
        continue
      }
      var element = XMLNode("Deleted", children: [keys.element("Key", key)])
      if let version { element.children.append(XMLNode("VersionId", version)) }
      if let deleted, deleted.kind == .deleteMarker {
        element.children += [XMLNode("DeleteMarker", "true"), XMLNode("DeleteMarkerVersionId", deleted.version)]
      }
      deletions.append(element)
    }
    return service.response("DeleteResult", keys.elements + (isQuiet ? [] : deletions) + errors)
  }
}
