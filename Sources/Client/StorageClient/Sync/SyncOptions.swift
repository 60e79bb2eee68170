// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The comparison, the selection and the limits of a synchronization.
public struct SyncOptions: Sendable, Hashable {
  /// A way to find out whether two files or objects are equal.
  public enum Comparison: Sendable, Hashable {
    /// Equal sizes, and a source that was not changed after the target, in whole seconds.
    case sizeAndTime
    /// Equal sizes and equal checksums of the same kind: each file is read, and one request is sent for each object.
    case checksum
    /// Never equal: everything is transferred.
    case none
  }

  /// The way to find out whether a file or an object must be transferred.
  public var comparison: Comparison
  /// Whether files and objects of the target that the source does not have are deleted.
  public var deletes: Bool
  /// Whether files and objects of the target are also deleted if a transfer failed.
  public var deletesAfterFailures = false
  /// Whether an empty source is accepted if ``deletes`` is set, instead of an error: usually its name is wrong.
  public var allowsEmptySource = false
  /// The patterns of the paths that are synchronized; all paths if the array is empty.
  public var includes: [PathPattern]
  /// The patterns of the paths that are neither transferred nor deleted, although they are included.
  public var excludes: [PathPattern]
  /// The maximum number of concurrent transfers, at least 1.
  public var transfersInFlight: Int { didSet { transfersInFlight = max(1, transfersInFlight) } }
  /// The size in bytes from which the state of a transfer is kept, or `nil` for the usual size.
  package var largeSize: Int64?

  /// The existing folder for the state of large uploads and copies, so that a later synchronization continues them.
  ///
  /// If `nil`, large uploads and copies start anew. The state of downloads is in the target folder.
  public var stateFolder: FilePath?

  /// Creates the options of a synchronization; the parameters are the properties.
  public init(
    comparison: Comparison = .sizeAndTime, deletes: Bool = false, includes: [PathPattern] = [],
    excludes: [PathPattern] = [], transfersInFlight: Int = 16, stateFolder: FilePath? = nil
  ) {
    self.comparison = comparison
    self.deletes = deletes
    self.includes = includes
    self.excludes = excludes
    self.transfersInFlight = max(1, transfersInFlight)
    self.stateFolder = stateFolder
  }

  package func selects(_ path: String) -> Bool {
    (includes.isEmpty || includes.contains { $0.matches(path) }) && !excludes.contains { $0.matches(path) }
  }
}
