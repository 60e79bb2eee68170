// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import SystemPackage

/// The source of the bytes for an upload: a file, bytes in memory, or an asynchronous sequence.
public struct UploadSource: Sendable {
  package enum Storage: Sendable {
    case file(FilePath)
    case opened(FilePayload)
    case bytes([UInt8])
    case stream(ByteStream, length: Int64?)
  }

  package let storage: Storage

  /// Returns an upload source that reads the file at a path; the file must not change during the upload.
  public static func file(_ path: FilePath) -> UploadSource { UploadSource(storage: .file(path)) }

  /// Returns an upload source that reads an open file, which remains the same if its path changes meanwhile.
  static func opened(_ file: FilePayload) -> UploadSource { UploadSource(storage: .opened(file)) }

  /// Returns an upload source of bytes in memory.
  public static func bytes(_ bytes: [UInt8]) -> UploadSource { UploadSource(storage: .bytes(bytes)) }

  /// Returns an upload source that reads an asynchronous sequence once, with back pressure if the network is slower.
  ///
  /// - Parameters:
  ///   - chunks: The bytes to upload, in chunks.
  ///   - length: The total number of bytes, or `nil` if it is unknown. An upload of a different number of bytes fails.
  public static func stream<Chunks: AsyncSequence & Sendable>(
    _ chunks: Chunks, length: Int64? = nil
  ) -> UploadSource where Chunks.Element: Sequence<UInt8> {
    let stream = ByteStream {
      var iterator = chunks.makeAsyncIterator()
      return { try await iterator.nextElement().map { Array($0) } }
    }
    return UploadSource(storage: .stream(stream, length: length))
  }

  /// Runs a closure with the bytes of the source, for an implementation of ``ObjectStore``.
  ///
  /// A file is open while the closure runs. A sequence is iterated once, so the closure must read the bytes only once.
  ///
  /// - Parameter body: A closure that receives the bytes in chunks and their total number, or `nil` if it is unknown.
  /// - Throws: The error of the closure, and ``StorageError/Code/unusableFile`` if the file cannot be read.
  public func read<Value: Sendable>(
    _ body: @Sendable @concurrent (_ bytes: ByteStream, _ byteCount: Int64?) async throws -> Value
  ) async throws -> Value {
    switch storage {
    case .file(let path):
      let payload = try await FilePayload(path)
      return try await body(payload.stream, payload.length)
    case .opened(let payload): return try await body(payload.stream, payload.length)
    case .bytes(let bytes): return try await body(BytesPayload(bytes: bytes).stream, Int64(bytes.count))
    case .stream(let stream, let length): return try await body(stream, length)
    }
  }
}
