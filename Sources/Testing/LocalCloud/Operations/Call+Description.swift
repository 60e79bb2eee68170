// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageXML

// Operations that read or change the attributes and tags of an object.

extension Call {
  /// Replaces an object with a copy that has other attributes.
  ///
  /// - Parameter change: A closure that returns the changed copy of the object.
  /// - Throws: `OperationAborted` if another request replaced or deleted the object in the meantime.
  func describeAnew(_ change: (StoredObject) -> StoredObject) async throws {
    let object = try store.object(key, in: bucket)
    try await store.put(change(object), in: bucket) { bucket in
      guard bucket.objects[key] === object else { throw RefusalAnswer.operationAborted }
    }
  }

  func readTags() throws -> Answer {
    let tags = try store.object(key, in: bucket).attributes.tags.map { tag in
      XMLNode("Tag", children: [XMLNode("Key", tag.name), XMLNode("Value", tag.value)])
    }
    return respond(with: XMLNode("Tagging", children: [XMLNode("TagSet", children: tags)]))
  }

  func changeTags() async throws -> Answer {
    guard let set = try await document(named: "Tagging")["TagSet"] else {
      throw RefusalAnswer.malformedXML("The document has no TagSet.")
    }
    let tags = try set.all("Tag").map { tag in
      guard let name = tag["Key"]?.text, let value = tag["Value"]?.text else {
        throw RefusalAnswer.malformedXML("A Tag needs a Key and a Value.")
      }
      return ObjectDescription.Header(name: name, value: value)
    }
    try Self.check(tags)
    try await describeAnew { $0.with(tags: tags) }
    return Answer()
  }

  func deleteTags() async throws -> Answer {
    try await describeAnew { $0.with(tags: []) }
    return Answer(.noContent)
  }

  /// Returns a response with the object attributes that a request header lists, in the element order of the service's
  /// documents.
  func objectAttributes() throws -> Answer {
    let object = try store.object(key, in: bucket)
    try CustomerKey.check(try customerKey(), against: object.attributes.customerKey)
    let header = dialect.header("object-attributes")
    let names = (headers.joined(header) ?? "").parts(between: ",").map { String($0.droppingBlanks) }
    guard names != [""] else {
      throw RefusalAnswer.invalidRequest(
        "The \(header) header specifying the attributes to be retrieved is either missing or empty")
    }
    let content = object.content
    let parts = content.entityTag.parts(between: "-").dropFirst().map { XMLNode("PartsCount", String($0)) }
    let attributes: KeyValuePairs = [
      "ETag": XMLNode("ETag", content.entityTag),
      "Checksum": XMLNode("Checksum", children: dialect.elements(of: content)),
      "ObjectParts": XMLNode("ObjectParts", children: parts),
      "StorageClass": XMLNode("StorageClass", object.attributes.storageClass ?? dialect.standardClass),
      "ObjectSize": XMLNode("ObjectSize", String(content.byteCount)),
    ]
    guard names.allSatisfy({ name in attributes.contains { $0.key == name } }) else {
      throw RefusalAnswer.invalidArgument("Invalid attribute name specified.")
    }
    let told = attributes.filter { names.contains($0.key) && !($0.value.text.isEmpty && $0.value.children.isEmpty) }
    var answer = respond(with: XMLNode("GetObjectAttributesResponse", children: told.map(\.value)))
    answer.headers[.lastModified] = object.modified.httpDate
    return answer
  }
}
