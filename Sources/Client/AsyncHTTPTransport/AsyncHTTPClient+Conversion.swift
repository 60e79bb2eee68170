// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import HTTPTypes
package import NIOCore
internal import NIOHTTP1
internal import StorageAuth

extension HTTPClientRequest {
  /// Creates a client request with the path unchanged: not parsed, not normalized, and not encoded again.
  init(_ request: HTTPRequest, body: HTTPBody, on eventLoops: any EventLoopGroup) {
    let authority = request.authority ?? ""
    self.init(url: "\(request.scheme ?? "https")://\(authority)\(request.path ?? "/")")
    method = HTTPMethod(rawValue: request.method.rawValue)
    headers.add(name: "Host", value: authority)
    for field in request.headerFields where field.name.canonicalName != "host" {
      headers.add(name: field.name.rawName, value: field.value)
    }
    switch body.content {
    case .none: self.body = nil
    case .bytes(let bytes): self.body = .bytes(ByteBuffer(bytes: bytes))
    case .stream(let stream):
      let buffers = BufferSequence(stream: stream, eventLoops: eventLoops)
      self.body = .stream(buffers, length: .known(body.length))
    }
  }
}

extension HTTPResponse {
  /// Creates a response without the fields whose names `HTTPTypes` does not accept.
  init(_ response: HTTPClientResponse) {
    self.init(status: Status(code: Int(response.status.code), reasonPhrase: response.status.reasonPhrase))
    headerFields.reserveCapacity(response.headers.count)
    for (name, value) in response.headers {
      guard let name = HTTPField.Name(name) else { continue }
      headerFields.append(HTTPField(name: name, value: value))
    }
  }
}

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
///
/// AsyncHTTPClient stops reading a body when the connection cannot accept more, which it learns on the connection's
/// event loop. If that event loop were behind, the client would read ahead without a bound. After each mebibyte, the
/// sequence therefore waits until all event loops have processed what they were given.
struct BufferSequence: AsyncSequence, Sendable {
  let stream: ByteStream
  let eventLoops: any EventLoopGroup

  func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator(), eventLoops) }

  struct Iterator: AsyncIteratorProtocol {
    /// The number of buffers in turn; one whose bytes have not been sent when its turn comes gets new memory.
    private static let bufferCount = 4
    /// The number of bytes that are delivered before the event loops have processed the earlier ones.
    private static let unconfirmedByteLimit = 1 << 20

    private let base: ByteStream.AsyncIterator
    private let eventLoops: any EventLoopGroup
    /// The number of bytes that were delivered since the event loops were waited for.
    private var unconfirmedByteCount = 0
    private var buffers: [ByteBuffer] = []
    private var bufferIndex = 0

    fileprivate init(base: ByteStream.AsyncIterator, _ eventLoops: any EventLoopGroup) {
      self.base = base
      self.eventLoops = eventLoops
    }

    mutating func next() async throws -> ByteBuffer? {
      if unconfirmedByteCount >= Self.unconfirmedByteLimit {
        for eventLoop in eventLoops.makeIterator() { try await eventLoop.submit {}.get() }
        unconfirmedByteCount = 0
      }
      guard let chunk = try await base.nextChunk() else { return nil }
      unconfirmedByteCount = unconfirmedByteCount.checkedAdding(chunk.byteCount) ?? Self.unconfirmedByteLimit
      if let buffer = chunk as? ByteBuffer { return buffer }
      if buffers.isEmpty { buffers = Array(repeating: ByteBuffer(), count: Self.bufferCount) }
      bufferIndex = (bufferIndex + 1) % Self.bufferCount
      // If NIO still has a copy of the buffer, `clear` allocates new memory and leaves the copy's bytes as they are.
      buffers[bufferIndex].clear(minimumCapacity: chunk.byteCount)
      chunk.withSpan { unsafe $0.withUnsafeBytes { _ = unsafe buffers[bufferIndex].writeBytes($0) } }
      return buffers[bufferIndex]
    }
  }
}
