// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageClient

/// The output of a transfer of several files, as text or as lines of JSON.
struct SyncOutput {
  typealias Failure = (name: String, error: any Error)

  /// The maximum number of further names in the line of a cause.
  private static let nameLimit = 5

  private let mode = Terminal.mode

  /// Whether a line is printed for each transfer, in place of a progress bar.
  var showsActions: Bool { mode.isJSON || mode.isVerbose }

  func show(_ preview: SyncPreview) {
    for action in preview.actions { show(action, isDone: false) }
    show(skipped: preview.skipped, kept: preview.kept)
    Terminal.printSummary(preview.text, ["summary": preview.json])
  }

  func show(_ action: SyncAction, isDone: Bool = true) {
    let kind = action.kind.rawValue
    Terminal.printResult(
      "\(isDone ? "" : "would ")\(kind) \(action.path)",
      ["action": .string(kind), "path": .string(action.path), "bytes": .integer(action.byteCount)])
  }

  func show(skipped: [SyncReport.Skipped], kept: [SyncReport.Kept]) {
    func show(_ path: String, because reason: String, label: String, action: JSONValue) {
      Terminal.printSummary(
        "\(label) \(path): \(reason)", ["action": action, "path": .string(path), "reason": .string(reason)])
    }
    for file in skipped { show(file.path, because: file.reason, label: "skipped", action: "skip") }
    for file in kept { show(file.path, because: file.reason, label: "not deleted:", action: "keep") }
  }

  /// Prints each failure as JSON, or as text each cause once with the first of its names.
  func show(failures: [Failure]) {
    guard !mode.isJSON else {
      for failure in failures {
        Terminal.printJSON(["action": "fail", "path": .string(failure.name), "error": .string("\(failure.error)")])
      }
      return
    }
    var causes: [(failure: Failure, otherNames: [String])] = []
    var indices: [String: Int] = [:]
    for failure in failures {
      let cause = Self.cause(of: failure.error)
      if let index = indices[cause] {
        causes[index].otherNames.append(failure.name.onOneLine)
      } else {
        indices[cause] = causes.count
        causes.append((failure, []))
      }
    }
    for (failure, otherNames) in causes {
      let text = ErrorReport.text(of: failure.error) ?? "\(failure.error)"
      let ellipsis = otherNames.count > Self.nameLimit ? ", …" : ""
      let shownNames = otherNames.prefix(Self.nameLimit).joined(separator: ", ") + ellipsis
      let otherText = otherNames.isEmpty ? "" : " The same for \(otherNames.count) more: \(shownNames)"
      Terminal.printError("\(failure.name.onOneLine): \(text)\(otherText)")
    }
  }

  /// Returns what errors with the same cause have in common, unlike the ID and the time of a request.
  private static func cause(of error: any Error) -> String {
    switch error {
    case let error as ServiceError: "\(error.status) \(error.code) \(error.message)"
    case let error as any ActionableError: "\(error.code) \(error.message)"
    default: "\(error)"
    }
  }
}

extension SyncReport {
  private var failed: Int { transfers.failedObjects + failedDeletions.count }

  func text(after duration: Duration) -> String {
    """
    \(created) created, \(updated) updated, \(deleted) deleted, \(unchanged) unchanged, \(skipped.count) skipped, \
    \(kept.count) kept, \(failed) failed; \
    \(ByteText(bytes)) in \(duration.clockText) (\(ByteText(bytes, per: duration)))
    """
  }

  func json(after duration: Duration) -> JSONValue {
    [
      "created": .integer(created), "updated": .integer(updated), "deleted": .integer(deleted),
      "unchanged": .integer(unchanged), "skipped": .integer(skipped.count), "kept": .integer(kept.count),
      "failed": .integer(failed), "bytes": .integer(bytes),
      "milliseconds": .integer(duration.milliseconds),
    ]
  }
}

extension SyncPreview {
  private func count(_ kind: SyncAction.Kind) -> Int { actions.count { $0.kind == kind } }
  private var bytes: Int64 { actions.reduce(0) { $1.kind == .delete ? $0 : $0.saturatingAdding($1.byteCount) } }

  fileprivate var text: String {
    """
    dry run: \(count(.create)) would be created, \(count(.update)) updated, \(count(.delete)) deleted; \
    \(unchanged) unchanged, \(skipped.count) skipped, \(kept.count) kept; \(ByteText(bytes))
    """
  }

  fileprivate var json: JSONValue {
    [
      "dryRun": true, "created": .integer(count(.create)), "updated": .integer(count(.update)),
      "deleted": .integer(count(.delete)), "unchanged": .integer(unchanged), "skipped": .integer(skipped.count),
      "kept": .integer(kept.count), "bytes": .integer(bytes),
    ]
  }
}
