// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// The operations of a Node API on files that are identified by IDs, such as `/files/{id}` and `/files/{id}/files`.
///
/// According to the OpenAPI description of IBM's Node API, these operations accept bearer tokens and access keys. The
/// ID of a key is found name by name, and ``NodeMemory`` caches the IDs of folders. Errors name the `key` in question.
struct IdentifiedFiles: NodeFiles {
  /// The maximum number of entries in a page.
  private static let pageSizeLimit = 1_000
  /// The maximum number of empty pages of a folder, which a node that never ends could send.
  private static let emptyPageLimit = 1_000
  /// The error code for a file or folder that the node does not list, for which it sends no error.
  private static let notFoundCode = "NotFound"
  private static let missingFileMessage = "No file and no folder has the key."

  let node: NodeClient
  let access: AsperaNodeAccess

  private var memory: NodeMemory { node.sender.storeCache.value { NodeMemory() } }

  func entry(_ key: String) async throws -> NodeEntry {
    let path = nodePath(of: key)
    let (parent, name) = NodeFilePath.split(path)
    let entry: NodeEntry? = try await repeatingIfStale(path) {
      guard let id = try await folderID(parent, for: key) else { return nil }
      return try await self.entry(named: name, inFolder: id, for: key)
    }
    guard let entry else { throw node.notFound(key, code: Self.notFoundCode, Self.missingFileMessage) }
    return entry
  }

  func entries(ofFolder key: String) async throws -> [NodeEntry]? {
    let path = nodePath(of: key)
    return try await repeatingIfStale(path) {
      guard let id = try await folderID(path, for: key) else { return nil }
      let uptime = node.sender.time.uptime
      let entries = try await listEntries(ofFolder: id, for: key) { _ in true }
      for entry in entries where entry.isFolder {
        guard let id = entry.id else { continue }
        memory.rememberFolder(id, at: Self.join(path, entry.name), for: access.identity, at: uptime)
      }
      return entries
    }
  }

  func createFolder(_ key: String) async throws {
    let path = nodePath(of: key)
    // Another client may have deleted the folder since its ID was cached.
    memory.forgetFolder(path, for: access.identity)
    try await repeatingIfStale(path) { try await createFolders(of: path, for: key) }
  }

  private func createFolders(of path: String, for key: String) async throws {
    let names = path.words(between: "/").map(String.init)
    for count in names.indices {
      let parent = names[..<count].joined(separator: "/")
      let folder = Self.join(parent, names[count])
      if try await folderID(folder, for: key) != nil { continue }
      guard let id = try await folderID(parent, for: key) else {
        throw node.notFound(key, code: Self.notFoundCode, "The folder in which to create it was deleted.")
      }
      do {
        let (_, document) = try await node.call(
          .post, "/files/\(id.percentEncoded())/files", as: "create", for: key,
          body: ["name": .string(names[count]), "type": "folder"])
        guard document["id"]?.string != nil else { throw StorageError.malformedResponse("the new folder has no ID") }
      } catch let error as ServiceError where error.status == .conflict {
        // Another client may have created the folder; a file with the name remains an error.
        guard try await folderID(folder, for: key) != nil else { throw error }
      }
    }
  }

  func rename(_ key: String, to name: String) async throws {
    guard let id = try await entry(key).id else { throw StorageError.malformedResponse("a file has no ID") }
    let path = nodePath(of: key)
    memory.forgetFolder(path, for: access.identity)
    // Another operation can cache the ID again during the request.
    defer { memory.forgetFolder(path, for: access.identity) }
    let (_, document) = try await node.call(
      .put, "/files/\(id.percentEncoded())", as: "rename", for: key, body: ["name": .string(name)])
    try NodeResponse.requireChangeResponse(document)
  }

  func remove(_ files: [(key: String, entry: NodeEntry?)]) async throws -> [ServiceError?] {
    try await withThrowingTaskGroup(of: (index: Int, error: ServiceError?).self) { group in
      for (index, (key, knownEntry)) in files.enumerated() {
        group.addTask {
          do {
            let entry = if let knownEntry { knownEntry } else { try await entry(key) }
            try await remove(key, entry)
            return (index, nil)
          } catch let error as ServiceError { return (index, error) }
        }
      }
      return try await group.reduce(into: Array(repeating: nil, count: files.count)) { $0[$1.index] = $1.error }
    }
  }

