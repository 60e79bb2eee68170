// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// An asynchronous sequence of byte chunks, in the sizes in which the source delivers them.
///
/// The next chunk is requested only when the previous chunk has been consumed, so a slow reader exerts back pressure on
/// the source. Whether a stream can be iterated more than once depends on its source.
///
/// ```swift
/// let stream = ByteStream { fileSlice.makeReader() }
/// for try await chunk in stream { hash.update(chunk) }
/// ```
public struct ByteStream: AsyncSequence, Sendable {
  /// The type of a chunk; an empty chunk does not mark the end of the stream.
  public typealias Element = [UInt8]
  /// The type of a function that returns the stream's next chunk, or `nil` at the end of the stream.
  public typealias Reader = () async throws -> [UInt8]?
  /// The type of a function that returns the next chunk in its source's representation, or `nil` at the end.
  package typealias ChunkReader = () async throws -> (any ByteChunk)?

  private let makeReader: @Sendable () -> ChunkReader

  /// Creates a stream from a function that starts reading the source.
  ///
  /// - Parameter makeReader: A function that is called once per iteration, and returns one that is called per chunk.
  public init(_ makeReader: @escaping @Sendable () -> Reader) {
    self.init(chunks: {
      let reader = makeReader()
      return { try await reader() }
    })
  }

  /// Creates a stream, whose chunks have their source's representation, from a function that starts reading it.
  package init(chunks makeReader: @escaping @Sendable () -> ChunkReader) { self.makeReader = makeReader }

  /// Creates a stream from a sequence of chunks, which is iterated once for each iteration of the stream.
  public init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) where Chunks.Element == [UInt8] {
    self.init {
      var iterator = chunks.makeAsyncIterator()
      return { try await iterator.nextElement() }
    }
  }

  /// Creates a stream that consists of one chunk.
  public init(_ bytes: [UInt8]) {
    self.init {
      var nextChunk: [UInt8]? = bytes
      return {
        defer { nextChunk = nil }
        return nextChunk
      }
    }
  }

  /// Creates an iterator that reads the stream from its source.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: makeReader()) }

  /// An iterator over a byte stream's chunks.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let reader: ChunkReader

    /// Returns the stream's next chunk, or `nil` at the end of the stream.
    ///
    /// - Throws: The error of the stream's source.
    public func next() async throws -> [UInt8]? { try await reader()?.array }

    /// Returns the next chunk in its source's representation, or `nil` at the end of the stream.
    package func nextChunk() async throws -> (any ByteChunk)? { try await reader() }
  }
}

extension ByteStream {
  /// Reads all bytes into one array, or returns `nil` if the stream is longer than a limit.
  package func collected(upTo limit: Int) async throws -> [UInt8]? {
    var bytes: [UInt8] = []
    let iterator = makeAsyncIterator()
    while let chunk = try await iterator.nextChunk() {
      guard bytes.count + chunk.byteCount <= limit else { return nil }
      chunk.append(to: &bytes)
    }
    return bytes
  }

  package func collectPrefix(upTo limit: Int) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    for try await chunk in self {
      bytes += chunk.prefix(limit - bytes.count)
      if bytes.count == limit { break }
    }
    return bytes
  }
}

extension AsyncIteratorProtocol {
  /// Returns the next element, or `nil` at the end, as `next(isolation:)` does on systems that have it.
  @inlinable
  package mutating func nextElement(isolation actor: isolated (any Actor)? = #isolation) async throws -> Element? {
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) { return try await next(isolation: actor) }
    // Safe: the caller does not use the iterator until the call returns.
    nonisolated(unsafe) var iterator = self
    defer { self = unsafe iterator }
    return try await unsafe iterator.next()
  }
}

/// A chunk of bytes in its source's representation, so that the chunk can be passed on without copying.
package protocol ByteChunk: Sendable {
  var byteCount: Int { get }
  var array: [UInt8] { get }
  func withSpan(_ body: (Span<UInt8>) -> Void)
  func append(to bytes: inout [UInt8])
}

extension [UInt8]: ByteChunk {
  package var byteCount: Int { count }
  package var array: [UInt8] { self }
  package func withSpan(_ body: (Span<UInt8>) -> Void) { withElements(body) }
  package func append(to bytes: inout [UInt8]) { bytes += self }
}
