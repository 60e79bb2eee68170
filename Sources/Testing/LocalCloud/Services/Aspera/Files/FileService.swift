// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// The calls of the fourth generation of the Node API, which name files by their IDs, for one caller.
struct FileService: Sendable {
  private static let contentByteLimit: Int64 = 8 * 1_024 * 1_024
  private static let idByteLimit = 255
  let aspera: AsperaContext
  let caller: NodeCaller
  let root: NodePath
  /// The access levels of the caller, or `nil` if the caller has all rights on all files of the access key.
  let grants: FileGrants?

  init(_ aspera: AsperaContext, for caller: NodeCaller) throws(ErrorResponse) {
    self.aspera = aspera
    self.caller = caller
    root = try caller.root
    var grants: FileGrants?
    if case .bearer(let key, let user) = caller, !user.isAdministrator {
      grants = aspera.files.register.grants(of: user, withKey: key.id)
    }
    if grants?.isEmpty == true { throw .node(.forbidden, "The user has no permission on any file of the access key.") }
    self.grants = grants
  }

  func levels(at path: NodePath) -> AccessLevels { grants?.levels(at: path) ?? .all }

  /// Returns the file with an ID, for which the caller must have the required access levels, and at least one.
  func entry(_ id: String, for requiredLevels: AccessLevels) throws -> FileEntry {
    guard let path = aspera.files.register.path(ofID: id), root.contains(path),
      let entry = try aspera.files.entry(at: path)
    else { throw ErrorResponse.noSuch("file", id) }
    let levels = levels(at: path)
    guard !levels.isEmpty, levels.isSuperset(of: requiredLevels) else {
      let name = requiredLevels.names.first.map { "the access level \($0)" } ?? "any access level"
      throw ErrorResponse.node(.forbidden, "The user does not have \(name) on the file \(id).")
    }
    return entry
  }

  func folder(_ id: String, for requiredLevels: AccessLevels) throws -> FileEntry {
    let entry = try entry(id, for: requiredLevels)
    try require(entry.isFolder, "The file \(id) is not a folder.")
    return entry
  }

  func show(_ id: String, _ query: NodeQuery) throws -> Answer {
    let entry = try entry(id, for: [.list])
    var document = document(of: entry, FileRegister.number(inID: id) ?? 0, levels(at: entry.path))
    try include(query.list("include"), in: &document, of: entry)
    return Answer(.object(document))
  }

  func content(_ id: String) throws -> Answer {
    let entry = try entry(id, for: [.read])
    guard entry.isFile, let content = entry.content else {
      throw ErrorResponse.nodeBadRequest("The file \(id) is a folder or a link, which has no content.")
    }
    try require(
      content.byteCount <= Self.contentByteLimit,
      "The file has \(content.byteCount) bytes; the node returns at most \(Self.contentByteLimit). Transfer it.")
    return Answer(content, in: 0..<content.byteCount)
  }

  func rename(_ id: String, _ document: JSONValue, at date: Timestamp) async throws -> Answer {
    let entry = try entry(id, for: [.rename])
    try require(document["mount_point"]?.bool != true, "This node has no mount points.")
    guard let name = document["name"] else { throw ErrorResponse.nodeBadRequest("There is no name.") }
    guard entry.path != root else { throw FileProblem(.isRoot) }
    let target = try name.string.flatMap { entry.path.parent.child($0) }
      .required("The name is not a single name of a file.")
    if target != entry.path { try await aspera.files.move(entry.path, to: target, at: date) }
    return Answer(.noContent)
  }

  func delete(_ id: String, inBackground: Bool) async throws -> Answer {
    let entry = try entry(id, for: [.delete])
    guard entry.path != root else { throw FileProblem(.isRoot) }
    try await aspera.files.delete(entry.path)
    guard inBackground else { return Answer(.noContent) }
    let job = BlobID.random().description
    return Answer(["status": "complete", "url": .string("/files/\(id)"), "job_id": .string(job)], .accepted)
  }