  private func remove(_ key: String, _ entry: NodeEntry) async throws {
    guard let id = entry.id else { throw StorageError.malformedResponse("a file has no ID") }
    let path = nodePath(of: key)
    if entry.isFolder { memory.forgetFolder(path, for: access.identity) }
    defer { if entry.isFolder { memory.forgetFolder(path, for: access.identity) } }
    let (_, document) = try await node.call(.delete, "/files/\(id.percentEncoded())", as: "delete", for: key)
    try NodeResponse.requireChangeResponse(document)
  }

  /// Returns the path of a key below the access key's root folder, without a leading slash.
  private func nodePath(of key: String) -> String {
    let path = NodeFilePath.join(key, below: node.provider.root)
    return String(path.removingBytePrefix("/") ?? path[...])
  }

  private func rootID(for key: String) async throws -> String {
    if let id = node.provider.rootFileID { return id }
    if let id = memory.rootID(for: access.identity) { return id }
    let (_, document) = try await node.call(.get, "/self", as: "self", for: key)
    guard let id = document["root_file_id"]?.string, NodeEntry.isID(id) else {
      throw StorageError.malformedResponse("it does not contain the root_file_id of the access key")
    }
    memory.remember(rootID: id, for: access.identity)
    return id
  }

  /// Returns the ID of the folder at a path below the root folder, or `nil` if there is no such folder.
  private func folderID(_ path: String, for key: String) async throws -> String? {
    let uptime = node.sender.time.uptime
    // The path begins with the nearest folder whose ID is known, and each further name is looked up in its folder.
    var (knownPath, id) = memory.nearestFolder(to: path, for: access.identity, at: uptime)
    let remainingPath = path.utf8.dropFirst(knownPath.isEmpty ? 0 : knownPath.utf8.count + 1)
    for name in remainingPath.split(separator: UInt8(ascii: "/")) {
      let parent: String = if let id { id } else { try await rootID(for: key) }
      let name = String(Substring(name))
      guard let entry = try await entry(named: name, inFolder: parent, for: key), entry.isFolder else { return nil }
      knownPath = Self.join(knownPath, name)
      id = entry.id
      if let id { memory.rememberFolder(id, at: knownPath, for: access.identity, at: uptime) }
    }
    return if let id { id } else { try await rootID(for: key) }
  }

  private func entry(named name: String, inFolder id: String, for key: String) async throws -> NodeEntry? {
    let hasName = { (entry: NodeEntry) in entry.name.isIdentical(to: name) }
    let entries = try await listEntries(ofFolder: id, named: name, for: key) { page in !page.contains(where: hasName) }
    return entries.last(where: hasName)
  }

  /// Requests the pages of a folder until a closure returns `false`, and returns the entries of all pages.
  ///
  /// With a name, only the entries with the name are requested, but a node may ignore it.
  private func listEntries(
    ofFolder id: String, named name: String? = nil, for key: String, while shouldContinue: ([NodeEntry]) -> Bool
  ) async throws -> [NodeEntry] {
    let pageSize = min(node.sender.configuration.keysPerPage, Self.pageSizeLimit)
    let nameFilter = name.map { "&name=\($0.percentEncoded())" } ?? ""
    let firstPage = "/files/\(id.percentEncoded())/files?per_page=\(pageSize)\(nameFilter)"
    var list = EntryList(node.sender.location(ofKey: key))
    var iterationToken = ""
    var knownTokens: Set<ByteExactString> = []
    var emptyPageCount = 0
    while true {
      let (response, document) = try await node.call(
        .get, firstPage + iterationToken, as: "browse", for: key, headers: [.acceptVersion: "4.0"])
      guard let items = document.array else { throw StorageError.malformedResponse("it is not a list of files") }
      let page = try items.map { item in
        if let refusal = NodeRefusal(of: item) {
          throw ServiceError(refusal, in: response, subject: "browse \(node.sender.location(ofKey: key))")
        }
        return try NodeEntry(withID: item)
      }
      try list.append(page)
      let nextToken = response.headerFields[.nextIterationToken] ?? ""
      guard shouldContinue(page), !nextToken.isEmpty else { return list.entries }
      if page.isEmpty { emptyPageCount += 1 }
      guard knownTokens.insert(ByteExactString(nextToken)).inserted, emptyPageCount <= Self.emptyPageLimit else {
        throw StorageError.malformedResponse("it repeats the token of an earlier page, or too many pages are empty")
      }
      iterationToken = "&iteration_token=\(nextToken.percentEncoded())"
    }
  }

  /// Performs an operation, and performs it again without the cached folder IDs if a cached folder no longer exists.
  private func repeatingIfStale<Value>(_ path: String, _ operation: () async throws -> Value) async throws -> Value {
    guard memory.nearestFolder(to: path, for: access.identity, at: node.sender.time.uptime).id != nil else {
      return try await operation()
    }
    do {
      return try await operation()
    } catch let error as ServiceError where error.kind == .noSuchKey {
      memory.forgetFolders(of: access.identity)
      return try await operation()
    }
  }

