internal import Synchronization
internal import SystemPackage
internal import _NIOFileSystem

/// Deletes the files that nobody refers to any more, one after the other.
///
/// It does so only while the store is open: an index that goes away with its process, or that could not be read, must
/// not take the objects with it.
final class BlobCollector: Sendable {
  private struct Work {
    let pending: AsyncStream<BlobID>.Continuation
    let task: Task<Void, Never>
  }

  private let directory: FilePath
  private let work = Mutex<Work?>(nil)

  init(directory: FilePath) {
    self.directory = directory
  }

  /// Begins to delete.
  func start() {
    let (stream, pending) = AsyncStream.makeStream(of: BlobID.self)
    let task = Task { [directory] in
      for await id in stream {
        _ = try? await FileSystem.shared.removeItem(at: directory.appending(id.description))
      }
    }
    work.withLock { $0 = Work(pending: pending, task: task) }
  }

  /// Takes a file that nobody refers to.
  func collect(_ id: BlobID) {
    work.withLock { _ = $0?.pending.yield(id) }
  }

  /// Takes no more files.
  func stop() {
    work.withLock { $0?.pending.finish() }
  }

  /// Takes no more files, and waits until those that were taken are deleted.
  func finish() async {
    stop()
    await work.withLock { $0?.task }?.value
  }
}
