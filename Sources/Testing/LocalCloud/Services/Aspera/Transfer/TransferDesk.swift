// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore
internal import StorageAuth

/// The simulated transfer server, which replaces SSH and ascp for `ascp-simulator` with JSON and bytes over HTTP.
///
/// A client connects, logs in, begins a session, transfers folders and files in pieces, and ends the session.
/// Documentation/Internals/LocalCloud.md describes the calls.
struct TransferDesk: Sendable {
  static let endpoint = LocalCloud.Endpoint.transfer

  let aspera: AsperaContext
  let connections = ConnectionTable()
  let partialUploads = PartialUploadTable()

  func connect() throws -> Answer {
    aspera.count { $0.connections += 1 }
    let connection = TransferConnection(aspera.cloud.injector.transferFault())
    try inject(connection.fault(at: .connecting))
    return Answer(["connection": .string(connections.add(connection)), "host_key": .string(aspera.hostKey.description)])
  }

  func login(_ document: JSONValue, _ connection: TransferConnection) throws -> Answer {
    guard let user = document["user"]?.string else { throw TransferRefusal.protocolError }
    let keys = document["public_keys"]?.array?.compactMap(\.string) ?? []
    let password = document["password"]?.string.map { Secret($0) }
    guard aspera.directory.admits(user, password: password, publicKeys: keys),
      let account = aspera.directory.transferAccount(user)
    else { throw TransferRefusal.account }
    connection.account = account
    aspera.count { $0.logins += 1 }
    return Answer([:])
  }

  /// Begins a transfer session, whose token must be valid and grant access to the paths that are already known.
  func begin(_ document: JSONValue, _ connection: TransferConnection, at date: Timestamp) throws -> Answer {
    guard let account = connection.account,
      let direction = document["direction"]?.string.flatMap({ TransferDirection(rawValue: $0) })
    else { throw TransferRefusal.protocolError }
    try inject(connection.fault(at: .afterAuthentication))
    let claim = try TransferTokenCheck(aspera: aspera).claim(
      document["token"]?.string, tags: document["tags"], account: account, direction, at: date)
    let paths = document["paths"]?.array ?? []
    for path in paths { _ = try Self.path(path, claim) }
    let record = TransferRecord(
      .init(
        accessKey: claim?.accessKey, userID: claim?.creator ?? account.user, direction: direction, login: account.user,
        tokenType: TransferTokenCheck.type(of: document["token"]?.string), tags: document["tags"],
        cookie: document["cookie"]?.string, paths: paths.prefix(100).compactMap(\.string), date: date),
      clientSeen: date)
    aspera.activity.start(record, at: date)
    connection.session = TransferConnection.Session(direction: direction, claim: claim, record: record)
    aspera.count { $0.sessions += 1 }
    return Answer(["piece": .number(JSONNumber(connection.pieceByteCount))])
  }

  func end(_ id: String, _ connection: TransferConnection, at date: Timestamp) throws -> Answer {
    guard let session = connection.session, connection.isComplete else { throw TransferRefusal.protocolError }
    try inject(connection.faultInContent(isEnd: true))
    aspera.packages.completed(session.claim)
    connections.remove(id)
    aspera.activity.end(session.record, .completed, at: date)
    aspera.count { $0.completed += 1 }
    return Answer([:])
  }

  /// Ends a transfer session whose client gives up, with the client's error code and text.
  func abort(_ id: String, _ document: JSONValue, _ connection: TransferConnection, at date: Timestamp) -> Answer {
    connections.remove(id)
    if let record = connection.session?.record, record.progress.status == .running {
      let refusal = TransferRefusal(
        document["code"]?.integer ?? 0, (document["description"]?.string ?? "").shortened(to: 1_024))
      let isCanceled = refusal.code == TransferRefusal.canceled.code
      aspera.activity.end(record, isCanceled ? .canceled : .failed, refusal, at: date)
    }
    return Answer([:])
  }

  /// Throws the error for an injected fault, and counts the fault; does not throw if the fault is `nil`.
  func inject(_ fault: LocalCloud.TransferFault?) throws {
    guard let fault else { return }
    aspera.count { $0.faults[fault.code, default: 0] += 1 }
    throw TransferRefusal(fault)
  }

