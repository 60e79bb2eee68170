// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto
package import SystemPackage

/// The number of bytes that are buffered before a write to a file, because each write costs a thread switch.
private let writeSize = 512 * 1024

/// A file that has a temporary name until it is complete, and then replaces its destination.
///
/// The file is written next to its destination, so that the last step is one atomic
/// [rename](https://pubs.opengroup.org/onlinepubs/9799919799/functions/rename.html) inside a directory.
/// `FileManager.replaceItemAt` on Linux exchanges the two files and deletes the wrong one, so that both can be lost. A
/// file that replaces another file is synchronized to disk before the rename.
package struct FileReplacement: Sendable {
  private let temporary: FilePath
  private let replacesFile: Bool
  private let file: OpenFile

  /// Runs a closure that writes a file, and moves the file to its destination if the closure succeeds.
  ///
  /// - Parameters:
  ///   - destination: The path of the complete file.
  ///   - permissions: The permissions of the file. If `nil`, the permissions of the file that it replaces.
  ///   - body: A closure that writes the file.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure, and ``StorageError/Code/unusableFile`` if the file cannot be written. In both
  ///   cases the destination is unchanged and the temporary file is removed.
  package static func write<Result>(
    _ destination: FilePath, permissions: FilePermissions? = nil, _ body: (FileReplacement) async throws -> Result
  ) async throws -> Result {
    let replacement = try await FileReplacement(destination, permissions: permissions)
    do {
      let result = try await body(replacement)
      if replacement.replacesFile { try await replacement.file.synchronize() }
      try await replacement.file.close()
      try await FileThreads.run { try rename(replacement.temporary, to: destination) }
      return result
    } catch {
      _ = try? await FileThreads.run { try FileCalls.remove(replacement.temporary) }
      throw error
    }
  }

  private init(_ destination: FilePath, permissions: FilePermissions?) async throws {
    let place = try await FilePlace(destination)
    let suffix = String(UInt64.random(in: .min ... .max), radix: 36)
    replacesFile = place.permissions != nil
    temporary = place.folder.appending(".\(place.name.prefix(64)).\(suffix).part")
    file = try await .creating(temporary, for: destination, permissions: permissions ?? place.permissions)
  }

  /// Writes bytes to the file, starting at an offset.
  package func write(_ bytes: [UInt8], at offset: Int64) async throws {
    try await file.write(bytes, at: offset)
  }

  /// Writes the bytes of a stream to the file, starting at an offset.
  ///
  /// - Parameters:
  ///   - body: The stream of bytes.
  ///   - start: The offset of the first byte.
  ///   - algorithm: The checksum algorithm.
  ///   - advance: A closure that receives the number of bytes written since its previous call.
  /// - Returns: The number of bytes written, and their checksum.
  func write(
    _ body: ByteStream, at start: Int64, _ algorithm: ObjectChecksum.Algorithm, advance: (Int64) -> Void
  ) async throws -> (length: Int64, checksum: ObjectChecksum) {
    var checksum = CRC(algorithm.crc)
    var offset = start
    var pending: [UInt8] = []
    func flush() async throws {
      try await write(pending, at: offset)
      offset += Int64(pending.count)
      advance(Int64(pending.count))
      pending.removeAll(keepingCapacity: true)
    }
    let chunks = body.makeAsyncIterator()
    while let chunk = try await chunks.nextChunk() {
      if pending.count + chunk.byteCount > writeSize { try await flush() }
      // Computed here, because the bytes are still in the processor's cache.
      chunk.withSpan { checksum.update($0) }
      chunk.append(to: &pending)
    }
    try await flush()
    return (offset - start, ObjectChecksum(algorithm, checksum.checksum))
  }

  /// Renames a file atomically, replacing an existing file.
  ///
  /// The call blocks until the file system has answered.
  package static func rename(_ file: FilePath, to path: FilePath) throws(StorageError) {
    do {
      try FileCalls.rename(file, to: path)
    } catch {
      throw StorageError(
        .unusableFile, "\(path) could not be replaced: \(error).", remedy: "Check the permissions of the directory.")
    }
  }
}
