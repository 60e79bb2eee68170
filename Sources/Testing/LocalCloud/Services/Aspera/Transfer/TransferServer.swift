// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import HummingbirdCore
internal import StorageAuth

/// The simulated transfer server, which replaces SSH and ascp for `ascp-simulator` with JSON and bytes over HTTP.
///
/// A client connects, logs in, begins a session, transfers folders and files in pieces, and ends the session, with the
/// calls that Documentation/Internals/LocalCloud.md describes.
struct TransferServer: Sendable {
  static let endpoint = LocalCloud.Endpoint.transfer
  private static let descriptionByteLimit = 1_024
  static let pathByteLimit = 4_096
  let aspera: AsperaContext
  /// The open connections by their IDs, which are hard to guess.
  let connections = LimitedTable<String, TransferConnection>(capacity: 4096)
  /// The received parts of interrupted uploads that a later session may resume.
  private let partialUploads = LimitedTable<TransferConnection.ResumptionKey, [Extent]>(capacity: 256)

  func openConnection() throws -> Answer {
    aspera.count { $0.connections += 1 }
    let connection = TransferConnection(aspera.cloud.injector.transferFault())
    try throwInjected(connection.fault(at: .connecting))
    let id = BlobID.random().description
    connections.insert(connection, for: id)
    return Answer(["connection": .string(id), "host_key": .string(aspera.hostKey.description)])
  }

  func logIn(_ document: JSONValue, on connection: TransferConnection) throws {
    guard let user = document["user"]?.string else { throw TransferRefusal.protocolError }
    let keys = document["public_keys"]?.array?.compactMap(\.string) ?? []
    let password = document["password"]?.string.map { Secret($0) }
    guard aspera.directory.admits(user, password: password, publicKeys: keys),
      let account = aspera.directory.transferAccount(user)
    else { throw TransferRefusal.failedLogin }
    connection.account = account
    aspera.count { $0.logins += 1 }
  }

  /// Begins the only transfer session of a connection; its token must grant access to the paths of the document.
  func beginSession(_ document: JSONValue, on connection: TransferConnection, at date: Timestamp) throws -> Answer {
    guard let account = connection.account, connection.session == nil,
      let direction = document["direction"]?.string.flatMap({ TransferDirection(rawValue: $0) })
    else { throw TransferRefusal.protocolError }
    try throwInjected(connection.fault(at: .afterAuthentication))
    let permissions = try TransferTokenCheck(aspera: aspera).permissions(
      forToken: document["token"]?.string, tags: document["tags"], account: account, direction: direction, at: date)
    let paths = document["paths"]?.array ?? []
    for path in paths { _ = try Self.authorizedPath(path, for: permissions) }
    let record = TransferRecord(
      .init(
        accessKey: permissions?.accessKey, userID: permissions?.creator ?? account.user, direction: direction,
        login: account.user, tokenType: TransferTokenCheck.kind(ofToken: document["token"]?.string),
        tags: document["tags"], cookie: document["cookie"]?.string, paths: paths.compactMap(\.string), date: date),
      clientSeen: date)
    aspera.activity.recordStart(of: record, at: date)
    connection.session = TransferConnection.Session(direction: direction, permissions: permissions, record: record)
    aspera.count { $0.sessions += 1 }
    return Answer(["piece": .integer(connection.pieceByteLimit)])
  }

  func endSession(on connection: TransferConnection, withID id: String, at date: Timestamp) throws {
    guard let session = connection.session, connection.hasReceivedAllFiles else { throw TransferRefusal.protocolError }
    try throwInjected(connection.faultInContent(isEnd: true))
    aspera.packages.completeUpload(with: session.permissions)
    connections.remove(id)
    aspera.activity.recordEnd(of: session.record, as: .completed, at: date)
    aspera.count { $0.completed += 1 }
  }

  /// Ends a transfer session whose client gives up, with the client's error code and text.
  func abortSession(_ document: JSONValue, on connection: TransferConnection, withID id: String, at date: Timestamp) {
    connections.remove(id)
    guard let record = connection.session?.record, record.progress.status == .running else { return }
    let refusal = TransferRefusal(
      document["code"]?.integer ?? TransferRefusal.Code.unknown.rawValue,
      (document["description"]?.string ?? "").shortened(to: Self.descriptionByteLimit))
    let isCanceled = refusal.code == TransferRefusal.canceled.code
    aspera.activity.recordEnd(of: record, as: isCanceled ? .canceled : .failed, because: refusal, at: date)
  }

