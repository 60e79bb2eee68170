// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import SystemPackage

/// A locked file, which one process at a time can have.
///
/// The lock ends when the last reference is released, also by the end of the process.
final class LockFile: Sendable {
  /// The number of attempts to lock a file that other processes remove.
  private static let attempts = 16

  private let place: FilePlace
  private let file: OpenFile

  private init(_ place: FilePlace, _ file: OpenFile) {
    self.place = place
    self.file = file
  }

  /// Creates or opens a file and locks it, or returns `nil` if another process has locked it; the call blocks.
  static func acquire(_ place: FilePlace) throws(Errno) -> LockFile? {
    for _ in 0..<attempts {
      let file = try OpenFile(place.name, in: place.folder, .locking)
      guard file.status.kind == .regular else { throw .notSupported }
      guard try file.lockNow() else { return nil }
      // The process that had the lock may have removed the file before it ended.
      if let now = try place.folder.status(of: place.name), now.isSameFile(as: file.status) {
        return LockFile(place, file)
      }
    }
    throw .resourceBusy
  }

  /// Removes the file; the call blocks.
  func remove() throws(Errno) {
    try place.folder.remove(place.name)
  }
}