  /// Returns a path that a session names relative to its folder, and to which its token must grant access.
  static func path(_ value: JSONValue?, _ claim: TransferClaim?) throws -> NodePath {
    guard let text = value?.string else { throw TransferRefusal.protocolError }
    guard let path = (claim?.base ?? .root).appending(text) else {
      throw TransferRefusal(41, "The path is too long, or leads out of the docroot: \(text.shortened(to: 4_096))")
    }
    try TransferTokenCheck.check(path, against: claim)
    return path
  }

  // MARK: Changes by options that move and remove files

  /// Returns the response that lists everything below a folder; the list is empty if there is no folder.
  func list(_ document: JSONValue, _ connection: TransferConnection) throws -> Answer {
    guard let session = connection.session else { throw TransferRefusal.protocolError }
    let path = try Self.path(document["path"], session.claim)
    guard try aspera.files.entry(at: path)?.isFolder == true else { return Answer(["entries": .array([])]) }
    let entries = try aspera.files.walk(path).dropFirst().map { entry -> JSONValue in
      ["below": .string(Self.relativePath(of: entry.path, below: path)), "type": entry.isFolder ? "directory" : "file"]
    }
    return Answer(["entries": .array(entries)])
  }

  /// Returns the session of a connection, after checking that it may remove and move files.
  private static func deletingSession(of connection: TransferConnection) throws -> TransferConnection.Session {
    guard let session = connection.session else { throw TransferRefusal.protocolError }
    guard session.claim?.mayDelete != false else {
      throw TransferTokenCheck.refusal("the user does not have the access level delete; token authorization failed")
    }
    return session
  }

  /// Removes a file, or a folder that has no contents; any other folder is kept.
  func remove(_ document: JSONValue, _ connection: TransferConnection) async throws -> Answer {
    let session = try Self.deletingSession(of: connection)
    let path = try Self.path(document["path"], session.claim)
    guard let entry = try aspera.files.entry(at: path) else { throw FileProblem.notFound(path) }
    if document["type"]?.string == "directory" {
      guard entry.isFolder else { throw FileProblem.isNoFolder(path) }
      guard try aspera.files.children(of: path).isEmpty else { return Answer([:]) }
    } else if entry.isFolder {
      throw FileProblem.isFolder(path)
    }
    try await aspera.files.delete(path)
    return Answer([:])
  }

  func move(_ document: JSONValue, _ connection: TransferConnection, at date: Timestamp) async throws -> Answer {
    let session = try Self.deletingSession(of: connection)
    let path = try Self.path(document["path"], session.claim)
    let target = try Self.path(document["target"], session.claim)
    guard let entry = try aspera.files.entry(at: path), !entry.isFolder else { throw FileProblem.notFound(path) }
    try await aspera.files.makeFolder(target.parent, at: date)
    if let existing = try aspera.files.entry(at: target) {
      guard !existing.isFolder else { throw FileProblem.isFolder(target) }
      if path.contains(target) { return Answer([:]) }
      try await aspera.files.delete(target)
    }
    try await aspera.files.move(path, to: target, at: date)
    return Answer([:])
  }

  // MARK: Symbolic links

  /// The maximum number of links that lead from one to the next.
  private static let hopLimit = 40

  /// The maximum number of files and folders in a source, which links can multiply.
  private static let entryLimit = 100_000

  /// Creates a symbolic link, unless a folder, a link to one, or a file that it may not replace has its name.
  func makeLink(_ document: JSONValue, _ connection: TransferConnection, at date: Timestamp) async throws -> Answer {
    guard let session = connection.session, session.direction == .send, let target = document["target"]?.string,
      (1...4_096).contains(target.utf8.count)
    else { throw TransferRefusal.protocolError }
    let path = try Self.path(document["path"], session.claim)
    if let existing = try aspera.files.entry(at: path) {
      let isFolder = existing.isFolder || (try? resolved(existing, session.claim))?.isFolder == true
      guard document["replace"]?.bool == true, !isFolder else { return Answer(["made": false]) }
    }
    try checkMayCreate(path.parent, session)
    try await aspera.files.put(.empty, at: path, date, link: .path(target))
    return Answer(["made": true])
  }

  /// Returns the files and folders of a source with their paths below it, each folder before its contents.
  ///
  /// - Parameter claim: The permissions of the session, which apply to the targets of links too.
  func entries(
    of path: NodePath, _ policy: SymbolicLinkPolicy, _ claim: TransferClaim?
  ) throws -> [(below: String, entry: FileEntry)] {
    var found: [(below: String, entry: FileEntry)] = []
    try collect(path, below: "", [path], policy, claim, into: &found)
    return found
  }

