// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The progress of an upload or a download: the number of transferred bytes, and the total.
public struct TransferProgress: Sendable, Hashable {
  /// The type of a function that receives the progress of a transfer.
  public typealias Handler = @Sendable (TransferProgress) -> Void

  /// The number of bytes that were passed to the network or received from it.
  ///
  /// The number never decreases.
  public let completed: Int64

  /// The total number of bytes to transfer, or `nil` if it is unknown.
  public let total: Int64?

  /// Creates a progress value, for implementations of ``ObjectStore``; the parameters are the properties.
  public init(completed: Int64, total: Int64?) {
    self.completed = completed
    self.total = total
  }

  /// The completed fraction of the transfer, from 0 to 1.
  ///
  /// The fraction is 0 while the total is unknown.
  public var fractionCompleted: Double {
    guard let total else { return 0 }
    return total <= 0 ? 1 : min(1, Double(completed) / Double(total))
  }
}

/// A meter that adds up the bytes of a transfer's parts and reports the progress, one call at a time.
package final class ProgressMeter: Sendable {
  private let total: Int64?
  private let handler: TransferProgress.Handler?
  private let completed: Lock<Int64>

  /// Creates a meter, which starts at the number of bytes that an earlier process transferred.
  package init(total: Int64?, from start: Int64 = 0, handler: TransferProgress.Handler?) {
    self.total = total
    self.handler = handler
    completed = Lock(start)
  }

  package func advance(by count: Int64) {
    guard let handler, count > 0 else { return }
    completed.withLock { completed in
      completed = completed.saturatingAdding(count)
      handler(TransferProgress(completed: completed, total: total))
    }
  }
}
