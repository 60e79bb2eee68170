// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import SystemPackage

extension StorageClient where Provider: BucketProvider {
  /// Uploads a file, and continues an upload that was interrupted, even by the end of the process.
  ///
  /// The signer needs the permissions of an upload, and `oss:ListParts`, `name/cos:ListParts` or
  /// `s3:ListMultipartUploadParts`.
  ///
  /// - Parameters:
  ///   - file: The path of the file, which must not change until the upload is complete.
  ///   - key: The key under which the object is stored.
  ///   - checkpoint: The place where the state of the upload is kept. The checkpoint is removed when the object is
  ///     complete.
  ///   - options: The attributes to store with the object, such as its media type.
  ///   - progress: A closure that receives the progress as bytes are sent, one call at a time, on an arbitrary thread.
  /// - Returns: The service's description of the uploaded object.
  /// - Throws: ``StorageError`` if the file or an option is unusable, or if the checkpoint belongs to another transfer;
  ///   the error of the place for the checkpoint, and the other errors that ``ObjectStore`` lists.
  @discardableResult
  public func upload(
    _ file: FilePath, to key: String, checkpoint: some CheckpointStorage<UploadCheckpoint>, options: UploadOptions,
    progress: TransferProgress.Handler?
  ) async throws -> UploadedObject {
    try await BucketClient(client: self).upload(
      file, to: key, checkpoint: checkpoint, options: options, progress: progress)
  }

  /// Downloads an object into a file, and continues a download that was interrupted, even by the end of the process.
  ///
  /// The signer needs `oss:GetObject`, `name/cos:GetObject` and `name/cos:HeadObject`, or `s3:GetObject`.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - file: The destination file, which appears only when the download is complete. An existing file is replaced.
  ///   - checkpoint: The place where the state of the download is kept. The checkpoint is removed when the file is
  ///     complete.
  ///   - options: The version of the object, and the conditions for the download.
  ///   - progress: A closure that receives the progress as bytes arrive, one call at a time, on an arbitrary thread.
  /// - Returns: The service's description of the object.
  /// - Throws: ``StorageError`` if the file cannot be written, the bytes are incomplete or damaged, an option does not
  ///   apply, or the checkpoint belongs to another transfer; the error of the place for the checkpoint, and the other
  ///   errors that ``ObjectStore`` lists.
  @discardableResult
  public func download(
    _ key: String, to file: FilePath, checkpoint: some CheckpointStorage<DownloadCheckpoint>,
    options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try await BucketClient(client: self).download(
      key, to: file, checkpoint: checkpoint, options: options, progress: progress)
  }

  /// Lists the multipart uploads that were neither completed nor aborted, whose parts the provider charges for.
  ///
  /// The signer needs `oss:ListMultipartUploads`, `name/cos:ListMultipartUploads` or
  /// `s3:ListBucketMultipartUploads`.
  ///
  /// - Parameter prefix: The prefix of the listed keys. An empty prefix lists all uploads.
  /// - Returns: An asynchronous sequence of uploads in the order of their keys.
  public func unfinishedUploads(prefix: String) -> UnfinishedUploads {
    BucketClient(client: self).unfinishedUploads(prefix: prefix)
  }

  /// Aborts a multipart upload and removes its parts, and succeeds if the upload does not exist any more.
  ///
  /// The signer needs `oss:AbortMultipartUpload`, `name/cos:AbortMultipartUpload` or `s3:AbortMultipartUpload`.
  ///
  /// - Parameter upload: The upload to abort.
  /// - Throws: The errors that ``ObjectStore`` lists.
  public func abort(_ upload: UnfinishedUpload) async throws {
    try await BucketClient(client: self).abort(upload)
  }
}
