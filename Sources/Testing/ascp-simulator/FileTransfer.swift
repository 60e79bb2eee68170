// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import StorageAuth

/// The transfer of files between this machine and the transfer server, in the direction of the invocation.
struct FileTransfer: Sendable {
  private let server: TransferServerClient
  private let reporter: Reporter
  private let sessionStart: ContinuousClock.Instant
  private let chunkByteCount: Int64
  private let rules: FileRules
  private let sources: any FileSide
  private let destinations: any FileSide
  private let isSending: Bool

  init(
    _ invocation: Invocation, _ server: TransferServerClient, _ reporter: Reporter,
    since sessionStart: ContinuousClock.Instant, chunkByteCount: Int64
  ) {
    self.server = server
    self.reporter = reporter
    self.sessionStart = sessionStart
    self.chunkByteCount = chunkByteCount
    rules = invocation.fileRules
    isSending = invocation.mode == .send
    sources = isSending ? LocalSide() : ServerSide(server: server)
    destinations = isSending ? ServerSide(server: server) : LocalSide()
  }

  /// Transfers items one after another, and then removes empty source folders if requested.
  func transfer(_ items: [TransferItem], _ tally: inout TransferTally) async throws(Failure) {
    if rules.deletesOthersFirst { try await deleteOthers(than: items) }
    for item in items {
      if Task.isCancelled { throw .cancelled }
      switch item.kind {
      case .folder: try await destinations.createFolder(destination(of: item))
      case .fileToSend, .fileToReceive: try await transfer(file: item, &tally)
      case .link(let target): try await transfer(link: item, to: target, &tally)
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

  /// Transfers a file, unless the rules keep what exists at its destination or another session transfers it.
  private func transfer(file item: TransferItem, _ tally: inout TransferTally) async throws(Failure) {
    defer { tally.seenItemCount += 1 }
    guard rules.isInThisSession(tally.seenItemCount) else { return }
    if !rules.replacesEverything || rules.savesExisting {
      let existing = try await destinations.attributes(at: destination(of: item))
      guard rules.replaces(existing, with: item.attributes) else {
        if rules.removesSkipped { try await sources.remove(source(of: item)) }
        return
      }
      if rules.savesExisting, existing != nil {
        try await destinations.move(destination(of: item), to: tally.nextSavedPath(of: destination(of: item)))
      }
    }
    var checksum = rules.checksum.map { FileChecksum($0) }
    if case .fileToReceive(let fileNumber) = item.kind {
      try await receive(item, fileNumber: fileNumber, &checksum, &tally)
      if rules.keepsModificationTime {
        try ReceivedFile.setModificationTime(item.attributes.modified, of: item.localPath)
      }
    } else {
      try await send(item, &checksum, &tally)
    }
    try await finish(item, checksum, &tally)
  }

  /// Transfers a symbolic link as a link, unless the rules keep what exists at its destination.
  private func transfer(
    link item: TransferItem, to target: String, _ tally: inout TransferTally
  ) async throws(Failure) {
    defer { tally.seenItemCount += 1 }
    guard rules.isInThisSession(tally.seenItemCount) else { return }
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
    let keptPaths = Set(items.map { ByteExactString(destination(of: $0)) })
    for folder in items where folder.isSource {
      for (path, isFolder) in try await destinations.contents(of: destination(of: folder)).reversed()
      where !keptPaths.contains(ByteExactString(path)) {
        try await isFolder ? destinations.removeEmptyFolder(path) : destinations.remove(path)
      }
    }
  }

  private func send(
    _ item: TransferItem, _ checksum: inout FileChecksum?, _ tally: inout TransferTally
  ) async throws(Failure) {
    guard let file = FileHandle(forReadingAtPath: item.localPath) else {
      throw Failure(.noPermission, "The file cannot be read: \(item.localPath)")
    }
    let (fileNumber, resumedByteCount) = try await announce(item)
    tally.resumedByteCount = tally.resumedByteCount.saturatingAdding(resumedByteCount)
    var offset: Int64 = 0
    while offset < item.byteCount {
      // The part that the server has already is only read, for the checksum.
      let isResumed = offset < resumedByteCount
      let length = Int(min(chunkByteCount, (isResumed ? resumedByteCount : item.byteCount) - offset))
      guard let chunk = try? file.read(upToCount: length), !chunk.isEmpty else {
        throw Failure(.diskRead, "The file ended early: \(item.localPath)")
      }
      let bytes = Array(chunk)
      checksum?.update(bytes)
      if !isResumed {
        try await server.write(bytes, to: fileNumber, at: offset)
        try await reportProgress(bytes.count, item, &tally)
      }
      offset += Int64(bytes.count)
    }
  }

  /// Announces a file to the server, and returns its number in requests and the size of the part to resume after.
  private func announce(_ item: TransferItem) async throws(Failure) -> (fileNumber: Int, resumedByteCount: Int64) {
    var description: JSONObject = [
      "path": .string(item.remotePath), "bytes": .number(JSONNumber(item.byteCount)), "resume": .bool(rules.resumes),
    ]
    if rules.keepsModificationTime || rules.resumes {
      description["modified"] = .number(JSONNumber(item.attributes.modified))
      description["keeps_time"] = .bool(rules.keepsModificationTime)
    }
    let response = try await server.call("files", .object(description))
    guard let fileNumber = response["file"]?.integer else {
      throw Failure(.protocolError, "The transfer desk did not accept the file")
    }
    return (fileNumber, min(max(Int64(response["offset"]?.integer ?? 0), 0), item.byteCount))
  }

  private func receive(
    _ item: TransferItem, fileNumber: Int, _ checksum: inout FileChecksum?, _ tally: inout TransferTally
  ) async throws(Failure) {
    guard rules.resumes else {
      return try await ReceivedFile.receive(item.localPath) { file throws(Failure) in
        try await receiveBytes(of: item, fileNumber: fileNumber, from: 0, &checksum, &tally) {
          chunk, offset throws(Failure) in
          try await file.write(chunk, at: offset)
        }
      }
    }
    let file = try PartialFile(item.localPath, item.attributes)
    tally.resumedByteCount = tally.resumedByteCount.saturatingAdding(file.byteCount)
    try file.forEachReceivedChunk(ofAtMost: chunkByteCount) { checksum?.update($0) }
    try await receiveBytes(of: item, fileNumber: fileNumber, from: file.byteCount, &checksum, &tally) {
      chunk, _ throws(Failure) in try file.append(chunk)
    }
    try file.complete()
  }

  private func receiveBytes(
    of item: TransferItem, fileNumber: Int, from start: Int64, _ checksum: inout FileChecksum?,
    _ tally: inout TransferTally, writing write: ([UInt8], Int64) async throws(Failure) -> Void
  ) async throws(Failure) {
    var offset = start
    while offset < item.byteCount {
      let chunk = try await server.read(fileNumber, from: offset, count: min(chunkByteCount, item.byteCount - offset))
      guard !chunk.isEmpty else { throw Failure(.connectionLost, "The transfer desk sent too few bytes") }
      try await write(chunk, offset)
      checksum?.update(chunk)
      offset += Int64(chunk.count)
      try await reportProgress(chunk.count, item, &tally)
    }
  }

  private func reportProgress(
    _ byteCount: Int, _ item: TransferItem, _ tally: inout TransferTally
  ) async throws(Failure) {
    tally.transferredByteCount += Int64(byteCount)
    try await report(.statistics, of: item, tally, [("TransferBytes", "\(tally.transferredByteCount)")])
  }

  private func finish(
    _ item: TransferItem, _ checksum: FileChecksum?, _ tally: inout TransferTally
  ) async throws(Failure) {
    tally.transferredFileCount += 1
    tally.manifestEntries.append(
      TransferManifest.Entry(path: destination(of: item), byteCount: item.byteCount, checksum: checksum?.hex))
    let checksumFields = checksum.map { [("FileChecksumType", $0.kind.rawValue), ("FileChecksum", $0.hex)] }
    try await report(.stop, of: item, tally, checksumFields ?? [])
    switch rules.sourceFate {
    case .keep: break
    case .remove: try await sources.remove(source(of: item))
    case .move(let archive): try await sources.move(source(of: item), to: SourceNaming.joined(archive, item.name))
    }
  }

  private func report(
    _ kind: ManagementFrame.Kind, of item: TransferItem, _ tally: TransferTally,
    _ fields: [(name: String, value: String)]
  ) async throws(Failure) {
    let elapsed = (ContinuousClock.now - sessionStart).components
    let microseconds = elapsed.seconds * 1_000_000 + elapsed.attoseconds / 1_000_000_000_000
    let itemFields = [
      ("Source", source(of: item)), ("File", destination(of: item)), ("Size", "\(item.byteCount)"),
      ("StartByte", "\(tally.resumedByteCount)"),
    ]
    try await reporter.report(kind, itemFields + fields + [("Elapsedusec", "\(microseconds)")])
  }
}
