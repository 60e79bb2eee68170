// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import SystemPackage

/// A file whose bytes are uploaded, and which stays open as long as a stream of its bytes exists.
struct FilePayload: UploadPayload {
  private let file: OpenFile

  /// Opens the file at a path of the caller.
  ///
  /// - Throws: ``StorageError/Code/unusableFile`` if the path does not lead to a regular file that can be read.
  init(_ path: FilePath) async throws {
    file = try await .reading(path)
  }

  /// Creates a payload of an open file.
  init(_ file: OpenFile) {
    self.file = file
  }

  /// The path with which the file was opened.
  var path: FilePath { file.path }

  var length: Int64 { file.status.size }

  /// The status of the file when it was opened.
  var status: FileStatus { file.status }

  /// The identity of the file when it was opened.
  var identity: FileIdentity { file.status.identity }

  /// Returns whether the file has not changed since it was opened.
  func isUnchanged() throws -> Bool {
    try file.currentStatus.identity == identity
  }

  func stream(_ range: Range<Int64>) -> ByteStream {
    ByteStream { [file] in
      var offset = range.lowerBound
      return {
        let count = min(fileReadSize, range.upperBound - offset)
        guard count > 0 else { return nil }
        let chunk = try await file.read(from: offset, upTo: Int(count))
        guard !chunk.isEmpty else { return nil }
        offset += Int64(chunk.count)
        return chunk
      }
    }
  }
}