  func create(_ id: String, _ document: JSONValue, at date: Timestamp) async throws -> Answer {
    let type = document["type"]?.string
    guard let type, ["file", "folder", "link"].contains(type) else {
      throw ErrorResponse.nodeBadRequest("The type must be file, folder or link.")
    }
    let folder = try folder(id, for: [type == "folder" ? .mkdir : .write])
    let path = try (document["name"]?.string.flatMap { folder.path.child($0) })
      .required("The name is missing, or is not a single name of a file.")
    guard path.isWithinLimits else { throw FileProblem(.tooLong) }
    try require(document["mount_point"]?.bool != true, "This node has no mount points.")
    switch type {
    case "folder":
      if try aspera.files.entry(at: path) != nil { throw FileProblem(.exists, path) }
      try await aspera.files.makeFolder(path, at: date)
    case "file": try await aspera.files.create(Self.contents(document["contents"]), at: path, date)
    default: try await aspera.files.create([], at: path, date, link: Self.link(document))
    }
    let entry = try aspera.files.existingEntry(at: path)
    var response = self.document(of: entry, aspera.files.register.id(of: path), levels(at: path))
    if entry.isFile { response["content_type"] = "application/octet-stream" }
    return Answer(.object(response))
  }

  static func contents(_ value: JSONValue?) throws(ErrorResponse) -> [UInt8] {
    guard let value = value?.unlessNull else { return [] }
    guard let text = value.string else { throw .nodeBadRequest("The contents are not a string in Base64.") }
    return try [UInt8](base64: text).required("The contents are not in Base64.")
  }

  private static func link(_ document: JSONValue) throws(ErrorResponse) -> FileLink {
    let (id, nodeID) = (document["target_id"]?.code, document["target_node_id"]?.code)
    guard let id, !id.isEmpty, id.utf8.count <= idByteLimit, (nodeID ?? "").utf8.count <= idByteLimit else {
      throw .nodeBadRequest("A link needs a target_id of at most \(idByteLimit) bytes.")
    }
    return .file(id: id, nodeID: nodeID)
  }

  func document(of entry: FileEntry, _ id: Int, _ levels: AccessLevels) -> JSONObject {
    var target: (id: String, nodeID: String?)?
    if case .file(let id, let nodeID)? = entry.link { target = (id, nodeID) }
    return JSONObject(present: [
      "id": .string(String(id)), "name": .string(entry.path == root ? "/" : entry.path.basename),
      // Only administrators see paths, because a path contains the names of folders that are closed to the user.
      "path": grants == nil ? .string(entry.path.relative(to: root).text) : nil,
      "size": entry.isFolder ? nil : .integer(entry.byteCount), "type": .string(Self.type(of: entry)),
      "modified_time": .string(entry.modified.iso8601), "mount_point": entry.isFolder ? false : nil,
      "target_id": (target?.id).map { .string($0) }, "target_node_id": (target?.nodeID).map { .string($0) },
      "access_levels": levels.document, "access_level": .string(levels.olderName),
    ])
  }

  func include(_ names: [String], in document: inout JSONObject, of entry: FileEntry) throws {
    for name in names {
      switch name {
      case "access_levels", "access_level": break
      case "permission_count":
        let permissions = caller.accessKey.map { aspera.files.register.permissions(of: $0.id) } ?? []
        document["permission_count"] = .integer(permissions.count { $0.path == entry.path })
      case "recursive_counts":
        guard entry.isFolder else { continue }
        let contents = FileCounts(try aspera.files.walk(entry.path).dropFirst())
        document["recursive_file_count"] = .integer(contents.files)
        document["recursive_folder_count"] = .integer(contents.folders)
        document["recursive_link_count"] = .integer(contents.links)
        document["recursive_size"] = .integer(contents.bytes)
      default: throw ErrorResponse.nodeBadRequest("The attribute \(name.shortened(to: 64)) cannot be included.")
      }
    }
  }

  static func type(of entry: FileEntry) -> String {
    if entry.isFolder { "folder" } else if entry.link != nil { "link" } else { "file" }
  }

  /// The maximum number of files in a response, and the default number in version 4.
  private static let (pageLimit, defaultPageSize) = (10_000, 1_000)

  /// The parameters that version 4 of the listing lacks, by IBM's description of the header `Accept-version`.
  private static let parametersMissingInVersion4 = [
    "sort", "min_size", "max_size", "min_modified_time", "max_modified_time", "target_id", "target_node_id",
    "files_prefetch_count", "page", "name_iglob",
  ]

  func list(_ id: String, _ query: NodeQuery) throws -> Answer {
    let folder = try folder(id, for: [.list])
    var entries = try filtered(aspera.files.children(of: folder.path), query)
    if let sort = query["sort"] { entries = try sorted(entries, by: sort) }
    let page = try query.page(of: entries, limit: Self.pageLimit)
    return try response(Array(page), of: entries.count, query)
  }

