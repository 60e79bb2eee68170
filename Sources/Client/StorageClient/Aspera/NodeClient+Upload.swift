// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsperaTransfer
internal import SystemPackage

extension NodeClient {
  /// Uploads an object, directly from a file or through a temporary file for other sources.
  @concurrent
  func upload(
    _ source: UploadSource, to key: String, options: UploadOptions, progress: TransferProgress.Handler?
  ) async throws -> UploadedObject {
    try options.checkForAspera()
    try check(key)
    return try await client.transfer("upload", key, progress) { ledger in
      let file = try await TransferFile(source)
      let room = try room
      var transfer = try await files.upload(of: file.path, to: key, in: room)
      transfer.specification.createsFolder = true
      try await carryOut(transfer, size: file.size, ledger.meter(total: file.size), in: room)
      try await file.checkIsUnchanged()
      return UploadedObject(key: key, size: file.size, checksum: file.checksum)
    }
  }
}

extension UploadOptions {
  /// Throws an error if an upload option is set that an Aspera node cannot store with a file.
  func checkForAspera() throws(StorageError) {
    let named = [
      ("contentType", contentType != nil), ("metadata", !metadata.isEmpty), ("cacheControl", cacheControl != nil),
      ("contentDisposition", contentDisposition != nil), ("contentEncoding", contentEncoding != nil),
      ("forbidOverwrite", forbidOverwrite), ("storageClass", storageClass != nil), ("headers", !headers.isEmpty),
    ]
    try StorageError.refuse(named)
  }
}

extension StorageError {
  /// Throws an error that lists the options that are set, or returns if no option is set.
  static func refuse(_ options: [(name: String, isSet: Bool)]) throws(StorageError) {
    let names = options.filter(\.isSet).map(\.name)
    guard !names.isEmpty else { return }
    throw StorageError(
      .unsupported, "Aspera does not support \(names.joined(separator: " or ")); the operation was not started.",
      remedy: "Leave the options out for this provider.")
  }
}
