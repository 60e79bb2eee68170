public import NIOCore
public import SystemPackage

extension ObjectStore {
  /// Uploads a file, in parts if it is large.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - key: The key of the object.
  ///   - contentType: The media type; found out from the name of the file, or else of the key, if not given.
  ///   - metadata: Names and values that are stored along with the object.
  ///   - options: What else is stored along.
  ///   - progress: Called while the bytes go out, one call after the other, on no particular thread.
  /// - Returns: What the service says about the object.
  @discardableResult
  public func upload(
    _ file: FilePath, to key: String, contentType: String? = nil, metadata: [String: String] = [:],
    options: UploadOptions = UploadOptions(), progress: TransferProgress.Handler? = nil
  ) async throws -> UploadedObject {
    try await upload(
      .file(file), to: key, options: options.merging(contentType: contentType, metadata: metadata), progress: progress)
  }

  /// Uploads bytes, in parts if there are many.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - key: The key of the object.
  ///   - contentType: The media type; found out from the name of the key if not given.
  ///   - metadata: Names and values that are stored along with the object.
  ///   - options: What else is stored along.
  ///   - progress: Called while the bytes go out, one call after the other, on no particular thread.
  /// - Returns: What the service says about the object.
  @discardableResult
  public func upload(
    _ bytes: [UInt8], to key: String, contentType: String? = nil, metadata: [String: String] = [:],
    options: UploadOptions = UploadOptions(), progress: TransferProgress.Handler? = nil
  ) async throws -> UploadedObject {
    try await upload(
      .bytes(bytes), to: key, options: options.merging(contentType: contentType, metadata: metadata),
      progress: progress)
  }

  /// Uploads what a sequence yields, in parts of bounded size; the sequence is iterated once.
  ///
  /// - Parameters:
  ///   - chunks: The bytes, in chunks.
  ///   - length: How many bytes there will be, if that is known.
  ///   - key: The key of the object.
  ///   - contentType: The media type; found out from the name of the key if not given.
  ///   - metadata: Names and values that are stored along with the object.
  ///   - options: What else is stored along.
  ///   - progress: Called while the bytes go out, one call after the other, on no particular thread.
  /// - Returns: What the service says about the object.
  @discardableResult
  public func upload<Chunks: AsyncSequence & Sendable>(
    _ chunks: Chunks, length: Int64? = nil, to key: String, contentType: String? = nil,
    metadata: [String: String] = [:], options: UploadOptions = UploadOptions(),
    progress: TransferProgress.Handler? = nil
  ) async throws -> UploadedObject where Chunks.Element: Sequence<UInt8> {
    try await upload(
      .stream(chunks, length: length), to: key, options: options.merging(contentType: contentType, metadata: metadata),
      progress: progress)
  }

  /// Uploads what a sequence of buffers yields, in parts of bounded size; the sequence is iterated once.
  ///
  /// - Parameters:
  ///   - buffers: The bytes, in buffers.
  ///   - length: How many bytes there will be, if that is known.
  ///   - key: The key of the object.
  ///   - contentType: The media type; found out from the name of the key if not given.
  ///   - metadata: Names and values that are stored along with the object.
  ///   - options: What else is stored along.
  ///   - progress: Called while the bytes go out, one call after the other, on no particular thread.
  /// - Returns: What the service says about the object.
  @discardableResult
  public func upload<Buffers: AsyncSequence & Sendable>(
    _ buffers: Buffers, length: Int64? = nil, to key: String, contentType: String? = nil,
    metadata: [String: String] = [:], options: UploadOptions = UploadOptions(),
    progress: TransferProgress.Handler? = nil
  ) async throws -> UploadedObject where Buffers.Element == ByteBuffer {
    try await upload(
      .stream(buffers, length: length), to: key, options: options.merging(contentType: contentType, metadata: metadata),
      progress: progress)
  }
}
