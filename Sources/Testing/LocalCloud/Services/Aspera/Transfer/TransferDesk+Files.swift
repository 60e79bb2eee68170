// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore
internal import StorageAuth
internal import StorageJSON

extension TransferDesk {
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
        if content.byteCount == 0 { completed(connection) }
      } else {
        element["modified"] = .number(JSONNumber(entry.modified.unixSeconds))
      }
      return .object(element)
    }
    return Answer(["entries": .array(entries)])
  }

  /// Returns the response with a byte range of a file that is being downloaded.
  func read(_ number: Int, from offset: Int64, _ count: Int64, _ connection: TransferConnection) throws -> Answer {
    guard case .sending(let content)? = connection.file(number), offset >= 0, count > 0,
      let end = offset.checkedAdding(count), end <= content.byteCount
    else { throw TransferRefusal.protocolError }
    try inject(connection.faultInContent(isEnd: false))
    passed(count, connection)
    if end == content.byteCount { completed(connection) }
    return Answer(
      headers: [.contentType: "application/octet-stream"],
      body: .extents(content.extents(in: offset..<end), byteCount: count))
  }

  // MARK: Uploads

  /// Creates a folder for an upload, and sets its modification time if the call contains one.
  func makeFolder(_ document: JSONValue, _ connection: TransferConnection, at date: Timestamp) async throws -> Answer {
    guard let session = connection.session, session.direction == .send else { throw TransferRefusal.protocolError }
    let path = try Self.path(document["path"], session.claim)
    try checkMayMake(path, session)
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
    try checkMayMake(path.parent, session)
    let upload = TransferConnection.Upload(
      path: path, byteCount: Int64(byteCount), modified: Self.modified(document),
      keepsTime: document["keeps_time"]?.bool == true, isResumable: document["resume"]?.bool == true)
    let extents = partialUploads.take(upload)
    let number = connection.open(.receiving(upload, extents))
    let offset = Self.byteCount(of: extents)
    if offset == upload.byteCount { try await commit(number, upload, extents, connection, at: date) }
    return Answer(["file": .number(JSONNumber(number)), "offset": .number(JSONNumber(offset))])
  }

  /// Appends bytes to a file that is being uploaded.
  ///
  /// The file is complete once all of its bytes have arrived.
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
    passed(written.blob.byteCount, connection)
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
    completed(connection)
  }

  /// Checks that the session may create a folder, unless the folder exists.
  func checkMayMake(_ folder: NodePath, _ session: TransferConnection.Session) throws {
    guard session.claim?.mayMakeFolders == false, try aspera.files.entry(at: folder) == nil else { return }
    throw TransferTokenCheck.refusal("the user does not have the access level mkdir; token authorization failed")
  }

  private func completed(_ connection: TransferConnection) {
    connection.session?.record.add(files: 1)
    aspera.count { $0.files += 1 }
  }

  private static func byteCount(of extents: [Extent]) -> Int64 { extents.reduce(0) { $0 + $1.byteCount } }

  private static func modified(_ document: JSONValue) -> Timestamp? {
    document["modified"]?.integer.map { Timestamp(unixSeconds: Int64($0)) }
  }

  private func passed(_ byteCount: Int64, _ connection: TransferConnection) {
    connection.passed(byteCount)
    connection.session?.record.add(bytes: byteCount)
    aspera.count { $0.bytes += byteCount }
  }

  static func rest(of path: NodePath, below folder: NodePath) -> String {
    path.names.dropFirst(folder.names.count).joined(separator: "/")
  }
}
