// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsperaTransfer
internal import StorageAuth

/// The progress of a transfer, which is calculated from the fields that different versions of ascp report.
///
/// `TransferBytes` counts the whole session, and `StartByte` counts the bytes that existed before. If these fields are
/// missing, the number of bytes is the sum of the sizes of the finished files and `Bytescont` of the current file.
struct AscpProgress: Sendable {
  private var bytes: Int64 = 0
  private var total: Int64?
  private var finishedBytes: Int64 = 0
  private var files = 0
  private(set) var fileErrors: [(code: Int, text: String)] = []

  /// Returns a progress report if a frame changes the progress, or else `nil`.
  ///
  /// The number of bytes never decreases.
  mutating func update(from frame: ManagementFrame) -> TransferProgressReport? {
    let before = (bytes, total)
    if let announced = frame.totalBytes, announced > 0 { total = max(total ?? 0, announced) }
    if let current = frame.bytes ?? frame.integer("Bytescont").map({ finishedBytes.saturatingAdding($0) }) {
      bytes = max(bytes, current)
    }
    guard before != (bytes, total) else { return nil }
    return TransferProgressReport(bytes: bytes, totalBytes: total.map { max($0, bytes) }, file: frame.file)
  }

  /// Records the end of a file's transfer, and returns a report about the file.
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

  /// Updates the progress with the totals in ascp's last frame.
  mutating func close(with frame: ManagementFrame) {
    bytes = max(bytes, frame.bytes ?? 0)
    if files == 0 { files = frame.integer("TransfersPassed") ?? 0 }
  }

  /// The number of transferred bytes and files.
  var summary: TransferSummary { TransferSummary(bytes: max(bytes, finishedBytes), files: files) }
}