  func throwInjected(_ fault: LocalCloud.TransferFault?) throws {
    guard let fault else { return }
    aspera.count { $0.faults[fault.code, default: 0] += 1 }
    throw TransferRefusal(fault)
  }

  /// Returns a path that a client names relative to the folder of its session, if the session's token covers the path.
  static func authorizedPath(_ value: JSONValue?, for permissions: TransferPermissions?) throws -> NodePath {
    guard let text = value?.string else { throw TransferRefusal.protocolError }
    guard let path = (permissions?.base ?? .root).appending(text) else {
      let shownText = text.shortened(to: pathByteLimit)
      throw TransferRefusal(.badPath, "The path is too long, or leads out of the docroot: \(shownText)")
    }
    try TransferTokenCheck.requireAccess(to: path, with: permissions)
    return path
  }

  /// Lists everything below a folder; a path without a folder has an empty list.
  func listFolder(_ document: JSONValue, on connection: TransferConnection) throws -> Answer {
    let permissions = try connection.requireSession().permissions
    let path = try Self.authorizedPath(document["path"], for: permissions)
    guard try aspera.files.entry(at: path)?.isFolder == true else { return Answer(["entries": .array([])]) }
    let entries = try aspera.files.walk(path).dropFirst().map { entry -> JSONValue in
      ["below": .string(entry.path.relative(to: path).key), "type": entry.isFolder ? "directory" : "file"]
    }
    return Answer(["entries": .array(entries)])
  }

  /// Returns the permissions of a session that may delete files.
  private static func deletingPermissions(of connection: TransferConnection) throws -> TransferPermissions? {
    let permissions = try connection.requireSession().permissions
    guard permissions?.mayDelete != false else { throw TransferTokenCheck.missingLevel("delete") }
    return permissions
  }

  /// Removes a file or an empty folder; a folder with contents is kept without an error.
  func removeEntry(_ document: JSONValue, on connection: TransferConnection) async throws {
    let path = try Self.authorizedPath(document["path"], for: Self.deletingPermissions(of: connection))
    let entry = try aspera.files.existingEntry(at: path)
    if document["type"]?.string == "directory" {
      guard entry.isFolder else { throw FileProblem(.isNoFolder, path) }
      guard try aspera.files.children(of: path).isEmpty else { return }
    } else if entry.isFolder {
      throw FileProblem(.isFolder, path)
    }
    try await aspera.files.delete(path)
  }

  /// Moves a file or a link, which replaces the one at the target.
  func moveFile(_ document: JSONValue, on connection: TransferConnection, at date: Timestamp) async throws {
    let permissions = try Self.deletingPermissions(of: connection)
    let path = try Self.authorizedPath(document["path"], for: permissions)
    let target = try Self.authorizedPath(document["target"], for: permissions)
    guard let entry = try aspera.files.entry(at: path), !entry.isFolder else { throw FileProblem(.notFound, path) }
    try TransferTokenCheck(aspera: aspera).requireFolder(target.parent, with: permissions)
    try await aspera.files.makeFolder(target.parent, at: date)
    if let existing = try aspera.files.entry(at: target) {
      guard !existing.isFolder else { throw FileProblem(.isFolder, target) }
      // A file that moves to its own path stays; deleting the target would delete the file itself.
      if path == target { return }
      try await aspera.files.delete(target)
    }
    try await aspera.files.move(path, to: target)
  }

  func countFile(on connection: TransferConnection) {
    connection.session?.record.add(files: 1)
    aspera.count { $0.files += 1 }
  }

  func countBytes(_ byteCount: Int64, on connection: TransferConnection) {
    connection.addTransferredBytes(byteCount)
    connection.session?.record.add(bytes: byteCount)
    aspera.count { $0.bytes += byteCount }
  }
}

// MARK: - Uploads

extension TransferServer {
  func createFolder(_ document: JSONValue, on connection: TransferConnection, at date: Timestamp) async throws {
    let permissions = try connection.requireSession(.send).permissions
    let path = try Self.authorizedPath(document["path"], for: permissions)
    try TransferTokenCheck(aspera: aspera).requireFolder(path, with: permissions)
    try await aspera.files.makeFolder(path, at: date)
    if let modified = Self.modificationTime(in: document) {
      try await aspera.files.setModified(modified, ofFolder: path)
    }
  }

