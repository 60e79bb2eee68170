// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import SystemPackage

extension BucketStore {
  /// Uploads a file, and continues an upload that was interrupted, even by the end of the process.
  ///
  /// ```swift
  /// try await client.upload("video.mp4", to: "2026/video.mp4", checkpoint: CheckpointFile("video.mp4.upload"))
  /// ```
  ///
  /// A call with the same file, key and options continues the upload that the checkpoint describes: it requests the list
  /// of stored parts, and sends the others. If the file has changed, the earlier upload is aborted and a new one starts.
  /// After an error the upload remains, until it is continued, or aborted with ``abort(_:)``.
  ///
  /// - Parameters:
  ///   - file: The path of the file, which must not change until the upload is complete.
  ///   - key: The key under which the object is stored.
  ///   - checkpoint: The place where the state of the upload is kept. The checkpoint is removed when the object is
  ///     complete.
  ///   - contentType: The media type of the object. If `nil`, the media type is derived from the extension of the file
  ///     name, or else from the extension of the key.
  ///   - metadata: The user-defined names and values to store with the object.
  ///   - options: Additional attributes to store with the object.
  ///   - progress: A closure that receives the progress as bytes are sent, one call at a time, on an arbitrary thread.
  /// - Returns: The service's description of the uploaded object.
  /// - Throws: ``StorageError`` if the file or an option is unusable, or if the checkpoint belongs to another transfer;
  ///   the error of the place for the checkpoint, and the other errors that ``ObjectStore`` lists.
  @discardableResult
  public func upload(
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
  /// The bytes are written to an incomplete file in the directory of the destination, which the checkpoint names. A call
  /// with the same key and destination checks that the object is the identical one and that the incomplete file is
  /// undamaged, and downloads the missing ranges. If the object has changed, the download starts anew.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - file: The destination file, which appears only when the download is complete. An existing file is replaced.
  ///   - checkpoint: The place where the state of the download is kept. The checkpoint is removed when the file is
  ///     complete.
  ///   - progress: A closure that receives the progress as bytes arrive, one call at a time, on an arbitrary thread.
  /// - Returns: The service's description of the object.
  /// - Throws: ``StorageError`` if the file cannot be written, the bytes are incomplete or damaged, or the checkpoint
  ///   belongs to another transfer; the error of the place for the checkpoint, and the other errors that ``ObjectStore``
  ///   lists.
  @discardableResult
  public func download(
    _ key: String, to file: FilePath, checkpoint: some CheckpointStorage<DownloadCheckpoint>,
    progress: TransferProgress.Handler? = nil
  ) async throws -> ObjectInfo {
    try await download(key, to: file, checkpoint: checkpoint, options: DownloadOptions(), progress: progress)
  }

  /// Lists all multipart uploads that were neither completed nor aborted.
  ///
  /// - Returns: An asynchronous sequence of uploads in the order of their keys.
  public func unfinishedUploads() -> UnfinishedUploads {
    unfinishedUploads(prefix: "")
  }
}
