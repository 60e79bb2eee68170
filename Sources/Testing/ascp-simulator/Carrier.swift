// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import StorageAuth
internal import StorageClient
internal import SystemPackage
internal import _NIOFileSystem

/// A carrier that transfers files and folders in chunks between this machine and the transfer server.
struct Carrier: Sendable {
  private let server: TransferServerClient
  private let reporter: Reporter
  private let start: ContinuousClock.Instant
  private let pieceByteCount: Int64
  private let rules: FileRules
  private let sources: any FileSide
  private let destinations: any FileSide
  private let isSending: Bool

  init(
    _ invocation: Invocation, _ server: TransferServerClient, _ reporter: Reporter,
    since start: ContinuousClock.Instant,
    pieceByteCount: Int64
  ) {
    self.server = server
    self.reporter = reporter
    self.start = start
    self.pieceByteCount = pieceByteCount
    rules = invocation.rules
    isSending = invocation.mode == .send
    sources = isSending ? LocalSide() : ServerSide(server: server)
    destinations = isSending ? ServerSide(server: server) : LocalSide()
  }

  /// Transfers files and folders one after another, and then removes the source folders that are empty, if requested.
  func carry(_ items: [TransferItem], _ tally: inout Tally) async throws(Failure) {
    if rules.deletesBefore { try await deleteOthers(than: items) }
    for item in items {
      if Task.isCancelled { throw .cancelled }
      switch item.kind {
      case .folder: try await destinations.createFolder(destination(of: item))
      case .fileToSend, .fileToReceive: try await carry(file: item, &tally)
      case .link(let target): try await carry(link: item, to: target, &tally)
      }
    }
    if rules.keepsModificationTime {
      // A folder's time changes with its contents, so that it is set last.
      for item in items.reversed() where item.isFolder {
        try await destinations.setModificationTime(item.attributes.modified, ofFolder: destination(of: item))
      }
    }
    for item in items.reversed() where item.isFolder {
      guard item.isSource ? rules.removesEmptySource : rules.removesEmptyFolders else { continue }
      try await sources.removeEmptyFolder(source(of: item))
    }
  }

  private func carry(file item: TransferItem, _ tally: inout Tally) async throws(Failure) {
    defer { tally.items += 1 }
    guard rules.isInThisSession(tally.items) else { return }
    if !rules.replacesEverything || rules.savesExisting {
      let existing = try await destinations.attributes(at: destination(of: item))
      guard rules.replaces(existing, with: item.attributes) else {
        if rules.removesSkipped { try await sources.remove(source(of: item)) }
        return
      }
      if rules.savesExisting, existing != nil {
        try await destinations.move(destination(of: item), to: tally.nameForSaving(destination(of: item)))
      }
    }
    var checksum = rules.checksum.map { FileChecksum($0) }
    if case .fileToReceive(let number) = item.kind {
      try await receive(item, number: number, &checksum, &tally)
      if rules.keepsModificationTime {
        try ReceivedFile.setModificationTime(item.attributes.modified, of: item.localPath)
      }
    } else {
      try await send(item, &checksum, &tally)
    }
    try await finish(item, checksum, &tally)
  }

  /// Transfers a symbolic link as a link, if the rules permit it where a file or link exists already.
  private func carry(link item: TransferItem, to target: String, _ tally: inout Tally) async throws(Failure) {
    defer { tally.items += 1 }
    guard rules.isInThisSession(tally.items) else { return }
    let isCreated = try await destinations.createLink(
      destination(of: item), to: target, replacesFile: rules.links == .copyAndReplace)
    if isCreated { try await finish(item, nil, &tally) }
  }

  private func source(of item: TransferItem) -> String { isSending ? item.localPath : item.remotePath }

  private func destination(of item: TransferItem) -> String { isSending ? item.remotePath : item.localPath }

  /// Deletes the files and folders at the destination that are not among the items, in the folders that are sources.
  private func deleteOthers(than items: [TransferItem]) async throws(Failure) {
    guard items.allSatisfy({ !$0.isSource || $0.isFolder }) else {
      throw .usage("\(AscpOption.deleteBefore.rawValue) requires that every source is a folder")
    }
    let kept = Set(items.map { ByteExactString(destination(of: $0)) })
    for folder in items where folder.isSource {
      for (path, isFolder) in try await destinations.contents(of: destination(of: folder)).reversed()
      where !kept.contains(ByteExactString(path)) {
        try await isFolder ? destinations.removeEmptyFolder(path) : destinations.remove(path)
      }
    }
  }

  private func send(_ item: TransferItem, _ checksum: inout FileChecksum?, _ tally: inout Tally) async throws(Failure) {
    guard let file = FileHandle(forReadingAtPath: item.localPath) else {
      throw Failure(.noPermission, "The file cannot be read: \(item.localPath)")
    }
    var document: JSONObject = [
      "path": .string(item.remotePath), "bytes": .number(JSONNumber(item.byteCount)), "resume": .bool(rules.resumes),
    ]
    if rules.keepsModificationTime || rules.resumes {
      document["modified"] = .number(JSONNumber(item.attributes.modified))
      document["keeps_time"] = .bool(rules.keepsModificationTime)
    }
    let response = try await server.call("files", .object(document))
    guard let number = response["file"]?.integer else {
      throw Failure(.protocolError, "The transfer desk did not accept the file")
    }
    let resumed = min(max(Int64(response["offset"]?.integer ?? 0), 0), item.byteCount)
    tally.resumedByteCount = tally.resumedByteCount.saturatingAdding(resumed)
    var offset: Int64 = 0
    while offset < item.byteCount {
      // The part that the server has already is only read, for the checksum.
      let isResumed = offset < resumed
      let length = Int(min(pieceByteCount, (isResumed ? resumed : item.byteCount) - offset))
      guard let piece = try? file.read(upToCount: length), !piece.isEmpty else {
        throw Failure(.diskRead, "The file ended early: \(item.localPath)")
      }
      let bytes = Array(piece)
      checksum?.update(bytes)
      if !isResumed {
        try await server.write(bytes, to: number, at: offset)
        try await reportProgress(bytes.count, item, &tally)
      }
      offset += Int64(bytes.count)
    }
  }

