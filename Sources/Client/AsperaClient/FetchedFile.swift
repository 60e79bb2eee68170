// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import HTTPTypes
internal import StorageAuth
internal import StorageClient
internal import SystemPackage

/// A downloaded object in a temporary folder, which is removed when the last reader releases the object.
struct FetchedFile: Sendable {
  let info: ObjectInfo
  let file: FilePath
  private let content: LocalFile
  private let length: Int64
  private let folder: TemporaryFolder

  /// Creates a fetched file after checking that the download is complete.
  init(_ info: ObjectInfo, _ file: FilePath, in folder: TemporaryFolder) async throws {
    let found = try? await LocalFile.reading(file, followsLink: false)
    guard let found, info.size == nil || info.size == found.status.size else {
      throw StorageError(
        .truncated, "\(info.key) came with \(found?.status.size ?? 0) bytes instead of \(info.size ?? 0).",
        remedy: "Download it again; it may have been changed meanwhile.")
    }
    self.info = info
    self.file = file
    content = found
    length = found.status.size
    self.folder = folder
  }

  /// Moves the file to a place, with the permissions of the file that it replaces.
  func move(to location: FileLocation) async throws {
    if let permissions = try await location.permissions() { try await content.setPermissions(permissions) }
    let source = try await FileLocation(file)
    guard let status = try await source.status(followsLink: false), status.isSameFile(as: content.status) else {
      throw StorageError(
        .unusableFile, "\(file) was replaced by another file.", remedy: "Check who else writes to the folder.")
    }
    try await location.folder.system.run { try FileReplacement.rename(source, to: location) }
  }

  /// Returns the byte offsets that a range selects, or all offsets of the file if the range is `nil`.
  ///
  /// - Throws: `ServiceError` of the kind `invalidRange`, as from other services, if the range lies outside the
  ///   object.
  func bytes(of range: ByteRange?, subject: String) throws -> Range<Int64> {
    guard let range else { return 0..<length }
    guard let bytes = range.bytes(of: length) else {
      throw ServiceError(
        HTTPResponse(status: .rangeNotSatisfiable), code: "InvalidRange",
        message: "The object has \(length) bytes.", subject: subject)
    }
    return bytes
  }

  /// Returns a stream of the bytes in a range of the file, in chunks.
  func stream(_ range: Range<Int64>) -> ByteStream {
    // Retains the folder until the stream has been read.
    ByteStream { [self] in
      var offset = range.lowerBound
      return {
        let count = min(payloadChunkSize, range.upperBound - offset)
        guard count > 0 else { return nil }
        let chunk = try await content.read(from: offset, upTo: Int(count))
        offset += Int64(chunk.count)
        return chunk.isEmpty ? nil : chunk
      }
    }
  }
}
