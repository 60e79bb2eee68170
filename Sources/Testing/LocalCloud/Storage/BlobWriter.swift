// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOPosix
internal import StorageCrypto
internal import SystemPackage
internal import _NIOFileSystem

/// A writer that appends bytes to a new file in large writes, and computes the checksums concurrently.
///
/// A body that fits in one write is created, written and closed with one switch to another thread.
struct BlobWriter {
  /// The minimum size of a buffer that is retained instead of copied; the memory of a smaller one may be mostly unused.
  private static let retainedByteMinimum = 16 * 1024

  private let path: FilePath
  private var file: FileDescriptor?
  private var exists = false
  private var writtenByteCount: Int64 = 0
  private var pending: [ByteBuffer] = []
  private var pendingByteCount = 0
  private var sums: BodySums
  private var summation: Task<BodySums, Never>?

  init(_ path: FilePath, checks: [any BodyCheck]) {
    self.path = path
    sums = BodySums(checks: checks)
  }

  mutating func append(_ chunk: ByteBuffer) async throws {
    pendingByteCount += chunk.readableBytes
    if chunk.readableBytes >= Self.retainedByteMinimum || pending.isEmpty {
      pending.append(chunk)
    } else {
      pending[pending.count - 1].writeImmutableBuffer(chunk)
    }
    if pendingByteCount >= BlobStore.chunkByteCount { try await flush() }
  }

  mutating func finish() async throws -> (byteCount: Int64, md5: Digest, crc64: UInt64, checksum: StoredChecksum?) {
    if let summation { sums = await summation.value }
    sums.update(pending)
    try await write(andClose: true)
    return (writtenByteCount, sums.md5.finalize(), sums.crc64.checksum, try sums.checks.finish())
  }

  /// Closes and removes the incomplete file, even if the task is cancelled.
  mutating func discard() async {
    try? file.take()?.close()
    guard exists else { return }
    await Task { [path] in _ = try? await FileSystem.shared.removeItem(at: path) }.value
  }

  /// Writes the pending buffers while their checksums are computed, after those of the previous buffers.
  private mutating func flush() async throws {
    let previous = await summation?.value ?? sums
    summation = Task { [pending] in
      var sums = previous
      sums.update(pending)
      return sums
    }
    try await write(andClose: false)
  }

  private mutating func write(andClose isLast: Bool) async throws {
    let (path, opened, buffers) = (path, file, pending)
    exists = true
    let closeError: (any Error)?
    (file, closeError) = try await NIOThreadPool.singleton.runIfActive {
      let file =
        try opened
        ?? FileDescriptor.open(
          path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
          permissions: [.ownerReadWrite, .groupRead, .otherRead])
      do { for buffer in buffers { try file.writeAll(buffer.readableBytesView) } } catch {
        if opened == nil { try? file.close() }
        throw error
      }
      guard isLast else { return (FileDescriptor?.some(file), (any Error)?.none) }
      // A descriptor must not be closed again, even if closing it failed.
      do { try file.close() } catch { return (nil, error) }
      return (nil, nil)
    }
    if let closeError { throw closeError }
    writtenByteCount += Int64(pendingByteCount)
    pending.removeAll(keepingCapacity: true)
    pendingByteCount = 0
  }
}

struct BodySums: Sendable {
  var md5 = MD5()
  var crc64 = CRC(.crc64ECMA)
  var checks: [any BodyCheck]

  mutating func update(_ buffers: [ByteBuffer]) {
    for buffer in buffers {
      md5.update(buffer.readableBytesUInt8Span)
      crc64.update(buffer.readableBytesUInt8Span)
      checks.update(buffer.readableBytesUInt8Span)
    }
  }
}
