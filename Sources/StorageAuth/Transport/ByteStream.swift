// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// An asynchronous sequence of byte chunks, each as large as its source delivers it.
///
/// The next chunk is requested only when the previous one has been consumed, so that a slow reader exerts back pressure
/// on the source. Whether a stream can be iterated more than once depends on its source.
///
/// ```swift
/// let stream = ByteStream { fileSlice.makeReader() }
/// for try await chunk in stream { hash.update(chunk) }
/// ```
public struct ByteStream: AsyncSequence, Sendable {
  /// A chunk; an empty chunk does not mark the end.
  public typealias Element = [UInt8]

  /// A function that returns the next chunk, or `nil` at the end.
  public typealias Reader = () async throws -> [UInt8]?

  /// A function that returns the next chunk in the representation of its source, or `nil` at the end.
  package typealias ChunkReader = () async throws -> (any ByteChunk)?

  private let makeReader: @Sendable () -> ChunkReader

  /// Creates a stream from a function that starts it.
  ///
  /// - Parameter makeReader: A function that is called once per iteration; the reader that it returns is called once
  ///   per chunk.
  public init(_ makeReader: @escaping @Sendable () -> Reader) {
    self.init(chunks: {
      let read = makeReader()
      return { try await read() }
    })
  }

  /// Creates a stream of chunks in the representation of their source from a function that starts it.
  ///
  /// - Parameter makeReader: A function that is called once per iteration; the reader that it returns is called once
  ///   per chunk.
  package init(chunks makeReader: @escaping @Sendable () -> ChunkReader) {
    self.makeReader = makeReader
  }

  /// Creates a stream from an asynchronous sequence of chunks.
  ///
  /// - Parameter chunks: The chunks.
  public init(_ chunks: some AsyncSequence<[UInt8], any Error> & Sendable) {
    self.init {
      var iterator = chunks.makeAsyncIterator()
      return { try await iterator.next(isolation: #isolation) }
    }
  }

  /// Creates a stream of one chunk.
  ///
  /// - Parameter bytes: The chunk.
  public init(_ bytes: [UInt8]) {
    self.init {
      var rest: [UInt8]? = bytes
      return {
        defer { rest = nil }
        return rest
      }
    }
  }

  /// Starts an iteration.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(reader: makeReader())
  }

  /// An iterator over the chunks.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let reader: ChunkReader

    /// Returns the next chunk, or `nil` at the end.
    ///
    /// - Throws: The error of the source.
    public func next() async throws -> [UInt8]? {
      try await reader()?.array
    }

    /// Returns the next chunk in the representation of its source, or `nil` at the end.
    package func nextChunk() async throws -> (any ByteChunk)? {
      try await reader()
    }
  }
}

/// A chunk of bytes in the representation of its source, so that it can be passed on without a copy.
package protocol ByteChunk: Sendable {
  /// The number of bytes.
  var byteCount: Int { get }

  /// The bytes as an array; a copy if the source has another representation.
  var array: [UInt8] { get }

  /// Calls a closure with a span of the bytes.
  func withSpan(_ body: (Span<UInt8>) -> Void)

  /// Appends the bytes to an array.
  func append(to bytes: inout [UInt8])
}

extension [UInt8]: ByteChunk {
  package var byteCount: Int { count }

  package var array: [UInt8] { self }

  package func withSpan(_ body: (Span<UInt8>) -> Void) { body(span) }

  package func append(to bytes: inout [UInt8]) { bytes += self }
}

extension ByteStream {
  /// Returns all bytes of the stream in one array, or `nil` if they exceed a limit.
  ///
  /// - Parameter limit: The largest number of bytes that are read.
  /// - Returns: The bytes, or `nil` if there are more than `limit`.
  package func collected(upTo limit: Int) async throws -> [UInt8]? {
    var bytes: [UInt8] = []
    let iterator = makeAsyncIterator()
    while let chunk = try await iterator.nextChunk() {
      guard bytes.count + chunk.byteCount <= limit else { return nil }
      chunk.append(to: &bytes)
    }
    return bytes
  }

  /// Returns the first bytes of the stream, `limit` at most.
  package func prefix(bytes limit: Int) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    for try await chunk in self {
      bytes += chunk.prefix(limit - bytes.count)
      if bytes.count == limit { break }
    }
    return bytes
  }
}
