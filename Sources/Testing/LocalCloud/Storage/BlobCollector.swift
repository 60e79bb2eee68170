// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import SystemPackage
internal import _NIOFileSystem

/// A queue that deletes unreferenced files, one file at a time.
///
/// It deletes files only while the store is open. Objects must survive when the index is released at the end of the
/// process, or when the index could not be read.
final class BlobCollector: Sendable {
  private struct Work {
    let pending: AsyncStream<BlobID>.Continuation
    let task: Task<Void, Never>
  }

  private let directory: FilePath
  private let work = Lock<Work?>(nil)

  init(directory: FilePath) {
    self.directory = directory
  }

  /// Starts deleting the files that are added to the queue.
  func start() {
    let (stream, pending) = AsyncStream.makeStream(of: BlobID.self)
    let task = Task { [directory] in
      for await id in stream {
        _ = try? await FileSystem.shared.removeItem(at: directory.appending(id.description))
      }
    }
    work.withLock { $0 = Work(pending: pending, task: task) }
  }

  /// Adds an unreferenced file to the queue of files to delete.
  func collect(_ id: BlobID) { work.withLock { _ = $0?.pending.yield(id) } }

  func stop() { work.withLock { $0?.pending.finish() } }

  /// Stops accepting files for deletion, and waits until the queue is empty.
  func finish() async {
    stop()
    await work.withLock { $0?.task }?.value
  }
}
