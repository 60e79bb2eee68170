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

  /// Lets moved files keep their IDs; an ID that a target still has from a file that is gone ends.
  func moveIDs(_ moves: [(path: NodePath, target: NodePath)]) {
    state.withLock { state in
      Self.removeIDs(Set(moves.compactMap { state.ids[$0.target] }), from: &state)
      for (path, target) in moves {
        guard let id = state.ids.removeValue(forKey: path) else { continue }
        state.ids[target] = id
        state.paths[id] = target
      }
    }
  }

  /// Removes the IDs of a path and of everything below it, with their permissions.
  func removeIDs(below path: NodePath) {
    state.withLock { state in
      Self.removeIDs(Set(state.paths.filter { path.contains($0.value) }.keys), from: &state)
    }
  }

  /// Returns the number in an ID, or `nil` if the text is not an ID in the form in which the node writes IDs.
  static func number(inID id: String) -> Int? {
    guard let number = Int(digits: id), String(number).isIdentical(to: id) else { return nil }
    return number
  }

  /// Creates a permission, unless the grantee has one already, the file is gone, or there are too many.
  func addPermission(
    _ grant: FilePermission.Grant, of accessKey: String, by creator: String, at date: Timestamp
  ) throws(ErrorResponse) -> FilePermission {
    try state.withLock { state throws(ErrorResponse) in
      guard state.paths[grant.fileID] != nil else { throw .node(.notFound, "There is no file \(grant.fileID).") }
      let permissionsOfKey = state.permissions.values.filter { $0.accessKey.isIdentical(to: accessKey) }
      guard !permissionsOfKey.contains(where: { $0.grant.hasFileAndGrantee(of: grant) }) else {
        throw .node(.conflict, "The permission exists already; modify it.")
      }
      let (limit, totalLimit) = (Self.permissionLimit, capacity / 2)
      try require(permissionsOfKey.count < limit, "The access key has its limit of \(limit) permissions; delete some.")
      try require(state.permissions.count < totalLimit, "The node has its limit of \(totalLimit) permissions.")
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

  private func id(of path: NodePath, in state: inout State) -> Int {
    if let id = state.ids[path] { return id }
    if state.ids.count >= capacity { discardOldestIDs(&state) }
    state.lastID += 1
    state.ids[path] = state.lastID
    state.paths[state.lastID] = path
    return state.lastID
  }

  private func discardOldestIDs(_ state: inout State) {
    let protectedIDs = state.rootIDs.union(state.permissions.values.map(\.grant.fileID))
    // IDs count up, so that the lowest are the oldest.
    let ids = state.paths.keys.filter { !protectedIDs.contains($0) }.sorted()
    Self.removeIDs(Set(ids.prefix(max(1, ids.count / 2))), from: &state)
  }

  private static func removeIDs(_ ids: Set<Int>, from state: inout State) {
    if ids.isEmpty { return }
    for id in ids {
      if let path = state.paths.removeValue(forKey: id) { state.ids[path] = nil }
    }
    state.rootIDs.subtract(ids)
    state.permissions = state.permissions.filter { !ids.contains($0.value.grant.fileID) }
  }
}
