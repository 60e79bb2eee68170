// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOPosix
internal import StorageAuth
internal import Synchronization
internal import SystemPackage
internal import _NIOFileSystem

/// A file whose bytes are uploaded, and which is open during the upload.
struct FilePayload: UploadPayload {
  /// The number of bytes per read from the file, because each read costs a thread switch.
  private static let readSize: Int64 = 512 * 1024

  /// The number of buffers that a stream fills in turn.
  ///
  /// The bytes of a buffer have been sent when its turn comes again.
  private static let bufferCount = 4

  let length: Int64
  private let file: FileDescriptor

  /// Opens a file and runs a closure with it, and always closes the file afterwards.
  static func read<Result>(
    _ path: FilePath, _ body: (FilePayload) async throws -> Result
  ) async throws -> Result {
    let handle: ReadFileHandle
    do {
      handle = try await FileSystem.shared.openFile(forReadingAt: path)
    } catch let error as FileSystemError {
      throw StorageError(error, at: path)
    }
    let payload: FilePayload
    do {
      payload = try await FilePayload(handle, at: path)
    } catch {
      await Task { try? await handle.close() }.value
      throw error
    }
    do {
      let result = try await body(payload)
      await payload.close()
      return result
    } catch {
      await payload.close()
      throw error
    }
  }

  /// Creates a payload that takes ownership of an open file.
  ///
  /// If an error is thrown, the caller keeps the ownership.
  private init(_ handle: ReadFileHandle, at path: FilePath) async throws {
    let info = try await handle.info()
    guard info.type == .regular else {
      throw StorageError(.unusableFile, "\(path) is not a regular file.", remedy: "Name a file, or upload a stream.")
    }
    length = info.size
    file = try handle.detachUnsafeFileDescriptor()
  }

  private func close() async {
    await Task { [file] in try? await NIOThreadPool.singleton.runIfActive { try file.close() } }.value
  }

  func stream(_ range: Range<Int64>) -> ByteStream {
    ByteStream(chunks: {
      var offset = range.lowerBound
      var turn = 0
      let buffers = (0..<Self.bufferCount).map { _ in ChunkBuffer() }
      return {
        let count = min(Self.readSize, range.upperBound - offset)
        guard count > 0 else { return nil }
        let (buffer, start) = (buffers[turn], offset)
        turn = (turn + 1) % Self.bufferCount
        let chunk = try await NIOThreadPool.singleton.runIfActive {
          try buffer.read(file, from: start, upTo: Int(count))
        }
        guard chunk.readableBytes > 0 else { return nil }
        offset += Int64(chunk.readableBytes)
        return chunk
      }
    })
  }
}

/// A buffer that is reused if no other reference to its bytes remains, so that no memory is allocated.
private final class ChunkBuffer: Sendable {
  private let buffer = Mutex(ByteBuffer())

  /// Reads bytes from a file into the buffer, and returns an empty buffer at the end of the file.
  func read(_ file: FileDescriptor, from start: Int64, upTo count: Int) throws -> ByteBuffer {
    try buffer.withLock { buffer in
      buffer.clear(minimumCapacity: count)
      // Safe: the system writes at most as many bytes as the given memory holds, and returns the number that it wrote.
      _ = try unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
        unsafe try file.read(fromAbsoluteOffset: start, into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]))
      }
      return buffer
    }
  }
}

extension StorageError {
  /// Creates an error from the file system's error for the file at a path.
  init(_ error: FileSystemError, at path: FilePath) {
    let reason = (error.cause as? FileSystemError.SystemCallError).map { "\($0.errno)." } ?? error.message
    self.init(
      .unusableFile, "\(path) cannot be used: \(reason)",
      remedy: "Check the path, its permissions and the free space.")
  }
}
