// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#else
  internal import Glibc
#endif

/// The calls of the system for files that swift-system does not have.
enum FileCalls {
  /// Renames a file atomically, replacing an existing file.
  static func rename(_ file: FilePath, to path: FilePath) throws(Errno) {
    try check(
      unsafe file.withPlatformString { from in
        unsafe path.withPlatformString { to in unsafe renameat(AT_FDCWD, from, AT_FDCWD, to) }
      })
  }

  /// Removes the name of a file.
  static func remove(_ path: FilePath) throws(Errno) {
    try check(unsafe path.withPlatformString { unsafe unlink($0) })
  }

  /// Creates a folder, and succeeds if it exists.
  static func makeFolder(_ path: FilePath) throws(Errno) {
    do {
      try check(unsafe path.withPlatformString { unsafe mkdir($0, 0o777) })
    } catch .fileExists {
      return
    }
  }

  /// Removes an empty folder.
  static func removeFolder(_ path: FilePath) throws(Errno) {
    try check(unsafe path.withPlatformString { unsafe rmdir($0) })
  }

  /// Sets the time at which the content of a file was changed, in whole seconds since 1970.
  static func setModified(_ seconds: Int64, of path: FilePath) throws(Errno) {
    let times = [
      timespec(tv_sec: Int(clamping: seconds), tv_nsec: 0), timespec(tv_sec: Int(clamping: seconds), tv_nsec: 0),
    ]
    try check(unsafe path.withPlatformString { unsafe utimensat(AT_FDCWD, $0, times, AT_SYMLINK_NOFOLLOW) })
  }

  /// Waits until the content of an open file is on the disk.
  static func synchronize(_ file: FileDescriptor) throws(Errno) {
    try check(fsync(file.rawValue))
  }

  /// Sets the permissions of an open file.
  static func setPermissions(_ permissions: FilePermissions, of file: FileDescriptor) throws(Errno) {
    try check(fchmod(file.rawValue, permissions.rawValue))
  }

  /// Locks an open file for this process, and returns whether no other process has locked it.
  ///
  /// The lock ends when the file is closed or the process ends.
  static func lock(_ file: FileDescriptor) throws(Errno) -> Bool {
    do {
      try check(flock(file.rawValue, LOCK_EX | LOCK_NB))
      return true
    } catch .wouldBlock {
      return false
    }
  }

  private static func check(_ status: Int32) throws(Errno) {
    guard status == 0 else { throw Errno(rawValue: errno) }
  }
}

extension FileIdentity {
  /// Creates the identity of the file with a status.
  init(_ status: Stat) {
    let modified = status.st_mtim
    self.init(
      fileNumber: UInt64(truncatingIfNeeded: status.inode.rawValue), size: status.size,
      modifiedSeconds: Int64(modified.tv_sec), modifiedNanoseconds: Int64(modified.tv_nsec))
  }
}
