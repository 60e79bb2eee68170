// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A permission of the node: the access levels of a user or a group on a file, or on a folder and everything below it.
struct FilePermission: Sendable {
  let id: Int

  /// The ID of the access key whose users the permission refers to.
  let accessKey: String
  let fileID: Int

  /// Whether `accessID` is the ID of a group, and not of a user.
  let isForGroup: Bool
  let accessID: String
  var levels: AccessLevels
  var tags: JSONValue?
  let creator: String
  let created: Timestamp
  var editor: String
  var edited: Timestamp

  /// The kind of the grantee in documents, `user` or `group`.
  var accessType: String { isForGroup ? "group" : "user" }

  /// Returns whether the permission grants its levels to a user, directly or through one of the user's groups.
  func applies(to user: BearerUser) -> Bool {
    guard isForGroup else { return user.id.utf8.elementsEqual(accessID.utf8) }
    return user.groupIDs.contains { $0.utf8.elementsEqual(accessID.utf8) }
  }

  /// The permission as a document of the Node API.
  var document: JSONObject {
    var document = JSONObject()
    document["id"] = .string(String(id))
    document["file_id"] = .string(String(fileID))
    document["access_type"] = .string(accessType)
    document["access_id"] = .string(accessID)
    document["access_levels"] = levels.document
    document["access_level"] = .string(levels.olderName)
    document["tags"] = tags ?? [:]
    document["created_by_id"] = .string(creator)
    document["created_at"] = .string(created.iso8601)
    document["last_updated_by_id"] = .string(editor)
    document["last_updated_at"] = .string(edited.iso8601)
    return document
  }
}

/// The access levels of one user of an access key, by the paths that permissions name.
struct FileGrants: Sendable {
  private let levels: [[UInt8]: AccessLevels]

  /// Creates the grants of a user.
  ///
  /// - Parameter permissions: The permissions that apply to the user, each with the path of its file.
  init(_ permissions: [(path: NodePath, levels: AccessLevels)]) {
    levels = Dictionary(permissions.map { ($0.path.bytes, $0.levels) }) { $0.union($1) }
  }

  /// Whether no permission applies to the user.
  var isEmpty: Bool { levels.isEmpty }

  /// Returns the user's access levels on a path: those granted on the path itself and on every folder above it.
  func levels(at path: NodePath) -> AccessLevels {
    path.folders.reduce(into: levels[[]] ?? []) { union, folder in union.formUnion(levels[folder.bytes] ?? []) }
  }
}
