// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageClient

/// The output of a transfer of a whole folder, as text or as lines of JSON.
struct SyncOutput {
  private let mode = Terminal.mode
  private var isJSON: Bool { mode.isJSON }

  /// Whether a line is printed for each transfer.
  var showsActions: Bool { isJSON || mode.isVerbose }

  /// Whether a progress bar replaces the lines.
  var hasBar: Bool { !showsActions }

  /// Shows what a synchronization would do, with the totals.
  func show(_ preview: SyncPreview) {
    for action in preview.actions { show(action, isDone: false) }
    show(preview.skipped)
    show(preview.kept)
    let totals = SyncTotals(preview)
    if isJSON {
      show(["summary": totals.json])
    } else {
      Terminal.note(totals.text)
    }
  }

  func show(_ action: SyncAction, isDone: Bool = true) {
    guard isJSON else {
      Terminal.line("\(isDone ? "" : "would ")\(action.kind.rawValue) \(action.path)")
      return
    }
    show([
      "action": .string(action.kind.rawValue), "path": .string(action.path),
      "bytes": .number(JSONNumber(action.byteCount)),
    ])
  }

  func show(_ skipped: [SyncReport.Skipped]) {
    for file in skipped {
      if isJSON {
        show(["action": "skip", "path": .string(file.path), "reason": .string(file.reason)])
      } else {
        Terminal.note("skipped \(file.path): \(file.reason)")
      }
    }
  }

  func show(_ kept: [SyncReport.Kept]) {
    for file in kept {
      if isJSON {
        show(["action": "keep", "path": .string(file.path), "reason": .string(file.reason)])
      } else {
        Terminal.note("not deleted: \(file.path): \(file.reason)")
      }
    }
  }

  func show(_ error: any Error, of name: String) {
    guard isJSON else {
      Terminal.error("\(name): \(error)")
      return
    }
    show(["action": "fail", "path": .string(name), "error": .string("\(error)")])
  }

  func show(_ summary: SyncSummary) {
    if isJSON {
      show(["summary": summary.json])
    } else {
      Terminal.note(summary.text)
    }
  }

  private func show(_ value: JSONValue) { Terminal.json(value) }
}
