public import HTTPTypes
public import NIOCore
public import SystemPackage

/// Where objects are kept, whoever the provider is.
///
/// Code that takes `some ObjectStore`, or `any ObjectStore` chosen at run time, works with every provider:
///
/// ```swift
/// func backUp(_ file: FilePath, to store: some ObjectStore) async throws {
///   try await store.upload(file, to: "2026/11/20/cat.jpg") { print($0.fractionCompleted) }
/// }
/// ```
///
/// Operations throw ``ServiceError`` for what the service refuses, ``TransportError`` for what the network does,
/// ``StorageError`` for what the client itself refuses, `SigningError` for a request that cannot be signed,
/// `CredentialError` where there is no credential, and `CancellationError`.
public protocol ObjectStore: Sendable {
  /// Uploads an object.
  ///
  /// - Parameters:
  ///   - source: The bytes.
  ///   - key: The key of the object.
  ///   - options: What is stored along with the bytes.
  ///   - progress: Called while the bytes go out, one call after the other, on no particular thread.
  /// - Returns: What the service says about the object.
  @discardableResult
  func upload(
    _ source: UploadSource, to key: String, options: UploadOptions, progress: TransferProgress.Handler?
  ) async throws -> UploadedObject

  /// Downloads an object into a file, which appears only when all of it has arrived.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - file: The file; one that exists is replaced.
  ///   - options: Which version, under which conditions.
  ///   - progress: Called while the bytes come in, one call after the other, on no particular thread.
  /// - Returns: What the service says about the object.
  @discardableResult
  func download(
    _ key: String, to file: FilePath, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo

  /// Starts to download an object, or a range of it.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - options: Which range, which version, under which conditions.
  /// - Returns: What the service says about the object, and its bytes as they arrive.
  func open(_ key: String, options: DownloadOptions) async throws -> DownloadedObject

  /// Asks about an object.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - headers: Further headers of the provider, such as who pays, or a customer's key.
  func head(_ key: String, headers: HTTPFields) async throws -> ObjectInfo

  /// Deletes an object; it is no error if there is none.
  ///
  /// - Parameter key: The key of the object.
  func delete(_ key: String) async throws

  /// Deletes objects, up to 1,000 with one request; it is no error if some do not exist.
  ///
  /// - Parameter keys: The keys of the objects.
  /// - Returns: Which ones were deleted, and which ones were not, and why.
  @discardableResult
  func delete(_ keys: [String]) async throws -> DeletionReport

  /// Lists objects, in the order of the bytes of their keys; pages are fetched as they are needed.
  ///
  /// - Parameters:
  ///   - prefix: What the keys start with.
  ///   - delimiter: If given, keys that hold it behind the prefix are folded into one common prefix each.
  func list(prefix: String, delimiter: String?) -> ObjectListing
}

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

extension ObjectStore {
  /// Downloads an object into a file, which appears only when all of it has arrived.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - file: The file; one that exists is replaced.
  ///   - progress: Called while the bytes come in, one call after the other, on no particular thread.
  /// - Returns: What the service says about the object.
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
  ///   - limit: The most bytes that are taken.
  ///   - options: Which range, which version, under which conditions.
  /// - Returns: The bytes.
  /// - Throws: ``StorageError/Code/tooLarge`` if there are more bytes than `limit`, and what every operation throws.
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
  /// - Returns: What the service says about the object, and its bytes as they arrive.
  public func open(_ key: String) async throws -> DownloadedObject {
    try await open(key, options: DownloadOptions())
  }

  /// Asks about an object.
  ///
  /// - Parameter key: The key of the object.
  public func head(_ key: String) async throws -> ObjectInfo {
    try await head(key, headers: [:])
  }

  /// Lists all objects, or those whose keys start with a prefix.
  ///
  /// - Parameter prefix: What the keys start with.
  public func list(prefix: String = "") -> ObjectListing {
    list(prefix: prefix, delimiter: nil)
  }
}

/// What became of the objects that were to be deleted.
public struct DeletionReport: Sendable, Hashable {
  /// The keys that are gone, or were never there.
  public internal(set) var deleted: [String]

  /// The keys that could not be deleted.
  public internal(set) var failures: [Failure]

  /// A key that could not be deleted, and why.
  public struct Failure: Sendable, Hashable {
    /// The key.
    public let key: String

    /// The provider's code.
    public let code: String

    /// The provider's message.
    public let message: String

    /// Reports; for stores.
    public init(key: String, code: String, message: String) {
      self.key = key
      self.code = code
      self.message = message
    }
  }

  /// Reports; for stores.
  public init(deleted: [String] = [], failures: [Failure] = []) {
    self.deleted = deleted
    self.failures = failures
  }
}
