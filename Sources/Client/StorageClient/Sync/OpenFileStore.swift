// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import SystemPackage

/// A store that reads and writes files in open folders, as a synchronization needs it.
///
/// A path can lead elsewhere by the time it is used; an open folder cannot.
package protocol OpenFileStore: ObjectStore {
  /// Downloads an object into a file that appears at its location only when it is complete.
  @discardableResult
  func download(
    _ key: String, to location: FileLocation, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo
}

extension OpenFileStore {
  /// Downloads an object into a file that appears at its destination only when the download is complete.
  @concurrent
  package func download(
    _ key: String, to file: FilePath, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try await download(key, to: FileLocation(file), options: options, progress: progress)
  }
}

/// A store that continues transfers of files in open folders.
protocol ResumingFileStore: OpenFileStore {
  @discardableResult
  func upload(
    _ file: FilePayload, to key: String, checkpoint: some CheckpointStorage<UploadCheckpoint>, options: UploadOptions,
    progress: TransferProgress.Handler?
  ) async throws -> UploadedObject

  @discardableResult
  func download(
    _ key: String, to location: FileLocation, checkpoint: some CheckpointStorage<DownloadCheckpoint>,
    options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo
}
