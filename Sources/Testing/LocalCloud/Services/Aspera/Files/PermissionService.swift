// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A permission of the node: the access levels of a user or a group on a file, or on a folder and everything below it.
struct FilePermission: Sendable {
  let id: Int
  let accessKey: String
  var grant: Grant
  let creator: String
  let created: Timestamp
  var editor: String
  var edited: Timestamp

  /// The file and the access levels of a permission, and its grantee: a user, or the members of a group.
  struct Grant: Sendable {
    let fileID: Int
    let isForGroup: Bool
    let accessID: String
    var levels: AccessLevels
    var tags: JSONValue?

    /// Returns whether another grant is for the same file and grantee, of which a node has only one permission.
    func hasFileAndGrantee(of other: Grant) -> Bool {
      fileID == other.fileID && isForGroup == other.isForGroup && accessID.isIdentical(to: other.accessID)
    }
  }

  static let accessTypes = ["user", "group"]
  var accessType: String { grant.isForGroup ? "group" : "user" }

  func applies(to user: BearerUser) -> Bool {
    (grant.isForGroup ? user.groupIDs : [user.id]).contains { $0.isIdentical(to: grant.accessID) }
  }

  var document: JSONObject {
    [
      "id": .string(String(id)), "file_id": .string(String(grant.fileID)), "access_type": .string(accessType),
      "access_id": .string(grant.accessID), "access_levels": grant.levels.document,
      "access_level": .string(grant.levels.olderName), "tags": grant.tags ?? [:], "created_by_id": .string(creator),
      "created_at": .string(created.iso8601), "last_updated_by_id": .string(editor),
      "last_updated_at": .string(edited.iso8601),
    ]
  }
}

/// The access levels of one user of an access key, by the paths that permissions name.
struct FileGrants: Sendable {
  private let levels: [NodePath: AccessLevels]

  init(_ permissions: [FileRegister.LocatedPermission]) {
    levels = Dictionary(permissions.map { ($0.path, $0.permission.grant.levels) }) { $0.union($1) }
  }

  var isEmpty: Bool { levels.isEmpty }

  /// Returns the levels that the user has on a path, including those for the folders above it.
  func levels(at path: NodePath) -> AccessLevels {
    path.folders.reduce(into: levels[.root] ?? []) { union, folder in union.formUnion(levels[folder] ?? []) }
  }
}

typealias AccessLevels = Set<LocalCloud.NodePermission.AccessLevel>

extension AccessLevels {
  static let all = AccessLevels(LocalCloud.NodePermission.AccessLevel.allCases)

  /// Reads a list of names, or returns `nil` if it is empty or contains an unknown name.
  init?(_ value: JSONValue?) {
    guard let names = value?.array, !names.isEmpty else { return nil }
    let levels = names.compactMap { $0.string.flatMap { Element(rawValue: $0) } }
    guard levels.count == names.count else { return nil }
    self.init(levels)
  }

  var names: [String] { Element.allCases.filter { contains($0) }.map(\.rawValue) }
  var document: JSONValue { .strings(names) }
  /// The name of the levels in the older form of the Node API, `edit` or `view`.
  var olderName: String { contains(.write) ? "edit" : "view" }
}

/// The calls of `/permissions`, for one caller.
///
/// A user of the access key can change the permissions that the user has created, and those on files on which the user
/// has any access level.
struct PermissionService: Sendable {
  private static let pageLimit = 1_000
  private static let accessIDByteLimit = 255
  private static let tagByteLimit = 16 * 1_024
  let files: FileService
  let accessKey: String

  init(_ aspera: AsperaContext, for caller: NodeCaller) throws(ErrorResponse) {
    guard let key = caller.accessKey else {
      throw .node(.forbidden, "Permissions belong to an access key; authenticate with one.")
    }
    files = try FileService(aspera, for: caller)
    accessKey = key.id
  }

  private var register: FileRegister { files.aspera.files.register }

  func list(_ query: NodeQuery) throws -> Answer {
    let found = try filtered(register.permissions(of: accessKey), query)
    let page = try query.page(of: found, limit: Self.pageLimit)
    var response = Answer(.array(try page.map { .object(try responseDocument(for: $0, query)) }))
    response.headers.set("X-Total-Count", String(found.count))
    return response
  }

  private func filtered(
    _ permissions: [FileRegister.LocatedPermission], _ query: NodeQuery
  ) throws -> [FileRegister.LocatedPermission] {
    var found = permissions
    if let id = query["file_id"] {
      let entry = try files.entry(id)
      let includesInherited = try query.bool("inherited") ?? true
      found = found.filter { includesInherited ? $0.path.contains(entry.path) : $0.path == entry.path }
    }
    // With any access level on the root, a user sees the permissions of all users.
    if let user = files.caller.bearerUser, files.levels(at: files.root).isEmpty {
      found = found.filter { $0.permission.applies(to: user) || isCreator(of: $0.permission) }
    }
    if let type = query["access_type"] {
      try require(FilePermission.accessTypes.contains(type), "The access_type must be user or group.")
      found = found.filter { $0.permission.accessType == type }
    }
    let attributes: [(parameter: String, property: KeyPath<FilePermission, String>)] = [
      ("access_id", \.grant.accessID), ("created_by_id", \.creator), ("last_updated_by_id", \.editor),
      ("access_level", \.grant.levels.olderName),
    ]
    for (parameter, property) in attributes {
      guard let value = query[parameter] else { continue }
      found = found.filter { $0.permission[keyPath: property].isIdentical(to: value) }
    }
    for name in query.list("access_levels") {
      let level = try LocalCloud.NodePermission.AccessLevel(rawValue: name)
        .required("There is no access level \(name.shortened(to: 64)).")
      found = found.filter { $0.permission.grant.levels.contains(level) }
    }
    return found
  }

