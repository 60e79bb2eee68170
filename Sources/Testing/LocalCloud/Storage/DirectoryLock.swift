// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import SystemPackage
internal import _NIOFileSystem

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#else
  internal import Glibc
#endif

/// A lock on a data directory, so that no two servers use it at once.
///
/// A server deletes files without a record, which another server may be writing. The lock is bound to an open file: it
/// also excludes a second server in the same process, and it ends with the process at the latest.
final class DirectoryLock: Sendable {
  private let file: Lock<FileDescriptor?>

  /// Creates the directory if necessary and locks it, or throws a ``LocalCloudError`` if a server uses it.
  init(_ root: FilePath) async throws {
    try await FileSystem.shared.createDirectory(at: root, withIntermediateDirectories: true)
    do {
      let file = try FileDescriptor.open(
        root.appending(".lock"), .readWrite, options: [.create, .closeOnExec, .noFollow], permissions: .ownerReadWrite)
      // From here on, an error releases the lock, which closes the file.
      self.file = Lock(file)
      guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else { throw Errno(rawValue: errno) }
    } catch Errno.wouldBlock {
      throw LocalCloudError("The directory \(root) is in use by another server. Stop it, or choose another directory.")
    } catch let error as Errno {
      throw LocalCloudError("The directory \(root) cannot be locked: \(error). Choose a writable one.")
    }
  }

  func release() { try? file.withLock { $0.take() }?.close() }

  deinit { release() }
}
