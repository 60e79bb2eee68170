internal import StorageClient
internal import Synchronization

/// A line that shows how far a transfer is, where somebody is looking.
final class ProgressBar: Sendable {
  private static let width = 30

  private let name: String
  private let shown = Mutex(-1)

  /// A bar for a transfer; nothing if nobody is looking.
  init?(_ name: String) {
    guard Terminal.isWatched else { return nil }
    self.name = name
  }

  /// What a transfer calls.
  var handler: TransferProgress.Handler { { self.show($0) } }

  /// Shows how far it is; only when the picture changes.
  private func show(_ progress: TransferProgress) {
    let percent = Int(progress.fractionCompleted * 100)
    let isNew = shown.withLock { shown in
      defer { shown = percent }
      return shown != percent
    }
    guard isNew else { return }
    let filled = percent * Self.width / 100
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.width - filled)
    Terminal.overwrite("\(name) \(bar) \(percent) %")
  }

  /// Ends the line.
  func finish() {
    Terminal.note("")
  }
}
