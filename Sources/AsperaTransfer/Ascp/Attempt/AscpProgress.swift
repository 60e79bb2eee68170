internal import AsperaAuth
internal import StorageAuth

/// What went through, pieced together from what different versions of ascp tell.
///
/// `TransferBytes` counts the whole session, and `StartByte` what was there before; where they are missing, the files
/// that are done and `Bytescont` of the current one add up to the same.
struct AscpProgress: Sendable {
  private var bytes: Int64 = 0
  private var total: Int64?
  private var finishedBytes: Int64 = 0
  private var files = 0
  private(set) var fileErrors: [(code: Int, text: String)] = []

  /// How far the transfer is, if a frame says anything new about that.
  ///
  /// The number never goes back.
  mutating func update(from frame: ManagementFrame) -> TransferProgressReport? {
    let before = (bytes, total)
    if let announced = frame.totalBytes, announced > 0 { total = max(total ?? 0, announced) }
    if let current = frame.bytes ?? frame.integer("Bytescont").map({ finishedBytes.saturatingAdding($0) }) {
      bytes = max(bytes, current)
    }
    guard before != (bytes, total) else { return nil }
    return TransferProgressReport(bytes: bytes, totalBytes: total.map { max($0, bytes) }, file: frame.file)
  }

  /// How a file ended.
  mutating func finish(_ file: String, with outcome: TransferFileReport.Outcome, in frame: ManagementFrame)
    -> TransferFileReport
  {
    let size = frame.fileBytes ?? frame.integer("FileBytes") ?? frame.integer("Written")
    switch outcome {
    case .done:
      files += 1
      finishedBytes = finishedBytes.saturatingAdding(size ?? 0)
    case .skipped: files += 1
    case .failed(let code, let text): fileErrors.append((code, text))
    }
    return TransferFileReport(file: file, bytes: size, outcome: outcome)
  }

  /// What was moved, with the last word of ascp.
  mutating func close(with frame: ManagementFrame) {
    bytes = max(bytes, frame.bytes ?? 0)
    if files == 0 { files = frame.integer("TransfersPassed") ?? 0 }
  }

  /// What was moved.
  var summary: TransferSummary { TransferSummary(bytes: max(bytes, finishedBytes), files: files) }
}
