// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import SystemPackage
internal import _NIOFileSystem

/// An immutable file with bytes of objects, identified by a random ID.
///
/// The file exists as long as this value is referenced: by the index, by a copy of the object, or by a reader that is
/// still sending the file. When the last reference is released, the collector deletes the file.
final class Blob: Sendable {
  let id: BlobID
  let byteCount: Int64
  private let collector: BlobCollector

  init(id: BlobID, byteCount: Int64, collector: BlobCollector) {
    self.id = id
    self.byteCount = byteCount
    self.collector = collector
  }

  deinit {
    collector.collect(id)
  }
}

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

/// The name of a file with bytes of objects: 32 random hexadecimal digits.
struct BlobID: Sendable, Hashable, CustomStringConvertible {
  let description: String

  static func random() -> BlobID {
    BlobID(
      description: String(hexadecimal: UInt64.random(in: 0 ... .max))
        + String(hexadecimal: UInt64.random(in: 0 ... .max)))
  }

  /// Creates an ID from a string, or returns `nil` if the string is not 32 lowercase hexadecimal digits.
  init?(_ text: String) {
    guard text.utf8.count == 32, text.allSatisfy({ $0.isASCII && $0.isHexDigit && !$0.isUppercase }) else { return nil }
    description = text
  }

  private init(description: String) {
    self.description = description
  }
}

/// A range of bytes in a file that contains bytes of objects.
struct Extent: Sendable {
  let blob: Blob
  let offset: Int64
  let byteCount: Int64
}

extension String {
  /// Creates the lowercase hexadecimal representation of an integer, with leading zeros.
  init(hexadecimal number: some FixedWidthInteger & UnsignedInteger) {
    let digits = String(number, radix: 16)
    self = String(repeating: "0", count: number.bitWidth / 4 - digits.count) + digits
  }
}