  private func collect(
    _ path: NodePath, below: String, _ trail: [NodePath], _ policy: SymbolicLinkPolicy, _ claim: TransferClaim?,
    into found: inout [(below: String, entry: FileEntry)]
  ) throws {
    for entry in try aspera.files.walk(path) {
      let location = [below, Self.relativePath(of: entry.path, below: path)].filter { !$0.isEmpty }.joined(
        separator: "/")
      guard found.count < Self.entryLimit else {
        throw TransferRefusal(23, "The source has too many files: \(location)")
      }
      if entry.link == nil || policy == .copy {
        found.append((location, entry))
      } else if policy == .follow {
        let target = try resolved(entry, claim)
        guard target.isFolder else {
          found.append((location, target))
          continue
        }
        guard !target.path.contains(entry.path), !trail.contains(where: { target.path.contains($0) }) else {
          throw TransferRefusal(63, "The symbolic link leads to a folder that contains it: \(entry.path.text)")
        }
        try collect(target.path, below: location, trail + [target.path], policy, claim, into: &found)
      }
    }
  }

  /// Returns the file or folder to which a link leads, after checking that the session may access it.
  private func resolved(_ link: FileEntry, _ claim: TransferClaim?) throws -> FileEntry {
    var entry = link
    for _ in 0..<Self.hopLimit {
      guard case .path(let text)? = entry.link else { break }
      let folder = text.hasBytePrefix("/") ? claim?.base ?? .root : entry.path.parent
      guard let path = NodePath(text).map({ folder.appending($0) }), let next = try aspera.files.entry(at: path) else {
        throw FileProblem.notFound(link.path)
      }
      try TransferTokenCheck.check(path, against: claim)
      entry = next
    }
    guard entry.link == nil else { throw FileProblem.notFound(link.path) }
    return entry
  }

  // MARK: Downloads

  /// Returns the response that lists the source of a download: a file, or a folder with everything below it.
  func source(_ document: JSONValue, _ connection: TransferConnection) throws -> Answer {
    guard let session = connection.session, session.direction == .receive else { throw TransferRefusal.protocolError }
    let path = try Self.path(document["path"], session.claim)
    let policy = document["links"]?.string.flatMap { SymbolicLinkPolicy(rawValue: $0) } ?? .skip
    let entries = try entries(of: path, policy, session.claim).compactMap { below, entry -> JSONValue? in
      var element = JSONObject()
      element["below"] = .string(below)
      if entry.link != nil {
        // A link to an ID has no path that a file system could contain.
        guard case .path(let target)? = entry.link else { return nil }
        element["link"] = .string(target)
        element["modified"] = .number(JSONNumber(entry.modified.unixSeconds))
        return .object(element)
      }
      if let content = entry.content {
        element["file"] = .number(JSONNumber(connection.open(.sending(content))))
        element["bytes"] = .number(JSONNumber(content.byteCount))
        element["modified"] = .number(JSONNumber(entry.modified.unixSeconds))
        if content.byteCount == 0 { countFile(connection) }
      } else {
        element["modified"] = .number(JSONNumber(entry.modified.unixSeconds))
      }
      return .object(element)
    }
    return Answer(["entries": .array(entries)])
  }

  func read(_ number: Int, from offset: Int64, _ count: Int64, _ connection: TransferConnection) throws -> Answer {
    guard case .sending(let content)? = connection.file(number), offset >= 0, count > 0,
      let end = offset.checkedAdding(count), end <= content.byteCount
    else { throw TransferRefusal.protocolError }
    try inject(connection.faultInContent(isEnd: false))
    countBytes(count, connection)
    if end == content.byteCount { countFile(connection) }
    return Answer(content, in: offset..<end)
  }

  // MARK: Uploads

  func makeFolder(_ document: JSONValue, _ connection: TransferConnection, at date: Timestamp) async throws -> Answer {
    guard let session = connection.session, session.direction == .send else { throw TransferRefusal.protocolError }
    let path = try Self.path(document["path"], session.claim)
    try checkMayCreate(path, session)
    try await aspera.files.makeFolder(path, at: date)
    if let modified = Self.modified(document) { try await aspera.files.setModified(modified, ofFolder: path) }
    return Answer([:])
  }

