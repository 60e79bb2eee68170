// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsperaTransfer
internal import HTTPTypes
internal import SystemPackage

extension NodeClient {
  /// Downloads an object into a file that appears at its destination only when the download is complete.
  @concurrent
  func download(
    _ key: String, to file: FilePath, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try await download(key, to: FilePlace(file), options: options, progress: progress)
  }

  /// Downloads an object into a place.
  @concurrent
  func download(
    _ key: String, to place: FilePlace, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try options.checkForAspera()
    return try await client.transfer("download", key, progress) { ledger in
      // Before anything is transferred, so that a folder is not found at the end.
      _ = try await place.permissions()
      let info = try await head(key)
      guard let range = options.range else {
        let copy = try await fetch(info, into: place.folder.path.absolute, ledger.meter(total: info.size))
        try await copy.move(to: place)
        return info
      }
      let copy = try await fetch(info, into: nil, nil)
      let bytes = try copy.bytes(of: range, subject: "download \(client.location(ofKey: key))")
      let meter = ledger.meter(total: bytes.upperBound - bytes.lowerBound)
      try await FileReplacement.write(place) { replacement in
        _ = try await replacement.write(copy.stream(bytes), at: 0, .crc64) { meter.advance(by: $1) }
      }
      return info
    }
  }

  /// Downloads an object to a temporary file, which exists as long as its bytes are being read.
  @concurrent
  func open(_ key: String, options: DownloadOptions) async throws -> DownloadedObject {
    try options.checkForAspera()
    let ledger = client.ledger("download", key, nil)
    do {
      let copy = try await ledger.run { try await fetch(try await head(key), into: nil, nil) }
      let bytes = try copy.bytes(of: options.range, subject: "download \(client.location(ofKey: key))")
      return DownloadedObject(
        info: copy.info, contentLength: bytes.upperBound - bytes.lowerBound,
        body: copy.stream(bytes).entered(into: ledger))
    } catch {
      ledger.close(failure: error)
      throw error
    }
  }

  /// Downloads an object into a new temporary folder.
  ///
  /// - Parameters:
  ///   - info: The description of the object to download.
  ///   - parent: The folder in which the temporary folder is created. If `nil`, the system's temporary directory.
  ///   - meter: The meter that receives the number of transferred bytes, or `nil`.
  private func fetch(_ info: ObjectInfo, into parent: FilePath?, _ meter: ProgressMeter?) async throws -> FetchedFile {
    let folder = try TemporaryFolder(in: parent?.string)
    let name = "content"
    let room = try room
    let transfer = try await files.download(of: info.key, to: name, in: folder.path, in: room)
    try await carryOut(transfer, size: info.size, meter, in: room)
    return try await FetchedFile(info, FilePath(folder.path).appending(name), in: folder)
  }
}

extension DownloadOptions {
  /// Throws an error if a download option is set that an Aspera node does not support.
  func checkForAspera() throws(StorageError) {
    try StorageError.refuse([
      ("versionID", versionID != nil), ("ifMatch", ifMatch != nil), ("ifNoneMatch", ifNoneMatch != nil),
      ("ifModifiedSince", ifModifiedSince != nil), ("parameters", !parameters.isEmpty), ("headers", !headers.isEmpty),
    ])
  }
}
