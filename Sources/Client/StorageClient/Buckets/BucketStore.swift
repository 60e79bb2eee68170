// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import SystemPackage

/// An object store that is a bucket, which can be created and which can copy objects inside the service.
///
/// Clients of OSS, COS and S3 conform to this protocol. Clients of Aspera do not: a call of `copy` does not compile.
public protocol BucketStore: ObjectStore {
  /// Copies an object inside the service, without transferring its bytes through the client.
  ///
  /// - Parameters:
  ///   - source: The object to copy.
  ///   - key: The key of the copy, in this bucket.
  ///   - options: The attributes of the copy that differ from the source, and the conditions for the copy.
  /// - Throws: ``StorageError`` if an option is unusable, and the other errors that ``ObjectStore`` lists.
  @discardableResult func copy(_ source: CopySource, to key: String, options: CopyOptions) async throws -> CopiedObject

  /// Returns whether the bucket exists.
  ///
  /// - Throws: The errors that ``ObjectStore`` lists.
  func bucketExists() async throws -> Bool

  /// Creates the bucket as a private bucket, which only its owner can access.
  ///
  /// - Throws: ``ServiceError`` of the kind ``ServiceError/Kind/alreadyExists`` if the service reports that the bucket
  ///   exists, and the other errors that ``ObjectStore`` lists.
  func createBucket() async throws

  /// Deletes the bucket, which must be empty.
  ///
  /// - Throws: ``ServiceError`` if the bucket does not exist, or contains objects, versions or unfinished uploads, and
  ///   the other errors that ``ObjectStore`` lists.
  func deleteBucket() async throws

  /// Uploads a file, and continues an upload that was interrupted, even by the end of the process.
  ///
  /// - Parameters:
  ///   - file: The path of the file, which must not change until the upload is complete.
  ///   - key: The key under which the object is stored.
  ///   - checkpoint: The place for the state of the upload. The checkpoint is removed when the object is complete.
  ///   - options: The attributes to store with the object, such as its media type.
  ///   - progress: A closure that receives the progress as bytes are sent, one call at a time, on an arbitrary thread.
  /// - Throws: ``StorageError`` if the file or an option is unusable, or if the checkpoint belongs to another transfer;
  ///   the error of the place for the checkpoint, and the other errors that ``ObjectStore`` lists.
  @discardableResult func upload(
    _ file: FilePath, to key: String, checkpoint: some CheckpointStorage<UploadCheckpoint>, options: UploadOptions,
    progress: TransferProgress.Handler?
  ) async throws -> UploadedObject

  /// Downloads an object into a file, and continues a download that was interrupted, even by the end of the process.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - file: The destination file, which appears only when the download is complete. An existing file is replaced.
  ///   - checkpoint: The place for the state of the download. The checkpoint is removed when the file is complete.
  ///   - options: The version of the object, and the conditions for the download.
  ///   - progress: A closure that receives the progress as bytes arrive, one call at a time, on an arbitrary thread.
  /// - Throws: ``StorageError`` if the file cannot be written, the bytes are incomplete or damaged, an option does not
  ///   apply, or the checkpoint belongs to another transfer; the error of the place for the checkpoint, and the other
  ///   errors that ``ObjectStore`` lists.
  @discardableResult func download(
    _ key: String, to file: FilePath, checkpoint: some CheckpointStorage<DownloadCheckpoint>,
    options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo

  /// Lists the multipart uploads that were neither completed nor aborted, whose parts the provider charges for.
  ///
  /// The uploads are in the order of their keys, which start with the prefix.
  func unfinishedUploads(prefix: String) -> UnfinishedUploads

  /// Aborts a multipart upload and removes its parts, and succeeds if the upload does not exist any more.
  ///
  /// - Throws: The errors that ``ObjectStore`` lists.
  func abort(_ upload: UnfinishedUpload) async throws
}

extension BucketStore {
  /// Copies an object to another key of the same bucket.
  ///
  /// - Throws: The errors of ``copy(_:to:options:)``, which also describes the parameters; `source` is a key.
  @discardableResult public func copy(
    from source: String, to key: String, options: CopyOptions = CopyOptions()
  ) async throws -> CopiedObject { try await copy(CopySource(key: source), to: key, options: options) }