  /// Creates a symbolic link, unless its path is that of a folder, of a link to one, or of a file that must be kept.
  func createLink(_ document: JSONValue, on connection: TransferConnection, at date: Timestamp) async throws -> Answer {
    let permissions = try connection.requireSession(.send).permissions
    guard let target = document["target"]?.string, (1...Self.pathByteLimit).contains(target.utf8.count) else {
      throw TransferRefusal.protocolError
    }
    let path = try Self.authorizedPath(document["path"], for: permissions)
    if let existing = try aspera.files.entry(at: path) {
      // A link whose target cannot be found leads to no folder.
      let isFolder = existing.isFolder || (try? resolvedLink(existing, permissions))?.isFolder == true
      guard document["replace"]?.bool == true, !isFolder else { return Answer(["made": false]) }
    }
    try TransferTokenCheck(aspera: aspera).requireFolder(path.parent, with: permissions)
    try await aspera.files.put(.empty, at: path, modified: date, link: .path(target))
    return Answer(["made": true])
  }

  /// Tells what is at a path, which a client may ask before it begins a session.
  func describeEntry(_ document: JSONValue, on connection: TransferConnection) throws -> Answer {
    guard connection.account != nil else { throw TransferRefusal.protocolError }
    let path = try Self.authorizedPath(document["path"], for: connection.session?.permissions)
    guard let entry = try aspera.files.entry(at: path) else { return Answer(["type": .null]) }
    guard let content = entry.content else { return Answer(["type": "directory"]) }
    return Answer([
      "type": "file", "bytes": .integer(content.byteCount), "modified": .integer(entry.modified.unixSeconds),
    ])
  }

  /// Opens a file for an upload; an empty file is complete immediately.
  ///
  /// The response contains the offset at which the client continues. It is greater than 0 if an interrupted session
  /// sent a part of a file with the same path, size and modification time.
  func openUpload(_ document: JSONValue, on connection: TransferConnection, at date: Timestamp) async throws -> Answer {
    let permissions = try connection.requireSession(.send).permissions
    guard let byteCount = document["bytes"]?.integer, byteCount >= 0 else { throw TransferRefusal.protocolError }
    let path = try Self.authorizedPath(document["path"], for: permissions)
    if try aspera.files.entry(at: path)?.isFolder == true { throw FileProblem(.isFolder, path) }
    try TransferTokenCheck(aspera: aspera).requireFolder(path.parent, with: permissions)
    let upload = TransferConnection.Upload(
      path: path, byteCount: Int64(byteCount), modified: Self.modificationTime(in: document),
      keepsTime: document["keeps_time"]?.bool == true, isResumable: document["resume"]?.bool == true)
    let extents = upload.resumptionKey.flatMap { partialUploads[$0] } ?? []
    let number = connection.open(.receiving(upload, extents))
    let offset = Self.byteCount(of: extents)
    if offset == upload.byteCount { try await storeFile(number, upload, extents, on: connection, at: date) }
    return Answer(["file": .integer(number), "offset": .integer(offset)])
  }

  /// Appends bytes to an uploaded file, which is complete once all of its bytes have arrived.
  func writeFile(
    _ number: Int, from offset: Int64, _ request: Request, on connection: TransferConnection, at date: Timestamp
  ) async throws {
    guard case .receiving(let upload, let extents)? = connection.file(number), offset == Self.byteCount(of: extents)
    else { throw TransferRefusal.protocolError }
    try throwInjected(connection.faultInContent(isEnd: false))
    let piece = try await aspera.files.store.blobs.write(request.body, BodyExpectation())
    var received = extents + piece.extents
    let receivedByteCount = offset + piece.byteCount
    guard piece.byteCount > 0, receivedByteCount <= upload.byteCount else { throw TransferRefusal.protocolError }
    if received.count > Content.extentLimit {
      received = try await aspera.files.store.blobs.writeJoined(received).extents
    }
    countBytes(piece.byteCount, on: connection)
    connection.update(number, to: .receiving(upload, received))
    if receivedByteCount == upload.byteCount {
      try await storeFile(number, upload, received, on: connection, at: date)
    } else if let key = upload.resumptionKey {
      partialUploads.insert(received, for: key)
    }
  }

  private func storeFile(
    _ number: Int, _ upload: TransferConnection.Upload, _ extents: [Extent], on connection: TransferConnection,
    at date: Timestamp
  ) async throws {
    try await aspera.files.makeFolder(upload.path.parent, at: date)
    let modified = upload.keepsTime ? upload.modified ?? date : date
    try await aspera.files.put(Content(extents: extents, entityTag: "", crc64: 0), at: upload.path, modified: modified)
    if let key = upload.resumptionKey { partialUploads.remove(key) }
    connection.update(number, to: .received)
    countFile(on: connection)
  }

  private static func byteCount(of extents: [Extent]) -> Int64 { extents.reduce(0) { $0 + $1.byteCount } }