  /// Lists a page of a folder; in IBM's description, a header contains the token, which IBM's client puts in the query.
  func listVersion4(_ id: String, _ query: NodeQuery, tokenInHeader header: String?) throws -> Answer {
    let folder = try folder(id, for: [.list])
    if let name = Self.parametersMissingInVersion4.first(where: { query[$0] != nil }) {
      throw ErrorResponse.nodeBadRequest("The parameter \(name) is not available with Accept-Version 4.0.")
    }
    let size = try query.number("per_page") ?? Self.defaultPageSize
    try require((1...Self.pageLimit).contains(size), "The per_page must be between 1 and \(Self.pageLimit).")
    let entries = try filtered(aspera.files.children(of: folder.path), query)
    let (page, next) = try IterationToken.page(of: entries, from: header ?? query["iteration_token"] ?? "", size)
    var response = try self.response(Array(page), of: entries.count, query)
    response.headers.set("X-Aspera-Total-Count", String(entries.count))
    if let next { response.headers.set("X-Aspera-Next-Iteration-Token", next) }
    return response
  }

  private func response(_ page: [FileEntry], of total: Int, _ query: NodeQuery) throws -> Answer {
    let ids = aspera.files.register.ids(of: page.map(\.path))
    let names = query.list("include")
    let documents = try zip(page, ids).map { entry, id -> JSONValue in
      var document = document(of: entry, id, levels(at: entry.path))
      try include(names, in: &document, of: entry)
      return .object(document)
    }
    var response = Answer(.array(documents))
    response.headers.set("X-Total-Count", String(total))
    return response
  }

  private func filtered(_ entries: [FileEntry], _ query: NodeQuery) throws -> [FileEntry] {
    let (name, type) = (query["name"], query["type"])
    try require(type.map { ["file", "link", "folder"].contains($0) } ?? true, "The type must be file, link or folder.")
    let patterns = try [query.pattern("name_glob"), query.pattern("name_iglob", ignoresCase: true)].compactMap(\.self)
    let (smallest, largest) = try (query.number("min_size"), query.number("max_size"))
    let (oldest, newest) = try (query.time("min_modified_time"), query.time("max_modified_time"))
    let (target, targetNode) = (query["target_id"], query["target_node_id"])
    return entries.filter { entry in
      if let name, !entry.path.basename.isIdentical(to: name) { return false }
      if let type, type != Self.type(of: entry) { return false }
      if !patterns.allSatisfy({ $0.matches(entry.path.basename) }) { return false }
      if let smallest, entry.isFolder || entry.byteCount <= smallest { return false }
      if let largest, entry.isFolder || entry.byteCount >= largest { return false }
      if let oldest, entry.modified <= oldest { return false }
      if let newest, entry.modified >= newest { return false }
      if target != nil || targetNode != nil {
        guard case .file(let id, let node)? = entry.link else { return false }
        return (target ?? id) == id && (targetNode ?? node) == node
      }
      return true
    }
  }

  private func sorted(_ entries: [FileEntry], by attribute: String) throws -> [FileEntry] {
    // The sort is stable, so that entries with equal attributes stay in the order of their names.
    switch attribute {
    case "name": entries
    case "size": entries.sorted { $0.byteCount < $1.byteCount }
    case "type": entries.sorted { Self.type(of: $0) < Self.type(of: $1) }
    case "modified_time", "mtime": entries.sorted { $0.modified < $1.modified }
    default: throw ErrorResponse.nodeBadRequest("The sort must be name, size, type or modified_time.")
    }
  }
}

/// The token of a listing's next page: the name of the last entry before that page, in an opaque form.
enum IterationToken {
  private static let letters: [Character: Character] = ["+": "-", "/": "_", "=": "."]
  private static let base64Letters: [Character: Character] = ["-": "+", "_": "/", ".": "="]

  /// Returns the page at a token, or the first page if the token is empty, and the token of the next page.
  static func page(
    of entries: [FileEntry], from token: String, _ limit: Int
  ) throws(ErrorResponse) -> (entries: ArraySlice<FileEntry>, next: String?) {
    var rest = entries[...]
    if !token.isEmpty {
      guard let name = name(in: token) else { throw .nodeBadRequest("The iteration_token is not one of this node.") }
      rest = rest.drop { !name.utf8.lexicographicallyPrecedes($0.path.basename.utf8) }
    }
    let page = rest.prefix(limit)
    return (page, page.count < rest.count ? page.last.map { self.token($0.path.basename) } : nil)
  }

  static func token(_ name: String) -> String {
    String(String(writing: { $0.append(base64: Array(name.utf8)) }).map { letters[$0] ?? $0 })
  }

  static func name(in token: String) -> String? {
    guard token.utf8.count <= 1_024 else { return nil }
    return [UInt8](base64: String(token.map { base64Letters[$0] ?? $0 })).flatMap { String(utf8: $0) }
  }
}