  /// Copies an object inside the service with its attributes, without transferring its bytes through the client.
  ///
  /// - Throws: The errors of ``copy(_:to:options:)``, which also describes the parameters.
  @discardableResult public func copy(_ source: CopySource, to key: String) async throws -> CopiedObject {
    try await copy(source, to: key, options: CopyOptions())
  }

  /// Uploads a file, and continues an upload that was interrupted, even by the end of the process.
  ///
  /// ```swift
  /// try await client.upload("video.mp4", to: "2026/video.mp4", checkpoint: CheckpointFile("video.mp4.upload"))
  /// ```
  ///
  /// A call with the same file, key and options continues the upload that the checkpoint describes: it requests the
  /// list of stored parts, and sends the others. If the file has changed, the earlier upload is aborted and a new one
  /// starts. After an error the upload remains, until it is continued, or aborted with ``abort(_:)``.
  ///
  /// `contentType` is the media type of the object; if it is `nil`, the media type is derived from the extension of the
  /// file name, or else of the key. `metadata` contains the user-defined names and values to store with the object.
  ///
  /// - Throws: The errors of ``BucketStore/upload(_:to:checkpoint:options:progress:)``, which describes the parameters.
  @discardableResult public func upload(
    _ file: FilePath, to key: String, checkpoint: some CheckpointStorage<UploadCheckpoint>,
    contentType: String? = nil, metadata: [String: String] = [:], options: UploadOptions = UploadOptions(),
    progress: TransferProgress.Handler? = nil
  ) async throws -> UploadedObject {
    try await upload(
      file, to: key, checkpoint: checkpoint,
      options: options.merging(contentType: contentType, metadata: metadata), progress: progress)
  }

  /// Downloads an object into a file, and continues a download that was interrupted, even by the end of the process.
  ///
  /// ```swift
  /// try await client.download("2026/video.mp4", to: "video.mp4", checkpoint: CheckpointFile("video.mp4.download"))
  /// ```
  ///
  /// The bytes are written to an incomplete file in the directory of the destination. A call with the same key and
  /// destination checks that the object has not changed and that the incomplete file is undamaged, and downloads the
  /// missing ranges. If the object has changed, the download starts anew.
  ///
  /// - Throws: The errors of ``BucketStore/download(_:to:checkpoint:options:progress:)``.
  @discardableResult public func download(
    _ key: String, to file: FilePath, checkpoint: some CheckpointStorage<DownloadCheckpoint>,
    progress: TransferProgress.Handler? = nil
  ) async throws -> ObjectInfo {
    try await download(key, to: file, checkpoint: checkpoint, options: DownloadOptions(), progress: progress)
  }

  /// Lists all multipart uploads that were neither completed nor aborted, in the order of their keys.
  public func unfinishedUploads() -> UnfinishedUploads { unfinishedUploads(prefix: "") }
}

extension StorageClient: BucketStore where Provider: BucketProvider {
  private var bucket: BucketClient<Provider> { BucketClient(sender: sender) }

  /// Copies an object inside the service, without transferring its bytes through the client.
  ///
  /// OSS copies objects of up to 1 GiB this way, and COS objects of up to 5 GiB. The services reject larger objects.
  /// The signer needs the permissions to get the source and to put the copy.
  ///
  /// - Throws: The errors of ``BucketStore/copy(_:to:options:)``, which also describes the parameters.
  @discardableResult
  public func copy(_ source: CopySource, to key: String, options: CopyOptions) async throws -> CopiedObject {
    try await bucket.copy(source, to: key, options: options)
  }