  private func receive(
    _ item: TransferItem, number: Int, _ checksum: inout FileChecksum?, _ tally: inout Tally
  ) async throws(Failure) {
    guard rules.resumes else {
      return try await ReceivedFile.receive(item.localPath) { file throws(Failure) in
        try await receiveBytes(of: item, number: number, from: 0, &checksum, &tally) { piece, offset throws(Failure) in
          try await file.write(piece, at: offset)
        }
      }
    }
    let file = try PartialFile(item.localPath, item.attributes)
    tally.resumedByteCount = tally.resumedByteCount.saturatingAdding(file.byteCount)
    try file.forEachPiece(ofAtMost: pieceByteCount) { checksum?.update($0) }
    try await receiveBytes(of: item, number: number, from: file.byteCount, &checksum, &tally) {
      piece, _ throws(Failure) in
      try file.append(piece)
    }
    try file.complete()
  }

  private func receiveBytes(
    of item: TransferItem, number: Int, from start: Int64, _ checksum: inout FileChecksum?, _ tally: inout Tally,
    writing write: ([UInt8], Int64) async throws(Failure) -> Void
  ) async throws(Failure) {
    var offset = start
    while offset < item.byteCount {
      let piece = try await server.read(number, from: offset, count: min(pieceByteCount, item.byteCount - offset))
      guard !piece.isEmpty else { throw Failure(.connectionLost, "The transfer desk sent too few bytes") }
      try await write(piece, offset)
      checksum?.update(piece)
      offset += Int64(piece.count)
      try await reportProgress(piece.count, item, &tally)
    }
  }

  private func reportProgress(_ byteCount: Int, _ item: TransferItem, _ tally: inout Tally) async throws(Failure) {
    tally.byteCount += Int64(byteCount)
    try await report(.statistics, of: item, tally, [("TransferBytes", "\(tally.byteCount)")])
  }

  /// Reports that an item was transferred, and removes or moves its source if requested.
  private func finish(_ item: TransferItem, _ checksum: FileChecksum?, _ tally: inout Tally) async throws(Failure) {
    tally.files += 1
    tally.manifest.append(
      TransferManifest.Entry(path: destination(of: item), byteCount: item.byteCount, checksum: checksum?.hex))
    try await report(
      .stop, of: item, tally,
      checksum.map { [("FileChecksumType", $0.kind.rawValue), ("FileChecksum", $0.hex)] } ?? [])
    switch rules.sourceFate {
    case .keep: break
    case .remove: try await sources.remove(source(of: item))
    case .move(let archive): try await sources.move(source(of: item), to: SourceNaming.joined(archive, item.name))
    }
  }

  private func report(
    _ kind: ManagementFrame.Kind, of item: TransferItem, _ tally: Tally, _ fields: [(name: String, value: String)]
  ) async throws(Failure) {
    let elapsed = (ContinuousClock.now - start).components
    let microseconds = elapsed.seconds * 1_000_000 + elapsed.attoseconds / 1_000_000_000_000
    try await reporter.report(
      kind,
      [
        ("Source", source(of: item)), ("File", destination(of: item)), ("Size", "\(item.byteCount)"),
        ("StartByte", "\(tally.resumedByteCount)"),
      ] + fields + [("Elapsedusec", "\(microseconds)")])
  }
}

/// The files and bytes that a session has transferred so far.
struct Tally: Sendable {
  var byteCount: Int64 = 0
  /// The number of bytes that were not transferred again, because files were resumed.
  var resumedByteCount: Int64 = 0
  var files = 0
  /// The number of files so far, including files that belong to other sessions and files that were not replaced.
  var items = 0
  var manifest: [TransferManifest.Entry] = []

  /// The second of the last saved file, and the number of files saved in it.
  private var saved = (second: Int64(0), count: 0)

  /// Returns the path to which an existing file is moved before it is overwritten (`--save-before-overwrite`).
  ///
  /// The name is `name.yyyy.mm.dd.hh.mm.ss.index.extension`, in UTC, where the index counts the files of one second.
  mutating func nameForSaving(_ path: String, at date: Timestamp = .now) -> String {
    saved = saved.second == date.unixSeconds ? (saved.second, saved.count + 1) : (date.unixSeconds, 1)
    let time = date.wholeSeconds.iso8601.split { !$0.isNumber }.map { String($0) }
    let stamp = (time + ["\(saved.count)"]).joined(separator: ".")
    let name = path.words(between: "/").last ?? ""
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return "\(path).\(stamp)" }
    return "\(path[..<dot]).\(stamp)\(path[dot...])"
  }
}
