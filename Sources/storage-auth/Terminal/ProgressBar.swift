internal import StorageClient
internal import Synchronization

/// A line that shows how far a transfer is, where somebody is looking.
final class ProgressBar: Sendable {
  private static let width = 30

  private let name: String
  private let shown = Mutex<[Int]>([])

  /// A bar for a transfer; nothing if nobody is looking.
  init?(_ name: String) {
    guard Terminal.isWatched else { return nil }
    self.name = name
  }

  /// What a transfer calls.
  var handler: TransferProgress.Handler { { self.show($0.fractionCompleted) } }

  /// What several transfers call.
  var pipelineHandler: PipelineProgress.Handler { { self.show($0.fractionCompleted, $0.completedObjects) } }

  /// Shows how far it is; only when the picture changes.
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

  /// Ends the line.
  func finish() {
    Terminal.note("")
  }
}
