// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import SystemPackage

/// An object store that does not depend on the provider behind it.
///
/// Code that takes `some ObjectStore`, or `any ObjectStore` chosen at run time, works with every provider:
///
/// ```swift
/// func backUp(_ file: FilePath, to store: some ObjectStore) async throws {
///   try await store.upload(file, to: "2026/11/20/cat.jpg") { print($0.fractionCompleted) }
/// }
/// ```
///
/// Operations throw ``ServiceError`` if the service rejects a request, `TransportError` if the network fails,
/// ``StorageError`` if the client itself rejects input or a response, `SigningError` if a request cannot be signed,
/// `CredentialError` if there is no credential, and `CancellationError` if the task is cancelled.
public protocol ObjectStore: Sendable {
  /// Uploads an object.
  ///
  /// - Parameters:
  ///   - source: The bytes to upload: in memory, in a file, or as a stream.
  ///   - key: The key under which the object is stored.
  ///   - options: The attributes to store with the object, such as its media type.
  ///   - progress: A closure that receives the progress as bytes are sent, one call at a time, on an arbitrary thread.
  /// - Throws: ``StorageError`` if the source or an option is unusable, and the errors that ``ObjectStore`` lists.
  @discardableResult func upload(
    _ source: UploadSource, to key: String, options: UploadOptions, progress: TransferProgress.Handler?
  ) async throws -> UploadedObject

  /// Downloads an object into a file that appears at its destination only when the download is complete.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - file: The destination file. An existing file is replaced.
  ///   - options: The version of the object, and the conditions for the download.
  ///   - progress: A closure that receives the progress as bytes arrive, one call at a time, on an arbitrary thread.
  /// - Throws: ``StorageError`` if the file cannot be written or the bytes are incomplete or damaged, and the other
  ///   errors that ``ObjectStore`` lists.
  @discardableResult func download(
    _ key: String, to file: FilePath, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo

  /// Starts to download an object, or a range of its bytes.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - options: The byte range, the version of the object, and the conditions for the download.
  /// - Returns: The service's description of the object, and its bytes as they arrive.
  /// - Throws: The errors that ``ObjectStore`` lists. Reading the bytes can throw the same errors.
  func open(_ key: String, options: DownloadOptions) async throws -> DownloadedObject

  /// Requests the description of an object from the service.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - headers: Additional provider-specific headers, such as the requester-pays header or a customer-provided key.
  /// - Returns: The size, entity tag, metadata and other attributes of the object.
  /// - Throws: ``ServiceError/Kind/noSuchKey`` if the object does not exist, and the errors that ``ObjectStore`` lists.
  func head(_ key: String, headers: HTTPFields) async throws -> ObjectInfo

  /// Deletes the object with a key, and succeeds if the object does not exist.
  ///
  /// - Throws: The errors that ``ObjectStore`` lists.
  func delete(_ key: String) async throws

  /// Deletes the objects with the given keys, up to 1,000 per request, and succeeds for keys that do not exist.
  ///
  /// - Returns: The deleted keys, and the keys that could not be deleted with the reasons.
  /// - Throws: The errors that ``ObjectStore`` lists.
  @discardableResult func delete(_ keys: [String]) async throws -> DeletionReport

  /// Lists objects in the byte order of their keys, and fetches pages as they are needed.
  ///
  /// - Parameters:
  ///   - prefix: The prefix of the listed keys. An empty prefix lists all keys.
  ///   - delimiter: The string that ends a common prefix. Keys that contain the delimiter after `prefix` are grouped
  ///     into common prefixes; if `nil`, every key is listed.
  func list(prefix: String, delimiter: String?) -> ObjectListing
}

extension ObjectStore {
  /// Uploads a file, in parts if the file is large.
  ///
  /// - Parameters:
  ///   - file: The path of the file.
  ///   - key: The key under which the object is stored.
  ///   - contentType: The media type. If `nil`, it is derived from the extension of the file name, or else of the key.
  ///   - metadata: The user-defined names and values to store with the object.
  ///   - options: Additional attributes to store with the object.
  ///   - progress: A closure that receives the progress as bytes are sent, one call at a time, on an arbitrary thread.
  /// - Throws: ``StorageError`` if the file or an option is unusable, and the other errors that ``ObjectStore`` lists.
  @discardableResult public func upload(
    _ file: FilePath, to key: String, contentType: String? = nil, metadata: [String: String] = [:],
    options: UploadOptions = UploadOptions(), progress: TransferProgress.Handler? = nil
  ) async throws -> UploadedObject {
    try await upload(
      .file(file), to: key, options: options.merging(contentType: contentType, metadata: metadata), progress: progress)
  }

