public import NIOCore
public import StorageAuth
public import SystemPackage

/// Where the bytes of an upload come from.
public struct UploadSource: Sendable {
  enum Storage: Sendable {
    case file(FilePath)
    case bytes([UInt8])
    case stream(ByteStream, length: Int64?)
  }

  let storage: Storage

  /// A file; it must not change while it is uploaded.
  public static func file(_ path: FilePath) -> UploadSource {
    UploadSource(storage: .file(path))
  }

  /// Bytes in memory.
  public static func bytes(_ bytes: [UInt8]) -> UploadSource {
    UploadSource(storage: .bytes(bytes))
  }

  /// What a sequence yields; it is iterated once, and held back while the network is slower.
  ///
  /// - Parameters:
  ///   - chunks: The bytes, in chunks.
  ///   - length: How many bytes there will be, if that is known; an upload with another number fails.
  public static func stream<Chunks: AsyncSequence & Sendable>(
    _ chunks: Chunks, length: Int64? = nil
  ) -> UploadSource where Chunks.Element: Sequence<UInt8> {
    UploadSource(
      storage: .stream(
        ByteStream {
          var iterator = chunks.makeAsyncIterator()
          return { try await iterator.next(isolation: #isolation).map { Array($0) } }
        }, length: length))
  }

  /// What a sequence of buffers yields; it is iterated once, and held back while the network is slower.
  ///
  /// - Parameters:
  ///   - buffers: The bytes, in buffers.
  ///   - length: How many bytes there will be, if that is known; an upload with another number fails.
  public static func stream<Buffers: AsyncSequence & Sendable>(
    _ buffers: Buffers, length: Int64? = nil
  ) -> UploadSource where Buffers.Element == ByteBuffer {
    UploadSource(
      storage: .stream(
        ByteStream(chunks: {
          var iterator = buffers.makeAsyncIterator()
          return { try await iterator.next(isolation: #isolation) }
        }), length: length))
  }

  /// Runs a body with the bytes of the source; for stores.
  ///
  /// A file is open while the body runs. A sequence is iterated once, so that the body reads it once.
  ///
  /// - Parameter body: Receives the bytes in chunks, and how many there are, or `nil` if that is not known.
  /// - Returns: What the body returned.
  /// - Throws: What the body throws, and ``StorageError/Code/unusableFile`` if the file cannot be read.
  public func read<Result: Sendable>(
    _ body: @Sendable @concurrent (_ bytes: ByteStream, _ byteCount: Int64?) async throws -> Result
  ) async throws -> Result {
    switch storage {
    case .file(let path): try await FilePayload.read(path) { try await body($0.stream, $0.length) }
    case .bytes(let bytes): try await body(ByteStream(bytes), Int64(bytes.count))
    case .stream(let stream, let length): try await body(stream, length)
    }
  }
}
