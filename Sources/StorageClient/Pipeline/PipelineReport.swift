/// How far a ``TransferPipeline`` is.
public struct PipelineProgress: Sendable, Hashable {
  /// What is called with it.
  public typealias Handler = @Sendable (PipelineProgress) -> Void

  /// The number of objects that have been transferred.
  public internal(set) var completedObjects = 0

  /// The number of objects whose transfer failed.
  public internal(set) var failedObjects = 0

  /// The number of objects in all, or `nil` until the sequence of transfers has ended.
  public internal(set) var totalObjects: Int?

  /// The number of bytes that have been handed to the network, or taken from it; it never goes back.
  public internal(set) var completedBytes: Int64 = 0

  /// The number of bytes in all, or `nil` until the sequence has ended and the size of every object is known.
  public internal(set) var totalBytes: Int64?

  /// A number from 0 to 1: of the bytes if they are known, or else of the objects; 0 while neither is known.
  public var fractionCompleted: Double {
    if let totalBytes, totalBytes > 0 { return min(1, Double(completedBytes) / Double(totalBytes)) }
    guard let totalObjects else { return 0 }
    return totalObjects == 0 ? 1 : Double(completedObjects + failedObjects) / Double(totalObjects)
  }
}

/// What became of the transfers of a ``TransferPipeline``.
public struct PipelineReport: Sendable {
  /// A transfer that failed, and why.
  public struct Failure: Sendable {
    /// The name of the transfer.
    public let name: String

    /// What the transfer threw.
    public let error: any Error
  }

  /// The number of objects that were transferred.
  public let completedObjects: Int

  /// The number of bytes that were moved, those of failed transfers included.
  public let completedBytes: Int64

  /// The number of objects whose transfer failed.
  public let failedObjects: Int

  /// The failures in the order in which they happened, up to `TransferPipeline.describedFailures`.
  public let failures: [Failure]

  /// The number of objects that were found and neither transferred nor failed, since a failure ended everything.
  public let unfinishedObjects: Int

  /// What the sequence of transfers threw, or `nil` if it came to its end.
  public let sourceError: (any Error)?

  /// Whether all objects were transferred.
  public var isComplete: Bool { failedObjects == 0 && unfinishedObjects == 0 && sourceError == nil }
}
