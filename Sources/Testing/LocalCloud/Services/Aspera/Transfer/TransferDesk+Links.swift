// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth
internal import StorageJSON

/// The symbolic links of the node in transfers.
extension TransferDesk {
  /// The maximum number of links that lead from one to the next.
  private static let hopLimit = 40

  /// The maximum number of files and folders in a source, which links can multiply.
  private static let entryLimit = 100_000

  /// Creates a symbolic link for an upload, unless a file or link with its name exists that it may not replace.
  ///
  /// A folder, and a link to a folder, are never replaced.
  func makeLink(_ document: JSONValue, _ connection: TransferConnection, at date: Timestamp) async throws -> Answer {
    guard let session = connection.session, session.direction == .send, let target = document["target"]?.string,
      (1...4_096).contains(target.utf8.count)
    else { throw TransferRefusal.protocolError }
    let path = try Self.path(document["path"], session.claim)
    if let existing = try aspera.files.entry(at: path) {
      let isFolder = existing.isFolder || (try? resolved(existing, session.claim))?.isFolder == true
      guard document["replace"]?.bool == true, !isFolder else { return Answer(["made": false]) }
    }
    try checkMayMake(path.parent, session)
    try await aspera.files.put(
      Content(extents: [], byteCount: 0, entityTag: "", crc64: 0), at: path, date, link: .path(target))
    return Answer(["made": true])
  }

  /// Returns the files and folders of a source with their paths below it, each folder before its contents.
  ///
  /// - Parameters:
  ///   - path: The path of the source.
  ///   - policy: Whether links are followed, left out, or kept as links.
  ///   - claim: The permissions of the session, which apply to the targets of links too.
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
      let place = [below, Self.rest(of: entry.path, below: path)].filter { !$0.isEmpty }.joined(separator: "/")
      guard found.count < Self.entryLimit else { throw TransferRefusal(23, "The source has too many files: \(place)") }
      if entry.link == nil || policy == .copy {
        found.append((place, entry))
      } else if policy == .follow {
        let target = try resolved(entry, claim)
        guard target.isFolder else {
          found.append((place, target))
          continue
        }
        guard !target.path.contains(entry.path), !trail.contains(where: { target.path.contains($0) }) else {
          throw TransferRefusal(63, "The symbolic link leads to a folder that contains it: \(entry.path.text)")
        }
        try collect(target.path, below: place, trail + [target.path], policy, claim, into: &found)
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
}
