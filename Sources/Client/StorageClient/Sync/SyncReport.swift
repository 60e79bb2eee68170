// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The removal of a difference between the source and the target of a synchronization.
public struct SyncAction: Sendable, Hashable {
  /// The way in which a difference is removed.
  public enum Kind: String, Sendable, Hashable {
    /// The file or the object is transferred, because the target does not have it.
    case create
    /// The file or the object is transferred, because that of the target differs.
    case update
    /// The file or the object of the target is deleted, because the source does not have it.
    case delete
  }

  /// The way in which the difference is removed.
  public let kind: Kind
  /// The path below the folder or the prefix, with slashes.
  public let path: String
  /// The number of bytes to transfer, or the size of what is deleted.
  public let byteCount: Int64
}

/// The differences between the source and the target of a synchronization, which were not removed.
public struct SyncPreview: Sendable {
  /// The differences: first the transfers, then the deletions, each in the order of their paths.
  public let actions: [SyncAction]
  /// The number of files and objects that are equal in the source and the target.
  public let unchanged: Int
  /// The files of the source that are not regular or have unusable names.
  public let skipped: [SyncReport.Skipped]
  /// The files and objects of the target that would not be deleted, although the source does not list them.
  public let kept: [SyncReport.Kept]
}

/// The result of a synchronization.
public struct SyncReport: Sendable {
  /// A file or an object of the target that was not deleted, although the source does not list it.
  public struct Kept: Sendable, Hashable {
    /// The path below the folder or the prefix.
    public let path: String
    /// A sentence that states the reason.
    public let reason: String
  }

  /// A file that cannot be synchronized.
  public struct Skipped: Sendable, Hashable {
    /// The path below the folder.
    public let path: String
    /// A sentence that states the reason.
    public let reason: String
  }

  /// The number of files and objects that the target did not have.
  public let created: Int
  /// The number of files and objects that differed.
  public let updated: Int
  /// The number of bytes of the transferred files and objects.
  public let bytes: Int64
  /// The number of files and objects that were equal in the source and the target.
  public let unchanged: Int
  /// The files of the source that are not regular or have unusable names.
  public let skipped: [Skipped]
  /// The files and objects that were not deleted, because the source skipped their path or a transfer failed.
  public internal(set) var kept: [Kept] = []
  /// The result of the transfers, with the errors of those that failed.
  public let transfers: PipelineReport
  /// The number of deleted files and objects.
  public internal(set) var deleted = 0
  /// The files and objects that could not be deleted, with the errors.
  public internal(set) var failedDeletions: [PipelineReport.Failure] = []
  /// Whether all transfers and all requested deletions succeeded; skipped files do not matter.
  public var isComplete: Bool { transfers.isComplete && failedDeletions.isEmpty && kept.isEmpty }
}
