/// Bytes that arrive in chunks, as many at a time as the source has ready.
///
/// The next chunk is asked for only when the last one has been used, so a slow reader slows the source down. Whether a
/// stream can be iterated more than once depends on its source.
///
/// ```swift
/// let stream = ByteStream { fileSlice.makeReader() }
/// for try await chunk in stream { hash.update(chunk) }
/// ```
public struct ByteStream: AsyncSequence, Sendable {
  /// A chunk; it may be empty, which does not mean the end.
  public typealias Element = [UInt8]

  /// Gives the next chunk, or nothing at the end.
  public typealias Reader = () async throws -> [UInt8]?

  /// Gives the next chunk in the form in which its source has it, or `nil` at the end.
  package typealias ChunkReader = () async throws -> (any ByteChunk)?

  private let makeReader: @Sendable () -> ChunkReader

  /// Makes a stream from a function that starts it.
  ///
  /// - Parameter makeReader: Called once per iteration; what it returns is called for one chunk after the other.
  public init(_ makeReader: @escaping @Sendable () -> Reader) {
    self.init(chunks: {
      let read = makeReader()
      return { try await read() }
    })
  }

  /// Makes a stream from a function that starts it, of chunks that need not be arrays.
  ///
  /// - Parameter makeReader: Called once per iteration; what it returns is called for one chunk after the other.
  package init(chunks makeReader: @escaping @Sendable () -> ChunkReader) {
    self.makeReader = makeReader
  }

  /// Makes a stream from a sequence of chunks.
  public init(_ chunks: some AsyncSequence<[UInt8], any Error> & Sendable) {
    self.init {
      var iterator = chunks.makeAsyncIterator()
      return { try await iterator.next(isolation: #isolation) }
    }
  }

  /// Makes a stream of one chunk.
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

  /// Walks over the chunks.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let reader: ChunkReader

    /// The next chunk, or nothing at the end.
    public func next() async throws -> [UInt8]? {
      try await reader()?.array
    }

    /// The next chunk in the form in which its source has it, or `nil` at the end.
    package func nextChunk() async throws -> (any ByteChunk)? {
      try await reader()
    }
  }
}

/// Bytes as a source has them: what passes them on looks at them and makes no copy.
package protocol ByteChunk: Sendable {
  /// The number of bytes.
  var byteCount: Int { get }

  /// The bytes as an array; a copy if they are something else.
  var array: [UInt8] { get }

  /// Runs a body with the bytes.
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
  /// Everything in one array, unless it is longer than a limit.
  ///
  /// - Parameter limit: The most bytes that are taken.
  /// - Returns: The bytes, or nothing if there are more than `limit`.
  package func collected(upTo limit: Int) async throws -> [UInt8]? {
    var bytes: [UInt8] = []
    let iterator = makeAsyncIterator()
    while let chunk = try await iterator.nextChunk() {
      guard bytes.count + chunk.byteCount <= limit else { return nil }
      chunk.append(to: &bytes)
    }
    return bytes
  }

  /// The first bytes, however many follow.
  package func prefix(bytes limit: Int) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    for try await chunk in self {
      bytes += chunk.prefix(limit - bytes.count)
      if bytes.count == limit { break }
    }
    return bytes
  }
}
