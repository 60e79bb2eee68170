// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto
internal import StorageXML

extension Call {
  private static let deleteLimit = 1000

  func deleteObjects() async throws -> Answer {
    let encodes = try encodesNames()
    let document = try await document(named: "Delete")
    let isQuiet = document["Quiet"]?.text.asciiLowercased == "true"
    let objects = document.all("Object")
    guard !objects.isEmpty, objects.count <= Self.deleteLimit else {
      throw RefusalAnswer.malformedXML("The document must list 1 to \(Self.deleteLimit) objects.")
    }
    let keys = try objects.map { object in
      guard let key = object["Key"]?.text, !key.isEmpty else {
        throw RefusalAnswer.malformedXML("An object has no key.")
      }
      if let other = object.children.first(where: { !["Key", "VersionId"].contains($0.name) }) {
        throw RefusalAnswer.notImplemented("The element \"\(other.name)\" of an object is not supported.")
      }
      return key
    }
    // Only the body contains the keys, so that the gateway could not check the permissions. Check all keys before the
    // first object is deleted.
    guard keys.allSatisfy({ rights.allowDeleting($0, in: bucket) }) else { throw dialect.policyRefusal(at: date) }
    for key in keys { try await store.delete(ObjectKey(key), in: bucket) }
    let deleted = keys.map { key in
      XMLNode("Deleted", children: [XMLNode("Key", written(key, encodes))])
    }
    return respond(with: XMLNode("DeleteResult", children: encodingElement(encodes) + (isQuiet ? [] : deleted)))
  }
}
