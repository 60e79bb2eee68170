// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageJSON

/// The calls of the fourth generation of the Node API, which name files by their IDs, for one caller.
struct FileService: Sendable {
  let aspera: AsperaContext
  let caller: NodeCaller
  let root: NodePath

  /// The access levels of the caller, or `nil` if the caller has all rights on all files of the access key.
  let grants: FileGrants?

  /// Creates the service for a caller.
  ///
  /// - Throws: A 403 (Forbidden) error if the caller is the user of a bearer token, and no permission of the access key
  ///   applies to the user.
  init(_ aspera: AsperaContext, for caller: NodeCaller) throws(RefusalAnswer) {
    self.aspera = aspera
    self.caller = caller
    root = try caller.root
    guard case .bearer(let key, let user) = caller, !user.isAdministrator else {
      grants = nil
      return
    }
    let grants = aspera.files.register.grants(of: user, key.id)
    guard !grants.isEmpty else { throw .node(.forbidden, "The user has no permission on any file of the access key.") }
    self.grants = grants
  }

  /// Returns the caller's access levels on a path.
  func levels(at path: NodePath) -> AccessLevels { grants?.levels(at: path) ?? .all }

  /// Returns the file or folder with an ID.
  ///
  /// - Parameters:
  ///   - id: The ID of the file.
  ///   - level: The access level that the caller must have on the file, or `[]` if any level is enough.
  /// - Throws: A 404 (Not Found) error if the access key has no such file, or a 403 (Forbidden) error if the caller lacks
  ///   the access level.
  func entry(_ id: String, for level: AccessLevels) throws -> FileEntry {
    guard let path = aspera.files.register.path(of: id), root.contains(path),
      let entry = try aspera.files.entry(at: path)
    else { throw RefusalAnswer.node(.notFound, "There is no file \(id.shortened(to: 64)).") }
    let levels = levels(at: path)
    guard !levels.isEmpty, levels.isSuperset(of: level) else {
      let name = level.names.first.map { "the access level \($0)" } ?? "any access level"
      throw RefusalAnswer.node(.forbidden, "The user does not have \(name) on the file \(id).")
    }
    return entry
  }

  /// Returns the folder with an ID, as ``entry(_:for:)`` does.
  func folder(_ id: String, for level: AccessLevels) throws -> FileEntry {
    let entry = try entry(id, for: level)
    guard entry.isFolder else { throw RefusalAnswer.nodeBadRequest("The file \(id) is not a folder.") }
    return entry
  }

  /// Describes a file.
  func show(_ id: String, _ query: NodeQuery) throws -> Answer {
    let entry = try entry(id, for: .list)
    var document = document(of: entry, FileRegister.number(id) ?? 0, levels(at: entry.path))
    try include(query.list("include"), in: &document, of: entry)
    return Answer(.object(document))
  }

  /// Returns the content of a file.
  func content(_ id: String) throws -> Answer {
    let entry = try entry(id, for: .read)
    guard entry.isFile, let content = entry.content else {
      throw RefusalAnswer.nodeBadRequest("The file \(id) is a folder or a link, which has no content.")
    }
    return try PathService.answer(content, limit: PathService.contentByteLimit)
  }

  /// Renames a file within its folder.
  func change(_ id: String, _ document: JSONValue, at date: Timestamp) async throws -> Answer {
    let entry = try entry(id, for: .rename)
    guard document["mount_point"]?.bool != true else {
      throw RefusalAnswer.nodeBadRequest("This node has no mount points.")
    }
    guard let name = document["name"] else {
      throw RefusalAnswer.nodeBadRequest("There is no name.")
    }
    try checkNotRoot(entry)
    guard let target = name.string.flatMap({ entry.path.parent.child($0) }) else {
      throw RefusalAnswer.nodeBadRequest("The name is not a single name of a file.")
    }
    if target.bytes != entry.path.bytes { try await aspera.files.move(entry.path, to: target, at: date) }
    return Answer(.noContent)
  }

  /// Deletes a file, or a folder with all its contents.
  ///
  /// - Parameter inBackground: Whether the caller asked for a job, which has always ended when the response is sent.
  func delete(_ id: String, inBackground: Bool) async throws -> Answer {
    let entry = try entry(id, for: .delete)
    try checkNotRoot(entry)
    try await aspera.files.delete(entry.path)
    guard inBackground else { return Answer(.noContent) }
    return Answer(
      ["status": "complete", "url": .string("/files/\(id)"), "job_id": .string(BlobID.random().description)], .accepted)
  }

  private func checkNotRoot(_ entry: FileEntry) throws {
    if entry.path.bytes == root.bytes { throw FileProblem.isRoot }
  }
}
