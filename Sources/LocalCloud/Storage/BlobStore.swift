internal import NIOCore
internal import StorageCrypto
internal import SystemPackage
internal import _NIOFileSystem

/// Writes and reads the files that hold the bytes of objects.
struct BlobStore: Sendable {
  /// How much is written or read at once; with the little that a connection buffers, the most that is in memory of any
  /// body.
  static let chunkByteCount = 256 * 1024

  let directory: FilePath
  let collector: BlobCollector

  init(directory: FilePath) {
    self.directory = directory
    collector = BlobCollector(directory: directory)
  }

  /// Deletes the files that no object refers to: what is left of a process that ended at a bad moment.
  func collectAll(except buckets: some Sequence<Bucket>) async throws {
    var kept: Set<BlobID> = []
    for bucket in buckets {
      for object in bucket.objects.values { kept.formUnion(object.content.extents.map(\.blob.id)) }
    }
    for name in try await directory.entryNames() {
      if let id = BlobID(name), !kept.contains(id) { collector.collect(id) }
    }
  }

  /// A file that was written, and the checksums of its bytes.
  struct Written: Sendable {
    let blob: Blob
    let md5: Digest
    let crc64: UInt64
    let checksum: StoredChecksum?

    /// The whole file as the content of an object.
    var content: Content {
      Content(
        extents: [Extent(blob: blob, offset: 0, byteCount: blob.byteCount)], byteCount: blob.byteCount,
        entityTag: md5.hex, crc64: crc64, checksum: checksum)
    }
  }

  /// Writes a body to a file of its own.
  ///
  /// The file appears when it is complete and as expected; a body that is cut off or wrong leaves nothing behind.
  func write(_ body: some AsyncSequence<ByteBuffer, any Error> & Sendable, _ expected: BodyExpectation) async throws
    -> Written
  {
    try await write(expected) { writer in
      for try await chunk in body { try await writer.append(chunk) }
    }
  }

  /// Writes what `fill` appends to a file of its own; nothing is left behind if it throws.
  @concurrent
  func write(_ expected: BodyExpectation, _ fill: (inout BlobWriter) async throws -> Void) async throws -> Written {
    let id = BlobID.random()
    return try await FileSystem.shared.withFileHandle(
      forWritingAt: directory.appending(id.description), options: .newFile(replaceExisting: false)
    ) { file in
      var writer = BlobWriter(file, checks: expected.checks)
      try await fill(&writer)
      let (byteCount, md5, crc64, checksum) = try await writer.finish()
      try Task.checkCancellation()
      try expected.check(byteCount: byteCount, md5: md5)
      return Written(
        blob: Blob(id: id, byteCount: byteCount, collector: collector), md5: md5, crc64: crc64, checksum: checksum)
    }
  }

  /// Reads bytes and passes them on, a chunk at a time.
  func read(_ extents: [Extent], _ consume: (ByteBuffer) async throws -> Void) async throws {
    for extent in extents {
      let file = try await FileSystem.shared.openFile(
        forReadingAt: directory.appending(extent.blob.id.description), options: .init())
      do {
        var offset = extent.offset
        let end = extent.offset + extent.byteCount
        while offset < end {
          let length = min(Int64(Self.chunkByteCount), end - offset)
          let chunk = try await file.readChunk(fromAbsoluteOffset: offset, length: .bytes(length))
          guard chunk.readableBytes > 0 else { throw RefusalAnswer.internalError("A file of the store is too short.") }
          offset += Int64(chunk.readableBytes)
          try await consume(chunk)
        }
      } catch {
        try? await file.close()
        throw error
      }
      try await file.close()
    }
  }
}

/// What a body has to be.
struct BodyExpectation: Sendable {
  /// How many bytes it has to have, where the request says so.
  var byteCount: Int64?

  /// What its MD5 has to be, where the request says so.
  var digest: Digest?

  /// What else it has to be.
  var checks: [any BodyCheck] = []

  /// An MD5, and the refusal of a body that has another one.
  struct Digest: Sendable {
    let md5: [UInt8]
    let refusal: RefusalAnswer
  }

  func check(byteCount: Int64, md5: StorageCrypto.Digest) throws(RefusalAnswer) {
    if let expected = self.byteCount, expected != byteCount { throw .incompleteBody }
    if let digest, digest.md5 != md5.bytes { throw digest.refusal }
  }
}
