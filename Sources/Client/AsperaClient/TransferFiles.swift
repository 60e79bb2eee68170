// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import SystemPackage

/// A file for ascp to send: the caller's own file, or a temporary file that only its owner can read.
struct UploadFile: Sendable {
  let path: String
  let length: Int64
  /// The CRC-64 of the bytes if they were copied to a temporary file, or `nil`.
  let checksum: ObjectChecksum?
  private let folder: TemporaryFolder?
  private let openedFile: FilePayload?

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
    length = file.length
    checksum = nil
    folder = nil
    openedFile = file
  }

  private init(_ stream: ByteStream, length announcedLength: Int64?) async throws {
    let folder = try TemporaryFolder()
    let writtenFile = try await FileReplacement.write(folder.contentPath, permissions: .ownerReadWrite) { replacement in
      try await replacement.write(stream, at: 0, .crc64) { written, _ in
        // A stream without an end must not fill the disk.
        if let announcedLength, written.length > announcedLength {
          throw Self.lengthError("more bytes than", announcedLength)
        }
      }
    }
    if let announcedLength, announcedLength != writtenFile.length {
      throw Self.lengthError("\(writtenFile.length) bytes, not", announcedLength)
    }
    path = folder.contentPath.string
    length = writtenFile.length
    checksum = writtenFile.checksum
    self.folder = folder
    openedFile = nil
  }

  private static func lengthError(_ comparison: String, _ announcedLength: Int64) -> StorageError {
    StorageError(
      .sourceChanged, "The stream had \(comparison) the \(announcedLength) that were announced.",
      remedy: "Give the length only if it is certain.")
  }

  /// Throws an error if ascp, which opens the path by itself, may have read another file or another state of the file.
  func requireUnchanged() async throws {
    guard let openedFile else { return }
    // A file that is gone, or whose status cannot be read, is not the one that was opened either.
    let status = try? await FileLocation(FilePath(path)).status()
    guard let status, status.isSameFile(as: openedFile.status), status.identity == openedFile.identity else {
      throw StorageError(
        .sourceChanged, "\(path) was changed, or replaced by another file, during the upload.",
        remedy: "Upload it again when it no longer changes.")
    }
  }
}

extension TemporaryFolder {
  var contentPath: FilePath { FilePath(path).appending(Self.contentName) }
  static var contentName: String { "content" }
}

/// A downloaded object in a temporary folder, which is removed when the last reader releases the object.
struct DownloadedFile: Sendable {
  let info: ObjectInfo
  private let contentFile: LocalFile
  private let folder: TemporaryFolder

  private var length: Int64 { contentFile.status.size }

  init(_ info: ObjectInfo, in folder: TemporaryFolder, of system: any FileSystem = .system) async throws {
    let content = try await FileLocation(folder.contentPath, in: system)
    let contentFile = try await LocalFile.reading(content.name, in: content.folder)
    if let size = info.size, size != contentFile.status.size {
      throw StorageError(
        .truncated, "\(info.key) came with \(contentFile.status.size) bytes instead of \(size).",
        remedy: "Download it again; it may have been changed meanwhile.")
    }
    self.info = info
    self.contentFile = contentFile
    self.folder = folder
  }

  func move(to location: FileLocation) async throws {
    if let permissions = try await location.permissions() {
      // First the permissions: the file must not appear at its location with others, not even for a moment.
      try await contentFile.setPermissions(permissions)
    }
    // After a power failure, blocks that ascp wrote out of order could be missing in a file of the full size.
    try await contentFile.synchronize()
    let source = try await FileLocation(folder.contentPath, in: location.folder.system)
    // The file is renamed by its name, which must still be that of the file that was opened and checked.
    guard let status = try await source.status(followsLink: false), status.isSameFile(as: contentFile.status) else {
      throw StorageError(
        .unusableFile, "\(folder.contentPath) was replaced by another file.",
        remedy: "Check who else writes to the folder.")
    }
    try await location.folder.system.runBlocking { try FileReplacement.rename(source, to: location) }
  }

  /// Returns the offsets of a range's bytes, or of all bytes, and throws `invalidRange` for a range outside the object.
  func offsets(of range: ByteRange?, subject: String) throws -> Range<Int64> {
    guard let range else { return 0..<length }
    guard let offsets = range.bytes(of: length) else {
      throw ServiceError(
        HTTPResponse(status: .rangeNotSatisfiable), code: "InvalidRange",
        message: "The object has \(length) bytes.", subject: subject)
    }
    return offsets
  }

  func stream(_ offsets: Range<Int64>) -> ByteStream {
    // The stream retains the folder until it has been read.
    ByteStream { [self] in
      var offset = offsets.lowerBound
      return {
        let count = min(payloadChunkSize, offsets.upperBound - offset)
        guard count > 0 else { return nil }
        let chunk = try await contentFile.read(from: offset, upTo: Int(count))
        guard !chunk.isEmpty else {
          let readCount = offset - offsets.lowerBound
          throw StorageError(
            .truncated, "\(info.key) ended after \(readCount) of \(offsets.count) bytes.", remedy: "Download it again.")
        }
        offset += Int64(chunk.count)
        return chunk
      }
    }
  }
}
