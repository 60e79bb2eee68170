internal import StorageAuth
internal import Synchronization

/// How far an upload or a download is.
public struct TransferProgress: Sendable, Hashable {
  /// What is called with it.
  public typealias Handler = @Sendable (TransferProgress) -> Void

  /// The number of bytes that have been handed to the network, or taken from it; it never goes back.
  public let completed: Int64

  /// The number of bytes in all, if that is known.
  public let total: Int64?

  /// Says how far a transfer is; for stores.
  ///
  /// - Parameters:
  ///   - completed: The number of bytes that have been transferred.
  ///   - total: The number of bytes in all, or `nil` if it is not known.
  public init(completed: Int64, total: Int64?) {
    self.completed = completed
    self.total = total
  }

  /// A number from 0 to 1; 0 while the total is not known.
  public var fractionCompleted: Double {
    guard let total else { return 0 }
    return total <= 0 ? 1 : min(1, Double(completed) / Double(total))
  }
}

/// Adds up what the parts of a transfer report, and tells one after the other.
final class ProgressMeter: Sendable {
  private let total: Int64?
  private let handler: TransferProgress.Handler?
  private let completed = Mutex<Int64>(0)

  init(total: Int64?, handler: TransferProgress.Handler?) {
    self.total = total
    self.handler = handler
  }

  func advance(by count: Int64) {
    guard let handler, count > 0 else { return }
    completed.withLock { completed in
      completed = completed.saturatingAdding(count)
      handler(TransferProgress(completed: completed, total: total))
    }
  }
}
