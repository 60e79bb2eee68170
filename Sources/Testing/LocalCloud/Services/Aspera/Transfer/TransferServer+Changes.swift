// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

extension TransferServer {
  /// Returns the response that lists everything below a folder; the list is empty if there is no folder.
  func listFolder(_ document: JSONValue, on connection: TransferConnection) throws -> Answer {
    let session = try connection.requireSession()
    let path = try Self.authorizedPath(document["path"], for: session.claim)
    guard try aspera.files.entry(at: path)?.isFolder == true else { return Answer(["entries": .array([])]) }
    let entries = try aspera.files.walk(path).dropFirst().map { entry -> JSONValue in
      ["below": .string(Self.relativePath(of: entry.path, below: path)), "type": entry.isFolder ? "directory" : "file"]
    }
    return Answer(["entries": .array(entries)])
  }

  /// Returns the session of a connection, or throws if it may not remove and move files.
  private static func requireDeletingSession(on connection: TransferConnection) throws -> TransferConnection.Session {
    let session = try connection.requireSession()
    guard session.claim?.mayDelete != false else {
      throw TransferTokenCheck.refusal("the user does not have the access level delete; token authorization failed")
    }
    return session
  }

  /// Removes a file, or a folder that has no contents; any other folder is kept.
  func removeEntry(_ document: JSONValue, on connection: TransferConnection) async throws -> Answer {
    let session = try Self.requireDeletingSession(on: connection)
    let path = try Self.authorizedPath(document["path"], for: session.claim)
    guard let entry = try aspera.files.entry(at: path) else { throw FileProblem(.notFound, path) }
    if document["type"]?.string == "directory" {
      guard entry.isFolder else { throw FileProblem(.isNoFolder, path) }
      guard try aspera.files.children(of: path).isEmpty else { return Answer([:]) }
    } else if entry.isFolder {
      throw FileProblem(.isFolder, path)
    }
    try await aspera.files.delete(path)
    return Answer([:])
  }

  /// Moves a file to another path, where it replaces any other file.
  func moveFile(_ document: JSONValue, on connection: TransferConnection, at date: Timestamp) async throws -> Answer {
    let session = try Self.requireDeletingSession(on: connection)
    let path = try Self.authorizedPath(document["path"], for: session.claim)
    let target = try Self.authorizedPath(document["target"], for: session.claim)
    guard let entry = try aspera.files.entry(at: path), !entry.isFolder else { throw FileProblem(.notFound, path) }
    try await aspera.files.makeFolder(target.parent, at: date)
    if let existing = try aspera.files.entry(at: target) {
      guard !existing.isFolder else { throw FileProblem(.isFolder, target) }
      // A file that moves to its own path stays; to delete the target would delete it.
      if path.contains(target) { return Answer([:]) }
      try await aspera.files.delete(target)
    }
    try await aspera.files.move(path, to: target, at: date)
    return Answer([:])
  }
}
