// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The comparison, the selection and the limits of a synchronization.
public struct SyncOptions: Sendable, Hashable {
  /// A way to find out whether two files or objects are equal.
  public enum Comparison: Sendable, Hashable {
    /// Equal sizes, and a source that was not changed after the target, in whole seconds.
    case sizeAndTime
    /// Equal sizes and equal checksums, for which files are read and one request is sent for each object.
    ///
    /// Two objects whose services report different kinds of checksums count as different.
    case checksum
    /// Never equal: everything is transferred.
    case none
  }

  /// The way to find out whether a file or an object must be transferred.
  public var comparison: Comparison

  /// Whether files and objects of the target that the source does not have are deleted.
  public var deletes: Bool

  /// Whether files and objects of the target are also deleted if a transfer failed.
  ///
  /// By default, a run in which a transfer failed deletes no file and no object.
  public var deletesAfterFailures = false

  /// Whether everything in the target is deleted if the source is empty.
  ///
  /// By default, a source without files or objects is an error if ``deletes`` is set: usually its name is wrong.
  public var allowsEmptySource = false

  /// The patterns of the paths that are synchronized.
  ///
  /// If empty, all paths.
  public var includes: [PathPattern]

  /// The patterns of the paths that are neither transferred nor deleted, although they are included.
  public var excludes: [PathPattern]

  /// The maximum number of concurrent transfers, at least 1.
  public var transfersInFlight: Int { didSet { transfersInFlight = max(1, transfersInFlight) } }

  /// The size in bytes from which the state of a transfer is kept, if it is not the usual one.
  package var largeSize: Int64?

  /// The existing folder for the state of large uploads and copies, so that a later synchronization continues them.
  ///
  /// If `nil`, they start anew. The state of downloads is in the target folder.
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

  /// Returns whether a path is included and not excluded.
  package func selects(_ path: String) -> Bool {
    (includes.isEmpty || includes.contains { $0.matches(path) }) && !excludes.contains { $0.matches(path) }
  }
}
