// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import StorageAuth

/// A transfer session of the simulator, which reports its progress on the management port.
struct TransferRun: Sendable {
  let invocation: Invocation
  let reporter: Reporter
  let commands: AsyncStream<SessionCommand>
  private let start = ContinuousClock.now

  /// The maximum size of a chunk in bytes, even if the transfer server requests larger ones: they are stored in memory.
  private static let pieceByteLimit = 16 << 20

  /// The size of a chunk in bytes if the transfer server requests none.
  private static let defaultPieceByteCount = 1 << 16

  private var direction: String { invocation.mode == .send ? "Send" : "Receive" }

  func run() async throws(Failure) {
    try await reporter.report(.initial, [("Direction", direction), ("Operation", "Transfer")])
    try await reporter.report(
      .session,
      [
        ("User", invocation.user), ("Host", invocation.host), ("Direction", direction), ("Encryption", "Yes"),
        ("Remote", "No"), ("TCPPort", "\(invocation.sshPort)"), ("Destination", invocation.sources.destination),
        ("Operation", "Transfer"),
      ])
    let server = try await TransferServerClient.open(invocation)
    let route = try await Route(invocation, server)
    let sources = invocation.sources.sources
    let paths = try sources.map { source throws(Failure) in try route.remotePath(of: source) }
    let pieceByteCount = try await beginSession(server, paths)
    let presence = server.showPresence()
    defer { presence.cancel() }
    do throws(Failure) {
      try await transfer(sources, server, along: route, pieceByteCount: pieceByteCount)
    } catch {
      await server.abort(error)
      throw error
    }
  }

  private func transfer(
    _ sources: [SourceNaming.Source], _ server: TransferServerClient, along route: Route, pieceByteCount: Int64
  ) async throws(Failure) {
    let items = try await route.items(of: sources)
    if invocation.rules.announcesSize {
      let expected = items.reduce(Int64(0)) { $0.saturatingAdding($1.byteCount) }
      try await reporter.report(.notification, [("PreTransferBytes", "\(expected)")])
    }
    let carrier = Carrier(invocation, server, reporter, since: start, pieceByteCount: pieceByteCount)
    var tally = Tally()
    do throws(Failure) {
      try await transferWithCommands(items, along: route, carrier, &tally)
    } catch {
      try writeManifest(tally)
      throw error
    }
    try writeManifest(tally)
    try await server.call("end", [:])
    try await reporter.report(
      .done,
      [
        ("TransferBytes", "\(tally.byteCount)"), ("StartByte", "\(tally.resumedByteCount)"),
        ("FilesComplete", "\(tally.files)"),
      ])
  }

  /// Transfers the items, and in a persistent session what the commands of the client add.
  private func transferWithCommands(
    _ items: [TransferItem], along route: Route, _ carrier: Carrier, _ tally: inout Tally
  )
    async throws(Failure)
  {
    try await carrier.carry(items, &tally)
    guard invocation.isPersistent else { return }
    commands: for await command in commands {
      switch command {
      case .finish: break commands
      case .start(let source, let destination):
        let more = try await route.items(of: [SourceNaming.Source(path: source, destination: destination)])
        try await carrier.carry(more, &tally)
      }
    }
    if Task.isCancelled { throw .cancelled }
  }

  /// Writes the requested manifest, by default to the destination of a download or the first source of an upload.
  private func writeManifest(_ tally: Tally) throws(Failure) {
    guard var folder = invocation.rules.manifestFolder else { return }
    if folder.isEmpty {
      let first = invocation.sources.sources.first.map { invocation.sources.path(of: $0) } ?? "."
      folder = invocation.mode == .send ? first : invocation.sources.destination
      if LocalEntry(folder)?.isFolder != true { folder = URL(fileURLWithPath: folder).deletingLastPathComponent().path }
    }
    try TransferManifest.write(tally.manifest, of: reporter.session, in: folder)
  }

