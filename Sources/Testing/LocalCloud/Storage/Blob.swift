// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import SystemPackage
internal import _NIOFileSystem

/// An immutable file with bytes of objects, identified by a random ID.
///
/// The collector deletes the file when the last reference to this value is released: by the index, by a copy of the
/// object, or by a response that is still being sent.
final class Blob: Sendable {
  let id: BlobID
  let byteCount: Int64
  private let collector: BlobCollector

  init(id: BlobID, byteCount: Int64, collector: BlobCollector) {
    (self.id, self.byteCount, self.collector) = (id, byteCount, collector)
  }

  deinit { collector.collect(id) }
}

/// A queue that deletes unreferenced files, one file at a time.
///
/// It deletes files only while the store is open, because objects must survive the release of the index at the end of
/// the process, or after an error.
final class BlobCollector: Sendable {
  private let directory: FilePath
  /// The files to delete, and the task that deletes them; `nil` until the store is open.
  private let queue = Lock<(files: AsyncStream<BlobID>.Continuation, deletion: Task<Void, Never>)?>(nil)

  init(directory: FilePath) { self.directory = directory }

  func start() {
    let (stream, files) = AsyncStream.makeStream(of: BlobID.self)
    let deletion = Task { [directory] in
      for await id in stream { _ = try? await FileSystem.shared.removeItem(at: directory.appending(id.description)) }
    }
    queue.withLock { $0 = (files, deletion) }
  }

  func collect(_ id: BlobID) { queue.withLock { _ = $0?.files.yield(id) } }
  func stop() { queue.withLock { $0?.files.finish() } }

  /// Stops accepting files for deletion, and waits until the queue is empty.
  func finish() async {
    stop()
    await queue.withLock { $0?.deletion }?.value
  }
}

/// The name of a file with bytes of objects: 32 random hexadecimal digits.
struct BlobID: Sendable, Hashable, CustomStringConvertible {
  let description: String

  static func random() -> BlobID {
    func randomHalf() -> String { String(hexadecimal: UInt64.random(in: 0 ... .max)) }
    return BlobID(description: randomHalf() + randomHalf())
  }

  init?(_ text: String) {
    guard text.isLowerHex(byteCount: 16) else { return nil }
    description = text
  }

  private init(description: String) { self.description = description }
}

/// A byte range of a file, which is a piece of an object.
struct Extent: Sendable {
  let blob: Blob
  let offset, byteCount: Int64
}

extension String {
  /// Creates the lowercase hexadecimal representation of an integer, with leading zeros.
  init(hexadecimal number: some FixedWidthInteger & UnsignedInteger) {
    let digits = String(number, radix: 16)
    self = String(repeating: "0", count: number.bitWidth / 4 - digits.count) + digits
  }
}
