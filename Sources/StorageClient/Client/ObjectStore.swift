public import HTTPTypes
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