  /// Starts a session on the transfer server, and returns the number of bytes to transfer in each request.
  private func beginSession(_ server: TransferServerClient, _ paths: [String]) async throws(Failure) -> Int64 {
    var document: JSONObject = [
      "direction": invocation.mode == .send ? "send" : "receive", "paths": .array(paths.map { .string($0) }),
    ]
    document["token"] = invocation.secrets.token.map { .string($0.reveal()) }
    document["tags"] = invocation.tags
    let piece = try await server.call("session", .object(document))["piece"]?.integer ?? Self.defaultPieceByteCount
    return Int64(min(max(piece, 1), Self.pieceByteLimit))
  }
}

/// The mapping between paths on this machine and paths on the transfer server for a transfer.
struct Route: Sendable {
  private let invocation: Invocation
  private let server: TransferServerClient

  /// Whether the destination is the path of the only source, instead of a folder for the sources.
  private let destinationIsName: Bool

  init(_ invocation: Invocation, _ server: TransferServerClient) async throws(Failure) {
    self.invocation = invocation
    self.server = server
    let destination = invocation.sources.destination
    if !invocation.sources.destinationMayBeFile {
      destinationIsName = false
    } else if invocation.mode == .send {
      destinationIsName = try await server.call("kinds", ["path": .string(destination)])["type"]?.string != "directory"
    } else {
      destinationIsName = LocalEntry(destination)?.isFolder != true
    }
  }

  func remotePath(of source: SourceNaming.Source) throws(Failure) -> String {
    invocation.mode == .send ? try target(of: source) : invocation.sources.path(of: source)
  }

  /// Returns the files and folders in the given sources that the rules include, with each folder before its contents.
  func items(of sources: [SourceNaming.Source]) async throws(Failure) -> [TransferItem] {
    var items: [TransferItem] = []
    for source in sources {
      items += invocation.mode == .send ? try localItems(of: source) : try await remoteItems(of: source)
    }
    return invocation.rules.filter.included(items)
  }

  private func target(of source: SourceNaming.Source) throws(Failure) -> String {
    destinationIsName ? invocation.sources.destination : try invocation.sources.target(of: source)
  }

  private func localItems(of source: SourceNaming.Source) throws(Failure) -> [TransferItem] {
    let path = invocation.sources.path(of: source)
    let target = try target(of: source)
    let name = try invocation.sources.name(of: source)
    return try LocalEntry.contents(of: path, invocation.rules).map { file, relativePath in
      TransferItem(
        kind: file.linkTarget.map { .link($0) } ?? (file.isFolder ? .folder : .fileToSend), localPath: file.path,
        remotePath: SourceNaming.joined(target, relativePath), attributes: file.attributes,
        name: SourceNaming.joined(name, relativePath), isSource: relativePath.isEmpty)
    }
  }

  private func remoteItems(of source: SourceNaming.Source) async throws(Failure) -> [TransferItem] {
    let path = invocation.sources.path(of: source)
    let target = try target(of: source)
    let name = try invocation.sources.name(of: source)
    let links = invocation.rules.copiesLinks ? SymbolicLinkPolicy.copy : invocation.rules.links
    let response = try await server.call("sources", ["path": .string(path), "links": .string(links.rawValue)])
    return (response["entries"]?.array ?? []).compactMap { entry in
      let relativePath = entry["below"]?.string ?? ""
      let item = TransferItem(
        kind: entry["file"]?.integer.map { .fileToReceive($0) } ?? entry["link"]?.string.map { .link($0) } ?? .folder,
        localPath: SourceNaming.joined(target, relativePath), remotePath: SourceNaming.joined(path, relativePath),
        attributes: FileAttributes(entry), name: SourceNaming.joined(name, relativePath), isSource: relativePath.isEmpty
      )
      return item.isFolder || invocation.rules.includes(item.attributes) ? item : nil
    }
  }
}
