// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth
internal import StorageJSON

extension TransferDesk {
  // MARK: Changes by options that move and remove files

  /// Returns the response that lists everything below a folder; the list is empty if there is no folder.
  func list(_ document: JSONValue, _ connection: TransferConnection) throws -> Answer {
    guard let session = connection.session else { throw TransferRefusal.protocolError }
    let path = try Self.path(document["path"], session.claim)
    guard try aspera.files.entry(at: path)?.isFolder == true else { return Answer(["entries": .array([])]) }
    let entries = try aspera.files.walk(path).dropFirst().map { entry -> JSONValue in
      ["below": .string(Self.rest(of: entry.path, below: path)), "type": entry.isFolder ? "directory" : "file"]
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

  /// Moves a file, creating the folders for it and replacing an existing file.
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
}
