// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOPosix
internal import StorageAuth
internal import StorageCrypto
internal import SystemPackage
internal import _NIOFileSystem

/// The files that contain the bytes of objects.
struct BlobStore: Sendable {
  /// The number of bytes that are read from a file, or written to it, at once.
  static let chunkByteCount = 256 * 1024

  let directory: FilePath
  let collector: BlobCollector
  private let cache = BlobCache()

  init(directory: FilePath) {
    self.directory = directory
    collector = BlobCollector(directory: directory)
  }

  /// Deletes the files that no object refers to, which a process that ended during a write has left behind.
  func collectUnreferenced(keeping buckets: some Sequence<Bucket>) async throws {
    let kept = Set(buckets.flatMap(\.allVersions).flatMap(\.content.extents).map(\.blob.id))
    for id in try await directory.entryNames().compactMap({ BlobID($0) }) where !kept.contains(id) {
      collector.collect(id)
    }
  }

  /// Writes a body to a new file, which is removed if the body is truncated or invalid.
  func write<Body: AsyncSequence & Sendable>(
    _ body: Body, _ expected: BodyExpectation
  ) async throws -> Content where Body.Element == ByteBuffer {
    try await write(expected) { writer in
      for try await chunk in body { try await writer.append(chunk) }
    }
  }

  @concurrent
  func write(_ expected: BodyExpectation, _ fill: (inout BlobWriter) async throws -> Void) async throws -> Content {
    let id = BlobID.random()
    var writer = BlobWriter(directory.appending(id.description), checks: expected.checks)
    do {
      try await fill(&writer)
      let (byteCount, md5, crc64, checksum) = try await writer.finish()
      try Task.checkCancellation()
      try expected.check(byteCount: byteCount, md5: md5)
      let blob = Blob(id: id, byteCount: byteCount, collector: collector)
      return Content(
        extents: [Extent(blob: blob, offset: 0, byteCount: byteCount)], entityTag: md5.hex, crc64: crc64,
        checksum: checksum)
    } catch {
      await writer.discard()
      throw error
    }
  }

  func writeJoined(_ extents: [Extent], checks: [any BodyCheck] = []) async throws -> Content {
    try await write(BodyExpectation(checks: checks)) { writer in
      try await read(extents) { try await writer.append($0) }
    }
  }

  /// Returns the same content, in one file if it has more pieces than an object may have.
  ///
  /// This happens to files of Aspera transfers, and to objects of copied parts that earlier versions stored.
  func compact(_ content: Content) async throws -> Content {
    guard content.extents.count > Content.extentLimit else { return content }
    var compacted = content
    compacted.setExtents(try await writeJoined(content.extents).extents)
    return compacted
  }

  func read(_ extents: [Extent], _ consume: (ByteBuffer) async throws -> Void) async throws {
    for extent in extents {
      if let bytes = cache.bytes(of: extent) {
        try await consume(bytes)
        continue
      }
      var reader = ExtentReader(extent, in: directory)
      do {
        while let chunk = try await reader.next() {
          cache.add(chunk, of: extent)
          try await consume(chunk)
        }
      } catch {
        reader.close()
        throw error
      }
    }
  }
}

/// The bytes of the small files that were read last.
///
/// Opening, reading and closing a file on another thread takes longer than everything else that the server does for a
/// small object. The bytes in memory are always those of the file, because no file changes and no name is used again.
private final class BlobCache: Sendable {
  private static let blobByteLimit: Int64 = 16 * 1024
  /// The maximum number of bytes of each of the two generations.
  private static let byteLimit = 4 << 20

  private struct State {
    var newer: [BlobID: ByteBuffer] = [:]
    var newerByteCount = 0
    /// The previous generation, which is forgotten when the newer one is full again.
    var older: [BlobID: ByteBuffer] = [:]

    mutating func add(_ bytes: ByteBuffer, of id: BlobID) {
      guard newer.updateValue(bytes, forKey: id) == nil else { return }
      newerByteCount += bytes.readableBytes
      guard newerByteCount > byteLimit else { return }
      (older, newer, newerByteCount) = (newer, [:], 0)
    }
  }

  private let state = Lock(State())

  func bytes(of extent: Extent) -> ByteBuffer? {
    guard extent.blob.byteCount <= Self.blobByteLimit, extent.byteCount > 0 else { return nil }
    let id = extent.blob.id
    let bytes: ByteBuffer? = state.withLock { state in
      if let bytes = state.newer[id] { return bytes }
      guard let bytes = state.older[id] else { return nil }
      state.add(bytes, of: id)
      return bytes
    }
    return bytes.flatMap { $0.getSlice(at: $0.readerIndex + Int(extent.offset), length: Int(extent.byteCount)) }
  }

  /// Keeps the bytes of a whole file, unless it is too large.
  func add(_ bytes: ByteBuffer, of extent: Extent) {
    let byteCount = extent.blob.byteCount
    let isWholeFile = extent.byteCount == byteCount && bytes.readableBytes == byteCount
    if isWholeFile, byteCount <= Self.blobByteLimit { state.withLock { $0.add(bytes, of: extent.blob.id) } }
  }
}

/// A reader of a byte range; a range of one chunk is opened, read and closed with one switch to another thread.
private struct ExtentReader {
  private let path: FilePath
  private var file: FileDescriptor?
  private var offset: Int64
  private let end: Int64

  init(_ extent: Extent, in directory: FilePath) {
    path = directory.appending(extent.blob.id.description)
    offset = extent.offset
    end = extent.offset + extent.byteCount
  }

  mutating func next() async throws -> ByteBuffer? {
    guard offset < end else { return nil }
    let (path, opened, start) = (path, file, offset)
    let count = Int(min(Int64(BlobStore.chunkByteCount), end - offset))
    let isLast = offset + Int64(count) == end
    let (chunk, file) = try await NIOThreadPool.singleton.runIfActive {
      let file = try opened ?? FileDescriptor.open(path, .readOnly, options: .closeOnExec)
      do {
        let chunk = try file.chunk(from: start, byteCount: count)
        guard isLast else { return (chunk, FileDescriptor?.some(file)) }
        try? file.close()
        return (chunk, nil)
      } catch {
        if opened == nil { try? file.close() }
        throw error
      }
    }
    self.file = file
    offset += Int64(count)
    return chunk
  }

  mutating func close() { try? file.take()?.close() }
}

extension FileDescriptor {
  fileprivate func chunk(from start: Int64, byteCount: Int) throws -> ByteBuffer {
    var chunk = ByteBufferAllocator().buffer(capacity: byteCount)
    while chunk.readableBytes < byteCount {
      let (offset, remaining) = (start + Int64(chunk.readableBytes), byteCount - chunk.readableBytes)
      // Safe because the system call is limited to the size of the buffer, and returns the number of bytes it wrote.
      let count = try unsafe chunk.writeWithUnsafeMutableBytes(minimumWritableBytes: remaining) { bytes in
        unsafe try read(fromAbsoluteOffset: offset, into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<remaining]))
      }
      guard count > 0 else { throw ErrorResponse.internalError("A content file is shorter than its record says.") }
    }
    return chunk
  }
}
