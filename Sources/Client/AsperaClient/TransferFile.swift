// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import HTTPTypes
internal import StorageAuth
internal import StorageClient
internal import SystemPackage

/// A file for ascp to send: the caller's own file, or a temporary file that only its owner can read.
struct TransferFile: Sendable {
  let path: String
  let size: Int64
  /// The CRC-64 of the bytes if they were copied to a temporary file, or `nil`.
  let checksum: ObjectChecksum?
  private let folder: TemporaryFolder?
  /// The caller's own file, or `nil` if the file is temporary.
  private let original: FilePayload?

  /// Creates the file from an upload source, and writes bytes and streams to a temporary file.
  init(_ source: UploadSource) async throws {
    switch source.storage {
    case .file(let path): try await self.init(FilePayload(path))
    case .opened(let file): self.init(file)
    case .bytes(let bytes): try await self.init(ByteStream(bytes), length: Int64(bytes.count))
    case .stream(let stream, let length): try await self.init(stream, length: length)
    }
  }

  private init(_ file: FilePayload) {
    path = file.path.absolute.string
    size = file.length
    checksum = nil
    folder = nil
    original = file
  }

  /// Throws an error if ascp may have read another file than the one that was opened, or another state of it.
  ///
  /// ascp gets a path, and resolves it by itself.
  func requireUnchanged() async throws {
    guard let original else { return }
    let status = try? await FileLocation(FilePath(path)).status()
    guard let status, status.isSameFile(as: original.status), status.identity == original.identity else {
      throw StorageError(
        .sourceChanged, "\(path) was changed, or replaced by another file, during the upload.",
        remedy: "Upload it again when it no longer changes.")
    }
  }

  private init(_ stream: ByteStream, length: Int64?) async throws {
    let folder = try TemporaryFolder()
    let file = folder.content
    let written = try await FileReplacement.write(file, permissions: .ownerReadWrite) { replacement in
      try await replacement.write(stream, at: 0, .crc64) { _, _ in }
    }
    guard length == nil || length == written.length else {
      throw StorageError(
        .sourceChanged, "The stream had \(written.length) bytes, not the \(length ?? 0) that were announced.",
        remedy: "Give the length only if it is certain.")
    }
    path = file.string
    size = written.length
    checksum = written.checksum
    self.folder = folder
    original = nil
  }
}

extension TemporaryFolder {
  var content: FilePath { FilePath(path).appending(Self.contentName) }

  static var contentName: String { "content" }
}

/// A downloaded object in a temporary folder, which is removed when the last reader releases the object.
struct FetchedFile: Sendable {
  let info: ObjectInfo
  private let content: LocalFile
  private let folder: TemporaryFolder

  private var length: Int64 { content.status.size }

  /// Creates a fetched file after checking that the download into the folder is complete.
  init(_ info: ObjectInfo, in folder: TemporaryFolder) async throws {
    let file = try? await LocalFile.reading(folder.content, followsLink: false)
    guard let file, info.size == nil || info.size == file.status.size else {
      throw StorageError(
        .truncated, "\(info.key) came with \(file?.status.size ?? 0) bytes instead of \(info.size ?? 0).",
        remedy: "Download it again; it may have been changed meanwhile.")
    }
    self.info = info
    content = file
    self.folder = folder
  }

  /// Moves the file to a location, with the permissions of the file that it replaces.
  func move(to location: FileLocation) async throws {
    if let permissions = try await location.permissions() { try await content.setPermissions(permissions) }
    let source = try await FileLocation(folder.content)
    guard let status = try await source.status(followsLink: false), status.isSameFile(as: content.status) else {
      throw StorageError(
        .unusableFile, "\(folder.content) was replaced by another file.",
        remedy: "Check who else writes to the folder.")
    }
    try await location.folder.system.runBlocking { try FileReplacement.rename(source, to: location) }
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
