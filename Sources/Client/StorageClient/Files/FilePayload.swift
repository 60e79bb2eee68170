// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import SystemPackage

/// A file whose bytes are uploaded, and which stays open as long as a stream of its bytes exists.
package struct FilePayload: UploadPayload {
  private let file: LocalFile

  /// Opens the file at a path of the caller.
  ///
  /// - Throws: ``StorageError/Code/unusableFile`` if the path does not lead to a regular file that can be read.
  package init(_ path: FilePath) async throws {
    file = try await .reading(path)
  }

  /// Creates a payload of an open file.
  init(_ file: LocalFile) {
    self.file = file
  }

  /// The path with which the file was opened.
  package var path: FilePath { file.path }

  package var length: Int64 { file.status.size }

  /// The status of the file when it was opened.
  package var status: FileStatus { file.status }

  /// The identity of the file when it was opened.
  package var identity: FileIdentity { file.status.identity }

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

/// The identity and the state of a file: its number in the file system, its size, and the time of its last change.
///
/// Two equal identities mean that the same file was not changed in between, as far as the file system can tell.
public struct FileIdentity: Sendable, Hashable, Codable {
  /// The number of the file in its file system (the inode).
  public let fileNumber: UInt64

  /// The size of the file in bytes.
  public let size: Int64

  /// The time of the last change of the file's content, in whole seconds since 1970-01-01T00:00:00Z.
  public let modifiedSeconds: Int64

  /// The nanoseconds within the second of the last change.
  public let modifiedNanoseconds: Int64

  /// Creates the identity of a file.
  ///
  /// - Parameters:
  ///   - fileNumber: The number of the file in its file system.
  ///   - size: The size of the file in bytes.
  ///   - modifiedSeconds: The time of the last change, in whole seconds since 1970-01-01T00:00:00Z.
  ///   - modifiedNanoseconds: The nanoseconds within the second of the last change.
  public init(fileNumber: UInt64, size: Int64, modifiedSeconds: Int64, modifiedNanoseconds: Int64) {
    self.fileNumber = fileNumber
    self.size = size
    self.modifiedSeconds = modifiedSeconds
    self.modifiedNanoseconds = modifiedNanoseconds
  }
}
