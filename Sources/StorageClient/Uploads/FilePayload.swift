internal import NIOCore
internal import SystemPackage
internal import _NIOFileSystem

/// A file that is open as long as the upload goes on.
struct FilePayload: UploadPayload {
  let length: Int64
  private let handle: ReadFileHandle

  /// Runs a body with an open file, and closes the file whatever happens.
  static func read<Result>(
    _ path: FilePath, _ body: (FilePayload) async throws -> Result
  ) async throws -> Result {
    let handle: ReadFileHandle
    do {
      handle = try await FileSystem.shared.openFile(forReadingAt: path)
    } catch let error as FileSystemError {
      throw StorageError(error, at: path)
    }
    do {
      let result = try await body(FilePayload(handle, at: path))
      await Task { try? await handle.close() }.value
      return result
    } catch {
      await Task { try? await handle.close() }.value
      throw error
    }
  }

  private init(_ handle: ReadFileHandle, at path: FilePath) async throws {
    let info = try await handle.info()
    guard info.type == .regular else {
      throw StorageError(.unusableFile, "\(path) is not a regular file.", remedy: "Name a file, or upload a stream.")
    }
    length = info.size
    self.handle = handle
  }

  func stream(_ range: Range<Int64>) -> ByteStream {
    ByteStream {
      var offset = range.lowerBound
      return {
        let count = min(payloadChunkSize, range.upperBound - offset)
        guard count > 0 else { return nil }
        let chunk = try await handle.readChunk(fromAbsoluteOffset: offset, length: .bytes(count))
        guard chunk.readableBytes > 0 else { return nil }
        offset += Int64(chunk.readableBytes)
        return Array(buffer: chunk)
      }
    }
  }
}

extension StorageError {
  /// What the file system said about a file.
  init(_ error: FileSystemError, at path: FilePath) {
    let reason = (error.cause as? FileSystemError.SystemCallError).map { "\($0.errno)." } ?? error.message
    self.init(
      .unusableFile, "\(path) cannot be used: \(reason)",
      remedy: "Check the path, its permissions and the space that is left.")
  }
}
