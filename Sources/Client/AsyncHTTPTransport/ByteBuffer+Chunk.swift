// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore
internal import StorageAuth

extension ByteBuffer: ByteChunk {
  package var byteCount: Int { readableBytes }

  package var array: [UInt8] { Array(buffer: self) }

  package func withSpan(_ body: (Span<UInt8>) -> Void) { body(readableBytesUInt8Span) }

  package func append(to bytes: inout [UInt8]) { bytes += readableBytesView }
}

/// A sequence of a stream's chunks as NIO buffers.
///
/// Chunks that are already buffers are not copied. Other chunks are copied into a few buffers in turn, whose memory is
/// reused once the previous bytes in it have been sent.
struct BufferSequence: AsyncSequence, Sendable {
  private let stream: ByteStream

  init(_ stream: ByteStream) {
    self.stream = stream
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(base: stream.makeAsyncIterator())
  }

  struct Iterator: AsyncIteratorProtocol {
    private static let bufferCount = 4

    private let base: ByteStream.AsyncIterator
    private var buffers: [ByteBuffer] = []
    private var turn = 0

    fileprivate init(base: ByteStream.AsyncIterator) {
      self.base = base
    }

    mutating func next() async throws -> ByteBuffer? {
      guard let chunk = try await base.nextChunk() else { return nil }
      if let buffer = chunk as? ByteBuffer { return buffer }
      if buffers.isEmpty { buffers = Array(repeating: ByteBuffer(), count: Self.bufferCount) }
      turn = (turn + 1) % Self.bufferCount
      buffers[turn].clear(minimumCapacity: chunk.byteCount)
      chunk.withSpan { unsafe $0.withUnsafeBytes { _ = unsafe buffers[turn].writeBytes($0) } }
      return buffers[turn]
    }
  }
}
