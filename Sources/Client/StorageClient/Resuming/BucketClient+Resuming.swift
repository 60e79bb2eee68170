// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import SystemPackage

extension BucketClient {
  /// Uploads a file, and continues an upload that was interrupted.
  ///
  /// A file that is not uploaded in parts is uploaded as a whole each time.
  @concurrent
  func upload(
    _ file: FilePath, to key: String, checkpoint: some CheckpointStorage<UploadCheckpoint>, options: UploadOptions,
    progress: TransferProgress.Handler?
  ) async throws -> UploadedObject {
    try await upload(FilePayload(file), to: key, checkpoint: checkpoint, options: options, progress: progress)
  }

  /// Uploads an open file, and continues an upload that was interrupted.
  @concurrent
  func upload(
    _ payload: FilePayload, to key: String, checkpoint: some CheckpointStorage<UploadCheckpoint>,
    options: UploadOptions, progress: TransferProgress.Handler?
  ) async throws -> UploadedObject {
    try await client.transfer("upload", key, progress) { ledger in
      try await checkOverwriting(
        of: key, isForbidden: options.forbidOverwrite, checksVersioning: options.checksVersioning)
      let fields = try options.fields(in: provider.dialect, file: payload.path, key: key)
      let upload = ResumableUpload(
        bucket: self, key: key, fields: fields, file: payload, storage: checkpoint, ledger: ledger)
      if configuration.uploadsInParts(payload.length) { return try await upload.run() }
      try await upload.discard()
      return try await self.upload(whole: payload, to: key, options, fields, ledger.meter(total: payload.length))
    }
  }

  /// Downloads an object into a file, and continues a download that was interrupted.
  @concurrent
  func download(
    _ key: String, to file: FilePath, checkpoint: some CheckpointStorage<DownloadCheckpoint>,
    options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try await download(key, to: FilePlace(file), checkpoint: checkpoint, options: options, progress: progress)
  }

  /// Downloads an object into a place, and continues a download that was interrupted.
  @concurrent
  func download(
    _ key: String, to place: FilePlace, checkpoint: some CheckpointStorage<DownloadCheckpoint>,
    options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try await client.transfer("download", key, progress) { ledger in
      try await ResumableDownload(
        bucket: self, key: key, destination: place, options: options, storage: checkpoint, ledger: ledger
      ).run()
    }
  }

  /// Lists the multipart uploads that were neither completed nor aborted, and fetches pages as they are needed.
  func unfinishedUploads(prefix: String) -> UnfinishedUploads {
    UnfinishedUploads(prefix: prefix) { [self] marker in
      var parameters: [RequestTarget.Parameter] = [
        .init("uploads"), .init("encoding-type", "url"), .init("max-uploads", "\(configuration.keysPerPage)"),
      ]
      if !prefix.isEmpty { parameters.append(.init("prefix", prefix)) }
      if let marker {
        parameters.append(.init("key-marker", marker.key))
        parameters.append(.init("upload-id-marker", marker.uploadID))
      }
      let (_, document) = try await document(
        from: draft(.get, nil, parameters), named: "ListMultipartUploadsResult")
      return try UnfinishedUploads.Page(document, bucket: provider.bucket, prefix: prefix)
    }
  }

  /// Aborts a multipart upload, and succeeds if it does not exist any more.
  func abort(_ upload: UnfinishedUpload) async throws {
    let id = try AnswerValue(upload.uploadID, named: "UploadId")
    try await MultipartUpload(bucket: self, key: upload.key, id: id, fields: [:]).requestAbort()
  }
}
