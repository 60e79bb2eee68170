// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import StorageJSON
internal import SystemPackage
internal import _NIOFileSystem

/// A carrier that transfers files and folders in chunks between this machine and the transfer desk.
struct Carrier: Sendable {
  let desk: DeskClient
  let reporter: Reporter
  let start: ContinuousClock.Instant
  let pieceByteCount: Int64
  let rules: FileRules

  /// Transfers files and folders one after another, and then removes the source folders that are empty, if requested.
  func carry(_ items: [Item], _ tally: inout Tally) async throws(Failure) {
    for item in items {
      if Task.isCancelled { throw .cancelled }
      switch item.kind {
      case .folderToSend: try await desk.call("folders", ["path": .string(item.remotePath)])
      case .folderToReceive: try ReceivedFile.makeFolder(item.localPath)
      case .fileToSend, .fileToReceive: try await carry(file: item, &tally)
      }
    }
    try await removeEmptyFolders(among: items)
  }

  /// Transfers a file if it belongs to this session and the rules permit replacing an existing file.
  private func carry(file item: Item, _ tally: inout Tally) async throws(Failure) {
    defer { tally.items += 1 }
    guard rules.isOwn(tally.items) else { return }
    if !rules.replacesEverything, try await !rules.replaces(existing(at: item), with: item.standing) { return }
    if case .fileToReceive(let number) = item.kind {
      try await receive(item, number, &tally)
      if rules.keepsModificationTime { try ReceivedFile.setModified(item.standing.modified, of: item.localPath) }
    } else {
      try await send(item, &tally)
    }
    try await finish(item, &tally)
    guard case .fileToSend = item.kind, rules.removesSources else { return }
    try await remove(item.localPath)
  }

  /// Returns the size and the modification time of an existing file at the destination, or `nil` if there is no file.
  private func existing(at item: Item) async throws(Failure) -> FileRules.Standing? {
    guard case .fileToSend = item.kind else { return LocalFile(item.localPath)?.standing }
    let answer = try await desk.call("kinds", ["path": .string(item.remotePath)])
    return answer["type"]?.string == "file" ? FileRules.Standing(answer) : nil
  }

  /// Removes the source folders that are now empty, starting with the deepest folder.
  private func removeEmptyFolders(among items: [Item]) async throws(Failure) {
    for item in items.reversed() {
      guard case .folderToSend = item.kind, item.isSource ? rules.removesEmptySource : rules.removesEmptyFolders,
        let names = try? FileManager.default.contentsOfDirectory(atPath: item.localPath), names.isEmpty
      else { continue }
      try await remove(item.localPath)
    }
  }

  /// Removes a file or an empty folder, but keeps a folder that is not empty.
  private func remove(_ path: String) async throws(Failure) {
    do {
      _ = try await FileSystem.shared.removeItem(at: FilePath(path), recursively: false)
    } catch {
      throw Failure(36, "The source cannot be removed: \(path)")
    }
  }

  private func send(_ item: Item, _ tally: inout Tally) async throws(Failure) {
    guard let file = FileHandle(forReadingAtPath: item.localPath) else {
      throw Failure(5, "The file cannot be read: \(item.localPath)")
    }
    let answer = try await desk.call(
      "files", ["path": .string(item.remotePath), "bytes": .number(JSONNumber(item.byteCount))])
    guard let number = answer["file"]?.integer else { throw Failure(1, "The transfer desk did not accept the file") }
    var offset: Int64 = 0
    while offset < item.byteCount {
      let length = Int(min(pieceByteCount, item.byteCount - offset))
      guard let piece = try? file.read(upToCount: length), !piece.isEmpty else {
        throw Failure(35, "The file ended early: \(item.localPath)")
      }
      try await desk.write(Array(piece), to: number, at: offset)
      offset += Int64(piece.count)
      try await passed(piece.count, item, &tally)
    }
  }

  private func receive(_ item: Item, _ number: Int, _ tally: inout Tally) async throws(Failure) {
    try await ReceivedFile.receive(item.localPath) { file throws(Failure) in
      var offset: Int64 = 0
      while offset < item.byteCount {
        let piece = try await desk.read(number, from: offset, count: min(pieceByteCount, item.byteCount - offset))
        guard !piece.isEmpty else { throw Failure(16, "The transfer desk sent too few bytes") }
        try await file.write(piece, at: offset)
        offset += Int64(piece.count)
        try await passed(piece.count, item, &tally)
      }
    }
  }

  private func passed(_ byteCount: Int, _ item: Item, _ tally: inout Tally) async throws(Failure) {
    tally.byteCount += Int64(byteCount)
    try await report(.statistics, item, [("TransferBytes", "\(tally.byteCount)")])
  }

  private func finish(_ item: Item, _ tally: inout Tally) async throws(Failure) {
    tally.files += 1
    try await report(.stop, item, [])
  }

  private func report(
    _ kind: ManagementFrame.Kind, _ item: Item, _ fields: [(name: String, value: String)]
  ) async throws(Failure) {
    let isSent = if case .fileToSend = item.kind { true } else { false }
    let elapsed = (ContinuousClock.now - start).components
    let microseconds = elapsed.seconds * 1_000_000 + elapsed.attoseconds / 1_000_000_000_000
    try await reporter.report(
      kind,
      [
        ("Source", isSent ? item.localPath : item.remotePath), ("File", isSent ? item.remotePath : item.localPath),
        ("Size", "\(item.byteCount)"), ("StartByte", "0"),
      ] + fields + [("Elapsedusec", "\(microseconds)")])
  }
}
