// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import SystemPackage

/// A store that reads and writes files in open folders, as a synchronization needs it.
///
/// A path can lead elsewhere by the time it is used; an open folder cannot.
package protocol OpenFileStore: ObjectStore {
  /// Downloads an object into a place, where it appears only when it is complete.
  @discardableResult
  func download(
    _ key: String, to location: FileLocation, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo
}

/// A store that continues transfers of files in open folders.
package protocol ResumingFileStore: OpenFileStore {
  /// Uploads an open file, and continues an upload that was interrupted.
  @discardableResult
  func upload(
    _ file: FilePayload, to key: String, checkpoint: some CheckpointStorage<UploadCheckpoint>, options: UploadOptions,
    progress: TransferProgress.Handler?
  ) async throws -> UploadedObject

  /// Downloads an object into a place, and continues a download that was interrupted.
  @discardableResult
  func download(
    _ key: String, to location: FileLocation, checkpoint: some CheckpointStorage<DownloadCheckpoint>,
    options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo
}

extension BucketClient: ResumingFileStore {}

extension StorageClient: OpenFileStore where Provider.Store: OpenFileStore {
  package func download(
    _ key: String, to location: FileLocation, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try await store.download(key, to: location, options: options, progress: progress)
  }
}

extension StorageClient: ResumingFileStore where Provider.Store: ResumingFileStore {
  package func upload(
    _ file: FilePayload, to key: String, checkpoint: some CheckpointStorage<UploadCheckpoint>, options: UploadOptions,
    progress: TransferProgress.Handler?
  ) async throws -> UploadedObject {
    try await store.upload(file, to: key, checkpoint: checkpoint, options: options, progress: progress)
  }

  package func download(
    _ key: String, to location: FileLocation, checkpoint: some CheckpointStorage<DownloadCheckpoint>,
    options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try await store.download(key, to: location, checkpoint: checkpoint, options: options, progress: progress)
  }
}

extension ObjectStore {
  /// Downloads an object into a place, where it appears only when it is complete.
  ///
  /// - Returns: The service's description of the object.
  func download(
    _ key: String, into location: FileLocation, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    if let store = self as? any OpenFileStore {
      return try await store.download(key, to: location, options: DownloadOptions(), progress: progress)
    }
    return try await FileReplacement.write(location) { file in
      let object = try await open(key)
      let meter = ProgressMeter(total: object.contentLength, handler: progress)
      let written = try await file.write(object.body, at: 0, .crc64) { meter.advance(by: $1) }
      try check("the object \(key)", count: written.length, length: object.info.size)
      return object.info
    }
  }
}
