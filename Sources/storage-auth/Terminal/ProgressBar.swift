// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageClient
internal import Synchronization

/// A progress bar for a transfer, on the last line of standard error.
final class ProgressBar: Sendable {
  private static let width = 30

  private let name: String
  private let shown = Mutex<[Int]>([])

  /// Creates a progress bar, or returns `nil` if standard error is not a terminal.
  init?(_ name: String) {
    guard Terminal.isWatched else { return nil }
    self.name = name
  }

  /// The handler that shows the progress of a single transfer.
  var handler: TransferProgress.Handler { { self.show($0.fractionCompleted) } }

  /// The handler that shows the progress of a pipeline of transfers.
  var pipelineHandler: PipelineProgress.Handler { { self.show($0.fractionCompleted, $0.completedObjects) } }

  /// Prints the progress bar again if the displayed numbers have changed.
  private func show(_ fraction: Double, _ objects: Int? = nil) {
    let percent = Int(fraction * 100)
    let isNew = shown.withLock { shown in
      defer { shown = [percent, objects ?? 0] }
      return shown != [percent, objects ?? 0]
    }
    guard isNew else { return }
    let filled = percent * Self.width / 100
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.width - filled)
    Terminal.overwrite("\(objects.map { "\($0) of " } ?? "")\(name) \(bar) \(percent) %")
  }

  /// Ends the line of the progress bar.
  func finish() {
    Terminal.note("")
  }
}
