// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import NIOCore
public import SystemPackage

/// A store of objects, independent of the provider.
///
/// Code that takes `some ObjectStore`, or `any ObjectStore` chosen at run time, works with every provider:
///
/// ```swift
/// func backUp(_ file: FilePath, to store: some ObjectStore) async throws {
///   try await store.upload(file, to: "2026/11/20/cat.jpg") { print($0.fractionCompleted) }
/// }
/// ```
///
/// Operations throw ``ServiceError`` if the service refuses a request, `TransportError` if the network fails,
/// ``StorageError`` if the client itself rejects input or a response, `SigningError` if a request cannot be signed,
/// `CredentialError` if there is no credential, and `CancellationError` if the task is cancelled.
public protocol ObjectStore: Sendable {
  /// Uploads an object.
  ///
  /// - Parameters:
  ///   - source: The source of the bytes.
  ///   - key: The key of the object.
  ///   - options: The attributes that are stored with the object.
  ///   - progress: Called as bytes are sent, one call at a time, on an arbitrary thread.
  /// - Returns: The service's description of the object.
  /// - Throws: ``StorageError`` if the source or an option is unusable, and the other errors that ``ObjectStore``
  ///   lists.
  @discardableResult
  func upload(
    _ source: UploadSource, to key: String, options: UploadOptions, progress: TransferProgress.Handler?
  ) async throws -> UploadedObject

  /// Downloads an object into a file, which appears only when it has arrived completely.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - file: The file; an existing one is replaced.
  ///   - options: The version, and the conditions of the download.
  ///   - progress: Called as bytes arrive, one call at a time, on an arbitrary thread.
  /// - Returns: The service's description of the object.
  /// - Throws: ``StorageError`` if the file cannot be written or the bytes are incomplete or damaged, and the other
  ///   errors that ``ObjectStore`` lists.
  @discardableResult
  func download(
    _ key: String, to file: FilePath, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo

  /// Starts to download an object, or a range of it.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - options: The range, the version, and the conditions of the download.
  /// - Returns: The service's description of the object, and its bytes as they arrive.
  /// - Throws: The errors that ``ObjectStore`` lists; reading the bytes can throw them as well.
  func open(_ key: String, options: DownloadOptions) async throws -> DownloadedObject

  /// Requests the description of an object.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - headers: Additional headers of the provider, such as the requester-pays header or a customer-provided key.
  /// - Returns: The description.
  /// - Throws: ``ServiceError`` of the kind ``ServiceError/Kind/noSuchKey`` if the object does not exist, and the other
  ///   errors that ``ObjectStore`` lists.
  func head(_ key: String, headers: HTTPFields) async throws -> ObjectInfo

  /// Deletes an object; succeeds if it does not exist.
  ///
  /// - Parameter key: The key of the object.
  /// - Throws: The errors that ``ObjectStore`` lists.
  func delete(_ key: String) async throws

  /// Deletes objects, up to 1,000 per request; succeeds for keys that do not exist.
  ///
  /// - Parameter keys: The keys of the objects.
  /// - Returns: The deleted keys, and the failures with their reasons.
  /// - Throws: The errors that ``ObjectStore`` lists.
  @discardableResult
  func delete(_ keys: [String]) async throws -> DeletionReport

  /// Lists objects in the byte order of their keys; pages are fetched as they are needed.
  ///
  /// - Parameters:
  ///   - prefix: The prefix of the keys.
  ///   - delimiter: If not `nil`, keys that contain it after the prefix are grouped into one common prefix each.
  /// - Returns: The listing.
  func list(prefix: String, delimiter: String?) -> ObjectListing
}

extension ObjectStore {
  /// Uploads a file, in parts if it is large.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - key: The key of the object.
  ///   - contentType: The media type; if `nil`, derived from the extension of the file name or else of the key.
  ///   - metadata: Names and values that are stored with the object.
  ///   - options: Additional attributes that are stored with the object.
  ///   - progress: Called as bytes are sent, one call at a time, on an arbitrary thread.
  /// - Returns: The service's description of the object.
  /// - Throws: ``StorageError`` if the file or an option is unusable, and the other errors that ``ObjectStore`` lists.
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
  ///   - contentType: The media type; if `nil`, derived from the extension of the key.
  ///   - metadata: Names and values that are stored with the object.
  ///   - options: Additional attributes that are stored with the object.
  ///   - progress: Called as bytes are sent, one call at a time, on an arbitrary thread.
  /// - Returns: The service's description of the object.
  /// - Throws: ``StorageError`` if an option is unusable, and the other errors that ``ObjectStore`` lists.
  @discardableResult
  public func upload(
    _ bytes: [UInt8], to key: String, contentType: String? = nil, metadata: [String: String] = [:],
    options: UploadOptions = UploadOptions(), progress: TransferProgress.Handler? = nil
  ) async throws -> UploadedObject {
    try await upload(
      .bytes(bytes), to: key, options: options.merging(contentType: contentType, metadata: metadata),
      progress: progress)
  }