  private static func join(_ folder: String, _ name: String) -> String { folder.isEmpty ? name : "\(folder)/\(name)" }
}

extension HTTPField.Name {
  fileprivate static let acceptVersion = known("Accept-Version")
  fileprivate static let nextIterationToken = known("X-Aspera-Next-Iteration-Token")
}

extension IdentifiedFiles {
  /// The time for which a bearer token must remain valid when a transfer starts, unless the caller sets another.
  private static let defaultTokenMargin = Duration.seconds(120)
  private static let infoByteLimit = 1 << 20

  func uploadSession(of file: String, to key: String, in context: TransferContext) async throws -> TransferSession {
    var spec = TransferSpec(.send, [TransferPath(file, to: nodePath(of: key))], destinationRoot: "/")
    spec.createsFolder = true
    return try await makeSession(spec, fileID: rootID(for: key), for: key, in: context)
  }

  func downloadSession(
    of key: String, into folder: TemporaryFolder, in context: TransferContext
  ) async throws -> TransferSession {
    let (parent, file) = NodeFilePath.split(nodePath(of: key))
    guard let id = try await folderID(parent, for: key) else {
      throw node.notFound(key, code: Self.notFoundCode, Self.missingFileMessage)
    }
    let paths = [TransferPath(file, to: TemporaryFolder.contentName)]
    let spec = TransferSpec(.receive, paths, destinationRoot: folder.path)
    return try await makeSession(spec, fileID: id, for: key, in: context)
  }

  private func makeSession(
    _ spec: TransferSpec, fileID: String, for key: String, in context: TransferContext
  ) async throws -> TransferSession {
    var server = try await prepareTransferServer(for: key, in: context)
    if let tags = spec.direction.flatMap({ node.provider.tags[$0] }) { server.tags = tags }
    let issuer = NodeAccessTokenIssuer(
      access: node.sender.credentials, fileID: fileID, specification: server,
      margin: node.provider.transfers.queue.tokenMargin ?? Self.defaultTokenMargin)
    return context.makeSession(spec, issuer: issuer)
  }

  /// Returns the user, the host and the ports of the transfer server, and registers a generated key with the node.
  private func prepareTransferServer(for key: String, in context: TransferContext) async throws -> TransferSpec {
    if let server = memory.server(for: access.identity) { return server }
    var server = TransferSpec(fields: JSONObject())
    let info = try await info(for: key)
    server.remoteUser = context.callerUser ?? info?["transfer_user"]?.nonemptyString
    if let account = context.account {
      if account.hostKey == nil { server.sshfp = info?.setting("ssh_fingerprint") }
    } else {
      server.remoteHost = context.host
      if info?.setting("wss_enabled") == "false" { server.offersWebSocket = false }
      server.webSocketPort = info?.setting("wss_port").flatMap { Int(digits: $0) }
    }
    if let publicKey = context.publicKey {
      let user = server.remoteUser ?? AsperaAccount.defaultTokenUser
      let (_, document) = try await node.call(
        .post, "/public_keys", as: "public_keys", for: key,
        body: ["username": .string(user), "public_key": .string(publicKey)])
      try NodeResponse.requireChangeResponse(document)
    }
    memory.remember(server, for: access.identity)
    return server
  }

  /// Requests information about the node, and returns `nil` if the credential may not read it.
  ///
  /// IBM's description requires Basic authorization. Some nodes accept bearer tokens, which are not refreshed here.
  private func info(for key: String) async throws -> JSONValue? {
    let draft = try node.draft(.get, "/info", as: "info", for: key)
    guard case .bearer = access.method else {
      let (_, body) = try await node.sender.exchange(draft)
      return try NodeResponse.info(body)
    }
    switch try await node.sender.sendOnce(draft, { try await $0.body.collected(upTo: Self.infoByteLimit) }) {
    case .succeeded(let body, _): return try body.map { body throws(StorageError) in try NodeResponse.info(body) }
    case .failed(.rejected(let rejection)):
      if rejection.error.isRetryable { throw rejection.error }
      return nil
    case .failed(.unanswered(let error)): throw error
    case .failed(.unsigned(let error)): throw error
    }
  }
}

extension JSONValue {
  /// Returns a value in the `settings` of a response to `/info`, or `nil` if it is missing or empty.
  fileprivate func setting(_ name: String) -> String? {
    self["settings"]?.array?.first { $0["name"]?.string == name }?["value"]?.nonemptyString
  }
}
