// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageClient
import StorageClientTesting
import SystemPackage

/// A store that behaves like the store in memory, except for replaced operations.
struct TwistedStore: ObjectStore {
  typealias Upload =
    @Sendable @concurrent (
      _ base: InMemoryStore, _ source: UploadSource, _ key: String, _ options: UploadOptions,
      _ progress: TransferProgress.Handler?
    ) async throws -> UploadedObject
  typealias Download =
    @Sendable @concurrent (
      _ base: InMemoryStore, _ key: String, _ file: FilePath, _ progress: TransferProgress.Handler?
    ) async throws -> ObjectInfo

  let base = InMemoryStore(pageSize: 10)
  var uploading: Upload = { try await $0.upload($1, to: $2, options: $3, progress: $4) }
  var downloading: Download = { try await $0.download($1, to: $2, options: DownloadOptions(), progress: $3) }
  var opening: @Sendable @concurrent (InMemoryStore, String, DownloadOptions) async throws -> DownloadedObject = {
    try await $0.open($1, options: $2)
  }
  var describing: @Sendable @concurrent (InMemoryStore, String) async throws -> ObjectInfo = {
    try await $0.head($1, headers: [:])
  }
  var deleting: @Sendable @concurrent (InMemoryStore, String) async throws -> Void = { try await $0.delete($1) }
  var reporting: @Sendable @concurrent (InMemoryStore, [String]) async throws -> DeletionReport = {
    try await $0.delete($1)
  }
  var listing: @Sendable (InMemoryStore, String, String?) -> ObjectListing = { $0.list(prefix: $1, delimiter: $2) }

  func upload(
    _ source: UploadSource, to key: String, options: UploadOptions, progress: TransferProgress.Handler?
  ) async throws -> UploadedObject {
    try await uploading(base, source, key, options, progress)
  }

  func download(
    _ key: String, to file: FilePath, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try await downloading(base, key, file, progress)
  }

  func open(_ key: String, options: DownloadOptions) async throws -> DownloadedObject {
    try await opening(base, key, options)
  }

  func head(_ key: String, headers: HTTPFields) async throws -> ObjectInfo { try await describing(base, key) }

  func delete(_ key: String) async throws { try await deleting(base, key) }

  func delete(_ keys: [String]) async throws -> DeletionReport { try await reporting(base, keys) }

  func list(prefix: String, delimiter: String?) -> ObjectListing { listing(base, prefix, delimiter) }
}
