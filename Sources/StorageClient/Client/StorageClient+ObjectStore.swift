public import HTTPTypes
public import SystemPackage

extension StorageClient: ObjectStore {
  private var store: Provider.Store { provider.store(of: self) }

  /// Uploads an object.
  ///
  /// With OSS and COS, in parts from the configured threshold on; the signer needs `oss:PutObject` or
  /// `name/cos:PutObject`; for parts on COS also `name/cos:InitiateMultipartUpload`, `name/cos:UploadPart` and
  /// `name/cos:CompleteMultipartUpload`, and to give parts up `oss:AbortMultipartUpload` or
  /// `name/cos:AbortMultipartUpload`.
  ///
  /// - Parameters:
  ///   - source: The bytes.
  ///   - key: The key of the object.
  ///   - options: What is stored along with the bytes.
  ///   - progress: Called while the bytes go out, one call after the other, on no particular thread.
  /// - Returns: What the service says about the object.
  @discardableResult
  public func upload(
    _ source: UploadSource, to key: String, options: UploadOptions, progress: TransferProgress.Handler?
  ) async throws -> UploadedObject {
    try await store.upload(source, to: key, options: options, progress: progress)
  }

  /// Downloads an object into a file, which appears only when all of it has arrived.
  ///
  /// With OSS and COS, large ones in several ranges at a time; the signer needs `oss:GetObject` or `name/cos:GetObject`.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - file: The file; one that exists is replaced.
  ///   - options: Which version, under which conditions.
  ///   - progress: Called while the bytes come in, one call after the other, on no particular thread.
  /// - Returns: What the service says about the object.
  @discardableResult
  public func download(
    _ key: String, to file: FilePath, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try await store.download(key, to: file, options: options, progress: progress)
  }

  /// Starts to download an object, or a range of it.
  ///
  /// The signer needs `oss:GetObject` or `name/cos:GetObject`.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - options: Which range, which version, under which conditions.
  /// - Returns: What the service says about the object, and its bytes as they arrive.
  public func open(_ key: String, options: DownloadOptions) async throws -> DownloadedObject {
    try await store.open(key, options: options)
  }

  /// Asks about an object.
  ///
  /// The signer needs `oss:GetObject` or `name/cos:HeadObject`.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - headers: Further headers of the provider, such as who pays, or a customer's key.
  public func head(_ key: String, headers: HTTPFields) async throws -> ObjectInfo {
    try await store.head(key, headers: headers)
  }

  /// Deletes an object; it is no error if there is none.
  ///
  /// The signer needs `oss:DeleteObject` or `name/cos:DeleteObject`.
  ///
  /// - Parameter key: The key of the object.
  public func delete(_ key: String) async throws {
    try await store.delete(key)
  }

  /// Deletes objects, up to 1,000 with one request; it is no error if some do not exist.
  ///
  /// With OSS and COS, keys with control characters cannot be written in XML and are deleted one by one. The signer needs
  /// `oss:DeleteObject`, or `name/cos:DeleteMultipleObjects` and `name/cos:DeleteObject`.
  ///
  /// - Parameter keys: The keys of the objects.
  /// - Returns: Which ones were deleted, and which ones were not, and why.
  /// - Throws: What every operation throws; then the keys of earlier requests have been deleted.
  @discardableResult
  public func delete(_ keys: [String]) async throws -> DeletionReport {
    try await store.delete(keys)
  }

  /// Lists objects, in the order of the bytes of their keys; pages are fetched as they are needed.
  ///
  /// The signer needs `oss:ListObjects` or `name/cos:GetBucket`.
  ///
  /// - Parameters:
  ///   - prefix: What the keys start with.
  ///   - delimiter: If given, keys that hold it behind the prefix are folded into one common prefix each.
  public func list(prefix: String, delimiter: String?) -> ObjectListing {
    store.list(prefix: prefix, delimiter: delimiter)
  }
}
