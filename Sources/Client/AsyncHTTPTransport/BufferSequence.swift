// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import StorageAuth

/// A sequence of a stream's chunks as NIO buffers.
///
/// Chunks that are already buffers are not copied. Other chunks are copied into a few buffers in turn, whose memory is
/// reused once the previous bytes in it have been sent.
///
/// AsyncHTTPClient stops reading a body when the connection cannot accept more, which it learns on the connection's
/// event loop. If that event loop were behind, the client would read ahead without a bound. After each mebibyte, the
/// sequence therefore waits until all event loops have processed what they were given.
struct BufferSequence: AsyncSequence, Sendable {
  private let stream: ByteStream
  private let eventLoops: any EventLoopGroup

  /// Creates a sequence of a body's chunks, for the event loops of the client.
  init(_ stream: ByteStream, _ eventLoops: any EventLoopGroup) {
    self.stream = stream
    self.eventLoops = eventLoops
  }

  func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator(), eventLoops) }

  struct Iterator: AsyncIteratorProtocol {
    private static let bufferCount = 4
    /// The number of bytes that are delivered before the event loops have processed the earlier ones.
    private static let leadByteCount = 1 << 20

    private let base: ByteStream.AsyncIterator
    private let eventLoops: any EventLoopGroup
    /// The number of bytes that were delivered since the event loops were waited for.
    private var lead = 0
    private var buffers: [ByteBuffer] = []
    private var turn = 0

    fileprivate init(base: ByteStream.AsyncIterator, _ eventLoops: any EventLoopGroup) {
      self.base = base
      self.eventLoops = eventLoops
    }

    mutating func next() async throws -> ByteBuffer? {
      if lead >= Self.leadByteCount {
        for eventLoop in eventLoops.makeIterator() { try await eventLoop.submit {}.get() }
        lead = 0
      }
      guard let chunk = try await base.nextChunk() else { return nil }
      lead = lead.checkedAdding(chunk.byteCount) ?? Self.leadByteCount
      if let buffer = chunk as? ByteBuffer { return buffer }
      if buffers.isEmpty { buffers = Array(repeating: ByteBuffer(), count: Self.bufferCount) }
      turn = (turn + 1) % Self.bufferCount
      buffers[turn].clear(minimumCapacity: chunk.byteCount)
      chunk.withSpan { unsafe $0.withUnsafeBytes { _ = unsafe buffers[turn].writeBytes($0) } }
      return buffers[turn]
    }
  }
}
