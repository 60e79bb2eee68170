// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if STORAGE_AUTH_NIO
  internal import AsyncHTTPTransport
  public import NIOCore
  internal import StorageAuth

  extension UploadSource {
    /// Returns an upload source that reads a sequence of buffers once, with back pressure if the network is slower.
    ///
    /// - Parameters:
    ///   - buffers: The bytes to upload, in buffers.
    ///   - length: The total number of bytes, or `nil` if it is unknown. An upload of another number of bytes fails.
    public static func stream<Buffers: AsyncSequence & Sendable>(
      _ buffers: Buffers, length: Int64? = nil
    ) -> UploadSource where Buffers.Element == ByteBuffer {
      let stream = ByteStream(chunks: {
        var iterator = buffers.makeAsyncIterator()
        return { try await iterator.nextElement() }
      })
      return UploadSource(storage: .stream(stream, length: length))
    }
  }

  extension ObjectStore {
    /// Uploads the bytes of an asynchronous sequence of buffers, in parts of bounded size.
    ///
    /// The sequence `buffers`, which is iterated once, is the content of the object. `length` is the total number of
    /// bytes, or `nil` if it is unknown. The other parameters are those of the upload of a file.
    ///
    /// - Throws: The error that the sequence throws, ``StorageError`` if the length is wrong or an option is unusable,
    ///   and the other errors that ``ObjectStore`` lists.
    @discardableResult public func upload<Buffers: AsyncSequence & Sendable>(
      _ buffers: Buffers, length: Int64? = nil, to key: String, contentType: String? = nil,
      metadata: [String: String] = [:], options: UploadOptions = UploadOptions(),
      progress: TransferProgress.Handler? = nil
    ) async throws -> UploadedObject where Buffers.Element == ByteBuffer {
      try await upload(
        .stream(buffers, length: length), to: key,
        options: options.merging(contentType: contentType, metadata: metadata), progress: progress)
    }
  }
#endif