  func create(_ body: JSONValue, at date: Timestamp) throws -> Answer {
    let fileID = try (body["file_id"]?.code).required("The file_id is missing.")
    let accessID = try (body["access_id"]?.code).required("The access_id is missing.")
    let levels = try AccessLevels(body["access_levels"]).required("The access_levels are missing or unknown.")
    let type = body["access_type"]?.string ?? ""
    try require(FilePermission.accessTypes.contains(type), "The access_type must be user or group.")
    try require((1...Self.accessIDByteLimit).contains(accessID.utf8.count), "The access_id is empty or too long.")
    let entry = try files.entry(fileID)
    try requireMayGrant(levels, at: entry.path)
    let grant = FilePermission.Grant(
      fileID: register.id(of: entry.path), isForGroup: type == "group", accessID: accessID, levels: levels,
      tags: try Self.tags(body["tags"]))
    let permission = try register.addPermission(grant, of: accessKey, by: files.caller.userID, at: date)
    addEvent("created", permission, at: date)
    return Answer(.object(permission.document))
  }

  func show(_ id: String, _ query: NodeQuery) throws -> Answer {
    let found = try locatedPermission(id)
    let isOwn = files.caller.bearerUser.map { found.permission.applies(to: $0) } ?? true
    if !isOwn { try requireMayChange(found) }
    return Answer(.object(try responseDocument(for: found, query)))
  }

  func change(_ id: String, _ body: JSONValue, at date: Timestamp) throws -> Answer {
    let found = try locatedPermission(id)
    try requireMayChange(found)
    var permission = found.permission
    if let value = body["access_levels"] {
      let levels = try AccessLevels(value).required("The access_levels are empty or contain an unknown one.")
      try requireMayGrant(levels, at: found.path)
      permission.grant.levels = levels
    }
    if let tags = body["tags"] { permission.grant.tags = try Self.tags(tags) }
    permission.editor = files.caller.userID
    permission.edited = date
    register.update(permission)
    addEvent("modified", permission, at: date)
    return Answer(.object(permission.document))
  }

  func delete(_ id: String, at date: Timestamp) throws -> Answer {
    let found = try locatedPermission(id)
    try requireMayChange(found)
    register.removePermission(found.permission.id)
    addEvent("deleted", found.permission, at: date)
    return Answer()
  }

  private func locatedPermission(_ id: String) throws -> FileRegister.LocatedPermission {
    guard let number = FileRegister.number(inID: id),
      let found = register.permissions(of: accessKey).first(where: { $0.permission.id == number })
    else { throw ErrorResponse.noSuch("permission", id) }
    return found
  }

  private func isCreator(of permission: FilePermission) -> Bool {
    permission.creator.isIdentical(to: files.caller.userID)
  }

  private func requireMayChange(_ found: FileRegister.LocatedPermission) throws {
    guard isCreator(of: found.permission) || !files.levels(at: found.path).isEmpty else {
      throw ErrorResponse.node(.forbidden, "The user has no permission on the file.")
    }
  }

  /// Checks that the caller has the levels to grant, so that a user cannot obtain more rights through a permission.
  private func requireMayGrant(_ levels: AccessLevels, at path: NodePath) throws {
    guard files.levels(at: path).isSuperset(of: levels) else {
      throw ErrorResponse.node(.forbidden, "The user does not have all access levels that the permission grants.")
    }
  }

  private static func tags(_ value: JSONValue?) throws -> JSONValue? {
    guard let value = value?.unlessNull else { return nil }
    try require(
      value.object != nil && value.serialized.count <= tagByteLimit,
      "The tags are not an object, or have more than \(tagByteLimit) bytes.")
    return value
  }

  private func addEvent(_ change: String, _ permission: FilePermission, at date: Timestamp) {
    files.aspera.activity.addEvent(
      ["permission.\(change)"], .object(permission.document), of: accessKey, by: files.caller.userID, at: date)
  }

  /// Returns the document of a permission, with that of its file if the query asks for it.
  private func responseDocument(for found: FileRegister.LocatedPermission, _ query: NodeQuery) throws -> JSONObject {
    var document = found.permission.document
    if query.list("embed").contains("file"), let entry = try files.aspera.files.entry(at: found.path) {
      document["file"] = .object(files.document(of: entry, found.permission.grant.fileID))
    }
    return document
  }
}