  /// Returns whether the bucket exists.
  ///
  /// The signer needs the permission `oss:ListObjects`, `name/cos:GetBucket` or `s3:ListBucket`.
  ///
  /// - Throws: The errors that ``ObjectStore`` lists.
  public func bucketExists() async throws -> Bool { try await bucket.bucketExists() }

  /// Creates the bucket as a private bucket, which only its owner can access.
  ///
  /// The signer needs the permission `oss:PutBucket`, `name/cos:PutBucket` or `s3:CreateBucket`.
  ///
  /// - Throws: The errors of ``BucketStore/createBucket()``.
  public func createBucket() async throws { try await bucket.createBucket() }

  /// Deletes the bucket, which must be empty.
  ///
  /// The signer needs the permission `oss:DeleteBucket`, `name/cos:DeleteBucket` or `s3:DeleteBucket`.
  ///
  /// - Throws: The errors of ``BucketStore/deleteBucket()``.
  public func deleteBucket() async throws { try await bucket.deleteBucket() }

  /// Lists the buckets of the account, whichever bucket the client is for; COS lists those of the region.
  ///
  /// The signer needs the permission `oss:ListBuckets`, `name/cos:GetService` or `s3:ListAllMyBuckets`.
  package func buckets() async throws -> [ListedBucket] { try await bucket.buckets() }

  /// Requests the versioning state of the bucket.
  ///
  /// The signer needs `oss:GetBucketVersioning`, `name/cos:GetBucketVersioning` or `s3:GetBucketVersioning`.
  ///
  /// - Throws: ``StorageError`` if the response cannot be read, and the other errors that ``ObjectStore`` lists.
  public func bucketVersioning() async throws -> BucketVersioning { try await bucket.bucketVersioning() }

  /// Requests the description of one version of an object, in a bucket with versioning.
  ///
  /// The signer needs `oss:GetObjectVersion`, `name/cos:HeadObject` or `s3:GetObjectVersion`.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - versionID: The version of the object, such as ``UploadedObject/versionID``.
  ///   - headers: Additional provider-specific headers, such as the requester-pays header or a customer-provided key.
  /// - Throws: ``ServiceError`` if the version does not exist, and the other errors that ``ObjectStore`` lists.
  public func head(_ key: String, versionID: String, headers: HTTPFields = [:]) async throws -> ObjectInfo {
    try await bucket.head(key, versionID: versionID, headers: headers)
  }

  /// Deletes one version of an object permanently, in a bucket with versioning.
  ///
  /// In such a bucket, a deletion without a version keeps all versions and adds a delete marker, which is a version.
  /// The signer needs `oss:DeleteObjectVersion`, `name/cos:DeleteObject` or `s3:DeleteObjectVersion`.
  ///
  /// - Throws: The errors that ``ObjectStore`` lists.
  public func delete(_ key: String, versionID: String) async throws {
    try await bucket.delete(key, versionID: versionID)
  }

  /// Lists the versions of the objects whose keys start with a prefix, and their delete markers.
  ///
  /// The signer needs `oss:ListObjectVersions`, `name/cos:GetBucketObjectVersions` or `s3:ListBucketVersions`. In a
  /// bucket that never had versioning, every object has one version, whose ID is `null`.
  public func versions(prefix: String = "") -> ObjectVersions { bucket.versions(prefix: prefix, key: nil) }

  /// Lists the versions of one object and its delete markers, the latest first.
  ///
  /// The signer needs the permission of ``versions(prefix:)``. ``download(_:to:options:)`` and
  /// ``head(_:versionID:headers:)`` read a version.
  public func versions(of key: String) -> ObjectVersions { bucket.versions(prefix: key, key: key) }

  /// Makes an earlier version of an object the latest one, by copying it within the service; no version is deleted.
  ///
  /// The signer needs what ``copy(_:to:options:)`` needs, and `oss:GetObjectVersion` or `s3:GetObjectVersion`.
  ///
  /// - Parameters:
  ///   - key: The key of the object, which a delete marker may hide.
  ///   - versionID: The version to restore. It must not be a delete marker.
  /// - Throws: ``ServiceError`` if the version does not exist, and the other errors that ``ObjectStore`` lists.
  @discardableResult public func restore(_ key: String, versionID: String) async throws -> CopiedObject {
    try await copy(CopySource(key: key, versionID: versionID), to: key)
  }

