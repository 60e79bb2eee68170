// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

extension Call {
  func deleteObject() async throws -> Answer {
    let deleted = try await delete(key, version: target.version) { existing in
      try Conditions(headers).checkWrite(over: existing, key)
    }
    var response = Answer(.noContent)
    if let version = target.version ?? deleted?.version, versioning != nil {
      response.headers.set(service.header("version-id"), version)
    }
    if deleted?.kind == .deleteMarker { response.headers.set(service.header("delete-marker"), "true") }
    return response
  }

  /// Deletes a version, or hides all of them with a delete marker; returns the marker, or the deleted version if any.
  private func delete(
    _ key: ObjectKey, version: String?, after check: (StoredObject?) throws -> Void = { _ in }
  ) async throws -> StoredObject? {
    guard version == nil, versioning != nil else {
      return try await store.delete(key, in: bucket, version: version ?? StoredObject.nullVersion, after: check)
    }
    let marker = StoredObject(
      id: .random(), key: key, content: .empty, description: ObjectDescription(), modified: date, kind: .deleteMarker)
    return try await store.put(marker, in: bucket) { try check($0.objects[key]) }
  }

  func deleteObjects() async throws -> Answer {
    let encoding = try keyEncoding()
    let document = try await readRequiredDocument(named: "Delete")
    let isQuiet = document["Quiet"]?.text.asciiLowercased == "true"
    let listed = try listedObjects(in: document)
    // The gateway could not check the keys, which are in the body. All are checked before the first deletion.
    guard listed.allSatisfy({ rights.allowDeleting($0.key, version: $0.version, in: bucket) }) else {
      throw service.policyRefusal(at: date)
    }
    var deletions: [XMLNode] = []
    var errors: [XMLNode] = []
    for (key, version, entityTag) in listed {
      let identification = [encoding.element("Key", key)] + (version.map { [XMLNode("VersionId", $0)] } ?? [])
      do {
        let deleted = try await delete(ObjectKey(key), version: version) { existing in
          guard let entityTag, let existing, !Conditions.matches(entityTag, existing) else { return }
          throw ErrorResponse.preconditionFailed("If-Match")
        }
        let marker = deleted.flatMap { $0.kind == .deleteMarker ? $0.version : nil }.map {
          [XMLNode("DeleteMarker", "true"), XMLNode("DeleteMarkerVersionId", $0)]
        }
        deletions.append(XMLNode("Deleted", children: identification + (marker ?? [])))
      } catch let error as ErrorResponse where entityTag != nil {
        // Only a condition concerns a single object; any other error is one of the whole request.
        let reason = [XMLNode("Code", error.code), XMLNode("Message", error.message)]
        errors.append(XMLNode("Error", children: identification + reason))
      }
    }
    return service.response("DeleteResult", encoding.encodingTypeElements + (isQuiet ? [] : deletions) + errors)
  }

  private static let deletionLimit = 1000

  private func listedObjects(
    in document: XMLNode
  ) throws(ErrorResponse) -> [(key: String, version: String?, entityTag: String?)] {
    let elements = document.all("Object")
    guard !elements.isEmpty, elements.count <= Self.deletionLimit else {
      throw .malformedXML("The document must list 1 to \(Self.deletionLimit) objects.")
    }
    let hasConditions = service.headerRules.conditions["if-match"]?.contains(.deleteObject) == true
    let knownNames = Set(["Key", "VersionId"] + (hasConditions ? ["ETag"] : []))
    return try elements.map { element throws(ErrorResponse) in
      guard let key = element["Key"]?.text, !key.isEmpty else { throw .malformedXML("An object has no key.") }
      if let unknown = element.children.first(where: { !knownNames.contains($0.name) }) {
        throw .notImplemented("The element \"\(unknown.name)\" of an object is not supported.")
      }
      let version = element["VersionId"].flatMap { $0.text.isEmpty ? nil : $0.text }
      return (key: key, version: version, entityTag: element["ETag"]?.text)
    }
  }
}
