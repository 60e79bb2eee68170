// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
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
  func checkIsUnchanged() async throws {
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
    let file = FilePath(folder.path).appending("content")
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
