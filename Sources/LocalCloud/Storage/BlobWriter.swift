internal import NIOCore
internal import StorageCrypto
internal import _NIOFileSystem

/// Appends to a file that is being written, a buffer at a time, and computes its checksums.
struct BlobWriter {
  private let file: WriteFileHandle
  private var md5 = MD5()
  private var crc64 = CRC(.crc64ECMA)
  private var written: Int64 = 0
  private var pending = ByteBuffer()
  private var checks: [any BodyCheck]

  init(_ file: WriteFileHandle, checks: [any BodyCheck]) {
    self.file = file
    self.checks = checks
  }

  /// Appends bytes.
  mutating func append(_ chunk: ByteBuffer) async throws {
    md5.update(chunk.readableBytesUInt8Span)
    crc64.update(chunk.readableBytesUInt8Span)
    for index in checks.indices { checks[index].update(chunk.readableBytesUInt8Span) }
    pending.writeImmutableBuffer(chunk)
    if pending.readableBytes >= BlobStore.chunkByteCount { try await flush() }
  }

  /// Writes the rest; the number of bytes and their checksums.
  ///
  /// - Throws: The refusal of a check that fails.
  mutating func finish() async throws -> (byteCount: Int64, md5: Digest, crc64: UInt64, checksum: StoredChecksum?) {
    if pending.readableBytes > 0 { try await flush() }
    var checksum: StoredChecksum?
    for check in checks { checksum = try check.finish() ?? checksum }
    return (written, md5.finalize(), crc64.checksum, checksum)
  }

  private mutating func flush() async throws {
    written += try await file.write(contentsOf: pending, toAbsoluteOffset: written)
    pending.clear()
  }
}
