// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// The calls of the fourth generation of the Node API, which name files, folders and links by their IDs, for one caller.
struct FileService: Sendable {
  private static let contentByteLimit: Int64 = 8 * 1_024 * 1_024
  private static let idByteLimit = 255
  private static let pageSizeLimit = 10_000
  private static let defaultPageSizeOfVersion4 = 1_000
  private static let types = ["file", "folder", "link"]
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

  /// Returns the file with an ID, for which the caller must have the required access levels, and always at least one.
  func entry(_ id: String, requiring requiredLevels: AccessLevels = []) throws -> FileEntry {
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

  func folder(_ id: String, requiring requiredLevels: AccessLevels) throws -> FileEntry {
    let entry = try entry(id, requiring: requiredLevels)
    try require(entry.isFolder, "The file \(id) is not a folder.")
    return entry
  }

  func show(_ id: String, _ query: NodeQuery) throws -> Answer {
    let entry = try entry(id, requiring: [.list])
    var document = document(of: entry, aspera.files.register.id(of: entry.path))
    try add(query.list("include"), to: &document, of: entry)
    return Answer(.object(document))
  }

  func content(_ id: String) throws -> Answer {
    let entry = try entry(id, requiring: [.read])
    let content = try entry.fileContent.required("The file \(id) is a folder or a link, which has no content.")
    try require(
      content.byteCount <= Self.contentByteLimit,
      "The file has \(content.byteCount) bytes; the node returns at most \(Self.contentByteLimit). Transfer it.")
    return Answer(content, in: 0..<content.byteCount)
  }

  func rename(_ id: String, _ body: JSONValue) async throws -> Answer {
    let entry = try entry(id, requiring: [.rename])
    try require(body["mount_point"]?.bool != true, "This node has no mount points.")
    let name = try body["name"].required("There is no name.")
    guard entry.path != root else { throw FileProblem(.isRoot) }
    let target = try name.string.flatMap { entry.path.parent.child($0) }
      .required("The name is not a single name of a file.")
    if target != entry.path { try await aspera.files.move(entry.path, to: target) }
    return Answer(.noContent)
  }

  /// Deletes a file; the response says so, or describes a job in the background, which has ended already.
  func delete(_ id: String, asJob: Bool) async throws -> Answer {
    let entry = try entry(id, requiring: [.delete])
    guard entry.path != root else { throw FileProblem(.isRoot) }
    try await aspera.files.delete(entry.path)
    guard asJob else { return Answer(.noContent) }
    let jobID = BlobID.random().description
    return Answer(["status": "complete", "url": .string("/files/\(id)"), "job_id": .string(jobID)], .accepted)
  }

  func create(_ body: JSONValue, inFolder folderID: String, at date: Timestamp) async throws -> Answer {
    let type = body["type"]?.string ?? ""
    try require(Self.types.contains(type), "The type must be file, folder or link.")
    let folder = try folder(folderID, requiring: [type == "folder" ? .mkdir : .write])
    let path = try (body["name"]?.string.flatMap { folder.path.child($0) })
      .required("The name is missing, or is not a single name of a file.")
    guard path.isWithinLimits else { throw FileProblem(.tooLong) }
    try require(body["mount_point"]?.bool != true, "This node has no mount points.")
    switch type {
    case "folder":
      if try aspera.files.entry(at: path) != nil { throw FileProblem(.exists, path) }
      try await aspera.files.makeFolder(path, at: date)
    case "file": try await aspera.files.create(Self.contents(body["contents"]), at: path, modified: date)
    default: try await aspera.files.create([], at: path, modified: date, link: Self.link(body))
    }
    let entry = try aspera.files.existingEntry(at: path)
    var document = document(of: entry, aspera.files.register.id(of: path))
    if entry.isFile { document["content_type"] = "application/octet-stream" }
    return Answer(.object(document))
  }

  static func contents(_ value: JSONValue?) throws(ErrorResponse) -> [UInt8] {
    guard let value = value?.unlessNull else { return [] }
    guard let text = value.string else { throw .nodeBadRequest("The contents are not a string in Base64.") }
    return try [UInt8](base64: text).required("The contents are not in Base64.")
  }

  private static func link(_ body: JSONValue) throws(ErrorResponse) -> FileLink {
    let nodeID = body["target_node_id"]?.code
    guard let id = body["target_id"]?.code, (1...idByteLimit).contains(id.utf8.count),
      (nodeID ?? "").utf8.count <= idByteLimit
    else {
      throw .nodeBadRequest("A link needs a target_id; it and the target_node_id have at most \(idByteLimit) bytes.")
    }
    return .file(id: id, nodeID: nodeID)
  }

  func document(of entry: FileEntry, _ id: Int) -> JSONObject {
    let levels = levels(at: entry.path)
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

  /// Adds the attributes that the parameter `include` of a request names.
  private func add(_ attributes: [String], to document: inout JSONObject, of entry: FileEntry) throws {
    for attribute in attributes {
      switch attribute {
      // Every document contains them.
      case "access_levels", "access_level": break
      case "permission_count":
        let permissions = caller.accessKey.map { aspera.files.register.permissions(of: $0.id) } ?? []
        document["permission_count"] = .integer(permissions.count { $0.path == entry.path })
      case "recursive_counts":
        guard entry.isFolder else { continue }
        let contents = FileCounts(try aspera.files.walk(entry.path).dropFirst())
        document["recursive_file_count"] = .integer(contents.fileCount)
        document["recursive_folder_count"] = .integer(contents.folderCount)
        document["recursive_link_count"] = .integer(contents.linkCount)
        document["recursive_size"] = .integer(contents.byteCount)
      default: throw ErrorResponse.nodeBadRequest("The attribute \(attribute.shortened(to: 64)) cannot be included.")
      }
    }
  }

  private static func type(of entry: FileEntry) -> String {
    if entry.isFolder { "folder" } else if entry.link != nil { "link" } else { "file" }
  }
}

// MARK: - Listings

extension FileService {
  /// The parameters that version 4 of the listing lacks, by IBM's description of the header `Accept-version`.
  private static let parametersMissingInVersion4 = [
    "sort", "min_size", "max_size", "min_modified_time", "max_modified_time", "target_id", "target_node_id",
    "files_prefetch_count", "page", "name_iglob",
  ]

  func list(_ id: String, _ query: NodeQuery) throws -> Answer {
    let folder = try folder(id, requiring: [.list])
    var entries = try filtered(aspera.files.children(of: folder.path), query)
    if let attribute = query["sort"] { entries = try sorted(entries, by: attribute) }
    let page = try query.page(of: entries, limit: Self.pageSizeLimit)
    return try response(page, total: entries.count, query)
  }

  /// Lists a page of a folder; in IBM's description, a header contains the token, which IBM's client puts in the query.
  func listVersion4(_ id: String, _ query: NodeQuery, tokenInHeader: String?) throws -> Answer {
    let folder = try folder(id, requiring: [.list])
    if let name = Self.parametersMissingInVersion4.first(where: { query[$0] != nil }) {
      throw ErrorResponse.nodeBadRequest("The parameter \(name) is not available with Accept-Version 4.0.")
    }
    let size = try query.number("per_page") ?? Self.defaultPageSizeOfVersion4
    try require((1...Self.pageSizeLimit).contains(size), "The per_page must be between 1 and \(Self.pageSizeLimit).")
    let entries = try filtered(aspera.files.children(of: folder.path), query)
    let token = tokenInHeader ?? query["iteration_token"] ?? ""
    let (page, nextToken) = try IterationToken.page(of: entries, from: token, limit: size)
    var response = try response(page, total: entries.count, query)
    response.headers.set("X-Aspera-Total-Count", String(entries.count))
    if let nextToken { response.headers.set("X-Aspera-Next-Iteration-Token", nextToken) }
    return response
  }

  private func response(_ page: ArraySlice<FileEntry>, total: Int, _ query: NodeQuery) throws -> Answer {
    let ids = aspera.files.register.ids(of: page.map(\.path))
    let attributes = query.list("include")
    let documents = try zip(page, ids).map { entry, id -> JSONValue in
      var document = document(of: entry, id)
      try add(attributes, to: &document, of: entry)
      return .object(document)
    }
    var response = Answer(.array(documents))
    response.headers.set("X-Total-Count", String(total))
    return response
  }

  /// Returns the entries that match all filters of a query; the limits of sizes and times are not included.
  private func filtered(_ entries: [FileEntry], _ query: NodeQuery) throws -> [FileEntry] {
    let (name, type) = (query["name"], query["type"])
    try require(type.map { Self.types.contains($0) } ?? true, "The type must be file, link or folder.")
    let patterns = try [query.pattern("name_glob"), query.pattern("name_iglob", ignoresCase: true)].compactMap(\.self)
    let (smallest, largest) = try (query.number("min_size"), query.number("max_size"))
    let (oldest, newest) = try (query.time("min_modified_time"), query.time("max_modified_time"))
    let (targetID, targetNodeID) = (query["target_id"], query["target_node_id"])
    return entries.filter { entry in
      if let name, !entry.path.basename.isIdentical(to: name) { return false }
      if let type, type != Self.type(of: entry) { return false }
      if !patterns.allSatisfy({ $0.matches(entry.path.basename) }) { return false }
      // A folder has no size to compare.
      if let smallest, entry.isFolder || entry.byteCount <= smallest { return false }
      if let largest, entry.isFolder || entry.byteCount >= largest { return false }
      if let oldest, entry.modified <= oldest { return false }
      if let newest, entry.modified >= newest { return false }
      if targetID == nil, targetNodeID == nil { return true }
      guard case .file(let id, let nodeID)? = entry.link else { return false }
      return (targetID ?? id) == id && (targetNodeID ?? nodeID) == nodeID
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
  private static let byteLimit = 1_024
  /// The letters that replace those of Base64 with a meaning in a query.
  private static let letters: [Character: Character] = ["+": "-", "/": "_", "=": "."]
  private static let base64Letters: [Character: Character] = ["-": "+", "_": "/", ".": "="]

  /// Returns the page at a token, or the first page if the token is empty, and the token of the next page.
  static func page(
    of entries: [FileEntry], from token: String, limit: Int
  ) throws(ErrorResponse) -> (entries: ArraySlice<FileEntry>, nextToken: String?) {
    var remaining = entries[...]
    if !token.isEmpty {
      let lastName = try name(in: token).required("The iteration_token is not one of this node.")
      // The entries are in the order of their names.
      remaining = remaining.drop { !lastName.utf8.lexicographicallyPrecedes($0.path.basename.utf8) }
    }
    let page = remaining.prefix(limit)
    return (page, page.count < remaining.count ? page.last.map { self.token(after: $0.path.basename) } : nil)
  }

  private static func token(after name: String) -> String {
    String(Array(name.utf8).base64.map { letters[$0] ?? $0 })
  }

  private static func name(in token: String) -> String? {
    guard token.utf8.count <= byteLimit else { return nil }
    return [UInt8](base64: String(token.map { base64Letters[$0] ?? $0 })).flatMap { String(utf8: $0) }
  }
}