  /// Uploads the bytes that a sequence yields, in parts of bounded size; the sequence is iterated once.
  ///
  /// - Parameters:
  ///   - chunks: The bytes, in chunks.
  ///   - length: The total number of bytes, or `nil` if it is unknown.
  ///   - key: The key of the object.
  ///   - contentType: The media type; if `nil`, derived from the extension of the key.
  ///   - metadata: Names and values that are stored with the object.
  ///   - options: Additional attributes that are stored with the object.
  ///   - progress: Called as bytes are sent, one call at a time, on an arbitrary thread.
  /// - Returns: The service's description of the object.
  /// - Throws: The error of the sequence, ``StorageError`` if the length is wrong or an option is unusable, and the
  ///   other errors that ``ObjectStore`` lists.
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

  /// Uploads the bytes that a sequence of buffers yields, in parts of bounded size; the sequence is iterated once.
  ///
  /// - Parameters:
  ///   - buffers: The bytes, in buffers.
  ///   - length: The total number of bytes, or `nil` if it is unknown.
  ///   - key: The key of the object.
  ///   - contentType: The media type; if `nil`, derived from the extension of the key.
  ///   - metadata: Names and values that are stored with the object.
  ///   - options: Additional attributes that are stored with the object.
  ///   - progress: Called as bytes are sent, one call at a time, on an arbitrary thread.
  /// - Returns: The service's description of the object.
  /// - Throws: The error of the sequence, ``StorageError`` if the length is wrong or an option is unusable, and the
  ///   other errors that ``ObjectStore`` lists.
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

extension ObjectStore {
  /// Downloads an object into a file, which appears only when it has arrived completely.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - file: The file; an existing one is replaced.
  ///   - progress: Called as bytes arrive, one call at a time, on an arbitrary thread.
  /// - Returns: The service's description of the object.
  /// - Throws: ``StorageError`` if the file cannot be written or the bytes are incomplete or damaged, and the other
  ///   errors that ``ObjectStore`` lists.
  @discardableResult
  public func download(
    _ key: String, to file: FilePath, progress: TransferProgress.Handler? = nil
  ) async throws -> ObjectInfo {
    try await download(key, to: file, options: DownloadOptions(), progress: progress)
  }

  /// Downloads an object, or a range of it, into memory.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - limit: The maximum number of bytes.
  ///   - options: The range, the version, and the conditions of the download.
  /// - Returns: The bytes.
  /// - Throws: ``StorageError/Code/tooLarge`` if there are more bytes than `limit`, and the other errors that
  ///   ``ObjectStore`` lists.
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
  /// - Parameter key: The key of the object.
  /// - Returns: The service's description of the object, and its bytes as they arrive.
  /// - Throws: The errors that ``ObjectStore`` lists; reading the bytes can throw them as well.
  public func open(_ key: String) async throws -> DownloadedObject {
    try await open(key, options: DownloadOptions())
  }

  /// Requests the description of an object.
  ///
  /// - Parameter key: The key of the object.
  /// - Returns: The description.
  /// - Throws: ``ServiceError`` of the kind ``ServiceError/Kind/noSuchKey`` if the object does not exist, and the other
  ///   errors that ``ObjectStore`` lists.
  public func head(_ key: String) async throws -> ObjectInfo {
    try await head(key, headers: [:])
  }

  /// Lists all objects, or those whose keys start with a prefix.
  ///
  /// - Parameter prefix: The prefix of the keys.
  /// - Returns: The listing.
  public func list(prefix: String = "") -> ObjectListing {
    list(prefix: prefix, delimiter: nil)
  }
}

/// The results of a deletion of several objects.
public struct DeletionReport: Sendable, Hashable {
  /// The keys whose objects were deleted or did not exist.
  public internal(set) var deleted: [String]

  /// The keys that could not be deleted.
  public internal(set) var failures: [Failure]

  /// A key that could not be deleted, and the reason.
  public struct Failure: Sendable, Hashable {
    /// The key.
    public let key: String

    /// The provider's code.
    public let code: String

    /// The provider's message.
    public let message: String

    /// Creates a failure; for implementations of stores.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - code: The provider's code.
    ///   - message: The provider's message, without secrets.
    public init(key: String, code: String, message: String) {
      self.key = key
      self.code = code
      self.message = message
    }
  }

  /// Creates a report; for implementations of stores.
  ///
  /// - Parameters:
  ///   - deleted: The keys whose objects were deleted or did not exist.
  ///   - failures: The keys that could not be deleted, with the reasons.
  public init(deleted: [String] = [], failures: [Failure] = []) {
    self.deleted = deleted
    self.failures = failures
  }
}
