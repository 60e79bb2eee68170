// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import SystemPackage

/// A locked file, which one process at a time can have.
///
/// The lock ends when it or its last reference is released, also by the end of the process.
final class LockFile: Sendable {
  /// The number of attempts to lock a file that other processes remove.
  private static let attempts = 16

  private let location: FileLocation
  private let file: LocalFile

  private init(_ location: FileLocation, _ file: LocalFile) {
    self.location = location
    self.file = file
  }

  /// Creates or opens a file and locks it, or returns `nil` if another process has locked it; the call blocks.
  static func acquire(_ location: FileLocation) throws(Errno) -> LockFile? {
    for _ in 0..<attempts {
      let file = try LocalFile(location.name, in: location.folder, .locking)
      guard file.status.kind == .regular else { throw .notSupported }
      guard try file.lockNow() else { return nil }
      // The process that had the lock may have removed the file before it ended.
      if let now = try location.folder.status(of: location.name), now.isSameFile(as: file.status) {
        return LockFile(location, file)
      }
    }
    throw .resourceBusy
  }

  /// Ends the lock, also if there are other references.
  func release() {
    file.closeNow()
  }

  /// Removes the file; the call blocks.
  func remove() throws(Errno) {
    try location.folder.remove(location.name)
  }
}
