// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageClient

/// The output of a transfer of a whole folder, as text or as lines of JSON.
struct SyncOutput {
  private let mode = Terminal.mode

  /// Whether a line is printed for each transfer, in place of a progress bar.
  var showsActions: Bool { mode.isJSON || mode.isVerbose }

  func show(_ preview: SyncPreview) {
    for action in preview.actions { show(action, isDone: false) }
    show(preview.skipped, preview.kept)
    show(preview.text, ["summary": preview.json])
  }

  func show(_ action: SyncAction, isDone: Bool = true) {
    guard mode.isJSON else {
      return Terminal.line("\(isDone ? "" : "would ")\(action.kind.rawValue) \(action.path)")
    }
    Terminal.json([
      "action": .string(action.kind.rawValue), "path": .string(action.path),
      "bytes": .number(JSONNumber(action.byteCount)),
    ])
  }

  func show(_ skipped: [SyncReport.Skipped], _ kept: [SyncReport.Kept]) {
    for file in skipped {
      show(
        "skipped \(file.path): \(file.reason)",
        ["action": "skip", "path": .string(file.path), "reason": .string(file.reason)])
    }
    for file in kept {
      show(
        "not deleted: \(file.path): \(file.reason)",
        ["action": "keep", "path": .string(file.path), "reason": .string(file.reason)])
    }
  }

  /// A transfer or a deletion that failed.
  typealias Failure = (name: String, error: any Error)

  /// Prints failures: as JSON each of them, and as text each cause once, with the first of its names.
  func show(_ failures: [Failure]) {
    guard !mode.isJSON else {
      for failure in failures {
        Terminal.json(["action": "fail", "path": .string(failure.name), "error": .string("\(failure.error)")])
      }
      return
    }
    var causes: [(first: Failure, others: [String])] = []
    var indices: [String: Int] = [:]
    for failure in failures {
      let cause = Self.cause(of: failure)
      if let index = indices[cause] {
        causes[index].others.append(failure.name.onOneLine)
      } else {
        indices[cause] = causes.count
        causes.append((failure, []))
      }
    }
    for (first, others) in causes {
      let text = ErrorReport.text(of: first.error) ?? "\(first.error)"
      let names = others.prefix(Self.nameLimit).joined(separator: ", ") + (others.count > Self.nameLimit ? ", …" : "")
      Terminal.error(
        "\(first.name.onOneLine): \(text)" + (others.isEmpty ? "" : " The same for \(others.count) more: \(names)"))
    }
  }

  /// The number of names that are printed with an error of several objects.
  private static let nameLimit = 5

  /// Returns what failures with the same cause have in common: not the name, the id and the time of the request.
  private static func cause(of failure: Failure) -> String {
    if let error = failure.error as? ServiceError { return "\(error.status) \(error.code) \(error.message)" }
    let text = ErrorReport.text(of: failure.error) ?? "\(failure.error)"
    // The texts of errors are on one line.
    return text.replacing(failure.name.onOneLine, with: "")
  }

  func show(_ note: String, _ value: JSONValue) {
    if mode.isJSON { Terminal.json(value) } else { Terminal.note(note) }
  }
}

extension SyncReport {
  private var failed: Int { transfers.failedObjects + failedDeletions.count }

  func text(after duration: Duration) -> String {
    """
    \(created) created, \(updated) updated, \(deleted) deleted, \(unchanged) unchanged, \(skipped.count) skipped, \
    \(kept.count) kept, \(failed) failed; \(ByteText(bytes)) in \(duration.clockText) (\(ByteText(bytes, per: duration)))
    """
  }

  func json(after duration: Duration) -> JSONValue {
    func count(_ number: some BinaryInteger) -> JSONValue { .number(JSONNumber(number)) }
    let (seconds, attoseconds) = duration.components
    return [
      "created": count(created), "updated": count(updated), "deleted": count(deleted), "unchanged": count(unchanged),
      "skipped": count(skipped.count), "kept": count(kept.count), "failed": count(failed), "bytes": count(bytes),
      "milliseconds": count(seconds * 1000 + attoseconds / 1_000_000_000_000_000),
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
    func number(_ number: some BinaryInteger) -> JSONValue { .number(JSONNumber(number)) }
    return [
      "dryRun": true, "created": number(count(.create)), "updated": number(count(.update)),
      "deleted": number(count(.delete)), "unchanged": number(unchanged), "skipped": number(skipped.count),
      "kept": number(kept.count), "bytes": number(bytes),
    ]
  }
}
