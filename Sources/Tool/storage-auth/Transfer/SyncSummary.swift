// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageClient

/// The summary of a synchronization, as a sentence and as JSON.
struct SyncSummary {
  private let report: SyncReport
  private let duration: Duration

  init(_ report: SyncReport, duration: Duration) {
    self.report = report
    self.duration = duration
  }

  private var failed: Int { report.transfers.failedObjects + report.failedDeletions.count }

  /// The counts, the bytes, the duration and the rate.
  var text: String {
    """
    \(report.created) created, \(report.updated) updated, \(report.deleted) deleted, \(report.unchanged) unchanged, \
    \(report.skipped.count) skipped, \(report.kept.count) kept, \(failed) failed; \(ByteText(report.bytes)) in \(duration.clockText) (\(ByteText(report.bytes, per: duration)))
    """
  }

  /// The same as a JSON object.
  var json: JSONValue {
    func count(_ number: Int) -> JSONValue { .number(JSONNumber(Int64(number))) }
    let (seconds, attoseconds) = duration.components
    return [
      "created": count(report.created), "updated": count(report.updated), "deleted": count(report.deleted),
      "unchanged": count(report.unchanged), "skipped": count(report.skipped.count), "kept": count(report.kept.count),
      "failed": count(failed),
      "bytes": .number(JSONNumber(report.bytes)),
      "milliseconds": .number(JSONNumber(seconds * 1000 + attoseconds / 1_000_000_000_000_000)),
    ]
  }
}

/// The totals of what a synchronization would do, as a sentence and as JSON.
struct SyncTotals {
  private let preview: SyncPreview

  init(_ preview: SyncPreview) {
    self.preview = preview
  }

  private func count(_ kind: SyncAction.Kind) -> Int { preview.actions.count { $0.kind == kind } }

  /// The number of bytes that would be transferred.
  private var bytes: Int64 {
    preview.actions.reduce(0) { $1.kind == .delete ? $0 : $0.saturatingAdding($1.byteCount) }
  }

  /// The counts and the bytes.
  var text: String {
    """
    dry run: \(count(.create)) would be created, \(count(.update)) updated, \(count(.delete)) deleted; \
    \(preview.unchanged) unchanged, \(preview.skipped.count) skipped, \(preview.kept.count) kept; \(ByteText(bytes))
    """
  }

  /// The same as a JSON object.
  var json: JSONValue {
    func number(_ number: Int) -> JSONValue { .number(JSONNumber(Int64(number))) }
    return [
      "dryRun": true, "created": number(count(.create)), "updated": number(count(.update)),
      "deleted": number(count(.delete)), "unchanged": number(preview.unchanged),
      "skipped": number(preview.skipped.count), "kept": number(preview.kept.count),
      "bytes": .number(JSONNumber(bytes)),
    ]
  }
}