  /// Uploads a file, and continues an upload that was interrupted, even by the end of the process.
  ///
  /// The signer needs the permissions of an upload, and `oss:ListParts`, `name/cos:ListParts` or
  /// `s3:ListMultipartUploadParts`.
  ///
  /// - Throws: The errors of ``BucketStore/upload(_:to:checkpoint:options:progress:)``, which describes the parameters.
  @discardableResult public func upload(
    _ file: FilePath, to key: String, checkpoint: some CheckpointStorage<UploadCheckpoint>, options: UploadOptions,
    progress: TransferProgress.Handler?
  ) async throws -> UploadedObject {
    try await bucket.upload(file, to: key, checkpoint: checkpoint, options: options, progress: progress)
  }

  /// Downloads an object into a file, and continues a download that was interrupted, even by the end of the process.
  ///
  /// The signer needs `oss:GetObject`, `name/cos:GetObject` and `name/cos:HeadObject`, or `s3:GetObject`.
  ///
  /// - Throws: The errors of ``BucketStore/download(_:to:checkpoint:options:progress:)``.
  @discardableResult public func download(
    _ key: String, to file: FilePath, checkpoint: some CheckpointStorage<DownloadCheckpoint>,
    options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try await bucket.download(key, to: file, checkpoint: checkpoint, options: options, progress: progress)
  }

  /// Lists the multipart uploads that were neither completed nor aborted, whose parts the provider charges for.
  ///
  /// The signer needs `oss:ListMultipartUploads`, `name/cos:ListMultipartUploads` or `s3:ListBucketMultipartUploads`.
  public func unfinishedUploads(prefix: String) -> UnfinishedUploads { bucket.unfinishedUploads(prefix: prefix) }

  /// Aborts a multipart upload and removes its parts, and succeeds if the upload does not exist any more.
  ///
  /// The signer needs `oss:AbortMultipartUpload`, `name/cos:AbortMultipartUpload` or `s3:AbortMultipartUpload`.
  ///
  /// - Throws: The errors that ``ObjectStore`` lists.
  public func abort(_ upload: UnfinishedUpload) async throws { try await bucket.abort(upload) }
}

/// A bucket in the list of an account's buckets.
package struct ListedBucket: Sendable, Hashable {
  package let name: String
  package let created: Timestamp?
  package let region: String?

  /// Reads a page of buckets, and the parameter that requests the next page, or `nil` on the last page.
  static func page(
    _ document: ServiceDocument
  ) throws(StorageError) -> (buckets: [ListedBucket], next: RequestTarget.Parameter?) {
    let buckets = try (document.all("Buckets").first?.all("Bucket") ?? []).map { node throws(StorageError) in
      guard let name = try node.text(ofOnly: "Name") else {
        throw StorageError.malformedResponse("a listed bucket has no Name")
      }
      // OSS sends Region (cn-hangzhou) and Location (oss-cn-hangzhou), COS only Location, and S3 BucketRegion.
      var region: String?
      for element in ["Region", "Location", "BucketRegion"] {
        guard let text = try node.text(ofOnly: element) else { continue }
        let value = try ResponseValue(text, named: element)
        region = region ?? value.text
      }
      return ListedBucket(
        name: try ResponseValue(name, named: "Name").text,
        created: try node.text(ofOnly: "CreationDate").flatMap { Timestamp(iso8601: $0) },
        region: region)
    }
    if let token = try document.text("ContinuationToken") {
      return (buckets, RequestTarget.Parameter("continuation-token", token))
    }
    return (buckets, try document.text("NextMarker").map { RequestTarget.Parameter("marker", $0) })
  }
}
