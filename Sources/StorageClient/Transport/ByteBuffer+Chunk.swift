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
/// Chunks that are already buffers are not copied.
struct BufferSequence: AsyncSequence, Sendable {
  private let stream: ByteStream

  init(_ stream: ByteStream) {
    self.stream = stream
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(base: stream.makeAsyncIterator())
  }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let base: ByteStream.AsyncIterator

    func next() async throws -> ByteBuffer? {
      guard let chunk = try await base.nextChunk() else { return nil }
      return chunk as? ByteBuffer ?? ByteBuffer(bytes: chunk.array)
    }
  }
}
