// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The identity and the state of a file: its number in the file system, its size, and the time of its last change.
///
/// Two equal identities mean that the same file was not changed in between, as far as the file system can tell.
public struct FileIdentity: Sendable, Hashable, Codable {
  /// The number of the file in its file system (the inode).
  public let fileNumber: UInt64

  /// The size of the file in bytes.
  public let size: Int64

  /// The time of the last change of the file's content, in whole seconds since 1970-01-01T00:00:00Z.
  public let modifiedSeconds: Int64

  /// The nanoseconds within the second of the last change.
  public let modifiedNanoseconds: Int64

  /// Creates the identity of a file.
  ///
  /// - Parameters:
  ///   - fileNumber: The number of the file in its file system.
  ///   - size: The size of the file in bytes.
  ///   - modifiedSeconds: The time of the last change, in whole seconds since 1970-01-01T00:00:00Z.
  ///   - modifiedNanoseconds: The nanoseconds within the second of the last change.
  public init(fileNumber: UInt64, size: Int64, modifiedSeconds: Int64, modifiedNanoseconds: Int64) {
    self.fileNumber = fileNumber
    self.size = size
    self.modifiedSeconds = modifiedSeconds
    self.modifiedNanoseconds = modifiedNanoseconds
  }
}