  /// Returns the response that describes the file or folder at a path.
  func kind(_ document: JSONValue, _ connection: TransferConnection) throws -> Answer {
    guard connection.account != nil else { throw TransferRefusal.protocolError }
    guard let entry = try aspera.files.entry(at: Self.path(document["path"], connection.session?.claim)) else {
      return Answer(["type": .null])
    }
    guard let content = entry.content else { return Answer(["type": "directory"]) }
    return Answer([
      "type": "file", "bytes": .number(JSONNumber(content.byteCount)),
      "modified": .number(JSONNumber(entry.modified.unixSeconds)),
    ])
  }

  /// Opens a file for an upload; an empty file is complete immediately.
  ///
  /// The response contains the offset at which the client continues: 0, or the number of bytes that an interrupted
  /// session sent of a file with the same path, size and modification time.
  func open(_ document: JSONValue, _ connection: TransferConnection, at date: Timestamp) async throws -> Answer {
    guard let session = connection.session, session.direction == .send,
      let byteCount = document["bytes"]?.integer, byteCount >= 0
    else { throw TransferRefusal.protocolError }
    let path = try Self.path(document["path"], session.claim)
    if try aspera.files.entry(at: path)?.isFolder == true { throw FileProblem.isFolder(path) }
    try checkMayCreate(path.parent, session)
    let upload = TransferConnection.Upload(
      path: path, byteCount: Int64(byteCount), modified: Self.modified(document),
      keepsTime: document["keeps_time"]?.bool == true, isResumable: document["resume"]?.bool == true)
    let extents = partialUploads.take(upload)
    let number = connection.open(.receiving(upload, extents))
    let offset = Self.byteCount(of: extents)
    if offset == upload.byteCount { try await commit(number, upload, extents, connection, at: date) }
    return Answer(["file": .number(JSONNumber(number)), "offset": .number(JSONNumber(offset))])
  }

  /// Appends bytes to a file that is being uploaded, which is complete once all of its bytes have arrived.
  func write(
    _ number: Int, from offset: Int64, _ request: Request, _ connection: TransferConnection, at date: Timestamp
  ) async throws -> Answer {
    guard case .receiving(let upload, let extents)? = connection.file(number), offset == Self.byteCount(of: extents)
    else { throw TransferRefusal.protocolError }
    try inject(connection.faultInContent(isEnd: false))
    let written = try await aspera.files.store.blobs.write(request.body, BodyExpectation())
    var all = extents + written.content.extents
    let total = offset + written.blob.byteCount
    guard written.blob.byteCount > 0, total <= upload.byteCount else { throw TransferRefusal.protocolError }
    if all.count > Content.mostExtents { all = try await aspera.files.store.blobs.joined(all).content.extents }
    countBytes(written.blob.byteCount, connection)
    connection.update(number, .receiving(upload, all))
    if total == upload.byteCount {
      try await commit(number, upload, all, connection, at: date)
    } else {
      partialUploads.keep(all, of: upload)
    }
    return Answer([:])
  }

  private func commit(
    _ number: Int, _ upload: TransferConnection.Upload, _ extents: [Extent], _ connection: TransferConnection,
    at date: Timestamp
  ) async throws {
    try await aspera.files.makeFolder(upload.path.parent, at: date)
    try await aspera.files.put(
      Content(extents: extents, byteCount: Self.byteCount(of: extents), entityTag: "", crc64: 0), at: upload.path,
      upload.keepsTime ? upload.modified ?? date : date)
    _ = partialUploads.take(upload)
    connection.update(number, .done)
    countFile(connection)
  }

  func checkMayCreate(_ folder: NodePath, _ session: TransferConnection.Session) throws {
    guard session.claim?.mayMakeFolders == false, try aspera.files.entry(at: folder) == nil else { return }
    throw TransferTokenCheck.refusal("the user does not have the access level mkdir; token authorization failed")
  }

  private func countFile(_ connection: TransferConnection) {
    connection.session?.record.add(files: 1)
    aspera.count { $0.files += 1 }
  }

  private static func byteCount(of extents: [Extent]) -> Int64 { extents.reduce(0) { $0 + $1.byteCount } }

  private static func modified(_ document: JSONValue) -> Timestamp? {
    document["modified"]?.integer.map { Timestamp(unixSeconds: Int64($0)) }
  }

  private func countBytes(_ byteCount: Int64, _ connection: TransferConnection) {
    connection.passed(byteCount)
    connection.session?.record.add(bytes: byteCount)
    aspera.count { $0.bytes += byteCount }
  }

  static func relativePath(of path: NodePath, below folder: NodePath) -> String {
    path.names.dropFirst(folder.names.count).joined(separator: "/")
  }
}
