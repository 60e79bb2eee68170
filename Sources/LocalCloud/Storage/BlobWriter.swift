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

  init(_ file: WriteFileHandle) {
    self.file = file
  }

  /// Appends bytes.
  mutating func append(_ chunk: ByteBuffer) async throws {
    md5.update(chunk.readableBytesUInt8Span)
    crc64.update(chunk.readableBytesUInt8Span)
    pending.writeImmutableBuffer(chunk)
    if pending.readableBytes >= BlobStore.chunkByteCount { try await flush() }
  }

  /// Writes the rest; the number of bytes and their checksums.
  mutating func finish() async throws -> (byteCount: Int64, md5: Digest, crc64: UInt64) {
    if pending.readableBytes > 0 { try await flush() }
    return (written, md5.finalize(), crc64.checksum)
  }

  private mutating func flush() async throws {
    written += try await file.write(contentsOf: pending, toAbsoluteOffset: written)
    pending.clear()
  }
}
