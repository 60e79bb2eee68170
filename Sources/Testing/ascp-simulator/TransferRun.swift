// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import StorageAuth

/// A transfer session of the simulator, which reports its progress on the management port.
struct TransferRun: Sendable {
  let invocation: Invocation
  let reporter: Reporter
  let commands: AsyncStream<SessionCommand>
  private let start = ContinuousClock.now

  /// The maximum size of a chunk in bytes, which is stored in memory, even if the server requests larger ones.
  private static let chunkByteLimit = 16 << 20
  private static let defaultChunkByteCount = 1 << 16

  private var direction: String { invocation.mode == .send ? "Send" : "Receive" }

  /// Runs the session from the login to its last frame, and tells the server of a failure after the login.
  func run() async throws(Failure) {
    try await reporter.report(.initial, [("Direction", direction), ("Operation", "Transfer")])
    let sessionFields = [
      ("User", invocation.user), ("Host", invocation.host), ("Direction", direction), ("Encryption", "Yes"),
      ("Remote", "No"), ("TCPPort", "\(invocation.sshPort)"), ("Destination", invocation.sourceNaming.destination),
      ("Operation", "Transfer"),
    ]
    try await reporter.report(.session, sessionFields)
    let server = try await TransferServerClient.open(invocation)
    let mapping = try await PathMapping(invocation, server)
    let sources = invocation.sourceNaming.sources
    let paths = try sources.map { source throws(Failure) in try mapping.remotePath(of: source) }
    let chunkByteCount = try await beginSession(server, paths)
    let presence = server.startShowingPresence()
    defer { presence.cancel() }
    do throws(Failure) {
      try await transfer(sources, server, mapping, chunkByteCount: chunkByteCount)
    } catch {
      await server.abort(error)
      throw error
    }
  }

  private func transfer(
    _ sources: [SourceNaming.Source], _ server: TransferServerClient, _ mapping: PathMapping, chunkByteCount: Int64
  ) async throws(Failure) {
    let items = try await mapping.items(of: sources)
    if invocation.fileRules.announcesSize {
      let expected = items.reduce(Int64(0)) { $0.saturatingAdding($1.byteCount) }
      try await reporter.report(.notification, [("PreTransferBytes", "\(expected)")])
    }
    let fileTransfer = FileTransfer(invocation, server, reporter, since: start, chunkByteCount: chunkByteCount)
    var tally = TransferTally()
    do throws(Failure) {
      try await transferWithCommands(items, mapping, fileTransfer, &tally)
    } catch {
      // The reason for which the transfer failed counts more than that of the manifest.
      try? writeManifest(tally)
      throw error
    }
    try writeManifest(tally)
    try await server.call("end", [:])
    let totals = [
      ("TransferBytes", "\(tally.transferredByteCount)"), ("StartByte", "\(tally.resumedByteCount)"),
      ("FilesComplete", "\(tally.transferredFileCount)"),
    ]
    try await reporter.report(.done, totals)
  }

  /// Transfers the items and, in a persistent session, the items of further commands.
  private func transferWithCommands(
    _ items: [TransferItem], _ mapping: PathMapping, _ fileTransfer: FileTransfer, _ tally: inout TransferTally
  ) async throws(Failure) {
    try await fileTransfer.transfer(items, &tally)
    guard invocation.acceptsCommands else { return }
    commands: for await command in commands {
      switch command {
      case .finish: break commands
      case .start(let source, let destination):
        let addedItems = try await mapping.items(of: [SourceNaming.Source(path: source, destination: destination)])
        try await fileTransfer.transfer(addedItems, &tally)
      }
    }
    // A cancellation ends the sequence of commands, too.
    if Task.isCancelled { throw .cancelled }
  }

  /// Writes the requested manifest, by default to the destination of a download or the first source of an upload.
  private func writeManifest(_ tally: TransferTally) throws(Failure) {
    guard var folder = invocation.fileRules.manifestFolder else { return }
    if folder.isEmpty {
      let firstSource = invocation.sourceNaming.sources.first.map { invocation.sourceNaming.path(of: $0) } ?? "."
      folder = invocation.mode == .send ? firstSource : invocation.sourceNaming.destination
      if LocalEntry(folder)?.isFolder != true { folder = URL(fileURLWithPath: folder).deletingLastPathComponent().path }
    }
    try TransferManifest.write(tally.manifestEntries, ofSession: reporter.sessionID, in: folder)
  }

  /// Starts a session on the transfer server, and returns the number of bytes to transfer in each request.
  private func beginSession(_ server: TransferServerClient, _ paths: [String]) async throws(Failure) -> Int64 {
    var document: JSONObject = [
      "direction": invocation.mode == .send ? "send" : "receive", "paths": .array(paths.map { .string($0) }),
    ]
    document["token"] = invocation.secrets.token.map { .string($0.reveal()) }
    document["tags"] = invocation.tags
    let requestedByteCount =
      try await server.call("session", .object(document))["piece"]?.integer ?? Self.defaultChunkByteCount
    return Int64(min(max(requestedByteCount, 1), Self.chunkByteLimit))
  }
}

/// The files and bytes that a session has transferred so far.
struct TransferTally: Sendable {
  var transferredByteCount: Int64 = 0
  /// The number of bytes that were not transferred again, because files were resumed.
  var resumedByteCount: Int64 = 0
  var transferredFileCount = 0
  /// The number of files so far, including files that belong to other sessions and files that were not replaced.
  var seenItemCount = 0
  var manifestEntries: [TransferManifest.Entry] = []

  private var lastSaved = (unixSecond: Int64(0), countInSecond: 0)

  /// Returns the path to which an existing file is moved before it is overwritten (`--save-before-overwrite`).
  ///
  /// The name is `name.yyyy.mm.dd.hh.mm.ss.index.extension`, in UTC, where the index counts the files of one second.
  mutating func nextSavedPath(of path: String, at date: Timestamp = .now) -> String {
    let count = lastSaved.unixSecond == date.unixSeconds ? lastSaved.countInSecond + 1 : 1
    lastSaved = (date.unixSeconds, count)
    let time = date.wholeSeconds.iso8601.split { !$0.isNumber }.map { String($0) }
    let stamp = (time + ["\(count)"]).joined(separator: ".")
    let name = path.words(between: "/").last ?? ""
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return "\(path).\(stamp)" }
    return "\(path[..<dot]).\(stamp)\(path[dot...])"
  }
}

/// A text file that lists what a session transferred (`--file-manifest=text`).
///
/// Its name is that of ascp, `aspera-transfer-ID-manifest.txt`; its lines have the simulator's own form.
struct TransferManifest {
  struct Entry: Sendable {
    let path: String
    let byteCount: Int64
    let checksum: String?
  }

  static func write(_ entries: [Entry], ofSession id: String, in folder: String) throws(Failure) {
    let lines = entries.map { entry in
      let path = String(decoding: JSONValue.string(entry.path).serialized, as: UTF8.self)
      return "\(path) \(entry.byteCount)\(entry.checksum.map { " \($0)" } ?? "")\n"
    }
    try ReceivedFile.createFolder(folder)
    let path = SourceNaming.joined(folder, "aspera-transfer-\(id)-manifest.txt")
    try Failure.replacingErrors(by: .diskWrite, "The manifest cannot be written: \(path)") {
      try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }
  }
}
