// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The progress of all transfers of a ``TransferPipeline``.
public struct PipelineProgress: Sendable, Hashable {
  /// The type of a function that receives the progress of a pipeline.
  public typealias Handler = @Sendable (PipelineProgress) -> Void

  /// The number of objects that have been transferred.
  public internal(set) var completedObjects = 0
  /// The number of objects whose transfer failed.
  public internal(set) var failedObjects = 0
  /// The total number of objects to transfer, or `nil` until the sequence of transfers has ended.
  public internal(set) var totalObjects: Int?
  /// The number of bytes that were passed to the network or received from it, which never decreases.
  public internal(set) var completedBytes: Int64 = 0
  /// The total number of bytes, or `nil` until the sequence of transfers has ended and all objects' sizes are known.
  public internal(set) var totalBytes: Int64?

  /// The completed fraction of the pipeline's transfers, from 0 to 1.
  ///
  /// It is calculated from the bytes if their total is known, or else from the objects. It is 0 if neither is known.
  public var fractionCompleted: Double {
    if let totalBytes, totalBytes > 0 { return min(1, Double(completedBytes) / Double(totalBytes)) }
    guard let totalObjects else { return 0 }
    return totalObjects == 0 ? 1 : Double(completedObjects + failedObjects) / Double(totalObjects)
  }
}

/// The result of running a ``TransferPipeline``.
public struct PipelineReport: Sendable {
  /// The name and error of a failed transfer.
  public struct Failure: Sendable {
    /// The name of the failed transfer, such as the object key.
    public let name: String
    /// The error that the transfer threw.
    public let error: any Error
  }

  /// The number of objects that were transferred.
  public let completedObjects: Int
  /// The number of bytes that were transferred, including the bytes of failed transfers.
  public let completedBytes: Int64
  /// The number of objects whose transfer failed.
  public let failedObjects: Int
  /// The failed transfers in chronological order, up to the limit `TransferPipeline.describedFailures`.
  public let failures: [Failure]
  /// The number of objects that were neither transferred nor failed, because a failure stopped the pipeline.
  public let unfinishedObjects: Int
  /// The error that the sequence of transfers threw, or `nil` if the sequence threw no error.
  public let sourceError: (any Error)?

  /// Returns the report with failures of transfers that the pipeline completed, such as downloads that were not moved.
  func addingFailures(_ failures: [Failure]) -> PipelineReport {
    PipelineReport(
      completedObjects: completedObjects - failures.count, completedBytes: completedBytes,
      failedObjects: failedObjects + failures.count, failures: self.failures + failures,
      unfinishedObjects: unfinishedObjects, sourceError: sourceError)
  }

  /// Whether all objects were transferred.
  public var isComplete: Bool { failedObjects == 0 && unfinishedObjects == 0 && sourceError == nil }
}
