// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageClient
internal import StorageJSON

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
    \(failed) failed; \(ByteText(report.bytes)) in \(duration.clockText) (\(ByteText(report.bytes, per: duration)))
    """
  }

  /// The same as a JSON object.
  var json: JSONValue {
    func count(_ number: Int) -> JSONValue { .number(JSONNumber(Int64(number))) }
    let (seconds, attoseconds) = duration.components
    return [
      "created": count(report.created), "updated": count(report.updated), "deleted": count(report.deleted),
      "unchanged": count(report.unchanged), "skipped": count(report.skipped.count), "failed": count(failed),
      "bytes": .number(JSONNumber(report.bytes)),
      "milliseconds": .number(JSONNumber(seconds * 1000 + attoseconds / 1_000_000_000_000_000)),
    ]
  }
}
