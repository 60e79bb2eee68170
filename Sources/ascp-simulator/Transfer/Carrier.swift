internal import AsperaAuth
internal import Foundation
internal import StorageJSON

/// Lets files and folders through, piece by piece.
struct Carrier: Sendable {
  let desk: DeskClient
  let reporter: Reporter
  let start: ContinuousClock.Instant
  let pieceByteCount: Int64

  /// Lets items through, one after the other.
  func carry(_ items: [Item], _ tally: inout Tally) async throws(Failure) {
    for item in items {
      if Task.isCancelled { throw .cancelled }
      switch item.kind {
      case .folderToSend: try await desk.call("folders", ["path": .text(item.remotePath)])
      case .folderToReceive: try ReceivedFile.makeFolder(item.localPath)
      case .fileToSend:
        try await send(item, &tally)
        try await finish(item, &tally)
      case .fileToReceive(let number):
        try await receive(item, number, &tally)
        try await finish(item, &tally)
      }
    }
  }

  private func send(_ item: Item, _ tally: inout Tally) async throws(Failure) {
    guard let file = FileHandle(forReadingAtPath: item.localPath) else {
      throw Failure(5, "The file cannot be read: \(item.localPath)")
    }
    let answer = try await desk.call(
      "files", ["path": .text(item.remotePath), "bytes": .number(JSONNumber(item.byteCount))])
    guard let number = answer["file"]?.integer else { throw Failure(1, "The transfer desk took no file") }
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
        guard !piece.isEmpty else { throw Failure(16, "The transfer desk sent too little") }
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
