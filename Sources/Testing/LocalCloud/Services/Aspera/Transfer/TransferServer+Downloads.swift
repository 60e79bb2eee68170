// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

extension TransferServer {
  /// Returns the response that lists the source of a download: a file, or a folder with everything below it.
  func openSource(_ document: JSONValue, on connection: TransferConnection) throws -> Answer {
    let session = try connection.requireSession(.receive)
    let path = try Self.authorizedPath(document["path"], for: session.claim)
    let policy = document["links"]?.string.flatMap { SymbolicLinkPolicy(rawValue: $0) } ?? .skip
    let entries = try entries(of: path, following: policy, session.claim).compactMap { below, entry -> JSONValue? in
      var element: JSONObject = ["below": .string(below)]
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
    return Answer(["entries": .array(entries)])
  }

  func readFile(
    _ number: Int, from offset: Int64, byteCount count: Int64, on connection: TransferConnection
  ) throws -> Answer {
    guard case .sending(let content)? = connection.file(number), offset >= 0, count > 0,
      let end = offset.checkedAdding(count), end <= content.byteCount
    else { throw TransferRefusal.protocolError }
    try inject(connection.faultInContent(isEnd: false))
    countBytes(count, on: connection)
    if end == content.byteCount { countFile(on: connection) }
    return Answer(content, in: offset..<end)
  }

  /// The maximum number of links that lead from one to the next.
  private static let linkChainLimit = 40
  /// The maximum number of files and folders in a source, which links can multiply.
  private static let sourceEntryLimit = 100_000

  /// Creates a symbolic link, unless a folder, a link to one, or a file that it may not replace has its name.
  func createLink(_ document: JSONValue, on connection: TransferConnection, at date: Timestamp) async throws -> Answer {
    let session = try connection.requireSession(.send)
    guard let target = document["target"]?.string, (1...Self.pathByteLimit).contains(target.utf8.count) else {
      throw TransferRefusal.protocolError
    }
    let path = try Self.authorizedPath(document["path"], for: session.claim)
    if let existing = try aspera.files.entry(at: path) {
      let isFolder = existing.isFolder || (try? resolvedLink(existing, session.claim))?.isFolder == true
      guard document["replace"]?.bool == true, !isFolder else { return Answer(["made": false]) }
    }
    try TransferTokenCheck(aspera: aspera).checkFolder(path.parent, against: session.claim)
    try await aspera.files.put(.empty, at: path, date, link: .path(target))
    return Answer(["made": true])
  }

  /// Returns the files and folders of a source with their paths below it, each folder before its contents.
  ///
  /// - Parameter claim: The permissions of the session, which apply to the targets of links too.
  private func entries(
    of path: NodePath, following policy: SymbolicLinkPolicy, _ claim: TransferClaim?
  ) throws -> [(below: String, entry: FileEntry)] {
    var found: [(below: String, entry: FileEntry)] = []
    try collectEntries(of: path, at: "", through: [path], policy, claim, into: &found)
    return found
  }

  /// Adds a file, or a folder with everything below it, and follows links unless they lead back to a visited folder.
  ///
  /// - Parameters:
  ///   - prefix: The path below the source at which the client sees `path`.
  ///   - visited: The folders that contain `path`, as the links lead to them.
  private func collectEntries(
    of path: NodePath, at prefix: String, through visited: [NodePath], _ policy: SymbolicLinkPolicy,
    _ claim: TransferClaim?, into found: inout [(below: String, entry: FileEntry)]
  ) throws {
    for entry in try aspera.files.walk(path) {
      let location = [prefix, entry.path.relative(to: path).key].filter { !$0.isEmpty }.joined(separator: "/")
      guard found.count < Self.sourceEntryLimit else {
        throw TransferRefusal(.tooManyFiles, "The source has too many files: \(location)")
      }
      if entry.link == nil || policy == .copy {
        found.append((location, entry))
      } else if policy == .follow {
        let target = try resolvedLink(entry, claim)
        guard target.isFolder else {
          found.append((location, target))
          continue
        }
        guard !target.path.contains(entry.path), !visited.contains(where: { target.path.contains($0) }) else {
          throw TransferRefusal(.linkLoop, "The symbolic link leads to a folder that contains it: \(entry.path.text)")
        }
        try collectEntries(of: target.path, at: location, through: visited + [target.path], policy, claim, into: &found)
      }
    }
  }

  /// Returns the file or folder to which a link leads, or throws if the session may not access it.
  private func resolvedLink(_ link: FileEntry, _ claim: TransferClaim?) throws -> FileEntry {
    var entry = link
    for _ in 0..<Self.linkChainLimit {
      guard case .path(let text)? = entry.link else { break }
      // An absolute target begins at the folder of the session, as in a docroot.
      let folder = text.hasBytePrefix("/") ? claim?.base ?? .root : entry.path.parent
      guard let path = NodePath(text).map({ folder.appending($0) }), let next = try aspera.files.entry(at: path) else {
        throw FileProblem(.notFound, link.path)
      }
      try TransferTokenCheck.check(path, against: claim)
      entry = next
    }
    guard entry.link == nil else { throw FileProblem(.notFound, link.path) }
    return entry
  }
}