  private static func modificationTime(in document: JSONValue) -> Timestamp? {
    document["modified"]?.integer.map { Timestamp(unixSeconds: Int64($0)) }
  }
}

// MARK: - Downloads

extension TransferServer {
  func openSource(_ document: JSONValue, on connection: TransferConnection) throws -> Answer {
    let permissions = try connection.requireSession(.receive).permissions
    let path = try Self.authorizedPath(document["path"], for: permissions)
    let policyName = document["links"]?.string ?? SymbolicLinkPolicy.skip.rawValue
    guard let policy = SymbolicLinkPolicy(rawValue: policyName) else { throw TransferRefusal.protocolError }
    var found: [SourceEntry] = []
    try collectEntries(of: path, at: "", through: [path], policy, permissions, into: &found)
    return Answer(["entries": .array(found.compactMap { openEntry($0, on: connection) })])
  }

  /// An entry of a source, with the path below the source at which the client sees it.
  private typealias SourceEntry = (location: String, entry: FileEntry)

  /// Opens a file of a source for reading, and describes it; a folder is only described.
  private func openEntry(_ source: SourceEntry, on connection: TransferConnection) -> JSONValue? {
    let entry = source.entry
    var element: JSONObject = ["below": .string(source.location)]
    if entry.link != nil {
      // A link to an ID has no path that a file system could contain.
      guard case .path(let target)? = entry.link else { return nil }
      element["link"] = .string(target)
    } else if let content = entry.content {
      element["file"] = .integer(connection.open(.sending(content)))
      element["bytes"] = .integer(content.byteCount)
      // No read request follows for an empty file, so it is complete here.
      if content.byteCount == 0 { countFile(on: connection) }
    }
    element["modified"] = .integer(entry.modified.unixSeconds)
    return .object(element)
  }

  func readFile(
    _ number: Int, from offset: Int64, byteCount: Int64, on connection: TransferConnection
  ) throws -> Answer {
    guard case .sending(let content)? = connection.file(number), offset >= 0, byteCount > 0,
      let endOffset = offset.checkedAdding(byteCount), endOffset <= content.byteCount
    else { throw TransferRefusal.protocolError }
    try throwInjected(connection.faultInContent(isEnd: false))
    countBytes(byteCount, on: connection)
    if endOffset == content.byteCount { countFile(on: connection) }
    return Answer(content, in: offset..<endOffset)
  }

  private static let linkChainLimit = 40
  /// The maximum number of files and folders in a source, which links can multiply.
  private static let sourceEntryLimit = 100_000

  /// Adds a file, or a folder and everything below it, each folder before its contents.
  ///
  /// Links are followed unless they lead back to a visited folder: one that contains `path`, as the links lead to it.
  /// The permissions of the session apply to the targets of links too.
  private func collectEntries(
    of path: NodePath, at prefix: String, through visited: [NodePath], _ policy: SymbolicLinkPolicy,
    _ permissions: TransferPermissions?, into found: inout [SourceEntry]
  ) throws {
    for entry in try aspera.files.walk(path) {
      let location = [prefix, entry.path.relative(to: path).key].filter { !$0.isEmpty }.joined(separator: "/")
      guard found.count < Self.sourceEntryLimit else {
        throw TransferRefusal(.tooManyFiles, "The source has too many files: \(location)")
      }
      if entry.link == nil || policy == .copy {
        found.append((location, entry))
      } else if policy == .follow {
        let target = try resolvedLink(entry, permissions)
        guard target.isFolder else {
          found.append((location, target))
          continue
        }
        guard !target.path.contains(entry.path), !visited.contains(where: { target.path.contains($0) }) else {
          throw TransferRefusal(.linkLoop, "The symbolic link leads to a folder that contains it: \(entry.path.text)")
        }
        try collectEntries(
          of: target.path, at: location, through: visited + [target.path], policy, permissions, into: &found)
      }
    }
  }

  private func resolvedLink(_ link: FileEntry, _ permissions: TransferPermissions?) throws -> FileEntry {
    var entry = link
    for _ in 0..<Self.linkChainLimit {
      guard case .path(let text)? = entry.link else { break }
      // An absolute target begins at the folder of the session, as in a docroot.
      let folder = text.hasBytePrefix("/") ? permissions?.base ?? .root : entry.path.parent
      guard let path = NodePath(text).map({ folder.appending($0) }), let next = try aspera.files.entry(at: path) else {
        throw FileProblem(.notFound, link.path)
      }
      try TransferTokenCheck.requireAccess(to: path, with: permissions)
      entry = next
    }
    guard entry.link == nil else { throw FileProblem(.notFound, link.path) }
    return entry
  }
}
