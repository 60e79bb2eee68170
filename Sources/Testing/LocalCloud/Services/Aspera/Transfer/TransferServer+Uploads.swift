// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import HummingbirdCore
internal import StorageAuth

extension TransferServer {
  func createFolder(
    _ document: JSONValue, on connection: TransferConnection, at date: Timestamp
  ) async throws -> Answer {
    let session = try connection.requireSession(.send)
    let path = try Self.authorizedPath(document["path"], for: session.claim)
    try requireFolderOrPermission(path, session)
    try await aspera.files.makeFolder(path, at: date)
    if let modified = Self.modificationTime(in: document) {
      try await aspera.files.setModified(modified, ofFolder: path)
    }
    return Answer([:])
  }

  /// Returns the response that describes the file or folder at a path.
  func describeEntry(_ document: JSONValue, on connection: TransferConnection) throws -> Answer {
    guard connection.account != nil else { throw TransferRefusal.protocolError }
    let path = try Self.authorizedPath(document["path"], for: connection.session?.claim)
    guard let entry = try aspera.files.entry(at: path) else { return Answer(["type": .null]) }
    guard let content = entry.content else { return Answer(["type": "directory"]) }
    return Answer([
      "type": "file", "bytes": .integer(content.byteCount), "modified": .integer(entry.modified.unixSeconds),
    ])
  }

  /// Opens a file for an upload; an empty file is complete immediately.
  ///
  /// The response contains the offset at which the client continues: 0, or the number of bytes that an interrupted
  /// session sent of a file with the same path, size and modification time.
  func openUpload(_ document: JSONValue, on connection: TransferConnection, at date: Timestamp) async throws -> Answer {
    let session = try connection.requireSession(.send)
    guard let byteCount = document["bytes"]?.integer, byteCount >= 0 else { throw TransferRefusal.protocolError }
    let path = try Self.authorizedPath(document["path"], for: session.claim)
    if try aspera.files.entry(at: path)?.isFolder == true { throw FileProblem(.isFolder, path) }
    try requireFolderOrPermission(path.parent, session)
    let upload = TransferConnection.Upload(
      path: path, byteCount: Int64(byteCount), modified: Self.modificationTime(in: document),
      keepsTime: document["keeps_time"]?.bool == true, isResumable: document["resume"]?.bool == true)
    let extents = partialUploads.take(upload)
    let number = connection.open(.receiving(upload, extents))
    let offset = Self.byteCount(of: extents)
    if offset == upload.byteCount { try await commit(number, upload, extents, on: connection, at: date) }
    return Answer(["file": .integer(number), "offset": .integer(offset)])
  }

  /// Appends bytes to a file that is being uploaded, which is complete once all of its bytes have arrived.
  func writeFile(
    _ number: Int, from offset: Int64, _ request: Request, on connection: TransferConnection, at date: Timestamp
  ) async throws -> Answer {
    guard case .receiving(let upload, let extents)? = connection.file(number), offset == Self.byteCount(of: extents)
    else { throw TransferRefusal.protocolError }
    try inject(connection.faultInContent(isEnd: false))
    let written = try await aspera.files.store.blobs.write(request.body, BodyExpectation())
    var received = extents + written.extents
    let total = offset + written.byteCount
    guard written.byteCount > 0, total <= upload.byteCount else { throw TransferRefusal.protocolError }
    if received.count > Content.extentLimit {
      received = try await aspera.files.store.blobs.joined(received).extents
    }
    countBytes(written.byteCount, on: connection)
    connection.update(number, to: .receiving(upload, received))
    if total == upload.byteCount {
      try await commit(number, upload, received, on: connection, at: date)
    } else {
      partialUploads.keep(received, of: upload)
    }
    return Answer([:])
  }

  /// Stores a file whose bytes have all arrived.
  private func commit(
    _ number: Int, _ upload: TransferConnection.Upload, _ extents: [Extent], on connection: TransferConnection,
    at date: Timestamp
  ) async throws {
    try await aspera.files.makeFolder(upload.path.parent, at: date)
    try await aspera.files.put(
      Content(extents: extents, entityTag: "", crc64: 0), at: upload.path,
      upload.keepsTime ? upload.modified ?? date : date)
    _ = partialUploads.take(upload)
    connection.update(number, to: .received)
    countFile(on: connection)
  }

  /// Throws if a folder does not exist and the session may not create it.
  func requireFolderOrPermission(_ folder: NodePath, _ session: TransferConnection.Session) throws {
    guard session.claim?.mayMakeFolders == false, try aspera.files.entry(at: folder) == nil else { return }
    throw TransferTokenCheck.missingLevel("mkdir")
  }

  func countFile(on connection: TransferConnection) {
    connection.session?.record.add(files: 1)
    aspera.count { $0.files += 1 }
  }

  private static func byteCount(of extents: [Extent]) -> Int64 { extents.reduce(0) { $0 + $1.byteCount } }

  private static func modificationTime(in document: JSONValue) -> Timestamp? {
    document["modified"]?.integer.map { Timestamp(unixSeconds: Int64($0)) }
  }

  func countBytes(_ byteCount: Int64, on connection: TransferConnection) {
    connection.addTransferredBytes(byteCount)
    connection.session?.record.add(bytes: byteCount)
    aspera.count { $0.bytes += byteCount }
  }

  static func relativePath(of path: NodePath, below folder: NodePath) -> String {
    path.names.dropFirst(folder.names.count).joined(separator: "/")
  }
}
