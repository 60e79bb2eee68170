// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The IDs of the node's files and folders, and the permissions that refer to these IDs.
///
/// A file receives its ID, which is in memory only, with the first response that contains the file. It keeps the ID
/// when it or a folder above it is renamed, or its content is replaced. If there are too many IDs, the oldest half is
/// discarded, except for those of roots and of files with permissions. At most half of the IDs can have permissions.
final class FileRegister: Sendable {
  typealias LocatedPermission = (permission: FilePermission, path: NodePath)

  private struct State {
    var paths: [Int: NodePath] = [rootID: .root]
    var ids: [NodePath: Int] = [.root: rootID]
    var rootIDs: Set<Int> = [rootID]
    var lastID = rootID
    var permissions: [Int: FilePermission] = [:]
    var lastPermissionID = 0
  }

  /// The ID of the node's root folder.
  static let rootID = 1
  /// The maximum number of permissions of an access key.
  static let permissionLimit = 1_000
  private let capacity: Int
  private let state = Lock(State())

  init(capacity: Int = 100_000) { self.capacity = capacity }

  func id(of path: NodePath) -> Int { state.withLock { id(of: path, in: &$0) } }
  func ids(of paths: [NodePath]) -> [Int] { state.withLock { state in paths.map { id(of: $0, in: &state) } } }

  /// Returns the ID of the root folder of an access key, which is kept until ``unregisterRoot(_:)``.
  func registerRoot(_ path: NodePath) -> Int {
    state.withLock { state in
      let id = id(of: path, in: &state)
      state.rootIDs.insert(id)
      return id
    }
  }

  func unregisterRoot(_ path: NodePath) {
    state.withLock { state in
      if let id = state.ids[path], id != Self.rootID { state.rootIDs.remove(id) }
    }
  }

  func path(ofID id: String) -> NodePath? {
    guard let number = Self.number(inID: id) else { return nil }
    return state.withLock { $0.paths[number] }
  }

  /// Gives the IDs of moved files to their targets, where the ID of a file that is gone can remain.
  func moveIDs(_ moves: [(path: NodePath, target: NodePath)]) {
    state.withLock { state in
      let outdatedIDs = Set(moves.compactMap { state.ids[$0.target] })
      Self.remove(outdatedIDs, from: &state)
      for (path, target) in moves {
        guard let id = state.ids.removeValue(forKey: path) else { continue }
        state.ids[target] = id
        state.paths[id] = target
      }
    }
  }

  /// Removes the IDs of a path and of everything below it, with their permissions.
  func remove(_ path: NodePath) {
    state.withLock { state in
      Self.remove(Set(state.paths.filter { path.contains($0.value) }.keys), from: &state)
    }
  }

  /// Returns the number in an ID, or `nil` if the text is not an ID in the form in which the node writes IDs.
  static func number(inID id: String) -> Int? {
    guard let number = Int(digits: id), String(number).isIdentical(to: id) else { return nil }
    return number
  }

  private static func remove(_ ids: Set<Int>, from state: inout State) {
    if ids.isEmpty { return }
    for id in ids {
      if let path = state.paths.removeValue(forKey: id) { state.ids[path] = nil }
    }
    state.rootIDs.subtract(ids)
    state.permissions = state.permissions.filter { !ids.contains($0.value.grant.fileID) }
  }

  private func id(of path: NodePath, in state: inout State) -> Int {
    if let id = state.ids[path] { return id }
    if state.ids.count >= capacity { discardOldest(&state) }
    state.lastID += 1
    state.ids[path] = state.lastID
    state.paths[state.lastID] = path
    return state.lastID
  }

  private func discardOldest(_ state: inout State) {
    let protectedIDs = state.rootIDs.union(state.permissions.values.map(\.grant.fileID))
    let ids = state.paths.keys.filter { !protectedIDs.contains($0) }.sorted()
    for id in ids.prefix(max(1, ids.count / 2)) {
      if let path = state.paths.removeValue(forKey: id) { state.ids[path] = nil }
    }
  }

  /// Creates a permission, unless the grantee has one already, the file is gone, or there are too many.
  func addPermission(
    _ grant: FilePermission.Grant, of accessKey: String, by creator: String, at date: Timestamp
  ) throws(ErrorResponse) -> FilePermission {
    try state.withLock { state throws(ErrorResponse) in
      guard state.paths[grant.fileID] != nil else { throw .node(.notFound, "There is no file \(grant.fileID).") }
      let permissionsOfKey = state.permissions.values.filter { $0.accessKey.isIdentical(to: accessKey) }
      guard !permissionsOfKey.contains(where: { $0.grant.hasGrantee(of: grant) }) else {
        throw .node(.conflict, "The permission exists already; modify it.")
      }
      guard permissionsOfKey.count < Self.permissionLimit else {
        throw .nodeBadRequest(
          "The access key has \(permissionsOfKey.count) permissions, which is the limit; delete some.")
      }
      guard state.permissions.count < capacity / 2 else {
        throw .nodeBadRequest("The node has \(capacity / 2) permissions, which is the limit; delete some.")
      }
      state.lastPermissionID += 1
      let permission = FilePermission(
        id: state.lastPermissionID, accessKey: accessKey, grant: grant, creator: creator, created: date,
        editor: creator, edited: date)
      state.permissions[permission.id] = permission
      return permission
    }
  }

  /// Returns the permissions of an access key in the order of their IDs.
  func permissions(of accessKey: String) -> [LocatedPermission] {
    state.withLock { state in
      state.permissions.values.filter { $0.accessKey.isIdentical(to: accessKey) }.sorted { $0.id < $1.id }
        .compactMap { permission in state.paths[permission.grant.fileID].map { (permission, $0) } }
    }
  }

  /// Replaces a permission, unless it was deleted in the meantime.
  func update(_ permission: FilePermission) {
    state.withLock { state in
      if state.permissions[permission.id] != nil { state.permissions[permission.id] = permission }
    }
  }

  func removePermission(_ id: Int) { state.withLock { $0.permissions[id] = nil } }

  func removePermissions(of accessKey: String) {
    state.withLock { state in
      state.permissions = state.permissions.filter { !$0.value.accessKey.isIdentical(to: accessKey) }
    }
  }

  func grants(of user: BearerUser, withKey accessKey: String) -> FileGrants {
    FileGrants(permissions(of: accessKey).filter { $0.permission.applies(to: user) })
  }
}
