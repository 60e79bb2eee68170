// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto
package import SystemPackage

/// The number of bytes that are buffered before a write to a file, because each write costs a thread switch.
private let writeBufferSize = 512 * 1024

/// A file that has a temporary name until it is complete, and then replaces its destination.
///
/// The file is written next to its destination, so that the last step is one atomic
/// [rename](https://pubs.opengroup.org/onlinepubs/9799919799/functions/rename.html) inside a directory. A file that
/// replaces another file, or was written in ranges, is synchronized to disk before the rename: after a loss of power,
/// ranges could be missing in a file of the full size. `FileManager.replaceItemAt` is not used, because on Linux it
/// exchanges the two files and deletes the wrong one, so that both can be lost.
package struct FileReplacement: Sendable {
  private let temporaryName: FilePath.Component
  private let destination: FileLocation
  /// The permissions of the complete file, or `nil` for those of the file that it replaces.
  private let permissions: FilePermissions?
  let incompleteFile: LocalFile

  /// Runs a closure that writes a file, like the following function, for a destination whose folder exists.
  package static func write<Value>(
    _ path: FilePath, permissions: FilePermissions? = nil, _ body: (FileReplacement) async throws -> Value
  ) async throws -> Value { try await write(FileLocation(path), permissions: permissions, body) }

  /// Runs a closure that writes a file, and moves the file to its destination if the closure succeeds.
  ///
  /// After an error the destination is unchanged, and the temporary file is removed. By default, the file has the
  /// permissions of the file that it replaces and a new temporary name; a given name can be that of an older file.
  package static func write<Value>(
    _ destination: FileLocation, permissions: FilePermissions? = nil, synchronizes: Bool? = nil,
    temporarilyNamed name: FilePath.Component? = nil, _ body: (FileReplacement) async throws -> Value
  ) async throws -> Value {
    if let name { try await FileLocation(name, in: destination.folder).remove() }
    let replacement = try await FileReplacement(
      name ?? destination.temporaryName(), of: destination, permissions: permissions)
    do {
      let result = try await body(replacement)
      try await replacement.finish(synchronizes: synchronizes)
      return result
    } catch {
      _ = try? await replacement.discard()
      throw error
    }
  }

  init(_ name: FilePath.Component, of destination: FileLocation, permissions: FilePermissions? = nil) async throws {
    let existing = try await destination.permissions()
    self.destination = destination
    self.permissions = permissions
    temporaryName = name
    // Another process that continues the file must be able to open it, even if it replaces one that is read-only.
    incompleteFile = try await .creating(
      name, in: destination.folder, permissions: (permissions ?? existing)?.union(.ownerReadWrite))
  }

  /// Opens and locks an incomplete file that an earlier process left, or returns `nil` if it does not exist.
  init?(resuming name: FilePath.Component, of destination: FileLocation) async throws {
    guard let file = try await LocalFile.updating(name, in: destination.folder) else { return nil }
    self.destination = destination
    incompleteFile = file
    permissions = nil
    temporaryName = name
  }

  /// Moves the complete file to its destination, and by default synchronizes it to disk as described above.
  func finish(synchronizes: Bool? = nil) async throws {
    let replaced = try await destination.permissions()
    if synchronizes ?? (replaced != nil || incompleteFile.hasRanges.withLock { $0 }) {
      try await incompleteFile.synchronize()
    }
    // A process that ends before this point leaves a file that can be continued, even if it replaces a read-only one.
    if let permissions = permissions ?? replaced { try await incompleteFile.setPermissions(permissions) }
    try await incompleteFile.close()
    try await destination.folder.system.runBlocking { [temporaryName, destination] in
      try Self.rename(FileLocation(temporaryName, in: destination.folder), to: destination)
    }
  }

  func discard() async throws { try await FileLocation(temporaryName, in: destination.folder).remove() }

  package func write(_ bytes: [UInt8], at offset: Int64) async throws {
    try await incompleteFile.write(bytes, at: offset)
  }

  /// Writes the bytes of a stream to the file, starting at an offset, and returns the written range.
  ///
  /// The closure receives the range that was written so far, and the number of bytes since its previous call.
  package func write(
    _ body: ByteStream, at start: Int64, _ algorithm: ObjectChecksum.Algorithm,
    didWrite: (DownloadCheckpoint.WrittenRange, Int64) async throws -> Void
  ) async throws -> DownloadCheckpoint.WrittenRange {
    if start > 0 { incompleteFile.hasRanges.withLock { $0 = true } }
    var crc = CRC(algorithm.crc)
    var written = DownloadCheckpoint.WrittenRange(offset: start, length: 0, checksum: ObjectChecksum(algorithm, of: []))
    var pending: [UInt8] = []
    func flush() async throws {
      guard !pending.isEmpty else { return }
      try await write(pending, at: written.end)
      let count = Int64(pending.count)
      written = DownloadCheckpoint.WrittenRange(
        offset: start, length: written.length.saturatingAdding(count),
        checksum: ObjectChecksum(algorithm, crc.checksum))
      pending.removeAll(keepingCapacity: true)
      try await didWrite(written, count)
    }
    let chunks = body.makeAsyncIterator()
    do {
      while let chunk = try await chunks.nextChunk() {
        if pending.count + chunk.byteCount > writeBufferSize { try await flush() }
        // The checksum is computed here, because the bytes are still in the processor's cache.
        chunk.withSpan { crc.update($0) }
        chunk.append(to: &pending)
      }
    } catch {
      // Another request can continue after the received bytes. The caller needs the error of the stream.
      try? await flush()
      throw error
    }
    try await flush()
    return written
  }

  /// Renames a file atomically, replacing an existing file; the call blocks.
  package static func rename(_ file: FilePath, to path: FilePath) throws(StorageError) {
    try rename(location(at: file), to: location(at: path))
  }

  private static func location(at path: FilePath) throws(StorageError) -> FileLocation {
    guard let name = path.lastComponent else { throw StorageError.notRegular(path) }
    do { return FileLocation(name, in: try Folder.open(path.removingLastComponent(), in: .system)) } catch {
      throw StorageError(error, at: path)
    }
  }

  /// Renames a file atomically, replacing an existing file; the call blocks.
  package static func rename(_ file: FileLocation, to location: FileLocation) throws(StorageError) {
    do { try file.folder.rename(file.name, to: location.name, in: location.folder) } catch {
      throw StorageError(
        .unusableFile, "\(location.path) could not be replaced: \(error).",
        remedy: "Check the permissions of the directory.")
    }
  }
}