  /// Uploads bytes in memory, in parts if the array is large.
  ///
  /// `bytes` is the content of the object. The other parameters are those of the upload of a file.
  ///
  /// - Throws: ``StorageError`` if an option is unusable, and the other errors that ``ObjectStore`` lists.
  @discardableResult public func upload(
    _ bytes: [UInt8], to key: String, contentType: String? = nil, metadata: [String: String] = [:],
    options: UploadOptions = UploadOptions(), progress: TransferProgress.Handler? = nil
  ) async throws -> UploadedObject {
    try await upload(
      .bytes(bytes), to: key, options: options.merging(contentType: contentType, metadata: metadata),
      progress: progress)
  }

  /// Uploads the bytes of an asynchronous sequence, in parts of bounded size.
  ///
  /// The sequence `chunks`, which is iterated once, is the content of the object. `length` is the total number of
  /// bytes, or `nil` if it is unknown. The other parameters are those of the upload of a file.
  ///
  /// - Throws: The error that the sequence throws, ``StorageError`` if the length is wrong or an option is unusable,
  ///   and the other errors that ``ObjectStore`` lists.
  @discardableResult public func upload<Chunks: AsyncSequence & Sendable>(
    _ chunks: Chunks, length: Int64? = nil, to key: String, contentType: String? = nil,
    metadata: [String: String] = [:], options: UploadOptions = UploadOptions(),
    progress: TransferProgress.Handler? = nil
  ) async throws -> UploadedObject where Chunks.Element: Sequence<UInt8> {
    try await upload(
      .stream(chunks, length: length), to: key, options: options.merging(contentType: contentType, metadata: metadata),
      progress: progress)
  }

  /// Downloads an object into a file that appears at its destination only when the download is complete.
  ///
  /// - Throws: The errors of ``ObjectStore/download(_:to:options:progress:)``, which also describes the parameters.
  @discardableResult public func download(
    _ key: String, to file: FilePath, progress: TransferProgress.Handler? = nil
  ) async throws -> ObjectInfo { try await download(key, to: file, options: DownloadOptions(), progress: progress) }

  /// Downloads an object into a file that appears at its destination only when the download is complete.
  ///
  /// - Throws: The errors of ``ObjectStore/download(_:to:options:progress:)``, which also describes the parameters.
  @discardableResult
  public func download(_ key: String, to file: FilePath, options: DownloadOptions) async throws -> ObjectInfo {
    try await download(key, to: file, options: options, progress: nil)
  }

  /// Downloads an object, or a range of its bytes, into memory.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - limit: The maximum number of bytes to accept.
  ///   - options: The byte range, the version of the object, and the conditions for the download.
  /// - Throws: ``StorageError/Code/tooLarge`` if there are more bytes, and the other errors that ``ObjectStore`` lists.
  public func download(
    _ key: String, upTo limit: Int, options: DownloadOptions = DownloadOptions()
  ) async throws -> [UInt8] {
    let object = try await open(key, options: options)
    guard let bytes = try await object.body.collected(upTo: limit) else {
      throw StorageError(
        .tooLarge, "\(key) has more than \(limit) bytes.",
        remedy: "Raise the limit, or download it into a file or as a stream.")
    }
    return bytes
  }

  /// Starts to download an object.
  ///
  /// - Throws: The errors of ``ObjectStore/open(_:options:)``, which also describes the parameter.
  public func open(_ key: String) async throws -> DownloadedObject { try await open(key, options: DownloadOptions()) }

  /// Requests the description of an object from the service.
  ///
  /// - Throws: The errors of ``ObjectStore/head(_:headers:)``, which also describes the parameter.
  public func head(_ key: String) async throws -> ObjectInfo { try await head(key, headers: [:]) }

  /// Lists the objects whose keys start with a prefix, and all objects if the prefix is empty.
  public func list(prefix: String = "") -> ObjectListing { list(prefix: prefix, delimiter: nil) }

  /// Uploads a file, and returns its progress as an asynchronous sequence, for an actor that shows it.
  ///
  /// A reader that is slower than the network receives only the latest progress. The upload is cancelled with the task
  /// that reads the sequence, and the sequence ends when the object is complete.
  ///
  /// ```swift
  /// for try await progress in client.uploading("film.mov", to: "film.mov") { show(progress.fractionCompleted) }
  /// ```
  ///
  /// - Parameters:
  ///   - file: The path of the file.
  ///   - key: The key of the object.
  ///   - options: The attributes to store with the object, such as its media type.
  /// - Returns: The progress. The sequence throws the error of the upload.
  public func uploading(
    _ file: FilePath, to key: String, options: UploadOptions = UploadOptions()
  ) -> AsyncThrowingStream<TransferProgress, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let transfer = Task {
        do {
          try await upload(file, to: key, options: options) { continuation.yield($0) }
          continuation.finish()
        } catch { continuation.finish(throwing: error) }
      }
      continuation.onTermination = { _ in transfer.cancel() }
    }
  }
}
