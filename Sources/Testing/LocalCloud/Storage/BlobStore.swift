// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOPosix
internal import StorageCrypto
internal import SystemPackage
internal import _NIOFileSystem

/// The files that contain the bytes of objects.
struct BlobStore: Sendable {
  /// The number of bytes that are written to a file, or read from a file, at once.
  ///
  /// Apart from the small buffer of a connection, this is the maximum number of bytes of a body that are in memory.
  static let chunkByteCount = 256 * 1024

  let directory: FilePath
  let collector: BlobCollector

  init(directory: FilePath) {
    self.directory = directory
    collector = BlobCollector(directory: directory)
  }

  /// Deletes the files that no object refers to.
  ///
  /// If a process ended during a write, it may have left such files behind.
  func collectAll(except buckets: some Sequence<Bucket>) async throws {
    var kept: Set<BlobID> = []
    for bucket in buckets {
      for object in bucket.objects.values { kept.formUnion(object.content.extents.map(\.blob.id)) }
    }
    for name in try await directory.entryNames() {
      if let id = BlobID(name), !kept.contains(id) { collector.collect(id) }
    }
  }

  /// The result of writing a file: the file and the checksums of its bytes.
  struct Written: Sendable {
    let blob: Blob
    let md5: Digest
    let crc64: UInt64
    let checksum: StoredChecksum?

    /// The content of an object that consists of the whole file.
    var content: Content {
      Content(
        extents: [Extent(blob: blob, offset: 0, byteCount: blob.byteCount)], byteCount: blob.byteCount,
        entityTag: md5.hex, crc64: crc64, checksum: checksum)
    }
  }

  /// Writes a body to a new file.
  ///
  /// A truncated or invalid body leaves no file behind. If the process ends during the write, the file is deleted when
  /// the directory is opened again.
  ///
  /// - Parameters:
  ///   - body: The body to write.
  ///   - expected: The length and checksums that the body must have.
  func write(_ body: some AsyncSequence<ByteBuffer, any Error> & Sendable, _ expected: BodyExpectation) async throws
    -> Written
  {
    try await write(expected) { writer in
      for try await chunk in body { try await writer.append(chunk) }
    }
  }

  /// Writes bytes to a new file, and removes the file if an error occurs.
  ///
  /// - Parameters:
  ///   - expected: The length and checksums that the bytes must have.
  ///   - fill: A closure that appends the bytes.
  @concurrent
  func write(_ expected: BodyExpectation, _ fill: (inout BlobWriter) async throws -> Void) async throws -> Written {
    let id = BlobID.random()
    var writer = BlobWriter(directory.appending(id.description), checks: expected.checks)
    do {
      try await fill(&writer)
      let (byteCount, md5, crc64, checksum) = try await writer.finish()
      try Task.checkCancellation()
      try expected.check(byteCount: byteCount, md5: md5)
      return Written(
        blob: Blob(id: id, byteCount: byteCount, collector: collector), md5: md5, crc64: crc64, checksum: checksum)
    } catch {
      await writer.discard()
      throw error
    }
  }

  /// Writes the bytes of ranges of files to one new file.
  ///
  /// - Parameters:
  ///   - extents: The ranges, in order.
  ///   - checks: The additional checks of the bytes.
  func joined(_ extents: [Extent], checks: [any BodyCheck] = []) async throws -> Written {
    try await write(BodyExpectation(checks: checks)) { writer in
      try await read(extents) { try await writer.append($0) }
    }
  }

  /// Returns the same content, in one file if it has more pieces than an object may have.
  ///
  /// A file of an Aspera transfer arrives in any number of pieces, and earlier versions stored objects of copied parts
  /// without a limit.
  func compact(_ content: Content) async throws -> Content {
    guard content.extents.count > Content.mostExtents else { return content }
    return Content(
      extents: try await joined(content.extents).content.extents, byteCount: content.byteCount,
      entityTag: content.entityTag, crc64: content.crc64, checksum: content.checksum)
  }

  /// Reads ranges of files and passes their bytes to a closure in chunks.
  func read(_ extents: [Extent], _ consume: (ByteBuffer) async throws -> Void) async throws {
    for extent in extents {
      var reader = ExtentReader(extent, in: directory)
      do {
        while let chunk = try await reader.next() { try await consume(chunk) }
      } catch {
        reader.close()
        throw error
      }
    }
  }
}

/// A reader of a byte range of a file.
///
/// If the range fits in a single chunk, the file is opened, read and closed with only one switch to another thread.
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

  /// Returns the next chunk of the range, or `nil` at the end of the range.
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

  /// Closes the file if it is still open.
  mutating func close() {
    try? file?.close()
    file = nil
  }
}

extension FileDescriptor {
  /// Reads exactly the given number of bytes from an offset of the file.
  fileprivate func chunk(from start: Int64, byteCount: Int) throws -> ByteBuffer {
    var chunk = ByteBufferAllocator().buffer(capacity: byteCount)
    while chunk.readableBytes < byteCount {
      let (offset, left) = (start + Int64(chunk.readableBytes), byteCount - chunk.readableBytes)
      // Safe because the system call is limited to the size of the given buffer, and returns the number of bytes it
      // wrote.
      let count = try unsafe chunk.writeWithUnsafeMutableBytes(minimumWritableBytes: left) { bytes in
        unsafe try read(fromAbsoluteOffset: offset, into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<left]))
      }
      guard count > 0 else { throw ErrorResponse.internalError("A content file is shorter than its record says.") }
    }
    return chunk
  }
}

/// The length and checksums that a body must have.
struct BodyExpectation: Sendable {
  /// The required length in bytes, or `nil` if the request does not specify the length.
  var byteCount: Int64?

  /// The required MD5 digest, or `nil` if the request does not specify it.
  var digest: Digest?

  /// The additional checks of the body's bytes, such as a checksum that the client chose.
  var checks: [any BodyCheck] = []

  /// A required MD5 digest, and the error response for a body with a different digest.
  struct Digest: Sendable {
    let md5: [UInt8]
    let refusal: ErrorResponse
  }

  func check(byteCount: Int64, md5: StorageCrypto.Digest) throws(ErrorResponse) {
    if let expected = self.byteCount, expected != byteCount { throw .incompleteBody }
    if let digest, digest.md5 != md5.bytes { throw digest.refusal }
  }
}
