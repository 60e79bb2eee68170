// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageJSON
internal import Synchronization

extension FileRegister {
  /// The maximum number of permissions of one access key.
  static let permissionLimit = 1_000

  /// The grantee and the levels of a new permission.
  struct Grant: Sendable {
    let fileID: Int
    let isForGroup: Bool
    let accessID: String
    let levels: AccessLevels
    var tags: JSONValue?
  }

  /// Creates a permission.
  ///
  /// - Throws: A 409 (Conflict) error if the grantee has a permission on the file already, a 404 (Not Found) error if
  ///   the file is gone, or a 400 (Bad Request) error if the access key has too many permissions.
  func add(
    _ grant: Grant, of accessKey: String, by creator: String, at date: Timestamp
  ) throws(RefusalAnswer) -> FilePermission {
    try state.withLock { state throws(RefusalAnswer) in
      guard state.paths[grant.fileID] != nil else { throw .node(.notFound, "There is no file \(grant.fileID).") }
      let own = state.permissions.values.filter { $0.accessKey.utf8.elementsEqual(accessKey.utf8) }
      let isThere = own.contains { permission in
        permission.fileID == grant.fileID && permission.isForGroup == grant.isForGroup
          && permission.accessID.utf8.elementsEqual(grant.accessID.utf8)
      }
      if isThere { throw .node(.conflict, "The permission exists already; modify it.") }
      guard own.count < Self.permissionLimit else {
        throw .nodeBadRequest("The access key has \(own.count) permissions, which is the limit; delete some.")
      }
      state.lastPermissionID += 1
      let permission = FilePermission(
        id: state.lastPermissionID, accessKey: accessKey, fileID: grant.fileID, isForGroup: grant.isForGroup,
        accessID: grant.accessID, levels: grant.levels, tags: grant.tags, creator: creator, created: date,
        editor: creator, edited: date)
      state.permissions[permission.id] = permission
      return permission
    }
  }

  /// Returns the permissions of an access key, each with the path of its file, in the order of their IDs.
  func permissions(of accessKey: String) -> [(permission: FilePermission, path: NodePath)] {
    state.withLock { state in
      state.permissions.values.filter { $0.accessKey.utf8.elementsEqual(accessKey.utf8) }
        .sorted { $0.id < $1.id }
        .compactMap { permission in state.paths[permission.fileID].map { (permission, $0) } }
    }
  }

  /// Replaces a permission, unless it was deleted in the meantime.
  func update(_ permission: FilePermission) {
    state.withLock { state in
      if state.permissions[permission.id] != nil { state.permissions[permission.id] = permission }
    }
  }

  /// Deletes a permission.
  func removePermission(_ id: Int) {
    state.withLock { $0.permissions[id] = nil }
  }

  /// Deletes all permissions of an access key.
  func removePermissions(of accessKey: String) {
    state.withLock { state in
      state.permissions = state.permissions.filter { !$0.value.accessKey.utf8.elementsEqual(accessKey.utf8) }
    }
  }

  /// Returns the access levels of a user of an access key.
  func grants(of user: BearerUser, _ accessKey: String) -> FileGrants {
    FileGrants(
      permissions(of: accessKey).filter { $0.permission.applies(to: user) }.map { ($0.path, $0.permission.levels) })
  }
}
