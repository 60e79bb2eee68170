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

  private let makeReader: @Sendable () -> Reader

  /// Makes a stream from a function that starts it.
  ///
  /// - Parameter makeReader: Called once per iteration; what it returns is called for one chunk after the other.
  public init(_ makeReader: @escaping @Sendable () -> Reader) {
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
    let reader: Reader

    /// The next chunk, or nothing at the end.
    public func next() async throws -> [UInt8]? {
      try await reader()
    }
  }
}

extension ByteStream {
  /// Everything in one array, unless it is longer than a limit.
  ///
  /// - Parameter limit: The most bytes that are taken.
  /// - Returns: The bytes, or nothing if there are more than `limit`.
  package func collected(upTo limit: Int) async throws -> [UInt8]? {
    var bytes: [UInt8] = []
    for try await chunk in self {
      guard bytes.count + chunk.count <= limit else { return nil }
      bytes += chunk
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
