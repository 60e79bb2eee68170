// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import HTTPTypes
internal import NIOCore
internal import SystemPackage
internal import _NIOFileSystem

/// A downloaded object in a temporary folder, which is removed when the last reader releases the object.
struct FetchedFile: Sendable {
  let info: ObjectInfo
  let file: FilePath
  private let length: Int64
  private let folder: TemporaryFolder

  /// Creates a fetched file after checking that the download is complete.
  init(_ info: ObjectInfo, _ file: FilePath, in folder: TemporaryFolder) async throws {
    let found = try? await FileSystem.shared.info(forFileAt: file, infoAboutSymbolicLink: true)
    guard let found, found.type == .regular, info.size == nil || info.size == found.size else {
      throw StorageError(
        .truncated, "\(info.key) came with \(found?.size ?? 0) bytes instead of \(info.size ?? 0).",
        remedy: "Download it again; it may have been changed meanwhile.")
    }
    self.info = info
    self.file = file
    length = found.size
    self.folder = folder
  }

  /// Returns the byte offsets that a range selects, or all offsets of the file if the range is `nil`.
  ///
  /// - Throws: ``ServiceError`` of the kind `invalidRange`, as from other services, if the range lies outside the
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
    ByteStream { [self] in
      var offset = range.lowerBound
      return {
        let count = min(payloadChunkSize, range.upperBound - offset)
        guard count > 0 else { return nil }
        do {
          let chunk = try await FileSystem.shared.withFileHandle(forReadingAt: file) { handle in
            try await handle.readChunk(fromAbsoluteOffset: offset, length: .bytes(count))
          }
          offset += Int64(chunk.readableBytes)
          return chunk.readableBytes == 0 ? nil : Array(buffer: chunk)
        } catch let error as FileSystemError {
          throw StorageError(error, at: file)
        }
      }
    }
  }
}
